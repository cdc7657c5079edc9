"""Lists the tools of an MCP server, calls one, and calls one that fails: by the official Python client.

Arguments: address, domain, mode ("auto": the newest revision; "legacy": one with a handshake). Prints one JSON object.
"""

import asyncio
import json
import sys

from mcp import Client


async def main(url: str, domain: str, mode: str) -> None:
    async with Client(url, mode=mode) as client:
        tools = await client.list_tools()
        verdict = await client.call_tool("site_verdict", {"domain": domain})
        failed = await client.call_tool("read_page", {"domain": "nowhere.test"})
        print(
            json.dumps(
                {
                    "tools": [tool.name for tool in tools.tools],
                    "verdict": verdict.structured_content,
                    "failed": {"is_error": failed.is_error, "text": failed.content[0].text},
                }
            )
        )


asyncio.run(main(*sys.argv[1:4]))
