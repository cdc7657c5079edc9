"""Makes evidence.json: evidence of an invented site, right and wrong, that every SDK must judge alike.

Signed by dnspython and cryptography; the TypeScript SDK shares no code with them. Keys are drawn anew each time:
python make.py > evidence.json
"""

import base64
import copy
import hashlib
import json
from datetime import datetime, timezone

import dns.dnssec
import dns.dnssectypes
import dns.name
import dns.rdata
import dns.rdataclass
import dns.rdataset
import dns.rdatatype
import dns.rrset
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

NOW = 1_790_000_000
HOUR = 3_600
DOMAIN = "shop.example"
ORIGIN = "registry.example/.well-known/bridge-log"


def b64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def b64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def canonical(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def at(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.000Z")


class Zone:
    """A zone with a key signing key and a zone signing key of one algorithm."""

    def __init__(self, name: str, algorithm: int) -> None:
        self.name = dns.name.from_text(name)
        self.algorithm = dns.dnssectypes.Algorithm(algorithm)
        self.keys = []
        for flags in (257, 256):
            private = self._draw()
            self.keys.append((private, dns.dnssec.make_dnskey(private.public_key(), self.algorithm, flags)))

    def _draw(self):
        if self.algorithm in (8, 10):
            return rsa.generate_private_key(65537, 2048)
        if self.algorithm in (13, 14):
            return ec.generate_private_key(ec.SECP256R1() if self.algorithm == 13 else ec.SECP384R1())
        return ed25519.Ed25519PrivateKey.generate()

    def signed(self, owner, kind: str, records, *, key: int = 1, begins: int = NOW - HOUR, expires: int = NOW + HOUR, signer=None):
        name = dns.name.from_text(owner) if isinstance(owner, str) else owner
        rdataset = dns.rdataset.from_rdata_list(300, records)
        private, public = self.keys[key]
        rrset = dns.rrset.RRset(name, dns.rdataclass.IN, dns.rdatatype.from_text(kind))
        rrset.update(rdataset)
        signature = dns.dnssec.sign(rrset, private, signer or self.name, public, inception=begins, expiration=expires)
        return wire(name, rrset, [signature])

    def dnskey(self, **more):
        return self.signed(self.name, "DNSKEY", [public for _, public in self.keys], key=0, **more)

    def ds(self):
        return dns.dnssec.make_ds(self.name, self.keys[0][1], "SHA256")

    def anchor(self):
        ds = self.ds()
        return {"keyTag": ds.key_tag, "algorithm": int(ds.algorithm), "digestType": int(ds.digest_type), "digest": ds.digest.hex()}


def wire(name, rrset, signatures):
    return {
        "owner": name.to_text(omit_final_dot=True).lower() if name != dns.name.root else "",
        "type": int(rrset.rdtype),
        "ttl": 300,
        "data": [b64(each.to_wire()) for each in rrset],
        "signatures": [b64(each.to_wire()) for each in signatures],
    }


def txt(text: str):
    strings = " ".join(json.dumps(text[i : i + 255]) for i in range(0, len(text), 255))
    return dns.rdata.from_text(dns.rdataclass.IN, dns.rdatatype.TXT, strings)


def raw(private) -> bytes:
    return private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)


def kid_of(public: bytes) -> str:
    return b64url(hashlib.sha256(f'{{"crv":"Ed25519","kty":"OKP","x":"{b64url(public)}"}}'.encode()).digest())


def leaf_hash(leaf: bytes) -> bytes:
    return hashlib.sha256(b"\0" + leaf).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\1" + left + right).digest()


def root_of(hashes):
    if len(hashes) == 1:
        return hashes[0]
    split = 1
    while split * 2 < len(hashes):
        split *= 2
    return node_hash(root_of(hashes[:split]), root_of(hashes[split:]))


def inclusion(index, hashes):
    if len(hashes) == 1:
        return []
    split = 1
    while split * 2 < len(hashes):
        split *= 2
    if index < split:
        return inclusion(index, hashes[:split]) + [root_of(hashes[split:])]
    return inclusion(index - split, hashes[split:]) + [root_of(hashes[:split])]


def consistency(old, hashes, whole=True):
    if old == len(hashes):
        return [] if whole else [root_of(hashes)]
    split = 1
    while split * 2 < len(hashes):
        split *= 2
    if old <= split:
        return consistency(old, hashes[:split], whole) + [root_of(hashes[split:])]
    return consistency(old - split, hashes[split:], False) + [root_of(hashes[:split])]


class Log:
    def __init__(self, entries, origin=ORIGIN) -> None:
        self.origin = origin
        self.private = ed25519.Ed25519PrivateKey.generate()
        self.entries = entries
        self.hashes = [leaf_hash(entry.encode()) for entry in entries]
        typed = b"\1" + raw(self.private)
        self.id = hashlib.sha256(origin.encode() + b"\n" + typed).digest()[:4]
        self.key = f"{origin}+{self.id.hex()}+{b64(typed)}"

    def checkpoint(self, size=None, root=None):
        size = len(self.hashes) if size is None else size
        root = root or root_of(self.hashes[:size])
        body = f"{self.origin}\n{size}\n{b64(root)}\n"
        return f"{body}\n— {self.origin} {b64(self.id + self.private.sign(body.encode()))}\n"

    def state(self, size):
        return {"origin": self.origin, "size": size, "root": b64(root_of(self.hashes[:size]))}

    def registration(self, index, size=None, **opening):
        proof = inclusion(index, self.hashes[: size or len(self.hashes)])
        return {"leaf": self.entries[index], "leaf_index": index, "inclusion_proof": [b64(each) for each in proof], **opening}


def committed(entry, salt):
    return canonical({"commitment": b64(hashlib.sha256(salt + entry.encode()).digest()), "v": 2})


SITE = ed25519.Ed25519PrivateKey.generate()
OTHER = ed25519.Ed25519PrivateKey.generate()
KID = kid_of(raw(SITE))
TXT = f"v=BRIDGE1; k=ed25519; pk={b64url(raw(SITE))}; endpoint=https://{DOMAIN}"
DOCUMENT = {"provider": {"domain": DOMAIN, "name": "Tee & Söhne 🍵"}, "weight": [0.5, 1e21, 1e-7, 250, 100000000000000000000], "actions": []}
# RFC 8785 writes numbers as ECMAScript does.
DOCUMENT_TEXT = canonical(DOCUMENT).replace("1e-07", "1e-7").replace("[0.5,1e+21", "[0.5,1e+21")


def manifest(document=DOCUMENT_TEXT, *, by=SITE, serial=7, issued=NOW - HOUR, expires=NOW + 30 * 24 * HOUR, **changed):
    payload = canonical(
        {
            "domain": DOMAIN,
            "endpoint": f"https://{DOMAIN}",
            "handshake": "bridge-trust-handshake/1.1",
            "issued_at": at(issued),
            "expires_at": at(expires),
            "serial": serial,
            "trust_profile": {"capabilities": ["read"], "constraints": [], "ttl_seconds": 3600},
            "document_sha256": hashlib.sha256(document.encode()).hexdigest(),
            **changed,
        }
    )
    header = b64url(canonical({"alg": "Ed25519", "kid": kid_of(raw(by))}).encode())
    body = b64url(payload.encode())
    signature = b64url(by.sign(f"{header}.{body}".encode()))
    return {"discovery_url": f"https://{DOMAIN}/.well-known/bridge.json", "protected": header, "payload": body, "signature": signature, "document": document}


def entry(kind="registration", domain=DOMAIN, kid=KID, number=0):
    return canonical({"v": 1, "id": f"e{number}", "at": at(NOW - HOUR), "kind": kind, "domain": domain, "kid": kid, "proof": "p", "statement_sha256": "s"})


LOG = Log([entry(number=i, domain=f"site{i}.example") if i != 4 else entry(number=4) for i in range(11)])


def chain(*algorithms):
    root, tld, zone = (Zone(name, algorithm) for name, algorithm in zip((".", "example.", f"{DOMAIN}."), algorithms))
    sets = [
        zone.signed(f"_bridge.{DOMAIN}.", "TXT", [txt(TXT)]),
        zone.dnskey(),
        tld.signed(zone.name, "DS", [zone.ds()]),
        tld.dnskey(),
        root.signed(tld.name, "DS", [tld.ds()]),
        root.dnskey(),
    ]
    return root, tld, zone, sets


ROOT, TLD, ZONE, SETS = chain(8, 13, 15)


def bundle(**changed):
    made = {
        "version": "bridge-evidence/1",
        "domain": DOMAIN,
        "observed_at": at(NOW - 60),
        "dns": {"name": f"_bridge.{DOMAIN}", "reason": None, "txt": [TXT], "sets": SETS},
        "manifest": manifest(),
        "log": {"checkpoint": LOG.checkpoint(), "registration": LOG.registration(4), "consistency_proof": None},
    }
    made.update(changed)
    return made


def dns_of(sets, reason=None, texts=(TXT,)):
    return {"name": f"_bridge.{DOMAIN}", "reason": reason, "txt": list(texts), "sets": sets}


def cases():
    fine = {"dns": "proven", "registered": True, "serial": 7}

    def case(name, evidence, expected=None, step=None, **options):
        # What a verifier says that checks no signatures of DNS, and so proves nothing by them.
        said = fine if step == "dns" and not options.get("requireDnssec") else expected
        unchecked = {"ok": {**said, "dns": "unproven"}} if said else {"step": step}
        return {
            "name": name,
            "domain": DOMAIN,
            "evidence": evidence,
            "options": {"now": NOW * 1000, "trustAnchors": [ROOT.anchor()], "logKey": LOG.key, **options},
            "expected": {"step": step} if step else {"ok": expected},
            "unchecked": unchecked,
        }

    def swapped(i, made):
        sets = list(SETS)
        sets[i] = made
        return sets

    yield case("a site that is what it says, signed by RSA, ECDSA and Ed25519", bundle(), fine)
    root, _, _, sets = chain(10, 14, 13)
    yield case("a site below other algorithms", bundle(dns=dns_of(sets)), fine, trustAnchors=[root.anchor()])
    alias = f"keys.{DOMAIN}."
    cname = dns.rdata.from_text(dns.rdataclass.IN, dns.rdatatype.CNAME, alias)
    aliased = [ZONE.signed(f"_bridge.{DOMAIN}.", "CNAME", [cname]), ZONE.signed(alias, "TXT", [txt(TXT)]), *SETS[1:]]
    yield case("a record behind an alias", bundle(dns=dns_of(aliased)), fine)
    bare = {**SETS[0], "signatures": []}
    yield case("a zone that is not signed is not proven", bundle(dns=dns_of([bare], "unsigned")), {**fine, "dns": "unproven"})
    yield case("… whatever the registry says", bundle(dns=dns_of([bare])), {**fine, "dns": "unproven"})
    yield case("… and refused where that is asked for", bundle(dns=dns_of([bare], "unsigned")), step="dns", requireDnssec=True)
    island = SETS[:2]
    yield case("a signed zone that its parent does not vouch for is not proven", bundle(dns=dns_of(island, "no_ds")), {**fine, "dns": "unproven"})
    wild = ZONE.signed(f"*.{DOMAIN}.", "TXT", [txt(TXT)])
    yield case("an answer made from a wildcard is not proven", bundle(dns=dns_of(swapped(0, {**wild, "owner": f"_bridge.{DOMAIN}"}))), {**fine, "dns": "unproven"})
    other = TXT.replace(b64url(raw(SITE)), b64url(raw(OTHER)))
    forged = copy.deepcopy(SETS[0])
    forged["data"] = [b64(txt(other).to_wire())]
    yield case("a TXT record that was tampered with", bundle(dns=dns_of(swapped(0, forged))), step="dns")
    yield case("a TXT record that was tampered with, in a zone that is not signed", bundle(dns=dns_of([bare], "unsigned", [other])), step="signature")
    late = ZONE.signed(f"_bridge.{DOMAIN}.", "TXT", [txt(TXT)], begins=NOW - 3 * HOUR, expires=NOW - 2 * HOUR)
    yield case("a signature of DNS that expired", bundle(dns=dns_of(swapped(0, late))), step="dns")
    early = ZONE.signed(f"_bridge.{DOMAIN}.", "TXT", [txt(TXT)], begins=NOW + HOUR, expires=NOW + 2 * HOUR)
    yield case("a signature of DNS of the future", bundle(dns=dns_of(swapped(0, early))), step="dns")
    stranger = Zone(f"{DOMAIN}.", 15)
    yield case("keys of a zone that are not those that the parent vouches for", bundle(dns=dns_of([stranger.signed(f"_bridge.{DOMAIN}.", "TXT", [txt(TXT)]), stranger.dnskey(), *SETS[2:]])), step="dns")
    sibling = Zone("other.example.", 15)
    yield case("a signature by a zone beside", bundle(dns=dns_of([sibling.signed(f"_bridge.{DOMAIN}.", "TXT", [txt(TXT)]), *SETS[1:]])), step="dns")
    yield case("another root", bundle(), step="dns", trustAnchors=[TLD.anchor()])
    yield case("a root that is none of the real one", bundle(), step="dns", trustAnchors=None)
    self_made = ZONE.signed(ZONE.name, "DS", [ZONE.ds()], key=0)
    yield case("a zone that vouches for itself", bundle(dns=dns_of([*SETS[:2], self_made])), step="dns")
    missing = [each for each in SETS if each["type"] != 16]
    yield case("no TXT record", bundle(dns=dns_of(missing)), step="dns")
    away = f"v=BRIDGE1; k=ed25519; pk={b64url(raw(SITE))}; endpoint=https://evil.example"
    yield case("an endpoint outside of the domain", bundle(dns=dns_of([], "unsigned", [away])), step="txt")
    revoked = f"v=BRIDGE1; pk=; endpoint=https://{DOMAIN}"
    yield case("a revoked key", bundle(dns=dns_of([], "unsigned", [revoked])), step="txt")
    small = f"v=BRIDGE1; pk={b64url(bytes([1]) + bytes(31))}; endpoint=https://{DOMAIN}"
    yield case("a key of small order", bundle(dns=dns_of([], "unsigned", [small])), step="txt")
    yield case("a record beside one that is none", bundle(dns=dns_of([], "unsigned", ["v=spf1 -all", TXT])), {**fine, "dns": "unproven"})
    tampered = {**manifest(), "document": DOCUMENT_TEXT.replace("Söhne", "Sohne")}
    yield case("a document that was tampered with", bundle(manifest=tampered), step="document")
    loose = json.dumps(DOCUMENT)
    yield case("a signed document that is not in RFC 8785 form", bundle(manifest=manifest(loose)), step="document")
    double = '{"provider":{"domain":"evil.example"},"provider":{"domain":"shop.example"}}'
    yield case("a signed document with a doubled member", bundle(manifest=manifest(double)), step="document")
    foreign = canonical({"provider": {"domain": "other.example"}})
    yield case("a signed document of another domain", bundle(manifest=manifest(foreign)), step="document")
    yield case("a manifest by a key that is not in DNS", bundle(manifest=manifest(by=OTHER)), step="signature")
    broken = manifest()
    broken["signature"] = b64url(bytes(64))
    yield case("a manifest whose signature is wrong", bundle(manifest=broken), step="signature")
    malleable = manifest()
    wrong = base64.urlsafe_b64decode(malleable["signature"] + "==")
    order = 2**252 + 27742317777372353535851937790883648493
    scalar = int.from_bytes(wrong[32:], "little") + order
    malleable["signature"] = b64url(wrong[:32] + scalar.to_bytes(32, "little"))
    yield case("a signature whose S is not below the order", bundle(manifest=malleable), step="signature")
    named = manifest()
    named["protected"] = b64url(canonical({"alg": "Ed25519", "jwk": {}}).encode())
    yield case("a header that brings its own key", bundle(manifest=named), step="signature")
    yield case("no manifest", bundle(manifest=None), step="signature")
    yield case("a manifest that expired", bundle(manifest=manifest(issued=NOW - 20 * HOUR, expires=NOW - HOUR)), step="manifest")
    yield case("a manifest of the future", bundle(manifest=manifest(issued=NOW + HOUR)), step="manifest")
    yield case("a manifest for more than 398 days", bundle(manifest=manifest(expires=NOW + 399 * 24 * HOUR)), step="manifest")
    yield case("a manifest of another domain", bundle(manifest=manifest(domain="other.example")), step="manifest")
    yield case("a manifest of another endpoint", bundle(manifest=manifest(endpoint="https://evil.example")), step="manifest")
    yield case("the evidence of another site", bundle(domain="other.example"), step="bundle")
    yield case("no evidence at all", {"version": "bridge-evidence/2"}, step="bundle")
    yield case("a member of another type", bundle(log={"checkpoint": 7}), step="bundle")

    log = bundle()["log"]
    yield case("a site that never registered", bundle(log={**log, "registration": None}), {**fine, "registered": False})
    other_root = LOG.checkpoint(root=bytes(32))
    yield case("a log of another root", bundle(log={**log, "checkpoint": other_root}), step="log")
    edited = log["checkpoint"].replace("\n11\n", "\n12\n")
    yield case("a checkpoint that was tampered with", bundle(log={**log, "checkpoint": edited}), step="log")
    yield case("a checkpoint by another key", bundle(), step="log", logKey=Log(LOG.entries).key)
    wrong_leaf = {**log["registration"], "leaf": entry(number=4, kid=kid_of(raw(OTHER)))}
    yield case("an entry that is not in the log", bundle(log={**log, "registration": wrong_leaf}), step="log")
    another = LOG.registration(5)
    yield case("the registration of another site", bundle(log={**log, "registration": another}), step="log")
    beyond = {**log["registration"], "leaf_index": 11}
    yield case("an entry beyond the checkpoint", bundle(log={**log, "registration": beyond}), step="log")
    salt = bytes(range(32))
    hidden = Log([entry(number=0, domain="site0.example"), committed(entry(number=1), salt), committed(entry(number=2), salt)])

    def opened(**opening):
        registration = hidden.registration(1, **opening)
        return bundle(log={"checkpoint": hidden.checkpoint(), "registration": registration, "consistency_proof": None})

    yield case("a leaf that commits to its entry", opened(salt=b64(salt), entry=entry(number=1)), fine, logKey=hidden.key)
    yield case("… to another entry", opened(salt=b64(salt), entry=entry(number=2)), step="log", logKey=hidden.key)
    yield case("… with another salt", opened(salt=b64(bytes(32)), entry=entry(number=1)), step="log", logKey=hidden.key)
    moved = b64(salt + b"{")
    yield case("… with a byte of the entry in the salt", opened(salt=moved, entry=entry(number=1)[1:]), step="log", logKey=hidden.key)
    yield case("… whose entry is not shown", opened(), step="log", logKey=hidden.key)
    yield case("an entry beside a leaf that is none", bundle(log={**log, "registration": {**log["registration"], "salt": b64(salt), "entry": entry(number=9, domain="evil.example")}}), fine)
    old_key = Log([entry(kid=kid_of(raw(OTHER)))])
    yield case("a registration by a key that left DNS", bundle(log={"checkpoint": old_key.checkpoint(), "registration": old_key.registration(0), "consistency_proof": None}), {**fine, "registered": False}, logKey=old_key.key)

    def seen(serial=7, size=None, kid=KID, state=None):
        return {"sites": {DOMAIN: {"serial": serial, "kid": kid}}, "log": state or (LOG.state(size) if size else None)}

    yield case("older evidence than was seen", bundle(), step="freshness", seen=seen(serial=8))
    yield case("a lower serial after the key of the higher one left DNS", bundle(), fine, seen=seen(serial=8, kid="gone"))
    for size in (1, 3, 4, 8, 10):
        proof = [b64(each) for each in consistency(size, LOG.hashes)]
        yield case(f"a log that grew from {size} entries", bundle(log={**log, "consistency_proof": proof}), fine, seen=seen(size=size))
        yield case(f"… with a proof too short, from {size}", bundle(log={**log, "consistency_proof": proof[:-1]}), step="log", seen=seen(size=size))
    yield case("a log that did not grow", bundle(), fine, seen=seen(size=11))
    yield case("a log of the same size with other entries", bundle(), step="log", seen=seen(state={**LOG.state(11), "root": b64(bytes(32))}))
    yield case("a log that forgot", bundle(log={"checkpoint": LOG.checkpoint(6), "registration": LOG.registration(4, 6), "consistency_proof": None}), step="freshness", seen=seen(size=11))
    rewritten = [b64(each) for each in consistency(3, LOG.hashes)]
    yield case("a log that was rewritten", bundle(log={**log, "consistency_proof": rewritten}), step="log", seen=seen(state={**LOG.state(3), "root": b64(bytes(32))}))


if __name__ == "__main__":
    print(json.dumps({"note": "Made by make.py. `now` is in milliseconds.", "cases": list(cases())}, ensure_ascii=False, indent=1))
