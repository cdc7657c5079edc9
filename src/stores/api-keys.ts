/**
 * Keys of the module gateway and of accounts' licences and projects: a prefix that says what it is, 256 random bits, and
 * a checksum, so that a mistyped key is refused without a look-up and a leaked one can be found by a scanner. Only the
 * hash is kept.
 */
import { createHash, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const SECRET_BYTES = 32;
/** Characters that 256 bits and 32 bits take in base62. */
const SECRET_LENGTH = 43;
const CHECKSUM_LENGTH = 6;

const base62 = (value: bigint, length: number): string => {
  let text = "";
  for (let rest = value; text.length < length; rest /= 62n) text = DIGITS[Number(rest % 62n)] + text;
  return text;
};

const checksumOf = (text: string): string => base62(BigInt(crc32(text)), CHECKSUM_LENGTH);

/** A new key: prefix, 43 characters of base62, 6 of checksum. */
export const makeKey = (prefix: string): string => {
  const secret = base62(BigInt(`0x${randomBytes(SECRET_BYTES).toString("hex")}`), SECRET_LENGTH);
  return `${prefix}${secret}${checksumOf(prefix + secret)}`;
};

/** Whether a text can be a key with this prefix: its form and checksum. Says nothing of whether it was ever issued. */
export const isKeyForm = (prefix: string, text: string): boolean => {
  if (!text.startsWith(prefix) || text.length !== prefix.length + SECRET_LENGTH + CHECKSUM_LENGTH)
    return false;
  const body = text.slice(0, -CHECKSUM_LENGTH);
  return (
    /^[0-9A-Za-z]+$/.test(text.slice(prefix.length)) && checksumOf(body) === text.slice(-CHECKSUM_LENGTH)
  );
};

/** What is stored of a key: SHA-256 in hexadecimal. 256 random bits need no slow hash. */
export const hashOfKey = (key: string): string => createHash("sha256").update(key).digest("hex");
