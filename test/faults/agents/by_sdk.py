"""An agent of a page, by the Python SDK: it finds a shop, checks it, asks for access, buys one thing there and keeps the receipt."""

import json
import os
import time

from agent_web_bridge import Bridge, ConflictError, PermissionDeniedError, UnknownOutcomeError

purpose = "buy a kettle"
buyer = {"name": os.environ["BUYER"], "email": "ada@agent.example", "terms": True}


def opened(bridge, site):
    try:
        return site.open(purpose=purpose)
    except PermissionDeniedError as error:
        if error.code != "license_missing":
            raise
    asked = site.request_access(purpose=purpose, permissions=["readContent", "navigate", "click", "fillForms"])
    while asked["state"] == "pending":
        time.sleep(0.3)
        asked = bridge.access_request(asked["request_id"])
    bridge.collect(asked["request_id"])
    return site.open(purpose=purpose)


with Bridge(os.environ["REGISTRY"], token=os.environ["TOKEN"]) as bridge:
    site = next(each for each in bridge.search("kettle", min_ring=3) if each.listing["access"] != "none")
    if site.verdict()["state"] != "enabled":
        raise SystemExit(f"{site.domain} is not enabled")
    with opened(bridge, site) as session:
        session.actions()
        session.navigate("/")
        session.do("click", {"target": ".products a"})
        session.do("submit-buy", {"quantity": 1})
        session.do("click", {"target": "#to-checkout"})
        confirm = session.do("submit-checkout", buyer, dry_run=True)["confirm"]
        outcome = "done"
        try:
            session.do("submit-checkout", buyer, **confirm, idempotency_key=os.environ["ORDER_KEY"])
        except (UnknownOutcomeError, ConflictError) as error:
            # Done before, by the session that was lost; or nobody knows.
            if error.code not in ("reply_not_kept", "unknown_outcome"):
                raise
            outcome = "done" if error.code == "reply_not_kept" else error.code
        receipts = session.receipts()
        print(json.dumps({"outcome": outcome, "receipt": receipts[0]["state"] if receipts else None}))
