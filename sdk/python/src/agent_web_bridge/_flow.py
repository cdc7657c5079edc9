"""Calls as flows: generators that say what they need of the outside, so that sync and async are one text."""

from __future__ import annotations

import asyncio
import email.utils
import inspect
import random
import time
import uuid
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, Generator, Mapping, Optional, TypeVar, Union

import httpx

from .errors import BridgeError, ConnectionFailedError, error_of_reply

T = TypeVar("T")


@dataclass(frozen=True)
class Request:
    """One request, sent once."""

    method: str
    path: str
    query: Mapping[str, Any] = field(default_factory=dict)
    body: Optional[Any] = None
    bearer: Optional[str] = None
    idempotency_key: Optional[str] = None
    #: Beside the usual ones, or in their place.
    headers: Mapping[str, str] = field(default_factory=dict)
    #: Tells why a reply of status 200 is none, for protocols that answer so. A write that has this may be sent again.
    failure_in: "Optional[Callable[[Any], Optional[Dict[str, Any]]]]" = None


@dataclass(frozen=True)
class Sleep:
    seconds: float


@dataclass(frozen=True)
class Lookup:
    """TXT records of a name, by a function of the caller's."""

    resolve: Callable[[str], Any]
    name: str


Effect = Union[Request, Sleep, Lookup]
#: What comes back: a response or why there is none; nothing; the records.
Flow = Generator[Effect, Any, T]

MAX_RETRIES = 3
FIRST_WAIT_SECONDS = 0.25
#: Faults that pass: of the way, of the registry, of its limits.
PASSING = frozenset({408, 429, 502, 503, 504})
#: The first request of this key still runs.
IN_PROGRESS = "idempotency_in_progress"


@dataclass
class Transport:
    """Where requests go, and how long a call may take."""

    registry: str
    timeout: float = 35.0
    retries: int = MAX_RETRIES
    #: The longest wait before a try, in seconds; a longer Retry-After ends the call.
    max_wait: float = 30.0
    random: Callable[[], float] = random.random

    def call(self, request: Request, *, as_text: bool = False) -> Flow[Any]:
        """Sends, and again where that may help: reads, and writes under an Idempotency-Key."""
        may_repeat = request.method == "GET" or request.idempotency_key is not None or request.failure_in is not None
        tries = 0
        while True:
            response = yield request
            if isinstance(response, httpx.Response) and response.is_success:
                reply = response.text if as_text else response.json()
                problem = request.failure_in(reply) if request.failure_in else None
                if problem is None:
                    return reply
                error, passes = _failed(int(problem["status"]), problem, response, problem.get("retry_after_seconds"))
            else:
                error, passes = self._failure(response, request.method)
            jitter = self.random() * FIRST_WAIT_SECONDS * 2**tries
            wait = jitter + (error.retry_after or 0.0)
            if not may_repeat or not passes or tries >= min(self.retries, MAX_RETRIES) or wait > self.max_wait:
                raise error
            yield Sleep(wait)
            tries += 1

    def _failure(self, response: Union[httpx.Response, Exception], method: str) -> "tuple[BridgeError, bool]":
        if isinstance(response, Exception):
            changed = "Nothing was changed." if method == "GET" else "Whether a write was done is not known."
            error = ConnectionFailedError(
                f"{self.registry} did not answer: {response or type(response).__name__}",
                code="connection_failed",
                next=f"Check the registry's address and the network. {changed}",
            )
            error.__cause__ = response
            return error, True
        try:
            body = response.json()
        except ValueError:
            body = None
        return _failed(response.status_code, body, response, seconds_of(response.headers.get("retry-after")))


def _failed(
    status: int, body: Any, response: httpx.Response, retry_after: Optional[float]
) -> "tuple[BridgeError, bool]":
    error = error_of_reply(status, body, response.headers.get("x-request-id"), retry_after)
    return error, status in PASSING or error.code == IN_PROGRESS


def seconds_of(text: Optional[str]) -> Optional[float]:
    """Seconds of a Retry-After (RFC 9110 section 10.2.3): a number or a date."""
    if text is None:
        return None
    if text.isascii() and text.isdigit() and len(text) <= 9:
        return float(text)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(text).timestamp() - time.time())
    except (TypeError, ValueError):
        return None


def new_key() -> str:
    """A key of a new write."""
    return str(uuid.uuid4())


def _arguments(request: Request) -> Dict[str, Any]:
    headers = {"accept": "application/json"}
    if request.bearer is not None:
        headers["authorization"] = f"Bearer {request.bearer}"
    if request.idempotency_key is not None:
        # A structured field's string, as the IETF's draft has it.
        key = request.idempotency_key.replace("\\", "\\\\").replace('"', '\\"')
        headers["idempotency-key"] = f'"{key}"'
    headers.update(request.headers)
    query = {name: _text(value) for name, value in request.query.items() if value is not None}
    arguments: Dict[str, Any] = {"headers": headers}
    if query:
        arguments["params"] = query
    if request.body is not None:
        arguments["json"] = request.body
    return arguments


def _text(value: Any) -> str:
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def run(client: httpx.Client, flow: Flow[T]) -> T:
    """Runs a flow, waiting."""
    given: Any = None
    while True:
        try:
            effect = flow.send(given)
        except StopIteration as done:
            result: T = done.value
            return result
        if isinstance(effect, Sleep):
            time.sleep(effect.seconds)
            given = None
        elif isinstance(effect, Lookup):
            given = effect.resolve(effect.name)
        else:
            try:
                given = client.request(effect.method, effect.path, **_arguments(effect))
            except httpx.HTTPError as error:
                given = error


async def run_async(client: httpx.AsyncClient, flow: Flow[T]) -> T:
    """Runs a flow, giving way."""
    given: Any = None
    while True:
        try:
            effect = flow.send(given)
        except StopIteration as done:
            result: T = done.value
            return result
        if isinstance(effect, Sleep):
            await asyncio.sleep(effect.seconds)
            given = None
        elif isinstance(effect, Lookup):
            found = effect.resolve(effect.name)
            given = await found if inspect.isawaitable(found) else found
        else:
            try:
                given = await client.request(effect.method, effect.path, **_arguments(effect))
            except httpx.HTTPError as error:
                given = error
