"""A client of a registry that gives way. Generated from _sync.py by `npm run generate`."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Any, Dict, List, Literal, Mapping, Optional, Sequence, Type, TypeVar, Union

import httpx

from . import _api as api
from ._calls import AccessRequest, Agent, Calls, SessionCalls, VerifyOptions
from ._flow import Flow, Transport, run_async
from ._tools import ToolCalls, ToolFormat, ToolResult, definitions

if TYPE_CHECKING:
    from ._verify.evidence import Verification
    from ._verify.observations import EarlierEntry, ObservedHistory

T = TypeVar("T")


class AsyncBridge:
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
        self._client = httpx.AsyncClient(base_url=registry, timeout=timeout)
        transport = Transport(registry, retries=retries)
        self._calls = Calls(transport, token, wallet or {}, api_key, agent or Agent(), verify or VerifyOptions())

    async def _run(self, flow: Flow[T]) -> T:
        return await run_async(self._client, flow)

    async def close(self) -> None:
        """Closes connections."""
        await self._client.aclose()

    async def __aenter__(self) -> AsyncBridge:
        return self

    async def __aexit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        await self._client.aclose()

    async def search(
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
    ) -> List[AsyncSite]:
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
        found = await self._run(self._calls.listings(query, **options))
        return [AsyncSite(self, listing["domain"], listing) for listing in found]

    def site(self, domain: str) -> AsyncSite:
        """A site by its domain; nothing is asked yet."""
        return AsyncSite(self, domain, None)

    async def verdict(self, domain: str) -> api.SiteVerdict:
        """What the registry says of a site, and why."""
        return await self._run(self._calls.verdict(domain))

    async def verify(self, domain: str, options: Optional[VerifyOptions] = None) -> Verification:
        """Checks here, without trusting the registry, that a site is what it is said to be.

        Raises VerificationError with the step that failed.
        """
        return await self._run(self._calls.verify(domain, options))

    async def observations(
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
        return await self._run(self._calls.observations(domain, service, follows, options))

    async def page(
        self, domain: str, path: str = "/", *, max_tokens: Optional[int] = None, offset: Optional[int] = None
    ) -> api.ReadPage:
        """A page of a registered site as Markdown, without a session. `offset`: `next_offset`, to read on."""
        return await self._run(self._calls.page(domain, path, max_tokens, offset))

    async def open(
        self, domain: str, *, purpose: Optional[str] = None, permissions: Optional[Sequence[str]] = None
    ) -> AsyncSession:
        """Opens a session, with the license of the wallet here, else with that of the account's wallet."""
        session = SessionCalls(self._calls, domain, purpose, permissions)
        await self._run(session.authenticate())
        return AsyncSession(self, session)

    async def request_access(
        self, domain: str, *, purpose: str, permissions: Optional[Sequence[str]] = None
    ) -> AccessRequest:
        """Asks the owner for access. The same request again is the same request."""
        return await self._run(self._calls.request_access(domain, purpose, permissions))

    async def access_request(self, request_id: str) -> AccessRequest:
        """A request as it stands."""
        return await self._run(self._calls.access_request(request_id))

    async def collect(self, request_id: str, to: Literal["wallet", "reply"] = "wallet") -> Dict[str, Any]:
        """Takes an approved license, once: into the account's wallet, or as the reply."""
        return await self._run(self._calls.collect(request_id, to))

    async def receipts(self) -> List[api.Receipt]:
        """What the agent has sent to sites that had an effect, over all sessions that its token opened, the newest first."""
        return await self._run(self._calls.receipts())

    async def scan(self, *, url: Optional[str] = None, content: Optional[str] = None) -> api.FirewallScan:
        """Scans an address or a text before an agent reads it."""
        return await self._run(self._calls.scan(url, content))

    async def price_history(self, platform: str, product_id: str, *, days: Optional[int] = None) -> api.PriceHistory:
        """What a product cost, and whether a reduction is one."""
        return await self._run(self._calls.price_history(platform, product_id, {"days": days}))

    def tools(self, format: ToolFormat) -> AsyncTools:
        """AsyncTools for a model: definitions in its vendor's format, and what carries its calls out."""
        return AsyncTools(self, ToolCalls(self._calls), definitions(format))


class AsyncSite:
    """A site: its domain, and its listing where a search found it."""

    def __init__(self, bridge: AsyncBridge, domain: str, listing: Optional[api.ListingFound]) -> None:
        self._bridge = bridge
        self.domain = domain
        self.listing = listing

    async def verdict(self) -> api.SiteVerdict:
        """What the registry says of it, and why."""
        return await self._bridge._run(self._bridge._calls.verdict(self.domain))

    async def verify(self, options: Optional[VerifyOptions] = None) -> Verification:
        """Checks it here, without trusting the registry."""
        return await self._bridge._run(self._bridge._calls.verify(self.domain, options))

    async def page(self, path: str = "/") -> api.ReadPage:
        """One of its pages as Markdown."""
        return await self._bridge._run(self._bridge._calls.page(self.domain, path))

    async def open(self, *, purpose: Optional[str] = None, permissions: Optional[Sequence[str]] = None) -> AsyncSession:
        """Opens a session."""
        session = SessionCalls(self._bridge._calls, self.domain, purpose, permissions)
        await self._bridge._run(session.authenticate())
        return AsyncSession(self._bridge, session)

    async def request_access(self, *, purpose: str, permissions: Optional[Sequence[str]] = None) -> AccessRequest:
        """Asks its owner for access."""
        return await self._bridge._run(self._bridge._calls.request_access(self.domain, purpose, permissions))


class AsyncSession:
    """A session: an hour on one site, with its page, cookies and history kept by the registry."""

    def __init__(self, bridge: AsyncBridge, session: SessionCalls) -> None:
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

    async def __aenter__(self) -> AsyncSession:
        return self

    async def __aexit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.forget()

    def forget(self) -> None:
        """Forgets the session; the registry ends it within the hour."""
        self._session.grant = None

    async def actions(self) -> List[api.ListedAction]:
        """What can be done here now, each with its parameters and whether this session can do it."""
        return await self._bridge._run(self._session.actions())

    async def do(
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
        return await self._bridge._run(self._session.do(action, args or {}, options, idempotency_key))

    async def navigate(self, target: str) -> Dict[str, Any]:
        """Opens a page of the site: a path or an address."""
        return await self._bridge._run(self._session.do("navigate", {"target": target}, {}, None))

    async def read(self, selector: Optional[str] = None) -> Dict[str, Any]:
        """Reads the page, or the elements that a CSS selector finds."""
        return await self._bridge._run(self._session.do("read", {"target": selector}, {}, None))

    async def click(self, target: str) -> Dict[str, Any]:
        """Follows a link or presses a button, by its CSS selector."""
        return await self._bridge._run(self._session.do("click", {"target": target}, {}, None))

    async def fill(self, target: str, value: str) -> Dict[str, Any]:
        """Fills in a field, by its CSS selector; the form is sent by `submit` alone."""
        return await self._bridge._run(self._session.do("fill", {"target": target, "value": value}, {}, None))

    async def submit(self, target: Optional[str] = None) -> Dict[str, Any]:
        """Sends a form, by its CSS selector or its button's; default: the page's only form."""
        return await self._bridge._run(self._session.do("submit", {"target": target}, {}, None))

    async def receipts(self) -> List[api.Receipt]:
        """What this agent has sent to the site that had an effect, over all its sessions, the newest first."""
        return await self._bridge._run(self._session.receipts())


class AsyncTools:
    """The tools of a client in one format. A session that they open is an argument of others, and a secret."""

    def __init__(self, bridge: AsyncBridge, tools: ToolCalls, defined: List[Dict[str, Any]]) -> None:
        self._bridge = bridge
        self._tools = tools
        self.definitions = defined

    async def call(self, name: str, args: Union[str, Mapping[str, Any]]) -> ToolResult:
        """Carries a model's call out.

        It raises nothing for what the model or the registry did: that is a result with `is_error`, the stable code and
        the next step.
        """
        return await self._bridge._run(self._tools.call(name, args))
