/** What the registry keeps of a request that was sent with an `Idempotency-Key`. */
import { z } from "zod";

/** Longest reply that is kept, in bytes. */
export const MAX_KEPT_REPLY_BYTES = 64 * 1024;

/**
 * One key of one caller for one operation. Neither the key nor what was sent or replied is in the clear: the record's
 * name hashes the key, `request` is a MAC, `reply` is encrypted under the caller's credential (docs/decisions/0068).
 */
export const IdempotencyRecord = z.looseObject({
  v: z.literal(1),
  /** MAC of the request, in base64url: a key stands for one request. */
  request: z.string(),
  /** Of a request under way: until when it may still be (milliseconds). After that nobody knows what became of it. */
  until: z.number(),
  state: z.enum(["claimed", "done"]),
  /** Of a request that was done: nonce, tag and ciphertext of its compressed reply; null where it was too long to keep. */
  reply: z.string().nullable(),
  /** When the key was first claimed (milliseconds) and a random salt: with what only the caller has, what a record that is made is named by. */
  seed: z.string().optional(),
});
export type IdempotencyRecord = z.infer<typeof IdempotencyRecord>;
