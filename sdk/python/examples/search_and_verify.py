"""Finds a site, and checks it without trusting the registry: REGISTRY=… QUERY=… python search_and_verify.py"""

import os

from agent_web_bridge import Bridge, VerificationError

with Bridge(os.environ.get("REGISTRY", "http://127.0.0.1:8080")) as bridge:
    for site in bridge.search(os.environ.get("QUERY", "kettle"), limit=3, min_ring=3):
        verdict = site.verdict()
        try:
            trust = site.verify()
            score = verdict["neutrality"]["score"]
            print(f"{site.domain}: {verdict['state']}, neutrality {score}, dns {trust.dns}, key {trust.kid}, registered {trust.registered}")
        except VerificationError as error:
            print(f"{site.domain}: do not trust this, {error}")
