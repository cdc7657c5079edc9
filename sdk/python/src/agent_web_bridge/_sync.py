"""A client of a registry that waits. The client that gives way (_async.py) is generated from this text."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Any, Dict, List, Literal, Mapping, Optional, Sequence, Type, TypeVar, Union

import httpx

from . import _api as api
from ._calls import AccessRequest, Agent, Calls, SessionCalls, VerifyOptions
from ._flow import Flow, Transport, run
from ._tools import ToolCalls, ToolFormat, ToolResult, definitions

if TYPE_CHECKING:
    from ._verify.evidence import Verification
    from ._verify.observations import EarlierEntry, ObservedHistory

T = TypeVar("T")


class Bridge:
    """A registry as agents use it. Close it, or use it in a `with` block.

    `token` is an agent's; `wallet` holds licenses that lie here (domain to key); `api_key` is one of the module gateway.
    """

    def __init__(
        self,
        registry: str,
        *,
        token: Optional[str] = None,
        wallet: Optional[Mapping[str, str]] = None,
        api_key: Optional[str] = None,
        agent: Optional[Agent] = None,
        verify: Optional[VerifyOptions] = None,
        timeout: float = 35.0,
        retries: int = 3,
    ) -> None:
        self._client = httpx.Client(base_url=registry, timeout=timeout)
        transport = Transport(registry, retries=retries)
        self._calls = Calls(transport, token, wallet or {}, api_key, agent or Agent(), verify or VerifyOptions())

    def _run(self, flow: Flow[T]) -> T:
        return run(self._client, flow)

    def close(self) -> None:
        """Closes connections."""
        self._client.close()

    def __enter__(self) -> Bridge:
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self._client.close()

    def search(
        self,
        query: str,
        *,
        category: Optional[str] = None,
        near: Optional[str] = None,
        intent: Optional[str] = None,
        min_ring: Optional[int] = None,
        min_neutrality: Optional[float] = None,
        min_relevance: Optional[float] = None,
        access: Optional[Literal["none", "request", "open"]] = None,
        limit: Optional[int] = None,
    ) -> List[Site]:
        """Searches the sites that the registry verified, the best first. `near`: a place, or `lat,lon,km`."""
        options = {
            "category": category,
            "near": near,
            "intent": intent,
            "min_ring": min_ring,
            "min_neutrality": min_neutrality,
            "min_relevance": min_relevance,
            "access": access,
            "limit": limit,
        }
        found = self._run(self._calls.listings(query, **options))
        return [Site(self, listing["domain"], listing) for listing in found]

    def site(self, domain: str) -> Site:
        """A site by its domain; nothing is asked yet."""
        return Site(self, domain, None)

    def verdict(self, domain: str) -> api.SiteVerdict:
        """What the registry says of a site, and why."""
        return self._run(self._calls.verdict(domain))

    def verify(self, domain: str, options: Optional[VerifyOptions] = None) -> Verification:
        """Checks here, without trusting the registry, that a site is what it is said to be.

        Raises VerificationError with the step that failed.
        """
        return self._run(self._calls.verify(domain, options))

    def observations(
        self,
        domain: str,
        *,
        service: Optional[Mapping[str, str]] = None,
        follows: Optional[EarlierEntry] = None,
        options: Optional[VerifyOptions] = None,
    ) -> ObservedHistory:
        """History of a site's verdict, or of one of its services, checked here entry by entry.

        `follows`: `next` of the page before. Raises VerificationError with the step that failed.
        """
        return self._run(self._calls.observations(domain, service, follows, options))

    def page(
        self, domain: str, path: str = "/", *, max_tokens: Optional[int] = None, offset: Optional[int] = None
    ) -> api.ReadPage:
        """A page of a registered site as Markdown, without a session. `offset`: `next_offset`, to read on."""
        return self._run(self._calls.page(domain, path, max_tokens, offset))

    def open(
        self, domain: str, *, purpose: Optional[str] = None, permissions: Optional[Sequence[str]] = None
    ) -> Session:
        """Opens a session, with the license of the wallet here, else with that of the account's wallet."""
        session = SessionCalls(self._calls, domain, purpose, permissions)
        self._run(session.authenticate())
        return Session(self, session)

    def request_access(
        self, domain: str, *, purpose: str, permissions: Optional[Sequence[str]] = None
    ) -> AccessRequest:
        """Asks the owner for access. The same request again is the same request."""
        return self._run(self._calls.request_access(domain, purpose, permissions))

    def access_request(self, request_id: str) -> AccessRequest:
        """A request as it stands."""
        return self._run(self._calls.access_request(request_id))

    def collect(self, request_id: str, to: Literal["wallet", "reply"] = "wallet") -> Dict[str, Any]:
        """Takes an approved license, once: into the account's wallet, or as the reply."""
        return self._run(self._calls.collect(request_id, to))

    def receipts(self) -> List[api.Receipt]:
        """What the agent has sent to sites that had an effect, over all sessions that its token opened, the newest first."""
        return self._run(self._calls.receipts())

    def scan(self, *, url: Optional[str] = None, content: Optional[str] = None) -> api.FirewallScan:
        """Scans an address or a text before an agent reads it."""
        return self._run(self._calls.scan(url, content))

    def price_history(self, platform: str, product_id: str, *, days: Optional[int] = None) -> api.PriceHistory:
        """What a product cost, and whether a reduction is one."""
        return self._run(self._calls.price_history(platform, product_id, {"days": days}))

    def tools(self, format: ToolFormat) -> Tools:
        """Tools for a model: definitions in its vendor's format, and what carries its calls out."""
        return Tools(self, ToolCalls(self._calls), definitions(format))


class Site:
    """A site: its domain, and its listing where a search found it."""

    def __init__(self, bridge: Bridge, domain: str, listing: Optional[api.ListingFound]) -> None:
        self._bridge = bridge
        self.domain = domain
        self.listing = listing

    def verdict(self) -> api.SiteVerdict:
        """What the registry says of it, and why."""
        return self._bridge._run(self._bridge._calls.verdict(self.domain))

    def verify(self, options: Optional[VerifyOptions] = None) -> Verification:
        """Checks it here, without trusting the registry."""
        return self._bridge._run(self._bridge._calls.verify(self.domain, options))

    def page(self, path: str = "/") -> api.ReadPage:
        """One of its pages as Markdown."""
        return self._bridge._run(self._bridge._calls.page(self.domain, path))

    def open(self, *, purpose: Optional[str] = None, permissions: Optional[Sequence[str]] = None) -> Session:
        """Opens a session."""
        session = SessionCalls(self._bridge._calls, self.domain, purpose, permissions)
        self._bridge._run(session.authenticate())
        return Session(self._bridge, session)

    def request_access(self, *, purpose: str, permissions: Optional[Sequence[str]] = None) -> AccessRequest:
        """Asks its owner for access."""
        return self._bridge._run(self._bridge._calls.request_access(self.domain, purpose, permissions))


class Session:
    """A session: an hour on one site, with its page, cookies and history kept by the registry."""

    def __init__(self, bridge: Bridge, session: SessionCalls) -> None:
        self._bridge = bridge
        self._session = session
        self.domain = session.domain

    @property
    def permissions(self) -> api.SitePermissions:
        """What this session may do."""
        return self._session.opened()["permissions"]

    @property
    def id(self) -> str:
        """The session's id."""
        return self._session.opened()["session_id"]

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.forget()

    def forget(self) -> None:
        """Forgets the session; the registry ends it within the hour."""
        self._session.grant = None

    def actions(self) -> List[api.ListedAction]:
        """What can be done here now, each with its parameters and whether this session can do it."""
        return self._bridge._run(self._session.actions())

    def do(
        self,
        action: str,
        args: Optional[Mapping[str, Any]] = None,
        *,
        dry_run: Optional[bool] = None,
        confirm_total: Optional[str] = None,
        confirm_unknown_total: Optional[bool] = None,
        max_total: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> Dict[str, Any]:
        """Does a listed action, or a command of the text browser (navigate, read, click, fill, submit …).

        `args`: parameters of a listed action; `target` and `value` of a command. `dry_run` sends nothing and tells the
        total; a purchase is sent at `confirm_total` only, and never above `max_total`. Raises ActionError where the site did not do it.
        """
        options = {
            "dry_run": dry_run,
            "confirm_total": confirm_total,
            "confirm_unknown_total": confirm_unknown_total,
            "max_total": max_total,
        }
        return self._bridge._run(self._session.do(action, args or {}, options, idempotency_key))

    def navigate(self, target: str) -> Dict[str, Any]:
        """Opens a page of the site: a path or an address."""
        return self._bridge._run(self._session.do("navigate", {"target": target}, {}, None))

    def read(self, selector: Optional[str] = None) -> Dict[str, Any]:
        """Reads the page, or the elements that a CSS selector finds."""
        return self._bridge._run(self._session.do("read", {"target": selector}, {}, None))

    def click(self, target: str) -> Dict[str, Any]:
        """Follows a link or presses a button, by its CSS selector."""
        return self._bridge._run(self._session.do("click", {"target": target}, {}, None))

    def fill(self, target: str, value: str) -> Dict[str, Any]:
        """Fills in a field, by its CSS selector; the form is sent by `submit` alone."""
        return self._bridge._run(self._session.do("fill", {"target": target, "value": value}, {}, None))

    def submit(self, target: Optional[str] = None) -> Dict[str, Any]:
        """Sends a form, by its CSS selector or its button's; default: the page's only form."""
        return self._bridge._run(self._session.do("submit", {"target": target}, {}, None))

    def receipts(self) -> List[api.Receipt]:
        """What this agent has sent to the site that had an effect, over all its sessions, the newest first."""
        return self._bridge._run(self._session.receipts())


class Tools:
    """The tools of a client in one format. A session that they open is an argument of others, and a secret."""

    def __init__(self, bridge: Bridge, tools: ToolCalls, defined: List[Dict[str, Any]]) -> None:
        self._bridge = bridge
        self._tools = tools
        self.definitions = defined

    def call(self, name: str, args: Union[str, Mapping[str, Any]]) -> ToolResult:
        """Carries a model's call out.

        It raises nothing for what the model or the registry did: that is a result with `is_error`, the stable code and
        the next step.
        """
        return self._bridge._run(self._tools.call(name, args))
