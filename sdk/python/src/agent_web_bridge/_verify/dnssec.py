"""DNSSEC (RFC 4033 to 4035) from a trust anchor down to one name, over the sets of an evidence bundle.

What is wrong raises; what this cannot judge is told as not proven.
"""

from __future__ import annotations

import hashlib
import re
import struct
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, NoReturn, Optional, Sequence, Tuple, TypedDict, Union

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa, utils

from ..errors import VerificationError
from .codec import from_base64


class TrustAnchor(TypedDict):
    """The digest of a zone's key signing key, as a DS record has it."""

    keyTag: int
    algorithm: int
    digestType: int
    digest: str


#: The root's keys of 2017 and 2024 (https://data.iana.org/root-anchors/root-anchors.xml).
ROOT_ANCHORS: Sequence[TrustAnchor] = (
    {
        "keyTag": 20326,
        "algorithm": 8,
        "digestType": 2,
        "digest": "e06d44b80b8f1d39a95c0b0d7c65d08458e880409bbc683457104237c7f8ec8d",
    },
    {
        "keyTag": 38696,
        "algorithm": 8,
        "digestType": 2,
        "digest": "683d2d0acb8c9b712a1948b27f741219298d0a450d612c483af444a4c0fb2b16",
    },
)

CNAME, TXT, DS, DNSKEY = 5, 16, 43, 48
_MAX_ALIASES = 8
_MAX_SETS = 64
#: Signatures tried over one set: keys may share a tag.
_MAX_TRIES = 8
_LABEL = re.compile(r"[a-z0-9_-]{1,63}")
#: Something that this verifier cannot judge.
_UNKNOWN = "unknown"


def _fail(message: str) -> NoReturn:
    raise VerificationError("dns", message)


@dataclass(frozen=True)
class _Signature:
    covered: int
    algorithm: int
    labels: int
    original_ttl: int
    expires: int
    begins: int
    key_tag: int
    signer: str
    #: The data up to the signature: what is signed begins with it.
    head: bytes
    signature: bytes


@dataclass(frozen=True)
class _Set:
    owner: str
    type: int
    data: List[bytes]
    signatures: List[_Signature]


@dataclass(frozen=True)
class _Zone:
    name: str
    keys: List[bytes]


def _labels(name: str) -> List[str]:
    return name.split(".") if name else []


def _wire(name: str) -> bytes:
    labels = _labels(name)
    if len(name) > 253 or not all(_LABEL.fullmatch(label) for label in labels):
        _fail(f"{name[:80]!r} is no name")
    return b"".join(bytes([len(label)]) + label.encode() for label in labels) + b"\0"


def _name_at(data: bytes, start: int) -> Tuple[str, int]:
    """The name at a place of a record's data, in lower case, and where it ends."""
    labels: List[str] = []
    at = start
    while True:
        if at >= len(data) or data[at] > 63 or at + 1 + data[at] > len(data):
            _fail("a name is damaged")
        length = data[at]
        if length == 0:
            break
        labels.append(data[at + 1 : at + 1 + length].decode("latin-1").lower())
        at += 1 + length
    name = ".".join(labels)
    _wire(name)
    return name, at + 1


def _read_signature(data: bytes) -> _Signature:
    if len(data) < 19:
        _fail("a signature is damaged")
    covered, algorithm, labels, ttl, expires, begins, tag = struct.unpack("!HBBIIIH", data[:18])
    signer, end = _name_at(data, 18)
    # The signer's name in lower case (RFC 4034 section 6.2).
    head = data[:18] + _wire(signer)
    return _Signature(covered, algorithm, labels, ttl, expires, begins, tag, signer, head, data[end:])


def _bytes(text: Any) -> bytes:
    data = from_base64(text)
    return data if data is not None else _fail("what should be base64 is not")


def _read_set(written: Dict[str, Any]) -> _Set:
    owner, kind = written["owner"], written["type"]
    _wire(owner)
    records = [_bytes(each) for each in written["data"]]
    # An alias in lower case (RFC 4034 section 6.2); no other type here holds a name.
    data = [_wire(_name_at(each, 0)[0]) for each in records] if kind == CNAME else records
    return _Set(owner, kind, data, [_read_signature(_bytes(each)) for each in written["signatures"]])


def key_tag_of(key: bytes) -> int:
    """RFC 4034 appendix B."""
    total = sum(byte if i % 2 else byte << 8 for i, byte in enumerate(key))
    return (total + (total >> 16)) & 0xFFFF


def _signed_bytes(records: _Set, signature: _Signature) -> bytes:
    """What a signature signs: its own data, and the set in canonical form and order (RFC 4034 section 3.1.8.1)."""
    fixed = _wire(records.owner) + struct.pack("!HHI", records.type, 1, signature.original_ttl)
    return signature.head + b"".join(fixed + struct.pack("!H", len(each)) + each for each in sorted(records.data))


def _rsa(hash_: hashes.HashAlgorithm) -> Callable[[bytes, bytes, bytes], bool]:
    def check(key: bytes, message: bytes, signature: bytes) -> bool:
        # RFC 3110: the exponent's length in one byte, or in two after a zero.
        length, start = (int.from_bytes(key[1:3], "big"), 3) if key[0] == 0 else (key[0], 1)
        modulus = key[start + length :]
        if length == 0 or not 128 <= len(modulus) <= 512:
            return False
        numbers = rsa.RSAPublicNumbers(
            int.from_bytes(key[start : start + length], "big"), int.from_bytes(modulus, "big")
        )
        numbers.public_key().verify(signature, message, padding.PKCS1v15(), hash_)
        return True

    return check


def _ecdsa(curve: ec.EllipticCurve, hash_: hashes.HashAlgorithm, size: int) -> Callable[[bytes, bytes, bytes], bool]:
    def check(key: bytes, message: bytes, signature: bytes) -> bool:
        if len(key) != 2 * size or len(signature) != 2 * size:
            return False
        r, s = int.from_bytes(signature[:size], "big"), int.from_bytes(signature[size:], "big")
        public = ec.EllipticCurvePublicKey.from_encoded_point(curve, b"\x04" + key)
        public.verify(utils.encode_dss_signature(r, s), message, ec.ECDSA(hash_))
        return True

    return check


def _ed25519(key: bytes, message: bytes, signature: bytes) -> bool:
    if len(key) != 32 or len(signature) != 64:
        return False
    ed25519.Ed25519PublicKey.from_public_bytes(key).verify(signature, message)
    return True


#: The algorithms of RFC 8624 that validators must or should know, but for Ed448.
_ALGORITHMS: Dict[int, Callable[[bytes, bytes, bytes], bool]] = {
    8: _rsa(hashes.SHA256()),
    10: _rsa(hashes.SHA512()),
    13: _ecdsa(ec.SECP256R1(), hashes.SHA256(), 32),
    14: _ecdsa(ec.SECP384R1(), hashes.SHA384(), 48),
    15: _ed25519,
}
_DIGESTS = {2: "sha256", 4: "sha384"}


def _is_zone_key(key: bytes) -> bool:
    """A zone key that may sign: ZONE set, REVOKE not, protocol 3 (RFC 4034 section 2.1, RFC 5011)."""
    return len(key) > 4 and bool(key[0] & 1) and not key[1] & 0x80 and key[2] == 3


def _is_after(a: int, b: int) -> bool:
    """RFC 4034 section 3.1.5: times are serial numbers of 32 bits."""
    return a != b and ((a - b) & 0xFFFFFFFF) < 0x80000000


def _is_right(key: bytes, records: _Set, signature: _Signature) -> bool:
    try:
        return _ALGORITHMS[signature.algorithm](key[4:], _signed_bytes(records, signature), signature.signature)
    except (InvalidSignature, UnsupportedAlgorithm, ValueError, IndexError):
        return False


def _is_signed(records: _Set, zone: _Zone, now: int) -> Union[bool, str]:
    """Whether a key of the zone signed the set now, or that it is not known."""
    labels = len(_labels(records.owner))
    ours = [each for each in records.signatures if each.covered == records.type and each.signer == zone.name]
    tries, is_stale = 0, False
    for signature in ours:
        if signature.labels > labels or signature.algorithm not in _ALGORITHMS:
            continue
        if _is_after(now & 0xFFFFFFFF, signature.expires) or _is_after(signature.begins, now & 0xFFFFFFFF):
            is_stale = True
            continue
        # An answer made from a wildcard needs a proof that the very name is not there, which a bundle does not have.
        if signature.labels < labels:
            return _UNKNOWN
        for key in zone.keys:
            if key[3] != signature.algorithm or key_tag_of(key) != signature.key_tag or tries >= _MAX_TRIES:
                continue
            tries += 1
            if _is_right(key, records, signature):
                return True
    if ours and all(each.algorithm not in _ALGORITHMS for each in ours):
        return _UNKNOWN
    if is_stale:
        _fail(f"the signature over {records.owner or 'the root'} is not of this time")
    return False


def _is_at_or_below(name: str, zone: str) -> bool:
    return zone == "" or name == zone or name.endswith(f".{zone}")


class _Chain:
    def __init__(self, sets: Sequence[_Set], anchors: Sequence[TrustAnchor], now: int) -> None:
        self._sets = sets
        self._anchors = anchors
        self._now = now
        self._zones: Dict[str, Union[_Zone, str]] = {}

    def find(self, owner: str, kind: int) -> Optional[_Set]:
        return next((each for each in self._sets if each.owner == owner and each.type == kind), None)

    def unproven(self, records: _Set) -> Optional[str]:
        """None where the set is signed by a zone that is vouched for; else what could not be judged."""
        signer = next((each.signer for each in records.signatures if each.covered == records.type), None)
        if signer is None:
            return "unsigned"
        if not _is_at_or_below(records.owner, signer):
            _fail(f"{signer} cannot sign for {records.owner}")
        zone = self._zone(signer)
        if isinstance(zone, str):
            return zone
        is_signed = _is_signed(records, zone, self._now)
        if is_signed == _UNKNOWN:
            return "unsupported"
        return None if is_signed else _fail(f"no key of {signer or 'the root'} signed the records of {records.owner}")

    def _zone(self, name: str) -> Union[_Zone, str]:
        if name not in self._zones:
            self._zones[name] = self._read_zone(name)
        return self._zones[name]

    def _read_zone(self, name: str) -> Union[_Zone, str]:
        """The keys of a zone, one of which its parent or the anchor vouches for."""
        records = self.find(name, DNSKEY)
        if records is None:
            return "no_keys" if name else "no_root"
        vouched = self._delegations(name) if name else self._anchors
        if isinstance(vouched, str):
            return vouched
        keys = [key for key in records.data if _is_zone_key(key)]
        entry = [key for key in keys if any(_is_vouched(name, key, each) for each in vouched)]
        if not entry:
            if any(each["digestType"] in _DIGESTS and each["algorithm"] in _ALGORITHMS for each in vouched):
                _fail(f"no key of {name or 'the root'} is the one that is vouched for")
            return "unsupported"
        is_signed = _is_signed(records, _Zone(name, entry), self._now)
        if is_signed == _UNKNOWN:
            return "unsupported"
        if not is_signed:
            _fail(f"the keys of {name or 'the root'} are not signed by the one vouched for")
        return _Zone(name, keys)

    def _delegations(self, name: str) -> Union[Sequence[TrustAnchor], str]:
        records = self.find(name, DS)
        if records is None:
            return "no_ds"
        # A parent signs a delegation; a zone that vouches for itself would be a circle.
        if any(each.signer == name for each in records.signatures if each.covered == DS):
            _fail(f"{name} vouches for itself")
        unproven = self.unproven(records)
        if unproven:
            return unproven
        return [
            {
                "keyTag": int.from_bytes(data[:2], "big"),
                "algorithm": data[2],
                "digestType": data[3],
                "digest": data[4:].hex(),
            }
            for data in records.data
            if len(data) > 4
        ]


def _is_vouched(zone: str, key: bytes, anchor: TrustAnchor) -> bool:
    if key[3] != anchor["algorithm"] or key_tag_of(key) != anchor["keyTag"]:
        return False
    digest = _DIGESTS.get(anchor["digestType"])
    return digest is not None and hashlib.new(digest, _wire(zone) + key).hexdigest() == anchor["digest"].lower()


def _text_of_strings(data: bytes) -> str:
    """Character strings, each behind its length, joined (RFC 1035 section 3.3.14)."""
    parts: List[bytes] = []
    at = 0
    while at < len(data):
        if at + 1 + data[at] > len(data):
            _fail("a TXT record is damaged")
        parts.append(data[at + 1 : at + 1 + data[at]])
        at += 1 + data[at]
    return b"".join(parts).decode("utf-8", "ignore")


def verify_dns(
    name: str, sets: Sequence[Dict[str, Any]], anchors: Sequence[TrustAnchor], now: float
) -> "tuple[Optional[List[str]], Optional[str]]":
    """The TXT records of a name, proven from the root down; or None and what could not be judged."""
    if len(sets) > _MAX_SETS:
        _fail(f"{len(sets)} sets, at most {_MAX_SETS}")
    chain = _Chain([_read_set(each) for each in sets], anchors, int(now))
    owner = name
    for _ in range(_MAX_ALIASES + 1):
        records = chain.find(owner, TXT) or chain.find(owner, CNAME)
        if records is None:
            _fail(f"there are no records of {owner}")
        unproven = chain.unproven(records)
        if unproven:
            return None, unproven
        if records.type == TXT:
            return [_text_of_strings(each) for each in records.data], None
        if len(records.data) != 1:
            _fail(f"{owner} has more than one alias")
        owner = _name_at(records.data[0], 0)[0]
    _fail("too many aliases")
