/**
 * Ed25519 (RFC 8032) with one pinned verification rule, so that every process decides alike whatever its library does:
 * S < L; the encodings of A and R are canonical (y < p) and not of small order; then the cofactorless equation as
 * OpenSSL computes it. The library alone does not suffice: some versions accept small-order points.
 */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign as nodeSign,
  verify as nodeVerify,
} from "node:crypto";
import { Point } from "@noble/ed25519";
import { LRUCache } from "lru-cache";
import { decodeBase64Url, encodeBase64Url } from "../protocols/base64url.ts";

export const PUBLIC_KEY_BYTES = 32;
export const SIGNATURE_BYTES = 64;

/** A public key: 32 bytes in base64url as in DNS, and its RFC 7638 thumbprint as in JWS. */
export interface PublicKey {
  publicKey: string;
  kid: string;
}

export interface KeyPair extends PublicKey {
  /** PKCS #8 PEM. */
  privateKey: string;
}

/** DER prefixes of a raw 32-byte key (RFC 8410). */
const SPKI_HEAD = Buffer.from("302a300506032b6570032100", "hex");
const PKCS8_HEAD = Buffer.from("302e020100300506032b657004220420", "hex");

/** p = 2^255 − 19 and L, the order of the base point, both little-endian. */
const P_BYTES = Buffer.from(`ed${"ff".repeat(30)}7f`, "hex");
const L_BYTES = Buffer.from("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010", "hex");

/** The y of the eight points of small order, sign bit clear; y ≥ p is not canonical anyway. */
const SMALL_ORDER_Y: ReadonlySet<string> = new Set(
  [
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0100000000000000000000000000000000000000000000000000000000000000",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
  ].map((hex) => Buffer.from(hex, "hex").toString("latin1")),
);

/** Caches imported keys: importing is expensive, and a site's key rarely changes. */
const importedKeys = new LRUCache<string, KeyObject>({ max: 8_192 });

/**
 * Whether `signature` (64 bytes) is `publicKey`'s (32 raw bytes) over `message`, by the rule above. Never throws: false
 * for another length or a point off the curve.
 */
export function verifyStrict(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  return (
    passesPreCheck(publicKey, signature) && nodeVerify(null, message, importPublicKey(publicKey), signature)
  );
}

/**
 * The checks before the library's: lengths, S < L, and A and R canonical and not of small order. Exported so that a
 * test can run it where the current library rejects the same inputs.
 */
export function passesPreCheck(publicKey: Uint8Array, signature: Uint8Array): boolean {
  return (
    publicKey.length === PUBLIC_KEY_BYTES &&
    signature.length === SIGNATURE_BYTES &&
    isBelow(signature.subarray(32), L_BYTES) &&
    isSoundEncoding(signature.subarray(0, 32)) &&
    isSoundEncoding(publicKey)
  );
}

/** Little-endian comparison of 32 bytes. Not constant-time: the inputs are public. */
function isBelow(bytes: Uint8Array, bound: Uint8Array): boolean {
  for (let i = 31; i >= 0; i--) {
    if (bytes[i] !== bound[i]) return bytes[i]! < bound[i]!;
  }
  return false;
}

/** Whether a point's 32 bytes have y < p and are not of small order. */
function isSoundEncoding(point: Uint8Array): boolean {
  const y = Buffer.from(point);
  y[31]! &= 0x7f;
  return isBelow(y, P_BYTES) && !SMALL_ORDER_Y.has(y.toString("latin1"));
}

/** Imports any 32 bytes: verification finds out whether they are a point. */
function importPublicKey(raw: Uint8Array): KeyObject {
  const name = Buffer.from(raw).toString("latin1");
  const known = importedKeys.get(name);
  if (known) return known;
  const key = createPublicKey({ key: Buffer.concat([SPKI_HEAD, raw]), format: "der", type: "spki" });
  importedKeys.set(name, key);
  return key;
}

/** Whether 32 raw bytes are a usable public key: canonical, on the curve, not of small order. By noble, some 0.1 ms. */
export function isValidPublicKey(publicKey: Uint8Array): boolean {
  try {
    return !Point.fromBytes(publicKey).isSmallOrder();
  } catch {
    return false;
  }
}

/** RFC 7638 thumbprint (RFC 8037 section 2: members crv, kty, x) of a base64url public key: its kid. */
export const thumbprint = (publicKey: string): string =>
  createHash("sha256").update(`{"crv":"Ed25519","kty":"OKP","x":"${publicKey}"}`).digest("base64url");

/** A new random key pair. */
export const generateKey = (): KeyPair => describe(generateKeyPairSync("ed25519").privateKey);

function describe(privateKey: KeyObject): KeyPair {
  const spki = createPublicKey(privateKey).export({ format: "der", type: "spki" });
  const publicKey = encodeBase64Url(spki.subarray(SPKI_HEAD.length));
  return {
    privateKey: privateKey.export({ format: "pem", type: "pkcs8" }) as string,
    publicKey,
    kid: thumbprint(publicKey),
  };
}

/**
 * The key pair of a 32-byte seed (RFC 8032 section 5.1.5): the same seed gives the same key. Throws on another length,
 * which is a bug in the caller.
 */
export function keyFromSeed(seed: Uint8Array): KeyPair {
  if (seed.length !== 32) throw new TypeError(`An Ed25519 seed has 32 bytes, not ${seed.length}`);
  return describe(createPrivateKey({ key: Buffer.concat([PKCS8_HEAD, seed]), format: "der", type: "pkcs8" }));
}

/** The key pair of a PEM text, or undefined if it is not an unencrypted Ed25519 private key. */
export function keyFromPem(pem: string): KeyPair | undefined {
  try {
    const key = createPrivateKey(pem);
    return key.asymmetricKeyType === "ed25519" ? describe(key) : undefined;
  } catch {
    return undefined;
  }
}

/** 64 bytes. `privateKey` is PKCS #8 PEM, or already imported (half the cost of a signature). */
export const sign = (privateKey: string | KeyObject, message: Uint8Array): Uint8Array =>
  nodeSign(null, message, privateKey);

/** The raw bytes of a base64url public key, or undefined if it is not the canonical encoding of 32 bytes. */
export function decodePublicKey(publicKey: string): Uint8Array | undefined {
  const raw = decodeBase64Url(publicKey);
  return raw?.length === PUBLIC_KEY_BYTES ? raw : undefined;
}
