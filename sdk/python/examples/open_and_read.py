"""Opens a site with its license and reads, without waiting: REGISTRY=… SITE=… LICENSE=… python open_and_read.py"""

import asyncio
import os

from agent_web_bridge import AsyncBridge


async def main() -> None:
    site = os.environ["SITE"]
    registry = os.environ.get("REGISTRY", "http://127.0.0.1:8080")
    async with AsyncBridge(registry, wallet={site: os.environ["LICENSE"]}) as bridge:
        async with await bridge.open(site, purpose="see what there is") as session:
            page = await session.navigate("/")
            print(page["title"])
            for action in await session.actions():
                blocked = ", ".join(action["blocked_by"])
                print(f"can {action['name']}" if action["executable"] else f"cannot {action['name']}: {blocked}")


asyncio.run(main())
