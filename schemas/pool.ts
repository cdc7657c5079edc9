/** Stored buyer pools: commitments and nullifiers, never a buyer's name, key, account or exact cap. */
import { z } from "zod";

const Member = z.looseObject({
  /** HMAC of the account and the pool: enforces one membership per account without identifying the account. */
  nullifier: z.string(),
  quantity: z.int().min(1),
  /** SHA-256 commitment to the price cap. */
  commitment: z.string(),
  /**
   * Minor units, once revealed: the ladder step that the cap rounds down to (bargaining/ladder.ts), not the cap itself.
   */
  capMinor: z.int().nullable(),
});
export type Member = z.infer<typeof Member>;

export const Pool = z.looseObject({
  v: z.literal(1),
  poolId: z.uuid(),
  productRef: z.string(),
  currency: z.string(),
  targetMembers: z.int(),
  /** Milliseconds since the epoch. */
  createdAt: z.int(),
  locksAt: z.int(),
  revealsUntil: z.int(),
  members: z.array(Member),
  /** What a nullifier is derived from. Absent in legacy pools, which counted keys and no longer clear. */
  nullifiers: z.literal("account").optional(),
  /** Written once, when all members revealed or the time was up, and immutable afterwards. null: the pool expired. */
  clearing: z.object({ priceMinor: z.int(), buyers: z.int(), quantity: z.int() }).nullable().optional(),
});
export type Pool = z.infer<typeof Pool>;

/** The states of a pool, derived from its record and the time. */
export const POOL_STATES = ["open", "locked", "revealing", "cleared", "expired"] as const;
export type PoolState = (typeof POOL_STATES)[number];

/** The pool that a product's buyers currently join. */
export const PoolPointer = z.looseObject({ v: z.literal(1), poolId: z.uuid() });
