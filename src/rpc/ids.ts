/** Identifiers. */
import { randomUUID } from "node:crypto";
import { keyed } from "../domain/keyed.ts";

/** A UUIDv7 that follows from a seed, with the time that it holds; without a seed, a new one. */
export function seededUuid(seed: string | undefined, use: string): string {
  if (seed === undefined) return uuidv7();
  const hex = keyed(seed, use).toString("hex");
  // RFC 9562 section 4.1: the variant's two bits are 10.
  const variant = "89ab"[Number.parseInt(hex[3]!, 16) % 4];
  const tail = `${hex.slice(0, 3)}-${variant}${hex.slice(4, 7)}-${hex.slice(7, 19)}`;
  return uuidv7From(Number.parseInt(seed, 10), tail);
}

/**
 * UUIDv7 (RFC 9562 section 5.7), which sorts by time. The random bits come from randomUUID, which draws them in bulk.
 * @param nowMs of its whole milliseconds: the broker's clock counts fractions
 */
export const uuidv7 = (nowMs = Date.now()): string => uuidv7From(nowMs, randomUUID().slice(15));

function uuidv7From(ms: number, tail: string): string {
  const time = Math.floor(ms).toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7${tail}`;
}
