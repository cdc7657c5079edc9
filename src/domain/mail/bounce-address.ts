/**
 * Return paths of mails, one for each account and day: what comes back there names the mail that it is about, whatever is in it. Nothing
 * of them is stored: a MAC binds each to its account, its day and the address that was written to.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import { DAY_MS } from "../../ports/time.ts";

export interface BounceAddresses {
  /** The return path of a mail to the address of an account. */
  issue(accountId: string, email: string): string;
}

export interface BounceTokens {
  /** The account of the first token in a text that has not ended; whether it holds is told by `holds`. */
  read(text: string): { accountId: string; token: string } | undefined;
  holds(token: string, email: string): boolean;
}

/** Mail servers try for five days (RFC 5321 section 4.5.4.1), and their reports wait in queues too. */
export const BOUNCE_LIFE_DAYS = 14;

const ID_BYTES = 16;
const DAY_BYTES = 2;
/** 80 bits: an address has 64 characters before its @. Each guess is a mail. */
const MAC_BYTES = 10;
const HEAD_BYTES = ID_BYTES + DAY_BYTES;
/** What mail servers may lower: RFC 4648 section 6, in small letters. */
const DIGITS = "abcdefghijklmnopqrstuvwxyz234567";
const TOKEN_CHARS = Math.ceil(((HEAD_BYTES + MAC_BYTES) * 8) / 5);
const TOKEN = new RegExp(`\\+([${DIGITS}]{${TOKEN_CHARS}})@`, "i");
/** What is left of the 64 characters for the part before the token. */
export const MAX_BOUNCE_LOCAL = 64 - TOKEN_CHARS - 1;

const toBase32 = (bytes: Buffer): string => {
  let text = "";
  let [held, bits] = [0, 0];
  for (const byte of bytes) {
    held = (held << 8) | byte;
    for (bits += 8; bits >= 5; ) {
      bits -= 5;
      text += DIGITS[(held >> bits) & 31];
    }
    held &= (1 << bits) - 1;
  }
  return bits > 0 ? text + DIGITS[(held << (5 - bits)) & 31] : text;
};

const fromBase32 = (text: string): Buffer => {
  const bytes: number[] = [];
  let [held, bits] = [0, 0];
  for (const letter of text) {
    held = (held << 5) | DIGITS.indexOf(letter);
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      bytes.push(held >> bits);
    }
    held &= (1 << bits) - 1;
  }
  return Buffer.from(bytes);
};

const macOf = (secret: string, head: Buffer, email: string): Buffer =>
  createHmac("sha256", secret)
    .update(`bounce\n${head.toString("hex")}\n${email}`)
    .digest()
    .subarray(0, MAC_BYTES);

/** Reads tokens. @param secret the registry's own @param now milliseconds */
export const openBounceTokens = (secret: string, now: () => number): BounceTokens => ({
  read: (text) => {
    const token = TOKEN.exec(text)?.[1]?.toLowerCase();
    if (token === undefined) return undefined;
    const head = fromBase32(token).subarray(0, HEAD_BYTES);
    const age = Math.floor(now() / DAY_MS) - head.readUInt16BE(ID_BYTES);
    if (age < -1 || age > BOUNCE_LIFE_DAYS) return undefined;
    const id = head.toString("hex", 0, ID_BYTES);
    const accountId = id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
    return { accountId, token };
  },
  holds: (token, email) => {
    const bytes = fromBase32(token);
    return timingSafeEqual(bytes.subarray(HEAD_BYTES), macOf(secret, bytes.subarray(0, HEAD_BYTES), email));
  },
});

/** @param address where mail that comes back is handed in: tokens stand behind a `+` of its local part */
export const openBounceAddresses = (secret: string, address: string, now: () => number): BounceAddresses => {
  const at = address.lastIndexOf("@");
  return {
    issue: (accountId, email) => {
      const head = Buffer.alloc(HEAD_BYTES);
      head.write(accountId.replaceAll("-", ""), "hex");
      head.writeUInt16BE(Math.floor(now() / DAY_MS), ID_BYTES);
      const token = toBase32(Buffer.concat([head, macOf(secret, head, email)]));
      return `${address.slice(0, at)}+${token}${address.slice(at)}`;
    },
  };
};
