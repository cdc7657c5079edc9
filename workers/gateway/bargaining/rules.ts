/**
 * Pools of buyers: sealed price caps, a lock, a reveal, one price for all. What a pool is at a moment follows from its record
 * and the time alone, so nothing has to happen for it to move on.
 */
import { createHash, createHmac } from "node:crypto";
import type { Member, Pool } from "../../../schemas/pool.ts";

/** Below this many nothing but a band is told, and nothing clears (k-anonymity, Sweeney 2002). */
export const LEAST_MEMBERS = 5;
export const MAX_MEMBERS = 500;
export const REVEAL_MS = 24 * 3_600_000;

export const STATES = ["open", "locked", "revealing", "cleared", "expired"] as const;
export type PoolState = (typeof STATES)[number];

const revealed = (pool: Pool): Member[] => pool.members.filter(({ capMinor }) => capMinor !== null);

/** locked: closed to buyers, and nobody revealed yet. */
export const stateOf = (pool: Pool, now: number): PoolState => {
  if (now < pool.locksAt) return "open";
  if (pool.members.length < LEAST_MEMBERS) return "expired";
  const shown = revealed(pool).length;
  if (now < pool.revealsUntil && shown < pool.members.length) return shown === 0 ? "locked" : "revealing";
  return clearingOf(pool) === undefined ? "expired" : "cleared";
};

/** A sealed price cap: SHA-256, hexadecimal, over five lines. The product and currency keep it from being used elsewhere. */
export const commitmentOf = (productRef: string, currency: string, capMinor: number, nonce: string): string =>
  createHash("sha256")
    .update(["bridge-bargaining/1", productRef, currency, String(capMinor), nonce].join("\n"))
    .digest("hex");

/** Names one key in one pool: the same key gives the same name there, another in every other pool. */
export const nullifierOf = (secret: string, poolId: string, usageId: string): string =>
  createHmac("sha256", secret).update(`bargaining\n${poolId}\n${usageId}`).digest("base64url");

/** "Acme  Lamp 3" and "acme lamp 3" are one product. */
export const productRefOf = (text: string): string =>
  text.normalize("NFKC").toLowerCase().trim().replace(/\s+/g, " ");

/** The pool with one buyer more. It locks at once when it has as many as it wants. */
export const withMember = (pool: Pool, member: Member, now: number): Pool => {
  const members = [...pool.members, member];
  const isFull = members.length >= Math.min(pool.targetMembers, MAX_MEMBERS);
  return isFull
    ? { ...pool, members, locksAt: Math.min(pool.locksAt, now), revealsUntil: now + REVEAL_MS }
    : { ...pool, members };
};

export const withReveal = (pool: Pool, nullifier: string, capMinor: number): Pool => ({
  ...pool,
  members: pool.members.map((member) => (member.nullifier === nullifier ? { ...member, capMinor } : member)),
});

export interface Clearing {
  /** What every buyer pays, minor units. */
  priceMinor: number;
  buyers: number;
  quantity: number;
}

/**
 * The one price at which the pool's order is worth most, price times quantity, of those at which at least five buy; the lower
 * of two that are worth the same. Whoever's cap is at or above it buys at it.
 * @returns undefined when fewer than five revealed
 */
export const clearingOf = (pool: Pool): Clearing | undefined => {
  const caps = revealed(pool)
    .map(({ capMinor, quantity }) => ({ capMinor: capMinor!, quantity }))
    .sort((a, b) => b.capMinor - a.capMinor);
  let best: Clearing | undefined;
  let quantity = 0;
  caps.forEach((one, at) => {
    quantity += one.quantity;
    const buyers = at + 1;
    // Those with the same cap buy together.
    if (buyers < LEAST_MEMBERS || caps[buyers]?.capMinor === one.capMinor) return;
    const worth = BigInt(one.capMinor) * BigInt(quantity);
    if (!best || worth >= BigInt(best.priceMinor) * BigInt(best.quantity))
      best = { priceMinor: one.capMinor, buyers, quantity };
  });
  return best;
};

const BANDS = [LEAST_MEMBERS, 10, 25, 50, 100, 250, 500, 1_000, 5_000, 10_000];

/** A count as the band it lies in, so that nobody learns what one buyer more or less changed. */
export const bandOf = (count: number): string => {
  const at = BANDS.findLastIndex((least) => count >= least);
  if (at < 0) return `under ${LEAST_MEMBERS}`;
  return at === BANDS.length - 1 ? `${BANDS[at]} or more` : `${BANDS[at]} to ${BANDS[at + 1]! - 1}`;
};
