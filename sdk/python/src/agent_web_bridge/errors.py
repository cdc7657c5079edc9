"""What goes wrong, as classes: catch a class, or match `code`, which is stable. Never match a message."""

from __future__ import annotations

from typing import Any, Dict, Literal, Mapping, Optional, Type

VerificationStep = Literal[
    "bundle", "dns", "txt", "signature", "manifest", "document", "log", "freshness", "policy", "witnesses"
]


class BridgeError(Exception):
    """A call that failed."""

    def __init__(
        self,
        message: str,
        *,
        code: str,
        status: Optional[int] = None,
        retry_after: Optional[float] = None,
        request_id: Optional[str] = None,
        next: Optional[str] = None,
        problem: Optional[Mapping[str, Any]] = None,
    ) -> None:
        super().__init__(message)
        #: Stable; match on this.
        self.code = code
        #: HTTP status; None where no reply came.
        self.status = status
        #: Seconds after which the same call may succeed; None where the registry did not say.
        self.retry_after = retry_after
        #: The request's id, to name to whoever runs the registry.
        self.request_id = request_id
        #: What to do next, for a person or a model.
        self.next = next if next is not None else message
        #: The problem document (RFC 9457), as it came.
        self.problem = problem


class InvalidRequestError(BridgeError):
    """The request is wrong as it is: do not send it again unchanged."""


class AuthenticationError(BridgeError):
    """No credential, a wrong one, or one that ended."""


class PermissionDeniedError(BridgeError):
    """The owner, the plan or the registry does not allow it; nothing was sent to the site."""


class NotFoundError(BridgeError):
    """There is no such thing."""


class ConflictError(BridgeError):
    """The state of things is in the way: read it again before another try."""


class RateLimitError(BridgeError):
    """Too many requests, or a plan's quota: wait `retry_after` seconds."""


class UnavailableError(BridgeError):
    """The registry or the site cannot answer now."""


class ConnectionFailedError(BridgeError):
    """No reply came: the network, or the time this client gives a call. Whether a write was done is not known."""


class ActionError(BridgeError):
    """The site or page did not do it. `request_sent`: a form had reached the site; do not send it again blindly."""

    def __init__(self, message: str, *, request_sent: bool, result: Dict[str, Any], **options: Any) -> None:
        super().__init__(message, **options)
        self.request_sent = request_sent
        #: The whole result, with the address at which the session stands.
        self.result = result


class UnknownOutcomeError(BridgeError):
    """A write may or may not have been done. Look where `next` says; it is never sent again by itself."""


class SessionRestartedError(BridgeError):
    """The session had ended and was opened anew, without its page and basket. Nothing was sent to the site."""


class VerificationError(BridgeError):
    """The evidence does not hold at `step`: do not act on this site on the registry's word."""

    def __init__(self, step: VerificationStep, message: str) -> None:
        super().__init__(
            f"{step}: {message}",
            code=f"verification_{step}",
            next="Do not act on this site. Ask for its evidence again later, or ask its owner.",
        )
        self.step: VerificationStep = step


class TwoViewsError(VerificationError):
    """A log shows a tree that is not what it showed before. Both notes are signed: whoever publishes them shows that to all."""

    def __init__(self, step: VerificationStep, message: str, earlier: str, later: str) -> None:
        super().__init__(step, message)
        #: The checkpoint that was seen before, and the one that came now.
        self.earlier = earlier
        self.later = later


#: Codes whose class does not follow from their status.
_BY_CODE: Dict[str, Type[BridgeError]] = {
    "unknown_outcome": UnknownOutcomeError,
    "key_revoked": AuthenticationError,
    "request_timeout": UnavailableError,
    "site_unreachable": UnavailableError,
    "content_too_costly": UnavailableError,
}
_BY_STATUS: Dict[int, Type[BridgeError]] = {
    401: AuthenticationError,
    403: PermissionDeniedError,
    404: NotFoundError,
    409: ConflictError,
    429: RateLimitError,
}


def error_of_reply(status: int, body: Any, request_id: Optional[str], retry_after: Optional[float]) -> BridgeError:
    """The error of a reply that is no success."""
    problem = body if isinstance(body, dict) and isinstance(body.get("code"), str) else None
    code = problem["code"] if problem else ("unavailable" if status >= 500 else "invalid_reply")
    detail = str(problem.get("detail", code)) if problem else f"The registry answered {status}."
    following = problem.get("next") if problem else None
    fallback: Type[BridgeError] = UnavailableError if status >= 500 else InvalidRequestError
    return (_BY_CODE.get(code) or _BY_STATUS.get(status) or fallback)(
        detail,
        code=code,
        status=status,
        retry_after=retry_after,
        request_id=request_id,
        next=following if isinstance(following, str) else detail,
        problem=problem,
    )
