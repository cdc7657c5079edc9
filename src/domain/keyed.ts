/** What follows from a secret: names that hide what they stand for, places that nobody can choose, keys of one use. */
import { createHmac } from "node:crypto";

/**
 * 32 bytes that only holders of the secret can tell: HMAC-SHA256 (RFC 2104) as a pseudo-random function. Neither two purposes nor two
 * lists of parts share an input: the list is written as JSON, which separates its parts whatever they hold.
 * @param secret random, such as the registry's own (src/stores/identity.ts)
 * @param purpose what the result is for: no other use has the same
 */
export const keyed = (secret: string, purpose: string, ...of: readonly (string | number)[]): Buffer =>
  createHmac("sha256", secret)
    .update(JSON.stringify([purpose, ...of]))
    .digest();
