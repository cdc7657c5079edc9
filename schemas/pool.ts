/** Pools of buyers as they are kept: commitments and nullifiers, no buyer's name, key or account. */
import { z } from "zod";

const Member = z.looseObject({
  /** HMAC of the key's usage and the pool: tells that one key joined once, and not which. */
  nullifier: z.string(),
  quantity: z.int().min(1),
  /** SHA-256 of the sealed price cap. */
  commitment: z.string(),
  /** Minor units, once revealed. */
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
});
export type Pool = z.infer<typeof Pool>;

/** The pool that a product's buyers join now. */
export const PoolPointer = z.looseObject({ v: z.literal(1), poolId: z.uuid() });
