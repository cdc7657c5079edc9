/** Pools of buyers as they are kept: commitments and nullifiers, no buyer's name, key, account or exact cap. */
import { z } from "zod";

const Member = z.looseObject({
  /** HMAC of the account and the pool: tells that one account joined once, and not which. */
  nullifier: z.string(),
  quantity: z.int().min(1),
  /** SHA-256 of the sealed price cap. */
  commitment: z.string(),
  /** Minor units, once revealed: the step of the ladder that the cap lies on (bargaining/ladder.ts), not the cap. */
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
  /** Whom a nullifier stands for. Absent in pools of old that counted keys: those clear no more. */
  nullifiers: z.literal("account").optional(),
  /** Written once, when all revealed or the time was up; null: it expired. Nothing changes it afterwards. */
  clearing: z.object({ priceMinor: z.int(), buyers: z.int(), quantity: z.int() }).nullable().optional(),
});
export type Pool = z.infer<typeof Pool>;

/** What a pool is at a moment: follows from its record and the time alone. */
export const POOL_STATES = ["open", "locked", "revealing", "cleared", "expired"] as const;
export type PoolState = (typeof POOL_STATES)[number];

/** The pool that a product's buyers join now. */
export const PoolPointer = z.looseObject({ v: z.literal(1), poolId: z.uuid() });
