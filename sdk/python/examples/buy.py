"""Buys one thing from a shop, at the total that it told before: REGISTRY=… SITE=… LICENSE=… python buy.py"""

import os

from agent_web_bridge import Bridge

site, wanted = os.environ["SITE"], os.environ.get("WANTED", "kettle")
buyer = {"name": "Ada Lovelace", "email": "ada@agent.example", "terms": True}

with Bridge(os.environ.get("REGISTRY", "http://127.0.0.1:8080"), wallet={site: os.environ["LICENSE"]}) as bridge:
    with bridge.open(site, purpose=f"buy a {wanted}") as session:
        session.navigate("/")
        session.do("submit-search", {"q": wanted})
        session.click(".products a")
        session.do("submit-buy", {"quantity": "1"})
        session.click("#to-checkout")
        # Nothing is sent: what would be, and what it costs.
        confirm = session.do("submit-checkout", buyer, dry_run=True).get("confirm") or {}
        order = session.do("submit-checkout", buyer, **confirm)
        print(f"{order['title']}, for {confirm.get('confirm_total', 'a total that the page does not show')}")
