/** Identifiers. */
import { randomUUID } from "node:crypto";

/**
 * UUIDv7 (RFC 9562 section 5.7), which sorts by time. The random bits come from randomUUID, which draws them in bulk.
 * @param nowMs of its whole milliseconds: the broker's clock counts fractions
 */
export const uuidv7 = (nowMs = Date.now()): string => {
  const time = Math.floor(nowMs).toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
};
