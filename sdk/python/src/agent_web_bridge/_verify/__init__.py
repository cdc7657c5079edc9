"""A site's evidence, checked without trusting the registry."""
