"""Finds the tool that each question needs by the Python SDK, holds what is said of it against the log, and calls it where it is, as its server's protocol says.

Arguments: the registry's address, that of the web's machine, a CA's file, and the questions as JSON. Prints one JSON list.
"""

import json
import re
import socket
import ssl
import sys
import urllib.request
from urllib.parse import urlsplit

from agent_web_bridge import Bridge

registry, address, ca_file, questions = sys.argv[1:5]
resolve = socket.getaddrinfo
hosts: set = set()


def resolve_here(host, *rest, **named):
    """Names of the web under test have no resolver of the system's: all of it is at one address."""
    return resolve(address if host in hosts else host, *rest, **named)


socket.getaddrinfo = resolve_here
trusted = ssl.create_default_context(cafile=ca_file)


def call(endpoint: str, method: str, params: dict, headers: dict) -> tuple:
    message = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
    asked = {"content-type": "application/json", "accept": "application/json, text/event-stream", **headers}
    request = urllib.request.Request(endpoint, message, asked)
    with urllib.request.urlopen(request, context=trusted, timeout=10) as reply:
        body = reply.read().decode()
        if reply.headers.get_content_type() == "text/event-stream":
            body = "".join(line[5:] for line in body.splitlines() if line.startswith("data:"))
        return json.loads(body)["result"], reply.headers


def ask(bridge: Bridge, question: dict) -> dict:
    found = bridge.tools("mcp").call("find_tool", {"task": question["task"], "auth": "none"}).value["tools"][0]
    endpoint = re.search(r"https://\S+$", found["site_says"]["how_to_call"]).group()
    history = bridge.observations(found["host"], service={"protocol": "mcp", "endpoint": endpoint})
    hosts.add(urlsplit(endpoint).hostname)
    client = {"name": "ten-questions", "version": "1"}
    opened, headers = call(endpoint, "initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client}, {})
    known = {"mcp-protocol-version": opened["protocolVersion"]}
    if headers["mcp-session-id"]:
        known["mcp-session-id"] = headers["mcp-session-id"]
    name = found["site_says"]["tool"]
    said, _ = call(endpoint, "tools/call", {"name": name, "arguments": question["given"]}, known)
    return {"tool": name, "proved": history.entries[0].entry["class"], "level": found["level"], "answer": said["content"][0]["text"]}


with Bridge(registry) as bridge:
    print(json.dumps([ask(bridge, question) for question in json.loads(questions)]))
