/**
 * Tokens that the registry gives out and stores nothing of: places in listings, links in mails, challenges. `<body>.<mac>` in
 * base64url; the body is readable by whoever holds the token. What log-ins and sessions carry are JWTs (src/stores/tokens.ts).
 */
import { timingSafeEqual } from "node:crypto";
import { keyed } from "./keyed.ts";

/** 132 bits: RFC 2104 section 5 allows half of the hash. */
const MAC_CHARS = 22;

/**
 * @param purpose what it is for, and for whom where that is known: it opens for the same alone
 * @param until when it ends, in milliseconds
 * @param bytes what JSON would take too much room for
 */
export function signedToken(
  secret: string,
  purpose: string,
  payload: unknown,
  until: number,
  bytes = Buffer.alloc(0),
): string {
  // JSON.stringify writes no line feed.
  const head = Buffer.from(`${JSON.stringify([until, payload])}\n`);
  const body = Buffer.concat([head, bytes]).toString("base64url");
  return `${body}.${macOf(secret, purpose, body)}`;
}

const macOf = (secret: string, purpose: string, body: string): Buffer =>
  Buffer.from(keyed(secret, `token: ${purpose}`, body).toString("base64url").slice(0, MAC_CHARS));

/** @returns what `signedToken` was given for this purpose; undefined for text that is not ours, or has ended at `now` (milliseconds) */
export function openToken(
  secret: string,
  purpose: string,
  token: string,
  now: number,
): { payload: unknown; bytes: Buffer } | undefined {
  const [body = "", mac = "", ...others] = token.split(".");
  const given = Buffer.from(mac);
  if (others.length > 0 || given.length !== MAC_CHARS) return undefined;
  if (!timingSafeEqual(given, macOf(secret, purpose, body))) return undefined;
  const signed = Buffer.from(body, "base64url");
  const end = signed.indexOf("\n");
  const [until, payload] = JSON.parse(signed.subarray(0, end).toString()) as [number, unknown];
  return until > now ? { payload, bytes: signed.subarray(end + 1) } : undefined;
}
