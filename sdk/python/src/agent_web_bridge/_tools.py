"""Tools for models: those of the registry's `/mcp`, in the format of each vendor.

What they take and give is said there alone; here a call is sent, again where that does no harm, and a fault becomes a
result that a model can read.
"""

from __future__ import annotations

import copy
import json
from dataclasses import dataclass
from typing import Any, Dict, List, Literal, Mapping, Union

from ._calls import Calls
from ._flow import Flow, new_key
from ._tool_definitions import TOOL_DEFINITIONS
from .errors import BridgeError, ConnectionFailedError

ToolFormat = Literal["anthropic", "openai", "mcp"]

@dataclass(frozen=True)
class ToolResult:
    """What a call gave: for a model the `text`, of at most 1,500 tokens; for a program the `value`."""

    is_error: bool
    #: The tool's output; of a fault its `code`, `detail` and the `next` step.
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


def _refuse(code: str, message: str, following: str) -> BridgeError:
    return BridgeError(message, code=code, next=following)


def _parsed(name: str, args: Union[str, Mapping[str, Any]]) -> Dict[str, Any]:
    """The arguments of a tool that there is; the registry checks them."""
    names = [each["name"] for each in TOOL_DEFINITIONS]
    if name not in names:
        raise _refuse("unknown_tool", "There is no tool of this name.", f"Use one of {', '.join(names)}.")
    try:
        given = json.loads(args) if isinstance(args, str) else args
    except (ValueError, RecursionError):
        raise _refuse("invalid_json", "The arguments are not JSON.", "Send a JSON object.") from None
    if not isinstance(given, Mapping):
        following = "Send an object of the tool's input schema."
        raise _refuse("invalid_request", "The arguments are no object.", following)
    return {member: value for member, value in given.items() if value is not None}


def _keyed(name: str, args: Dict[str, Any]) -> Dict[str, Any]:
    """An action has a key, a new one where the model gave none: the call is sent again after a fault, and the action is done once."""
    if name == "do_action" and "idempotency_key" not in args:
        return {**args, "idempotency_key": new_key()}
    return args


def _is_open(error: BridgeError) -> bool:
    """Of a call that may still be under way, its key alone tells what became of it."""
    return isinstance(error, ConnectionFailedError) or error.code in ("idempotency_in_progress", "timeout")


def _fault(error: BridgeError, key: Any) -> ToolResult:
    """A fault as the registry's own are: its text is that of `/mcp`."""
    detail, following, wait = str(error), error.next, ""
    if key is not None and _is_open(error):
        following = f"{following} Call do_action again with idempotency_key {key}."
    value: Dict[str, Any] = {**(error.problem or {}), "code": error.code, "detail": detail, "next": following}
    if error.retry_after is not None:
        value["retry_after_seconds"] = error.retry_after
        wait = f" Retry after {error.retry_after:g} s."
    return ToolResult(True, value, f"{error.code}: {detail}{wait}\nNext: {following}")


@dataclass
class ToolCalls:
    """The tools of a client. A session that they open is an argument of others, and a secret."""

    calls: Calls

    def call(self, name: str, args: Union[str, Mapping[str, Any]]) -> Flow[ToolResult]:
        sent: Dict[str, Any] = {}
        try:
            sent = _keyed(name, _parsed(name, args))
            result = yield from self.calls.call_tool(name, sent)
        except BridgeError as error:
            return _fault(error, sent.get("idempotency_key"))
        text = "\n".join(str(each.get("text", "")) for each in result["content"])
        return ToolResult(False, result.get("structuredContent", {}), text)
