"""DNSSEC from a trust anchor down to one name, over the sets of an evidence bundle. dnspython reads and validates.

What is wrong raises; what this cannot judge is told as not proven.
"""

from __future__ import annotations

from typing import Any, Dict, List, NoReturn, Optional, Sequence, Tuple, TypedDict, Union, cast

import dns.dnssec
import dns.exception
import dns.name
import dns.rdata
import dns.rdataclass
import dns.rdataset
import dns.rdatatype
import dns.rrset
from dns.dnssectypes import DSDigest
from dns.exception import UnsupportedAlgorithm, ValidationFailure
from dns.rdtypes.ANY.CNAME import CNAME
from dns.rdtypes.ANY.DNSKEY import DNSKEY
from dns.rdtypes.ANY.DS import DS
from dns.rdtypes.ANY.RRSIG import RRSIG
from dns.rdtypes.ANY.TXT import TXT

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

_MAX_ALIASES = 8
_MAX_SETS = 64
#: Signatures tried over one set: keys may share a tag.
_MAX_TRIES = 8
#: The algorithms and digests of RFC 8624 that validators must or should know, but for Ed448.
_ALGORITHMS = (8, 10, 13, 14, 15)
_DIGESTS = (2, 4)
#: Something that this verifier cannot judge.
_UNKNOWN = "unknown"
_Zone = Tuple[dns.name.Name, List[DNSKEY]]


def _fail(message: str) -> NoReturn:
    raise VerificationError("dns", message)


class _Set:
    """A record set and its signatures, of `{owner, type, data, signatures}` with data in base64."""

    def __init__(self, written: Dict[str, Any]) -> None:
        self.owner = dns.name.from_text(written["owner"])
        self.type = dns.rdatatype.RdataType.make(written["type"])
        self.records = dns.rrset.RRset(self.owner, dns.rdataclass.IN, self.type)
        for each in written["data"]:
            self.records.add(_read(self.type, each), 0)
        self.signatures = [cast(RRSIG, _read(dns.rdatatype.RRSIG, each)) for each in written["signatures"]]

    @property
    def signer(self) -> Optional[dns.name.Name]:
        return next((each.signer for each in self.signatures if each.type_covered == self.type), None)


def _read(kind: dns.rdatatype.RdataType, text: Any) -> dns.rdata.Rdata:
    data = from_base64(text)
    if data is None:
        _fail("what should be base64 is not")
    return dns.rdata.from_wire(dns.rdataclass.IN, kind, data, 0, len(data))


def _is_zone_key(key: DNSKEY) -> bool:
    """A zone key that may sign: ZONE set, REVOKE not, protocol 3 (RFC 4034 section 2.1, RFC 5011)."""
    return bool(key.flags & 0x0100) and not key.flags & 0x0080 and key.protocol == 3


def _is_right(records: _Set, signature: RRSIG, signer: dns.name.Name, key: DNSKEY, now: float) -> bool:
    try:
        dns.dnssec.validate_rrsig(records.records, signature, {signer: dns.rdataset.from_rdata(0, key)}, now=now)
    except (ValidationFailure, UnsupportedAlgorithm, ValueError):
        return False
    return True


def _is_signed(records: _Set, zone: _Zone, now: float) -> Union[bool, str]:
    """Whether a key of the zone signed the set now, or that it is not known."""
    name, keys = zone
    labels = len(records.owner) - 1
    ours = [each for each in records.signatures if each.type_covered == records.type and each.signer == name]
    tries, is_stale = 0, False
    for signature in ours:
        if signature.labels > labels or signature.algorithm not in _ALGORITHMS:
            continue
        if not signature.inception <= now <= signature.expiration:
            is_stale = True
            continue
        # An answer made from a wildcard needs a proof that the very name is not there, which a bundle does not have.
        if signature.labels < labels:
            return _UNKNOWN
        for key in keys:
            if key.algorithm != signature.algorithm or key.key_id() != signature.key_tag or tries >= _MAX_TRIES:
                continue
            tries += 1
            if _is_right(records, signature, name, key, now):
                return True
    if ours and all(each.algorithm not in _ALGORITHMS for each in ours):
        return _UNKNOWN
    if is_stale:
        _fail(f"the signature over {records.owner} is not of this time")
    return False


class _Chain:
    def __init__(self, sets: Sequence[_Set], anchors: Sequence[TrustAnchor], now: float) -> None:
        self._sets = sets
        self._anchors = anchors
        self._now = now
        self._zones: Dict[dns.name.Name, Union[_Zone, str]] = {}

    def find(self, owner: dns.name.Name, kind: dns.rdatatype.RdataType) -> Optional[_Set]:
        return next((each for each in self._sets if each.owner == owner and each.type == kind), None)

    def unproven(self, records: _Set) -> Optional[str]:
        """None where the set is signed by a zone that is vouched for; else what could not be judged."""
        signer = records.signer
        if signer is None:
            return "unsigned"
        if not records.owner.is_subdomain(signer):
            _fail(f"{signer} cannot sign for {records.owner}")
        zone = self._zone(signer)
        if isinstance(zone, str):
            return zone
        is_signed = _is_signed(records, zone, self._now)
        if is_signed == _UNKNOWN:
            return "unsupported"
        return None if is_signed else _fail(f"no key of {signer} signed the records of {records.owner}")

    def _zone(self, name: dns.name.Name) -> Union[_Zone, str]:
        if name not in self._zones:
            self._zones[name] = self._read_zone(name)
        return self._zones[name]

    def _read_zone(self, name: dns.name.Name) -> Union[_Zone, str]:
        """The keys of a zone, one of which its parent or the anchor vouches for."""
        records = self.find(name, dns.rdatatype.DNSKEY)
        if records is None:
            return "no_root" if name == dns.name.root else "no_keys"
        vouched = self._anchors if name == dns.name.root else self._delegations(name)
        if isinstance(vouched, str):
            return vouched
        keys = [key for key in cast("List[DNSKEY]", list(records.records)) if _is_zone_key(key)]
        entry = [key for key in keys if any(_is_vouched(name, key, each) for each in vouched)]
        if not entry:
            if any(each["digestType"] in _DIGESTS and each["algorithm"] in _ALGORITHMS for each in vouched):
                _fail(f"no key of {name} is the one that is vouched for")
            return "unsupported"
        is_signed = _is_signed(records, (name, entry), self._now)
        if is_signed == _UNKNOWN:
            return "unsupported"
        return (name, keys) if is_signed else _fail(f"the keys of {name} are not signed by the one vouched for")

    def _delegations(self, name: dns.name.Name) -> Union[Sequence[TrustAnchor], str]:
        records = self.find(name, dns.rdatatype.DS)
        if records is None:
            return "no_ds"
        # A parent signs a delegation; a zone that vouches for itself would be a circle.
        if any(each.signer == name for each in records.signatures if each.type_covered == dns.rdatatype.DS):
            _fail(f"{name} vouches for itself")
        return self.unproven(records) or [
            {
                "keyTag": each.key_tag,
                "algorithm": each.algorithm,
                "digestType": each.digest_type,
                "digest": each.digest.hex(),
            }
            for each in cast("List[DS]", list(records.records))
        ]


def _is_vouched(zone: dns.name.Name, key: DNSKEY, anchor: TrustAnchor) -> bool:
    if key.algorithm != anchor["algorithm"] or key.key_id() != anchor["keyTag"] or anchor["digestType"] not in _DIGESTS:
        return False
    return dns.dnssec.make_ds(zone, key, DSDigest(anchor["digestType"])).digest.hex() == anchor["digest"].lower()


def verify_dns(
    name: str, sets: Sequence[Dict[str, Any]], anchors: Sequence[TrustAnchor], now: float
) -> "tuple[Optional[List[str]], Optional[str]]":
    """The TXT records of a name, proven from the root down; or None and what could not be judged."""
    if len(sets) > _MAX_SETS:
        _fail(f"{len(sets)} sets, at most {_MAX_SETS}")
    try:
        chain = _Chain([_Set(each) for each in sets], anchors, now)
    except (dns.exception.DNSException, ValueError) as error:
        _fail(f"a record set is damaged: {error}")
    owner = dns.name.from_text(name)
    for _ in range(_MAX_ALIASES + 1):
        records = chain.find(owner, dns.rdatatype.TXT) or chain.find(owner, dns.rdatatype.CNAME)
        if records is None:
            _fail(f"there are no records of {owner}")
        unproven = chain.unproven(records)
        if unproven:
            return None, unproven
        if records.type == dns.rdatatype.TXT:
            texts = cast("List[TXT]", list(records.records))
            return [b"".join(each.strings).decode("utf-8", "ignore") for each in texts], None
        owner = cast(CNAME, records.records[0]).target
    _fail("too many aliases")
