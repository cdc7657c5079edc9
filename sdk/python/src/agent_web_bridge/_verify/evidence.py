"""A site's evidence, checked from the root of DNS to the document (docs/trust.md of the registry)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Literal, NoReturn, Optional, Sequence, Tuple, TypedDict, cast

from ..errors import VerificationError
from .dnssec import ROOT_ANCHORS, TrustAnchor, verify_dns
from .log import LogState, open_newer, verify_leaf
from .site import TxtKeys, keys_of, read_document, read_manifest, verify_jws

_VERSION = "bridge-evidence/1"


class _SeenManifest(TypedDict):
    serial: int
    kid: str


class SeenSite(_SeenManifest, total=False):
    #: Whether DNS was ever proven.
    proven: bool


class Seen(TypedDict):
    """What was verified before, so that older evidence is not believed again. Keep it, as JSON, between runs."""

    sites: Dict[str, SeenSite]
    log: Optional[LogState]


@dataclass(frozen=True)
class Verification:
    domain: str
    #: proven: by signatures from the root of DNS. live: not signed, but DNS says the same here. unproven: the registry's word.
    dns: Literal["proven", "live", "unproven"]
    #: Why DNS is not proven; None where it is.
    dns_reason: Optional[str]
    #: Origin of the site, by DNS.
    endpoint: str
    #: Thumbprint of the key that signed.
    kid: str
    serial: int
    issued_at: str
    expires_at: str
    #: What the site says of itself, as it signed it.
    document: Dict[str, Any]
    #: Whether the log holds a registration by a key that stands in DNS.
    registered: bool
    log: LogState
    #: Whether the log's key was given, and not told by the registry.
    log_pinned: bool
    #: DNS was proven for this site before, and is not now: its zone lost its signatures, or the registry withholds them.
    downgraded: bool = False


def _fail(message: str) -> NoReturn:
    raise VerificationError("bundle", message)


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and len(value) <= 64 and all(isinstance(each, str) for each in value)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_set(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("owner"), str)
        and _is_whole(value.get("type"))
        and _is_texts(value.get("data"))
        and _is_texts(value.get("signatures"))
    )


def _is_dns(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and _is_texts(value.get("txt"))
        and isinstance(value.get("sets"), list)
        and all(map(_is_set, value["sets"]))
    )


def _is_manifest(value: Any) -> bool:
    members = ("protected", "payload", "signature", "document")
    return value is None or (isinstance(value, dict) and all(isinstance(value.get(each), str) for each in members))


def _is_log(value: Any) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("checkpoint"), str):
        return False
    consistency, registration = value.get("consistency_proof"), value.get("registration", 0)
    is_registration = registration is None or (
        isinstance(registration, dict)
        and isinstance(registration.get("leaf"), str)
        and _is_whole(registration.get("leaf_index"))
        and _is_texts(registration.get("inclusion_proof"))
        and all(isinstance(registration.get(each, ""), str) for each in ("salt", "entry"))
    )
    return (consistency is None or _is_texts(consistency)) and is_registration


def _read_bundle(evidence: Any, domain: str) -> Dict[str, Any]:
    if not isinstance(evidence, dict) or evidence.get("version") != _VERSION:
        _fail(f"this is no {_VERSION}")
    if evidence.get("domain") != domain:
        _fail(f"this is the evidence of another site than {domain}")
    if not (_is_dns(evidence.get("dns")) and _is_manifest(evidence.get("manifest", 0)) and _is_log(evidence.get("log"))):
        _fail("members are missing or of another type")
    return evidence


def _dns_of(
    domain: str,
    dns: Dict[str, Any],
    anchors: Sequence[TrustAnchor],
    require_dnssec: bool,
    live: Optional[Sequence[str]],
    now: float,
) -> Tuple[Literal["proven", "live", "unproven"], Optional[str], List[str]]:
    name = f"_bridge.{domain}"
    proven: Optional[List[str]] = None
    reason = dns.get("reason", "not_said")
    if reason is None:
        proven, reason = verify_dns(name, dns["sets"], anchors, now)
    if proven is None and require_dnssec:
        raise VerificationError("dns", f"not proven ({reason})")
    texts = dns["txt"] if proven is None else proven
    if live is not None and sorted(live) != sorted(texts):
        raise VerificationError("txt", f"DNS says something else of {name} than the evidence")
    if proven is not None:
        return "proven", None, texts
    return ("unproven" if live is None else "live"), str(reason), texts


def _check_seen(domain: str, serial: int, txt: TxtKeys, seen: Seen) -> None:
    before = seen["sites"].get(domain)
    # A key that left DNS left its serials behind.
    if before and before["kid"] in txt.keys and serial < before["serial"]:
        raise VerificationError(
            "freshness", f"serial {serial} after {before['serial']}: this is older than what was seen"
        )


def _is_registered(domain: str, txt: TxtKeys, log: Dict[str, Any], state: LogState) -> bool:
    """Whether the log's entry is a registration of this domain by a key that stands in DNS."""
    if not log["registration"]:
        return False
    entry = verify_leaf(log["registration"], state)
    if entry.get("kind") != "registration" or entry.get("domain") != domain:
        raise VerificationError("log", "the entry is not this domain's registration")
    kid = entry.get("kid")
    return isinstance(kid, str) and kid in txt.keys


def verify_evidence(
    evidence: Any,
    domain: str,
    *,
    log_key: str,
    seen: Seen,
    now: float,
    pinned: bool = True,
    trust_anchors: Optional[Sequence[TrustAnchor]] = None,
    require_dnssec: bool = False,
    live: Optional[Sequence[str]] = None,
) -> Verification:
    """Checks a site's evidence.

    `domain` is canonical (lower case, A-labels); `now` in seconds; `live` are the TXT records that DNS itself gave. Raises
    VerificationError with the step that failed; adds to `seen`.
    """
    bundle = _read_bundle(evidence, domain)
    anchors = ROOT_ANCHORS if trust_anchors is None else trust_anchors
    dns, reason, texts = _dns_of(domain, bundle["dns"], anchors, require_dnssec, live, now)
    txt = keys_of(texts, domain)
    if bundle["manifest"] is None:
        raise VerificationError("signature", "the site's document is not signed")
    payload, kid = verify_jws(bundle["manifest"], txt.keys)
    manifest = read_manifest(payload, domain, txt, now)
    _check_seen(domain, manifest["serial"], txt, seen)
    document = read_document(bundle["manifest"]["document"], manifest)
    shown = bundle["log"]
    log = open_newer(shown["checkpoint"], shown["consistency_proof"], log_key, seen["log"], pinned)
    registered = _is_registered(domain, txt, shown, log)
    was_proven = domain in seen["sites"] and seen["sites"][domain].get("proven", False) is True
    seen["sites"][domain] = {"serial": manifest["serial"], "kid": kid}
    if was_proven or dns == "proven":
        seen["sites"][domain]["proven"] = True
    seen["log"] = log
    return Verification(
        domain=domain,
        dns=dns,
        dns_reason=reason,
        endpoint=txt.origin,
        kid=kid,
        serial=cast(int, manifest["serial"]),
        issued_at=manifest["issued_at"],
        expires_at=manifest["expires_at"],
        document=document,
        registered=registered,
        log=log,
        log_pinned=pinned,
        downgraded=was_proven and dns != "proven",
    )
