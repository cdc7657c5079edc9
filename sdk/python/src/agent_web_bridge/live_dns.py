"""Asks DNS itself, for `VerifyOptions(resolve_txt=…)`. Needs dnspython: pip install 'agent-web-bridge-sdk[verify]'."""

from __future__ import annotations

from typing import List

import dns.asyncresolver
import dns.resolver
from dns.rdtypes.txtbase import TXTBase


def _texts(answer: dns.resolver.Answer) -> List[str]:
    return [b"".join(each.strings).decode("utf-8", "ignore") for each in answer if isinstance(each, TXTBase)]


def resolve_txt(name: str) -> List[str]:
    """TXT records of a name, each with its strings joined."""
    return _texts(dns.resolver.resolve(name, "TXT"))


async def resolve_txt_async(name: str) -> List[str]:
    """The same for an async client."""
    return _texts(await dns.asyncresolver.resolve(name, "TXT"))
