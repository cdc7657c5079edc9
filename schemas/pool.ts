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

/** What the owner of a proved site sells the product for. */
const PoolOffer = z.looseObject({
  offerId: z.uuid(),
  /** Host of the site, which its owner proved. */
  siteId: z.string(),
  /** Where to order, on that site. */
  url: z.string(),
  /** Of one, minor units of the pool's currency. */
  priceMinor: z.int().min(1),
  minQuantity: z.int().min(1),
  /** Milliseconds since the epoch. */
  validUntil: z.int(),
  postedAt: z.int(),
});
export type PoolOffer = z.infer<typeof PoolOffer>;

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
  /** Written once, when all members revealed or the time was up, and immutable afterwards. null: the pool expired. */
  clearing: z.object({ priceMinor: z.int(), buyers: z.int(), quantity: z.int() }).nullable().optional(),
  /** One a site. Absent: nobody made any. */
  offers: z.array(PoolOffer).optional(),
  /** The offer that the pool took: written once, with the clearing or after it. */
  deal: z.object({ offerId: z.uuid(), takenAt: z.int() }).optional(),
});
export type Pool = z.infer<typeof Pool>;

/** The states of a pool, derived from its record and the time. */
export const POOL_STATES = ["open", "locked", "revealing", "cleared", "expired"] as const;
export type PoolState = (typeof POOL_STATES)[number];

/** The pool that a product's buyers currently join. */
export const PoolPointer = z.looseObject({ v: z.literal(1), poolId: z.uuid() });
