/** Ed25519 (RFC 8032) by one rule for all: what libraries differ in is refused before one is called (docs/trust.md). */
import { type Bytes, encodeBase64Url, hex, sha256, utf8 } from "./bytes.ts";

/** The encodings of y that are of small order, without the sign bit. */
const SMALL_ORDER: ReadonlySet<string> = new Set([
  "0000000000000000000000000000000000000000000000000000000000000000",
  "0100000000000000000000000000000000000000000000000000000000000000",
  "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
]);
const P = 2n ** 255n - 19n;
const L = 2n ** 252n + 27742317777372353535851937790883648493n;

export async function verifyEd25519(key: Bytes, message: Bytes, signature: Bytes): Promise<boolean> {
  if (!isUsableKey(key) || signature.length !== 64) return false;
  if (!isUsable(signature.subarray(0, 32)) || numberOf(signature.subarray(32)) >= L) return false;
  const imported = await crypto.subtle.importKey("raw", key, "Ed25519", false, ["verify"]);
  return crypto.subtle.verify("Ed25519", imported, signature, message);
}

export const isUsableKey = (key: Uint8Array): boolean => key.length === 32 && isUsable(key);

/** A point that may stand for a key or R: y below p, and not of small order. */
function isUsable(encoded: Uint8Array): boolean {
  const y = Uint8Array.from(encoded);
  y[31] = y[31]! & 0x7f;
  return numberOf(y) < P && !SMALL_ORDER.has(hex(y));
}

const numberOf = (bytes: Uint8Array): bigint => BigInt(`0x${hex(Uint8Array.from(bytes).reverse())}`);

/** RFC 7638 thumbprint of a key, as manifests name it. */
export const thumbprint = async (key: Uint8Array): Promise<string> =>
  encodeBase64Url(await sha256(utf8(`{"crv":"Ed25519","kty":"OKP","x":"${encodeBase64Url(key)}"}`)));
