/**
 * DNSSEC (RFC 4033 to 4035) from a trust anchor down to one name, over the sets of an evidence bundle. What is wrong
 * throws; what this cannot judge is told as not proven.
 */
import { VerificationError } from "../errors.ts";
import { type Bytes, compare, concat, fromBase64, hex, textOf } from "./bytes.ts";

/** The SHA-256 digest of a zone's key signing key, as a DS record has it. */
export interface TrustAnchor {
  keyTag: number;
  algorithm: number;
  digestType: number;
  /** Hexadecimal. */
  digest: string;
}

/** The root's keys of 2017 and 2024 (https://data.iana.org/root-anchors/root-anchors.xml). */
export const ROOT_ANCHORS: readonly TrustAnchor[] = [
  {
    keyTag: 20_326,
    algorithm: 8,
    digestType: 2,
    digest: "e06d44b80b8f1d39a95c0b0d7c65d08458e880409bbc683457104237c7f8ec8d",
  },
  {
    keyTag: 38_696,
    algorithm: 8,
    digestType: 2,
    digest: "683d2d0acb8c9b712a1948b27f741219298d0a450d612c483af444a4c0fb2b16",
  },
];

export interface WireSet {
  owner: string;
  type: number;
  data: string[];
  signatures: string[];
}

/** `texts`: the records, each with its strings joined. `reason`: what this verifier cannot judge. */
export type DnsResult = { proven: true; texts: string[] } | { proven: false; reason: string };

const [CNAME, TXT, DS, DNSKEY] = [5, 16, 43, 48];
const MAX_ALIASES = 8;
const MAX_SETS = 64;
/** Signatures tried over one set: keys may share a tag. */
const MAX_TRIES = 8;
const LABEL = /^[a-z0-9_-]{1,63}$/;

const fail = (message: string): never => {
  throw new VerificationError("dns", message);
};

interface Set_ {
  owner: string;
  type: number;
  data: Bytes[];
  signatures: Signature[];
}

interface Signature {
  covered: number;
  algorithm: number;
  labels: number;
  originalTtl: number;
  expires: number;
  begins: number;
  keyTag: number;
  signer: string;
  /** The data up to the signature: what is signed begins with it. */
  head: Bytes;
  signature: Bytes;
}

const labelsOf = (name: string): string[] => (name === "" ? [] : name.split("."));

/** A name in wire form. */
const wireOf = (name: string): Bytes => {
  const labels = labelsOf(name);
  const isName = labels.every((label) => LABEL.test(label)) && name.length <= 253;
  if (!isName) return fail(`${JSON.stringify(name.slice(0, 80))} is no name`);
  return concat(
    ...labels.map((label) =>
      Uint8Array.from(
        [label.length, ...label].map((each) => (typeof each === "number" ? each : each.charCodeAt(0))),
      ),
    ),
    new Uint8Array(1),
  );
};

/** The name at a place of a record's data, in lower case, and where it ends. */
const nameAt = (data: Uint8Array, start: number): { name: string; end: number } => {
  const labels: string[] = [];
  let at = start;
  for (let length = data[at]; length !== 0; length = data[at]) {
    if (length === undefined || length > 63 || at + 1 + length > data.length)
      return fail("a name is damaged");
    labels.push(String.fromCharCode(...data.subarray(at + 1, at + 1 + length)).toLowerCase());
    at += 1 + length;
  }
  const name = labels.join(".");
  wireOf(name);
  return { name, end: at + 1 };
};

const uint16 = (data: Uint8Array, at: number): number => (data[at]! << 8) | data[at + 1]!;
const uint32 = (data: Uint8Array, at: number): number => uint16(data, at) * 65_536 + uint16(data, at + 2);

const readSignature = (data: Bytes): Signature => {
  if (data.length < 19) return fail("a signature is damaged");
  const { name: signer, end } = nameAt(data, 18);
  return {
    covered: uint16(data, 0),
    algorithm: data[2]!,
    labels: data[3]!,
    originalTtl: uint32(data, 4),
    expires: uint32(data, 8),
    begins: uint32(data, 12),
    keyTag: uint16(data, 16),
    signer,
    // The signer's name in lower case (RFC 4034 section 6.2).
    head: concat(data.subarray(0, 18), wireOf(signer)),
    signature: data.slice(end),
  };
};

const bytesOf = (text: string): Bytes => fromBase64(text) ?? fail("what should be base64 is not");

const readSet = ({ owner, type, data, signatures }: WireSet): Set_ => {
  const records = data.map(bytesOf);
  wireOf(owner);
  return {
    owner,
    type,
    // An alias in lower case (RFC 4034 section 6.2); no other type here holds a name.
    data: type === CNAME ? records.map((each) => wireOf(nameAt(each, 0).name)) : records,
    signatures: signatures.map((each) => readSignature(bytesOf(each))),
  };
};

/** RFC 4034 appendix B. */
export const keyTagOf = (key: Uint8Array): number => {
  let sum = 0;
  for (const [i, byte] of key.entries()) sum += i % 2 === 0 ? byte * 256 : byte;
  return (sum + Math.floor(sum / 65_536)) & 0xffff;
};

/** What a signature signs: its own data, and the set in canonical form and order (RFC 4034 section 3.1.8.1). */
const signedBytes = ({ owner, type, data }: Set_, { head, originalTtl }: Signature): Bytes => {
  const fixed = new Uint8Array(8);
  const view = new DataView(fixed.buffer);
  view.setUint16(0, type);
  view.setUint16(2, 1);
  view.setUint32(4, originalTtl);
  const name = wireOf(owner);
  const records = data.toSorted(compare).map((each) => {
    const length = Uint8Array.from([each.length >> 8, each.length & 255]);
    return concat(name, fixed, length, each);
  });
  return concat(head, ...records);
};

const ecdsa =
  (curve: string, hash: string, size: number) => async (key: Bytes, bytes: Bytes, signature: Bytes) => {
    if (key.length !== 2 * size || signature.length !== 2 * size) return false;
    const algorithm = { name: "ECDSA", namedCurve: curve };
    const point = concat(Uint8Array.of(4), key);
    const imported = await crypto.subtle.importKey("raw", point, algorithm, false, ["verify"]);
    return crypto.subtle.verify({ name: "ECDSA", hash }, imported, signature, bytes);
  };

/** RFC 3110: the exponent's length in one byte, or in two after a zero. */
const rsa = (hash: string) => async (key: Bytes, bytes: Bytes, signature: Bytes) => {
  const [length, start] = key[0] === 0 ? [uint16(key, 1), 3] : [key[0] ?? 0, 1];
  const modulus = key.slice(start + length);
  if (length === 0 || modulus.length < 128 || modulus.length > 512) return false;
  const text = (part: Uint8Array) =>
    btoa(String.fromCharCode(...part))
      .replaceAll("+", "-")
      .replaceAll("/", "_")
      .replaceAll("=", "");
  const jwk = { kty: "RSA", n: text(modulus), e: text(key.slice(start, start + length)) };
  const algorithm = { name: "RSASSA-PKCS1-v1_5", hash };
  const imported = await crypto.subtle.importKey("jwk", jwk, algorithm, false, ["verify"]);
  return crypto.subtle.verify(algorithm, imported, signature, bytes);
};

const ed25519 = async (key: Bytes, bytes: Bytes, signature: Bytes) => {
  if (key.length !== 32 || signature.length !== 64) return false;
  const imported = await crypto.subtle.importKey("raw", key, "Ed25519", false, ["verify"]);
  return crypto.subtle.verify("Ed25519", imported, signature, bytes);
};

/** The algorithms of RFC 8624 that validators must or should know, but for Ed448. */
const ALGORITHMS: Readonly<Record<number, (key: Bytes, bytes: Bytes, signature: Bytes) => Promise<boolean>>> =
  {
    8: rsa("SHA-256"),
    10: rsa("SHA-512"),
    13: ecdsa("P-256", "SHA-256", 32),
    14: ecdsa("P-384", "SHA-384", 48),
    15: ed25519,
  };
const DIGESTS: Readonly<Record<number, string>> = { 2: "SHA-256", 4: "SHA-384" };

/** A zone key that may sign: ZONE set, REVOKE not, protocol 3 (RFC 4034 section 2.1, RFC 5011). */
const isZoneKey = (key: Bytes): boolean =>
  key.length > 4 && (uint16(key, 0) & 0x0100) !== 0 && (uint16(key, 0) & 0x0080) === 0 && key[2] === 3;

/** RFC 4034 section 3.1.5: times are serial numbers of 32 bits. */
const isAfter = (a: number, b: number): boolean => (a - b) >>> 0 < 0x80000000 && a !== b;

interface Zone {
  name: string;
  keys: Bytes[];
}

/** Whether a key of the zone signed the set now. `"algorithm"`: only by algorithms that this does not know. */
const isSigned = async (set: Set_, zone: Zone, nowSeconds: number): Promise<boolean | "algorithm"> => {
  const labels = labelsOf(set.owner).length;
  const ours = set.signatures.filter(({ covered, signer }) => covered === set.type && signer === zone.name);
  let tries = 0;
  let isStale = false;
  for (const signature of ours) {
    if (signature.labels > labels) continue;
    if (!(signature.algorithm in ALGORITHMS)) continue;
    if (isAfter(nowSeconds, signature.expires) || isAfter(signature.begins, nowSeconds)) {
      isStale = true;
      continue;
    }
    // An answer made from a wildcard needs a proof that the very name is not there, which a bundle does not have.
    if (signature.labels < labels) return "algorithm";
    for (const key of zone.keys) {
      if (key[3] !== signature.algorithm || keyTagOf(key) !== signature.keyTag || ++tries > MAX_TRIES)
        continue;
      const check = ALGORITHMS[signature.algorithm]!;
      const isRight = await check(key.slice(4), signedBytes(set, signature), signature.signature).catch(
        () => false,
      );
      if (isRight) return true;
    }
  }
  const isUnknown = ours.length > 0 && ours.every(({ algorithm }) => !(algorithm in ALGORITHMS));
  if (isUnknown) return "algorithm";
  if (isStale) return fail(`the signature over ${set.owner || "the root"} is not of this time`);
  return false;
};

/** The digest of a zone's key (RFC 4034 section 5.1.4); undefined for a digest that this does not know. */
const digestOf = async (zone: string, key: Bytes, digestType: number): Promise<Bytes | undefined> => {
  const hash = DIGESTS[digestType];
  if (!hash) return undefined;
  return new Uint8Array(await crypto.subtle.digest(hash, concat(wireOf(zone), key)));
};

class Chain {
  readonly #sets: readonly Set_[];
  readonly #anchors: readonly TrustAnchor[];
  readonly #nowSeconds: number;
  readonly #zones = new Map<string, Promise<Zone | string>>();

  constructor(sets: readonly Set_[], anchors: readonly TrustAnchor[], nowSeconds: number) {
    this.#sets = sets;
    this.#anchors = anchors;
    this.#nowSeconds = nowSeconds;
  }

  find(owner: string, type: number): Set_ | undefined {
    return this.#sets.find((set) => set.owner === owner && set.type === type);
  }

  /** The set, signed by a zone that is vouched for; a text says what could not be judged. */
  async signed(set: Set_): Promise<string | undefined> {
    const signer = set.signatures.find(({ covered }) => covered === set.type)?.signer;
    if (signer === undefined) return "unsigned";
    if (!isAtOrBelow(set.owner, signer)) return fail(`${signer} cannot sign for ${set.owner}`);
    const zone = await this.zone(signer);
    if (typeof zone === "string") return zone;
    const isRight = await isSigned(set, zone, this.#nowSeconds);
    if (isRight === "algorithm") return "unsupported";
    return isRight
      ? undefined
      : fail(`no key of ${zone.name || "the root"} signed the records of ${set.owner}`);
  }

  zone(name: string): Promise<Zone | string> {
    const known = this.#zones.get(name);
    if (known) return known;
    const read = this.#readZone(name);
    this.#zones.set(name, read);
    return read;
  }

  /** The keys of a zone, one of which its parent or the anchor vouches for. */
  async #readZone(name: string): Promise<Zone | string> {
    const set = this.find(name, DNSKEY!);
    if (!set) return name === "" ? "no_root" : "no_keys";
    const vouched = name === "" ? this.#anchors : await this.#delegations(name);
    if (typeof vouched === "string") return vouched;
    const keys = set.data.filter(isZoneKey);
    const entry: Bytes[] = [];
    for (const key of keys)
      for (const { keyTag, algorithm, digestType, digest } of vouched) {
        if (key[3] !== algorithm || keyTagOf(key) !== keyTag) continue;
        const own = await digestOf(name, key, digestType);
        if (own && hex(own) === digest.toLowerCase()) entry.push(key);
      }
    if (entry.length === 0) {
      const isKnown = vouched.some((each) => each.digestType in DIGESTS && each.algorithm in ALGORITHMS);
      return isKnown ? fail(`no key of ${name || "the root"} is the one that is vouched for`) : "unsupported";
    }
    const isRight = await isSigned(set, { name, keys: entry }, this.#nowSeconds);
    if (isRight === "algorithm") return "unsupported";
    return isRight
      ? { name, keys }
      : fail(`the keys of ${name || "the root"} are not signed by the one vouched for`);
  }

  async #delegations(name: string): Promise<readonly TrustAnchor[] | string> {
    const set = this.find(name, DS!);
    if (!set) return "no_ds";
    const signer = set.signatures.find(({ covered }) => covered === DS)?.signer;
    // A parent signs a delegation; a zone that vouches for itself would be a circle.
    if (signer === name) return fail(`${name} vouches for itself`);
    const unproven = await this.signed(set);
    if (unproven) return unproven;
    return set.data.map((data) => ({
      keyTag: uint16(data, 0),
      algorithm: data[2]!,
      digestType: data[3]!,
      digest: hex(data.subarray(4)),
    }));
  }
}

const isAtOrBelow = (name: string, zone: string): boolean =>
  zone === "" || name === zone || name.endsWith(`.${zone}`);

/** Character strings, each behind its length, joined (RFC 1035 section 3.3.14). */
const textOfStrings = (data: Bytes): string => {
  const parts: Uint8Array[] = [];
  for (let at = 0; at < data.length; at += 1 + data[at]!) {
    if (at + 1 + data[at]! > data.length) return fail("a TXT record is damaged");
    parts.push(data.subarray(at + 1, at + 1 + data[at]!));
  }
  return textOf(concat(...parts)) ?? "";
};

/**
 * Checks the sets of a bundle from the root down to the TXT records of a name.
 * @throws VerificationError where a signature, digest or time is wrong
 */
export const verifyDns = async (
  name: string,
  wireSets: readonly WireSet[],
  anchors: readonly TrustAnchor[],
  nowMs: number,
): Promise<DnsResult> => {
  if (wireSets.length > MAX_SETS) return fail(`${wireSets.length} sets, at most ${MAX_SETS}`);
  const chain = new Chain(wireSets.map(readSet), anchors, Math.floor(nowMs / 1_000));
  let owner = name;
  for (let aliases = 0; aliases <= MAX_ALIASES; aliases++) {
    const set = chain.find(owner, TXT!) ?? chain.find(owner, CNAME!);
    if (!set) return fail(`there are no records of ${owner}`);
    const unproven = await chain.signed(set);
    if (unproven) return { proven: false, reason: unproven };
    if (set.type === TXT) return { proven: true, texts: set.data.map(textOfStrings) };
    const [alias] = set.data;
    if (!alias || set.data.length > 1) return fail(`${owner} has more than one alias`);
    owner = nameAt(alias, 0).name;
  }
  return fail("too many aliases");
};
