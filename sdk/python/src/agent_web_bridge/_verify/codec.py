"""Bytes, their text forms, and JSON as it is signed (RFC 8785)."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import math
from typing import Any, Dict, List, Optional, Tuple


def sha256(*parts: bytes) -> bytes:
    return hashlib.sha256(b"".join(parts)).digest()


def from_base64(text: Any) -> Optional[bytes]:
    """Standard base64 with padding, read strictly: encoded again it gives the same text."""
    if not isinstance(text, str) or not text.isascii():
        return None
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None
    return data if base64.b64encode(data).decode() == text else None


def to_base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def from_base64url(text: Any) -> Optional[bytes]:
    """base64url without padding, read strictly."""
    if not isinstance(text, str) or not text.isascii() or any(mark in text for mark in "=+/"):
        return None
    try:
        data = base64.b64decode(text.replace("-", "+").replace("_", "/") + "=" * (-len(text) % 4), validate=True)
    except (binascii.Error, ValueError):
        return None
    return data if to_base64url(data) == text else None


def text_of(data: bytes) -> Optional[str]:
    """Text of bytes that are UTF-8; None for others."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _number(value: float) -> str:
    """As ECMAScript writes numbers (ECMA-262, Number::toString), which RFC 8785 section 3.2.2.3 asks for."""
    if not math.isfinite(value):
        raise ValueError("no number of JSON")
    if value == 0:
        return "0"
    sign = "-" if value < 0 else ""
    # The shortest digits that give the same number; digits × 10^(point - len(digits)).
    mantissa, _, exponent = f"{abs(value)!r}".partition("e")
    whole, _, part = mantissa.partition(".")
    part = "" if part == "0" else part
    digits = (whole + part).lstrip("0")
    point = len(whole) + int(exponent or 0) - (len(whole + part) - len((whole + part).lstrip("0")))
    digits = digits.rstrip("0")
    if len(digits) <= point <= 21:
        return f"{sign}{digits}{'0' * (point - len(digits))}"
    if 0 < point <= 21:
        return f"{sign}{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    rest = f".{digits[1:]}" if len(digits) > 1 else ""
    power = point - 1
    return f"{sign}{digits[0]}{rest}e{'+' if power > 0 else '-'}{abs(power)}"


def _utf16(text: str) -> bytes:
    return text.encode("utf-16-be", "surrogatepass")


def canonicalize(value: Any) -> str:
    """The RFC 8785 form of a parsed value. Whole numbers beyond 2^53 are read as JavaScript reads them."""
    if isinstance(value, dict):
        members = sorted(value.items(), key=lambda item: _utf16(item[0]))
        return "{" + ",".join(f"{_string(name)}:{canonicalize(member)}" for name, member in members) + "}"
    if isinstance(value, list):
        return "[" + ",".join(canonicalize(each) for each in value) + "]"
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, bool) or value is None:
        return json.dumps(value)
    return _number(float(value))


def _string(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _no_constant(_: str) -> Any:
    raise ValueError("no JSON")


def _unique(pairs: List[Tuple[str, Any]]) -> Dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ValueError("a doubled member")
    return members


def parse_canonical(text: str) -> Optional[Dict[str, Any]]:
    """An object from its RFC 8785 form, byte for byte: no doubled member, no other spelling. None for any other text."""
    try:
        value = json.loads(text, parse_constant=_no_constant, object_pairs_hook=_unique)
        is_same = isinstance(value, dict) and canonicalize(value) == text
    except (ValueError, RecursionError, OverflowError):
        return None
    return value if is_same else None
