"""What both clients do, as flows (_flow.py): the calls of a registry, and sessions."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Literal, Mapping, Optional, Sequence, TypedDict, cast
from urllib.parse import quote

from . import _api as api
from ._flow import Flow, Lookup, Request, Transport, new_key
from .errors import (
    ActionError,
    AuthenticationError,
    BridgeError,
    InvalidRequestError,
    SessionRestartedError,
    UnknownOutcomeError,
)

if TYPE_CHECKING:
    from ._verify.dnssec import TrustAnchor
    from ._verify.evidence import Seen, Verification
    from ._verify.log import LogState
    from ._verify.observations import EarlierEntry, ObservedHistory

#: What a text browser can do anywhere; every other name is an action that `actions()` lists.
COMMANDS = frozenset(
    ("navigate", "read", "fill", "select", "check", "uncheck", "click", "submit", "back", "scroll", "wait")
)


@dataclass
class VerifyOptions:
    """How evidence is checked."""

    #: Default: the keys of the root zone.
    trust_anchors: "Optional[Sequence[TrustAnchor]]" = None
    #: The log's key in note format, from elsewhere than the registry. Default: what the registry says.
    log_key: Optional[str] = None
    #: True: a zone that is not signed is an error.
    require_dnssec: bool = False
    #: Asks DNS itself for the TXT records of a name (agent_web_bridge.live_dns has one); of an async client it may be async.
    resolve_txt: Optional[Callable[[str], Any]] = None
    #: What was verified before, read and added to: `{"sites": {}, "log": None}` at first.
    seen: "Optional[Seen]" = None
    #: Seconds since 1970.
    now: Callable[[], float] = time.time


class Agent(TypedDict, total=False):
    """What the agent is called; stays with its sessions."""

    id: str
    name: str


class AccessRequest(TypedDict):
    """A request for access, as its owner left it."""

    request_id: str
    state: Literal["pending", "approved", "denied", "collected", "expired"]
    domain: str


def _given(**members: Any) -> Dict[str, Any]:
    return {name: value for name, value in members.items() if value is not None}


_NEEDS_CRYPTOGRAPHY = "verify needs cryptography: pip install 'agent-web-bridge-sdk[verify]'"


def _size_seen(since: "Optional[LogState]") -> Optional[int]:
    """Size of the log that a proof is to lead from; None: nothing was seen of it, or only the empty one."""
    return since["size"] if since and since["size"] > 0 else None


#: Revision of the Model Context Protocol.
_REVISION = "2026-07-28"
_META = "io.modelcontextprotocol/"


def _failure_in(reply: Any) -> Optional[Dict[str, Any]]:
    """What went wrong in a call of a tool whose reply came: the protocol answers 200 all the same."""
    result = reply.get("result")
    if result is None:
        detail = (reply.get("error") or {}).get("message", "The reply is none of the protocol.")
        return {"status": 400, "code": "invalid_reply", "detail": detail}
    return cast(Dict[str, Any], result["_meta"]["bridge/error"]) if result.get("isError") else None


def canonical_host(domain: str) -> str:
    """Lower case, A-labels, without a final dot: as evidence names a site."""
    bare = domain.strip().rstrip(".").lower()
    try:
        return bare if bare.isascii() and bare else bare.encode("idna").decode()
    except UnicodeError:
        raise InvalidRequestError(
            f"{domain} is no domain.", code="invalid_domain", next="Send a domain such as shop.example."
        ) from None


def _keep_newest(seen: "Seen", log: "LogState") -> None:
    """Another call may have seen a later state since."""
    newest = seen["log"]
    if newest is None or newest["origin"] != log["origin"] or log["size"] > newest["size"]:
        seen["log"] = log


@dataclass
class Calls:
    """The calls of one registry. It keeps no state but its options and what it verified."""

    transport: Transport
    token: Optional[str] = None
    wallet: Mapping[str, str] = field(default_factory=dict)
    api_key: Optional[str] = None
    agent: Agent = field(default_factory=Agent)
    options: VerifyOptions = field(default_factory=VerifyOptions)
    _log_key: Optional[str] = None
    _seen: "Seen" = field(default_factory=lambda: cast("Seen", {"sites": {}, "log": None}))

    def _get(self, path: str, query: Optional[Mapping[str, Any]] = None, bearer: Optional[str] = None) -> Flow[Any]:
        request = Request("GET", path, query or {}, bearer=bearer or self.token)
        return (yield from self.transport.call(request))

    def _post(self, path: str, body: Any, bearer: Optional[str], key: Optional[str] = None) -> Flow[Any]:
        request = Request("POST", path, body=body, bearer=bearer, idempotency_key=key or new_key())
        return (yield from self.transport.call(request))

    def listings(self, query: str, **options: Any) -> "Flow[List[api.ListingFound]]":
        near, ring = options.pop("near", None), options.pop("min_ring", None)
        sent = {"q": query, **options, **_given(location=near, trust_ring=ring)}
        reply = yield from self._get("/api/discovery/search", sent)
        return cast("List[api.ListingFound]", reply["results"])

    def verdict(self, domain: str) -> Flow[api.SiteVerdict]:
        return cast(api.SiteVerdict, (yield from self._get(f"/api/registry/sites/{quote(domain, safe='')}")))

    def page(
        self, domain: str, path: str, max_tokens: Optional[int] = None, offset: Optional[int] = None
    ) -> Flow[api.ReadPage]:
        query = {"siteId": domain, "url": path, "max_tokens": max_tokens, "offset": offset}
        return cast(api.ReadPage, (yield from self._get("/api/bridge/read-page", query)))

    def verify(self, domain: str, options: Optional[VerifyOptions] = None) -> "Flow[Verification]":
        try:
            from ._verify.evidence import verify_evidence
        except ImportError as error:
            raise ImportError(_NEEDS_CRYPTOGRAPHY) from error
        given = options or self.options
        host = canonical_host(domain)
        seen = given.seen or self.options.seen or self._seen
        since = seen["log"]
        query = _given(log_size=_size_seen(since))
        evidence = yield from self._get(f"/api/registry/sites/{quote(host, safe='')}/evidence", query)
        log_key = yield from self._key_of_log(given)
        live = (yield Lookup(given.resolve_txt, f"_bridge.{host}")) if given.resolve_txt else None
        # The proof leads from the state that was asked with.
        own: "Seen" = {"sites": seen["sites"], "log": since}
        verified = verify_evidence(
            evidence,
            host,
            log_key=log_key,
            seen=own,
            now=given.now(),
            pinned=given.log_key is not None,
            trust_anchors=given.trust_anchors,
            require_dnssec=given.require_dnssec,
            live=live,
        )
        _keep_newest(seen, verified.log)
        return verified

    def observations(
        self,
        domain: str,
        service: Optional[Mapping[str, str]] = None,
        follows: "Optional[EarlierEntry]" = None,
        options: Optional[VerifyOptions] = None,
    ) -> "Flow[ObservedHistory]":
        try:
            from ._verify.observations import subject_sha256, verify_observations
        except ImportError as error:
            raise ImportError(_NEEDS_CRYPTOGRAPHY) from error
        given = options or self.options
        host = canonical_host(domain)
        seen = given.seen or self.options.seen or self._seen
        since = seen["log"]
        query = _given(
            subject=subject_sha256(host, service) if service else None,
            cursor=str(follows["index"]) if follows else None,
            log_size=_size_seen(since),
        )
        answer = yield from self._get(f"/api/registry/sites/{quote(host, safe='')}/observations", query)
        log_key = yield from self._key_of_log(given)
        pinned = given.log_key is not None
        history = verify_observations(
            answer, host, log_key=log_key, service=service, follows=follows, seen=since, pinned=pinned
        )
        _keep_newest(seen, history.log)
        return history

    def _key_of_log(self, given: VerifyOptions) -> Flow[str]:
        """The log's key, by default as the registry first said it."""
        if given.log_key is not None:
            return given.log_key
        if self._log_key is None:
            request = Request("GET", "/.well-known/bridge-log/key")
            self._log_key = yield from self.transport.call(request, as_text=True)
        return self._log_key or ""

    def authenticate(
        self, domain: str, purpose: Optional[str], permissions: Optional[Sequence[str]]
    ) -> Flow[api.AuthSuccessSession]:
        license_key = self.wallet.get(domain)
        if license_key is None and self.token is None:
            raise AuthenticationError(
                f"There is no license for {domain}.",
                code="license_missing",
                next=f"Add one to the wallet, or ask for one: request_access({domain!r}, purpose=…).",
            )
        body = _given(
            licenseKey=license_key,
            siteId=domain if license_key is None else None,
            agentId=self.agent.get("id"),
            agentName=self.agent.get("name"),
            purpose=purpose,
            permissions=list(permissions) if permissions is not None else None,
        )
        # A session that nobody uses does no harm: this may be sent again.
        reply = yield from self._post("/api/bridge/authenticate", body, self.token if license_key is None else None)
        return cast("api.AuthSuccessSession", reply["session"])

    def _agent_token(self, what: str) -> str:
        if self.token is not None:
            return self.token
        raise AuthenticationError(
            f"Only an agent can {what}, and there is no agent's token.",
            code="authentication_required",
            next="Make an agent in its owner's account (POST /api/account/keys), and give its token as `token`.",
        )

    def request_access(
        self, domain: str, purpose: str, permissions: Optional[Sequence[str]]
    ) -> Flow[AccessRequest]:
        body = _given(domain=domain, purpose=purpose, permissions=list(permissions) if permissions else None)
        token = self._agent_token("ask for access")
        return cast(AccessRequest, (yield from self._post("/api/bridge/access-requests", body, token)))

    def access_request(self, request_id: str) -> Flow[AccessRequest]:
        path = f"/api/bridge/access-requests/{quote(request_id, safe='')}"
        return cast(AccessRequest, (yield from self._get(path, bearer=self._agent_token("read its requests"))))

    def collect(self, request_id: str, to: str) -> Flow[Dict[str, Any]]:
        path = f"/api/bridge/access-requests/{quote(request_id, safe='')}/collect"
        token = self._agent_token("collect a license")
        return cast(Dict[str, Any], (yield from self._post(path, {"to": to}, token)))

    def receipts(self) -> "Flow[List[api.Receipt]]":
        listed = yield from self._get("/api/bridge/receipts", bearer=self._agent_token("read its receipts"))
        return cast("List[api.Receipt]", listed["receipts"])

    def call_tool(self, name: str, args: Mapping[str, Any]) -> Flow[Dict[str, Any]]:
        """Calls a tool of `/mcp`, which knows no sessions of its own: one message is one request, and may be sent again."""
        domain = str(args.get("domain")) if name == "open_session" else ""
        meta = {
            f"{_META}protocolVersion": _REVISION,
            f"{_META}clientInfo": {"name": "agent-web-bridge-sdk", "version": "1.2.0"},
            f"{_META}clientCapabilities": {},
            **({"bridge/license": self.wallet[domain]} if domain in self.wallet else {}),
        }
        params = {"name": name, "arguments": args, "_meta": meta}
        headers = {
            "accept": "application/json, text/event-stream",
            "mcp-protocol-version": _REVISION,
            "mcp-method": "tools/call",
            "mcp-name": name,
            **({"x-bridge-key": self.api_key} if self.api_key is not None else {}),
        }
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        request = Request("POST", "/mcp", body=body, bearer=self.token, headers=headers, failure_in=_failure_in)
        reply = yield from self.transport.call(request)
        return cast(Dict[str, Any], reply["result"])

    def scan(self, url: Optional[str], content: Optional[str]) -> Flow[api.FirewallScan]:
        bearer = self.api_key or self.token
        body = _given(url=url, content=content)
        return cast(api.FirewallScan, (yield from self._post("/api/v1/firewall/scan", body, bearer)))

    def price_history(self, platform: str, product_id: str, query: Mapping[str, Any]) -> Flow[api.PriceHistory]:
        path = f"/api/v1/price/history/{quote(platform, safe='')}/{quote(product_id, safe='')}"
        return cast(api.PriceHistory, (yield from self._get(path, query, self.api_key or self.token)))


def _command_of(action: str, args: Mapping[str, Any]) -> Dict[str, Any]:
    """Commands take `target` and `value` beside; a listed action takes its parameters together."""
    if action not in COMMANDS:
        return {"action": action, **({"context": dict(args)} if args else {})}
    context = {name: value for name, value in args.items() if name not in ("target", "value")}
    beside = {name: str(args[name]) for name in ("target", "value") if args.get(name) is not None}
    return {"action": action, **beside, **({"context": context} if context else {})}


def _result_of(reply: Mapping[str, Any]) -> Dict[str, Any]:
    """The result of an action that was done."""
    result: Dict[str, Any] = reply["result"]
    if reply["success"]:
        return result
    error = result.get("error") or {}
    code, message = error.get("code", "not_done"), error.get("message", "The site did not do it.")
    if code == "unknown_outcome":
        raise UnknownOutcomeError(message, code=code, status=200)
    seconds = error.get("retry_after_seconds")
    raise ActionError(
        message,
        code=code,
        status=200,
        retry_after=float(seconds) if isinstance(seconds, (int, float)) else None,
        request_sent=error.get("request_sent") is True,
        result=result,
    )


@dataclass
class SessionCalls:
    """A session: an hour on one site, with its page, cookies and history kept by the registry."""

    calls: Calls
    domain: str
    purpose: Optional[str]
    asked: Optional[Sequence[str]]
    grant: "Optional[api.AuthSuccessSession]" = None
    _has_page: bool = False

    def opened(self) -> "api.AuthSuccessSession":
        if self.grant is not None:
            return self.grant
        raise AuthenticationError(
            "This session is closed.", code="session_closed", next="Open another one with open()."
        )

    def authenticate(self) -> Flow[None]:
        self.grant = yield from self.calls.authenticate(self.domain, self.purpose, self.asked)

    def actions(self) -> "Flow[List[api.ListedAction]]":
        listed = yield from self._call(Request("GET", "/api/bridge/actions"))
        self._has_page = self._has_page or listed["page_url"] is not None
        return cast("List[api.ListedAction]", listed["actions"])

    def receipts(self) -> "Flow[List[api.Receipt]]":
        # They are the agent's, and not the page's: those of a new session are the same.
        listed = yield from self._call(Request("GET", "/api/bridge/receipts"), is_fresh=True)
        return cast("List[api.Receipt]", listed["receipts"])

    def do(self, action: str, args: Mapping[str, Any], options: Mapping[str, Any], key: Optional[str]) -> Flow[Dict[str, Any]]:
        body = {**_command_of(action, args), **_given(**options)}
        request = Request("POST", "/api/bridge/execute", body=body, idempotency_key=key or new_key())
        done = yield from self._call(request, is_fresh=action == "navigate")
        self._has_page = True
        return _result_of(done)

    def _call(self, request: Request, is_fresh: bool = False) -> Flow[Any]:
        """Calls with the session's token, once more after a session that ended.

        A new session has no page and no basket, so what rests on them is told of instead.
        """
        transport = self.calls.transport
        try:
            return (yield from transport.call(_with_token(request, self.opened()["token"])))
        except AuthenticationError as error:
            if error.code != "authentication_required":
                raise
            yield from self.authenticate()
            had_page, self._has_page = self._has_page, False
            if had_page and not is_fresh:
                raise SessionRestartedError(
                    "The session had ended; a new one is open, at no page yet.",
                    code="session_restarted",
                    next="Nothing was sent. Go on from the beginning: navigate, then do again what led here.",
                ) from error
        return (yield from transport.call(_with_token(request, self.opened()["token"])))


def _with_token(request: Request, token: str) -> Request:
    return Request(request.method, request.path, request.query, request.body, token, request.idempotency_key)


__all__ = ["AccessRequest", "Agent", "BridgeError", "Calls", "SessionCalls", "VerifyOptions"]
