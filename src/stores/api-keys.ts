/**
 * Keys of the module gateway, licenses and projects: a prefix for the kind, 256 random bits, and a checksum, so that a
 * mistyped key fails without a look-up and secret scanners can find leaked ones. Only the hash is stored.
 */
import { createHash, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";
import { keyed } from "../domain/keyed.ts";

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const SECRET_BYTES = 32;
/** Length of 256 bits in base62; the checksum's 32 bits take six. */
const SECRET_LENGTH = 43;
const CHECKSUM_LENGTH = 6;

/**
 * A new key: prefix, 43 characters of base62, and a checksum of 6.
 * @param seed that the key follows from (RequestContext.seed); default: random
 */
export function makeKey(prefix: string, seed?: string): string {
  const bytes = seed === undefined ? randomBytes(SECRET_BYTES) : keyed(seed, "key", prefix);
  const secret = base62(BigInt(`0x${bytes.toString("hex")}`), SECRET_LENGTH);
  return `${prefix}${secret}${checksumOf(prefix + secret)}`;
}

function base62(value: bigint, length: number): string {
  let text = "";
  for (let rest = value; text.length < length; rest /= 62n) text = DIGITS[Number(rest % 62n)] + text;
  return text;
}

const checksumOf = (text: string): string => base62(BigInt(crc32(text)), CHECKSUM_LENGTH);

/** Whether a text is a well-formed key with this prefix and a valid checksum. It may never have been issued. */
export function isKeyForm(prefix: string, text: string): boolean {
  if (!text.startsWith(prefix) || text.length !== prefix.length + SECRET_LENGTH + CHECKSUM_LENGTH)
    return false;
  const body = text.slice(0, -CHECKSUM_LENGTH);
  return (
    /^[0-9A-Za-z]+$/.test(text.slice(prefix.length)) && checksumOf(body) === text.slice(-CHECKSUM_LENGTH)
  );
}

/** The stored hash of a key: SHA-256 in hexadecimal. 256 random bits need no slow hash. */
export const hashOfKey = (key: string): string => createHash("sha256").update(key).digest("hex");
