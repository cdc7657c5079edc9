"""Ed25519 (RFC 8032) by one rule for all: what libraries differ in is refused before one is called."""

from __future__ import annotations

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from .codec import sha256, to_base64url

_P = 2**255 - 19
_L = 2**252 + 27742317777372353535851937790883648493
#: The encodings of y that are of small order, without the sign bit.
_SMALL_ORDER = frozenset(
    bytes.fromhex(text)
    for text in (
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000000",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    )
)


def _is_usable(encoded: bytes) -> bool:
    """A point that may stand for a key or R: y below p, and not of small order."""
    y = encoded[:31] + bytes([encoded[31] & 0x7F])
    return int.from_bytes(y, "little") < _P and y not in _SMALL_ORDER


def is_usable_key(key: bytes) -> bool:
    return len(key) == 32 and _is_usable(key)


def verify(key: bytes, message: bytes, signature: bytes) -> bool:
    if not is_usable_key(key) or len(signature) != 64:
        return False
    if not _is_usable(signature[:32]) or int.from_bytes(signature[32:], "little") >= _L:
        return False
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


def thumbprint(key: bytes) -> str:
    """RFC 7638 thumbprint of a key, as manifests name it."""
    return to_base64url(sha256(f'{{"crv":"Ed25519","kty":"OKP","x":"{to_base64url(key)}"}}'.encode()))
