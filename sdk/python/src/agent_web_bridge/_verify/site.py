"""TXT records, the signed manifest and the document that it signs (docs/trust.md of the registry)."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Dict, List, NoReturn, Optional, Sequence, Tuple
from urllib.parse import urlsplit

from ..errors import VerificationError, VerificationStep
from .codec import canonicalize, from_base64url, parse_canonical, sha256, text_of
from .ed25519 import is_usable_key, thumbprint, verify

_MAX_KEYS = 4
_MAX_RECORDS = 16
_MAX_RECORD = 1_024
_MAX_ENDPOINT = 512
_MAX_JWS = 131_072
_SKEW_SECONDS = 60
_MAX_LIFE_SECONDS = 398 * 86_400
_HANDSHAKE = "bridge-trust-handshake/1.1"
_REFUSED = ("jku", "jwk", "x5u", "x5c", "x5t", "x5t#S256", "crit", "b64")
_TAG = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_VALUE = re.compile(r"[\x20-\x3a\x3c-\x7e\t]*")
_ENDPOINT = re.compile(r"https://[^\s\\?#]+", re.IGNORECASE)
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z")


def _refuse(step: VerificationStep, message: str) -> NoReturn:
    raise VerificationError(step, message)


@dataclass(frozen=True)
class TxtKeys:
    #: Thumbprint → key.
    keys: Dict[str, bytes]
    #: Origin that serves the document.
    origin: str


def _tags(text: str) -> Optional[Dict[str, str]]:
    if len(text) > _MAX_RECORD:
        return None
    tags: Dict[str, str] = {}
    specs = text.split(";")
    if len(specs) > 1 and specs[-1].strip() == "":
        specs.pop()
    for spec in specs:
        name, _, value = spec.partition("=")
        name, value = name.strip(), value.strip()
        if not _TAG.fullmatch(name) or not _VALUE.fullmatch(value) or name in tags:
            return None
        tags[name] = value
    return tags


def origin_of(address: str) -> Optional[str]:
    """The origin of an https address, in lower case and without the scheme's own port."""
    try:
        parts = urlsplit(address)
        host, port = parts.hostname, parts.port
    except ValueError:
        return None
    if parts.scheme.lower() != "https" or not host or parts.username is not None or parts.password is not None:
        return None
    return f"https://{host.lower()}" + ("" if port in (None, 443) else f":{port}")


def _record(text: str) -> Optional[Tuple[Optional[bytes], Optional[str]]]:
    """A record's key and origin; a key of None is revoked. None where it is none of ours, or discarded."""
    tags = _tags(text)
    if tags is None:
        return None
    if "v" in tags and (tags["v"] != "BRIDGE1" or next(iter(tags)) != "v"):
        return None
    if "pk" not in tags or tags.get("k", "ed25519") != "ed25519":
        return None
    endpoint = tags.get("endpoint")
    origin: Optional[str] = None
    if endpoint is not None:
        if len(endpoint) > _MAX_ENDPOINT or not _ENDPOINT.fullmatch(endpoint):
            return None
        origin = origin_of(endpoint)
        if origin is None:
            return None
    if tags["pk"] == "":
        return None, origin
    key = from_base64url(tags["pk"])
    return (key, origin) if key and is_usable_key(key) and origin is not None else None


def keys_of(texts: Sequence[str], domain: str) -> TxtKeys:
    """Keys and origin of a domain by all its records."""
    if len(texts) > _MAX_RECORDS:
        _refuse("txt", f"{len(texts)} records, at most {_MAX_KEYS} valid")
    records = [record for record in map(_record, texts) if record is not None]
    active = [(key, origin) for key, origin in records if key is not None and origin is not None]
    if not active:
        _refuse("txt", "the key is revoked" if records else f"no record of this kind at _bridge.{domain}")
    if len(active) > _MAX_KEYS:
        _refuse("txt", f"{len(active)} valid records, at most {_MAX_KEYS}")
    origins = {origin for _, origin in active}
    if len(origins) > 1:
        _refuse("txt", f"endpoints disagree: {', '.join(sorted(origins))}")
    (origin,) = origins
    host = urlsplit(origin).hostname or ""
    if host != domain and not host.endswith(f".{domain}"):
        _refuse("txt", f"endpoint {host} is not {domain} or below it")
    return TxtKeys({thumbprint(key): key for key, _ in active}, origin)


def _header_keys(header: str, keys: Dict[str, bytes]) -> Dict[str, bytes]:
    """The header's key, or all keys where it names none."""
    data = from_base64url(header)
    try:
        parsed: Any = json.loads(text_of(data or b"") or "")
    except (ValueError, RecursionError):
        _refuse("signature", "the header is not JSON")
    if not isinstance(parsed, dict):
        _refuse("signature", "the header is no object")
    if parsed.get("alg") not in ("Ed25519", "EdDSA"):
        _refuse("signature", "alg is not Ed25519")
    named = next((name for name in _REFUSED if name in parsed), None)
    if named:
        _refuse("signature", f"the header names {named}: keys come from DNS alone")
    if "kid" not in parsed:
        return keys
    kid = parsed["kid"]
    if not isinstance(kid, str) or kid not in keys:
        _refuse("signature", "the key that signed does not stand in DNS")
    return {kid: keys[kid]}


def verify_jws(jws: Dict[str, Any], keys: Dict[str, bytes]) -> Tuple[str, str]:
    """The payload that a key in DNS signed, and the key's thumbprint."""
    if len(jws["payload"]) > _MAX_JWS or len(jws["protected"]) > _MAX_JWS:
        _refuse("signature", "too long")
    signature, payload = from_base64url(jws["signature"]), from_base64url(jws["payload"])
    if signature is None or payload is None:
        _refuse("signature", "not base64url")
    signed = f"{jws['protected']}.{jws['payload']}".encode()
    for kid, key in _header_keys(jws["protected"], keys).items():
        if verify(key, signed, signature):
            text = text_of(payload)
            return (text, kid) if text is not None else _refuse("manifest", "the payload is not UTF-8")
    _refuse("signature", "no key in DNS signed this manifest")


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**53


def _is_manifest(value: Dict[str, Any]) -> bool:
    texts = ("domain", "endpoint", "handshake", "issued_at", "expires_at", "document_sha256")
    profile = value.get("trust_profile")
    return (
        all(isinstance(value.get(name), str) for name in texts)
        and _is_whole(value.get("serial"))
        and isinstance(profile, dict)
        and _is_whole(profile.get("ttl_seconds"))
    )


def _seconds(time: str) -> float:
    if not _TIME.fullmatch(time):
        _refuse("manifest", "a time is not RFC 3339 in UTC")
    try:
        # Python 3.10 reads three or six digits of a second alone.
        whole, _, part = time[:-1].partition(".")
        return datetime.fromisoformat(f"{whole}+00:00").timestamp() + float(f"0.{part or 0}")
    except ValueError:
        _refuse("manifest", "a time is none")


def read_manifest(payload: str, domain: str, txt: TxtKeys, now: float) -> Dict[str, Any]:
    """The manifest, of this domain and in force."""
    manifest = parse_canonical(payload)
    if manifest is None or not _is_manifest(manifest):
        _refuse("manifest", "the payload is no manifest in RFC 8785 form")
    if manifest["handshake"] != _HANDSHAKE:
        _refuse("manifest", f"handshake is not {_HANDSHAKE}")
    if manifest["domain"] != domain:
        _refuse("manifest", f"the manifest is {manifest['domain']}'s, not {domain}'s")
    if origin_of(manifest["endpoint"]) != txt.origin:
        _refuse("manifest", f"DNS says that the endpoint is {txt.origin}")
    issued, expires = _seconds(manifest["issued_at"]), _seconds(manifest["expires_at"])
    if not 0 < expires - issued <= _MAX_LIFE_SECONDS:
        _refuse("manifest", "valid for more than 398 days, or not at all")
    if issued > now + _SKEW_SECONDS:
        _refuse("manifest", f"issued at {manifest['issued_at']}, which has not come")
    if expires <= now - _SKEW_SECONDS:
        _refuse("manifest", f"expired at {manifest['expires_at']}")
    return manifest


def read_document(text: str, manifest: Dict[str, Any]) -> Dict[str, Any]:
    """The document whose hash is signed."""
    try:
        data = text.encode()
    except UnicodeEncodeError:
        _refuse("document", "this is not the document whose SHA-256 is signed")
    if sha256(data).hex() != manifest["document_sha256"]:
        _refuse("document", "this is not the document whose SHA-256 is signed")
    document = parse_canonical(text)
    if document is None:
        _refuse("document", "the document is not in RFC 8785 form")
    provider = document.get("provider")
    is_ours = isinstance(provider, dict) and provider.get("domain") == manifest["domain"]
    profile = document.get("trust_profile", manifest["trust_profile"])
    is_same = canonicalize(profile) == canonicalize(manifest["trust_profile"])
    if not is_ours or not is_same or document.get("expires_at", manifest["expires_at"]) != manifest["expires_at"]:
        _refuse("document", "the document says otherwise than its manifest")
    return document
