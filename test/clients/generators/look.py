"""Looks at a site by a client that openapi-python-client wrote: REGISTRY=… SITE=… python look.py"""

import os

from generated.api.provider import get_site
from generated.api.search import search_sites
from generated.client import Client

with Client(base_url=os.environ["REGISTRY"]) as client:
    found = search_sites.sync(client=client, q="kettle")
    site = get_site.sync(os.environ["SITE"], client=client)
    print(any(each.domain == os.environ["SITE"] for each in found.results), site.state.value)
