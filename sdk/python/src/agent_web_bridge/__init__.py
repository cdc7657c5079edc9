"""Agent-Web Bridge: find sites, verify them without trusting the registry, act on them."""

from ._async import AsyncBridge, AsyncSession, AsyncSite, AsyncTools
from ._calls import AccessRequest, Agent, VerifyOptions
from ._sync import Bridge, Session, Site, Tools
from ._tools import ToolFormat, ToolResult
from .errors import (
    ActionError,
    AuthenticationError,
    BridgeError,
    ConflictError,
    ConnectionFailedError,
    InvalidRequestError,
    NotFoundError,
    PermissionDeniedError,
    RateLimitError,
    SessionRestartedError,
    TwoViewsError,
    UnavailableError,
    UnknownOutcomeError,
    VerificationError,
)

__all__ = [
    "AccessRequest",
    "ActionError",
    "Agent",
    "AsyncBridge",
    "AsyncSession",
    "AsyncSite",
    "AsyncTools",
    "AuthenticationError",
    "Bridge",
    "BridgeError",
    "ConflictError",
    "ConnectionFailedError",
    "InvalidRequestError",
    "NotFoundError",
    "PermissionDeniedError",
    "RateLimitError",
    "Session",
    "SessionRestartedError",
    "Site",
    "ToolFormat",
    "ToolResult",
    "Tools",
    "TwoViewsError",
    "UnavailableError",
    "UnknownOutcomeError",
    "VerificationError",
    "VerifyOptions",
]
