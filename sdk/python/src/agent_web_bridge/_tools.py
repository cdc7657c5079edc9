"""Tools for models: the same nine for every vendor, and what carries a model's calls out. Errors are results too."""

from __future__ import annotations

import copy
import json
from dataclasses import dataclass
from typing import Any, Dict, List, Literal, Mapping, Sequence, Union

from ._calls import Calls, SessionCalls
from ._flow import Flow
from ._tool_definitions import TOOL_DEFINITIONS
from .errors import BridgeError

ToolFormat = Literal["anthropic", "openai", "mcp"]

#: About 1,500 tokens.
_MAX_TEXT = 6_000
_MAX_PAGE_TOKENS = 1_000
_MAX_LABEL = 80
_MAX_LISTED = 40


@dataclass(frozen=True)
class ToolResult:
    """What a call gave. `text` is `value` as JSON, cut to what a model should read at once."""

    is_error: bool
    value: Dict[str, Any]
    text: str


def definitions(format: ToolFormat) -> List[Dict[str, Any]]:
    """The tools as a vendor's API takes them."""
    return [_shape(format, copy.deepcopy(each)) for each in TOOL_DEFINITIONS]


def _shape(format: ToolFormat, tool: Dict[str, Any]) -> Dict[str, Any]:
    name, description, schema = tool["name"], tool["description"], tool["input"]
    if format == "anthropic":
        return {"name": name, "description": description, "input_schema": schema}
    if format == "mcp":
        return {"name": name, "description": description, "inputSchema": schema}
    if format == "openai":
        return {"type": "function", "function": {"name": name, "description": description, "parameters": schema}}
    raise ValueError(f"no format {format!r}: anthropic, openai or mcp")


def _label(text: Any) -> str:
    """A site's words where a model reads names: short, on one line, without control characters."""
    words = "".join(" " if each < " " or each == "\x7f" else each for each in str(text or ""))
    return words[:_MAX_LABEL]


def _result(is_error: bool, value: Dict[str, Any]) -> ToolResult:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return ToolResult(is_error, value, f"{text[:_MAX_TEXT]}…" if len(text) > _MAX_TEXT else text)


def _refuse(code: str, message: str, following: str) -> BridgeError:
    return BridgeError(message, code=code, next=following)


def _checked(name: str, args: Union[str, Mapping[str, Any]]) -> Dict[str, Any]:
    """The arguments, of a tool that there is, with all that it needs and nothing else."""
    tool = next((each for each in TOOL_DEFINITIONS if each["name"] == name), None)
    if tool is None:
        names = ", ".join(each["name"] for each in TOOL_DEFINITIONS)
        raise _refuse("unknown_tool", f"There is no tool {_label(name)}.", f"Use one of {names}.")
    if isinstance(args, str):
        try:
            args = json.loads(args)
        except (ValueError, RecursionError):
            raise _refuse("invalid_json", "The arguments are not JSON.", "Send a JSON object.") from None
    known = list(tool["input"]["properties"])
    if not isinstance(args, Mapping):
        raise _refuse("invalid_arguments", "The arguments are no object.", f"Send an object of {', '.join(known)}.")
    missing = [each for each in tool["input"].get("required", []) if args.get(each) is None]
    if missing:
        raise _refuse("invalid_arguments", f"{', '.join(missing)} is missing.", "Send it.")
    unknown = [_label(each) for each in args if each not in known]
    if unknown:
        raise _refuse("invalid_arguments", f"{name} has no {', '.join(unknown)}.", f"It takes {', '.join(known)}.")
    return {key: value for key, value in args.items() if value is not None}


class ToolCalls:
    """The tools of a client. Sessions that they open are theirs, and named by an id."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls
        self._sessions: Dict[str, SessionCalls] = {}

    def call(self, name: str, args: Union[str, Mapping[str, Any]]) -> Flow[ToolResult]:
        try:
            return _result(False, (yield from self._run(name, _checked(name, args))))
        except BridgeError as error:
            said: Dict[str, Any] = {"code": error.code, "message": str(error), "next": error.next}
            if error.retry_after is not None:
                said["retry_after"] = error.retry_after
            return _result(True, said)

    def forget(self) -> None:
        """Forgets the sessions that the tools opened."""
        for session in self._sessions.values():
            session.grant = None
        self._sessions.clear()

    def _run(self, name: str, args: Dict[str, Any]) -> Flow[Dict[str, Any]]:
        domain = str(args.get("domain", ""))
        if name == "search_sites":
            return (yield from self._search(args))
        if name == "site_verdict":
            return _verdict_view((yield from self._calls.verdict(domain)))
        if name == "read_page":
            return _page_view((yield from self._calls.page(domain, str(args.get("path", "/")), _MAX_PAGE_TOKENS, args.get("offset"))))
        if name == "open_session":
            return (yield from self._open(domain, args))
        if name == "list_actions":
            actions = yield from self._session(args).actions()
            return _actions_view(actions)
        if name == "do_action":
            return (yield from self._act(args))
        if name == "request_access":
            asked = yield from self._calls.request_access(domain, str(args["purpose"]), args.get("permissions"))
            return dict(asked)
        if name == "scan_content":
            scan = yield from self._calls.scan(args.get("url"), args.get("text"))
            return {"verdict": scan["verdict"], "advice": scan["advice"], "findings": scan["findings"]}
        query = {"announced_percent": args.get("announced_percent")}
        history = yield from self._calls.price_history(str(args["shop"]), str(args["product_id"]), query)
        return dict(history)

    def _search(self, args: Dict[str, Any]) -> Flow[Dict[str, Any]]:
        options = {"limit": 5, **args}
        found = yield from self._calls.listings(str(options.pop("query")), **options)
        sites = [
            {
                "rank": rank,
                "domain": listing["domain"],
                "name": _label(listing["name"]),
                "offers": _label(listing["description"]),
                "ring": listing.get("trust_ring"),
                "neutrality": listing.get("neutrality_score"),
                "relevance": listing.get("relevance"),
                **{name: value for name, value in listing.items() if name == "access"},
            }
            for rank, listing in enumerate(found, 1)
        ]
        return {"untrusted": True, "sites": sites}

    def _open(self, domain: str, args: Dict[str, Any]) -> Flow[Dict[str, Any]]:
        session = SessionCalls(self._calls, domain, args.get("purpose"), None)
        yield from session.authenticate()
        grant = session.opened()
        named = str(grant.get("session_id") or f"session-{len(self._sessions) + 1}")
        self._sessions[named] = session
        granted: Dict[str, Any] = dict(grant["permissions"])
        return {
            "session": named,
            "domain": domain,
            "permissions": [name for name, is_granted in granted.items() if is_granted],
            "not_permitted": [name for name, is_granted in granted.items() if not is_granted],
        }

    def _act(self, args: Dict[str, Any]) -> Flow[Dict[str, Any]]:
        options = {name: args.get(name) for name in ("dry_run", "confirm_total", "confirm_unknown_total")}
        key = args.get("idempotency_key")
        given = args.get("args", {})
        if not isinstance(given, Mapping):
            raise _refuse("invalid_arguments", "args is no object.", "Send the action's parameters as an object.")
        result = yield from self._session(args).do(str(args["action"]), given, options, key)
        return {"untrusted": True, "result": result}

    def _session(self, args: Dict[str, Any]) -> SessionCalls:
        session = self._sessions.get(str(args["session"]))
        if session is None:
            message = f"There is no session {_label(args['session'])}."
            raise _refuse("session_unknown", message, "Open one with open_session.")
        return session


def _actions_view(actions: Sequence[Mapping[str, Any]]) -> Dict[str, Any]:
    """What a model needs of each action; names are as the registry takes them, at most 64 characters."""
    shown = ("effect", "executable", "blocked_by", "input_schema")
    return {
        "untrusted": True,
        "actions": [
            {
                "name": each["name"],
                "description": _label(each["description"]),
                **{name: each.get(name) for name in shown},
            }
            for each in actions[:_MAX_LISTED]
        ],
        "more": len(actions) > _MAX_LISTED,
    }


def _verdict_view(verdict: Mapping[str, Any]) -> Dict[str, Any]:
    trust, neutrality = verdict["trust"], verdict["neutrality"]
    return {
        **{name: verdict[name] for name in ("domain", "state", "listed", "reason")},
        "ring": trust["ring"],
        "trust": trust["score"],
        "dnssec": trust["dnssec"],
        "neutrality": neutrality["score"],
        "confidence": neutrality["confidence"],
        "findings": [{name: each[name] for name in ("rule", "severity", "page")} for each in verdict["findings"]],
        "to_be_mended": [{"code": each["code"], "title": each["title"]} for each in verdict["fixes"][:5]],
    }


def _page_view(page: Mapping[str, Any]) -> Dict[str, Any]:
    firewall = page["firewall"]
    return {
        "untrusted": True,
        "firewall": {"verdict": firewall["verdict"], "risk_score": firewall["risk_score"]},
        "url": page["url"],
        "status": page["status"],
        "title": _label(page["title"]),
        "markdown": page["markdown"],
        "links": [
            {"n": each["n"], "text": _label(each["text"]), "href": each["href"]} for each in page["links"][:_MAX_LISTED]
        ],
        "forms": page["forms"][:_MAX_LISTED],
        "next_offset": page["next_offset"],
    }
