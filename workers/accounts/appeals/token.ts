/**
 * Tokens with which somebody without an account proves a domain for an appeal. Nothing of them is stored: a MAC binds each to its host and
 * its end, and another one of it is the value of the TXT record. The value, which everybody can read, gives no token away.
 */
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { DAY_MS } from "../../../src/ports/time.ts";

/** DNS changes take up to two days at some providers. */
const APPEAL_TOKEN_LIFE_MS = 7 * DAY_MS;
/** End in seconds, random part, MAC. */
const TOKEN = /^([0-9]{10,11})\.([A-Za-z0-9_-]{22})\.([A-Za-z0-9_-]{43})$/;
const RANDOM_BYTES = 16;
const APPEAL_TAG = "bridge-appeal=";

const macOf = (secret: string, ...parts: string[]): Buffer =>
  createHmac("sha256", secret)
    .update(["appeal", ...parts].join("\n"))
    .digest();

/** @param host canonical @param nowMs of the broker's clock @returns the token, and when it ends in milliseconds */
export const makeAppealToken = (
  secret: string,
  host: string,
  nowMs: number,
): { token: string; until: number } => {
  const until = Math.floor((nowMs + APPEAL_TOKEN_LIFE_MS) / 1_000);
  const head = `${until}.${randomBytes(RANDOM_BYTES).toString("base64url")}`;
  const mac = macOf(secret, "token", host, head).toString("base64url");
  return { token: `${head}.${mac}`, until: until * 1_000 };
};

/** Whether this registry made a token for a host, and it has not ended. */
export const isAppealToken = (secret: string, host: string, token: string, nowMs: number): boolean => {
  const [, until, random, mac] = TOKEN.exec(token) ?? [];
  if (mac === undefined || Number(until) * 1_000 < nowMs) return false;
  const wanted = macOf(secret, "token", host, `${until}.${random}`);
  return timingSafeEqual(Buffer.from(mac, "base64url"), wanted);
};

/** The text of the TXT record that proves the host for the holder of a token. */
export const appealValue = (secret: string, host: string, token: string): string =>
  APPEAL_TAG + macOf(secret, "record", host, token).toString("base64url");
