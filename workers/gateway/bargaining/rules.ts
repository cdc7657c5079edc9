/**
 * Pools of buyers: sealed price caps, a lock, a reveal, one price for all. What a pool is at a moment follows from its record
 * and the time alone, so nothing has to happen for it to move on; its clearing is written before it is first shown.
 */

import { createHash } from "node:crypto";
import type { Member, Pool, PoolOffer, PoolState } from "../../../schemas/pool.ts";
import { keyed } from "../../../src/domain/keyed.ts";
import { DAY_MS, iso } from "../../../src/ports/time.ts";
import { LADDER, stepAtOrAbove, stepOf } from "./ladder.ts";

/** Below this many nothing but a band is shown, and nothing clears (k-anonymity, Sweeney 2002). */
export const LEAST_MEMBERS = 5;
export const MAX_MEMBERS = 500;
export const REVEAL_MS = DAY_MS;

export interface Clearing {
  /** A step of the ladder, minor units: whoever's cap is on it or above buys, and pays no more. */
  priceMinor: number;
  buyers: number;
  quantity: number;
}

const BANDS = [LEAST_MEMBERS, 10, 25, 50, 100, 250, 500, 1_000, 5_000, 10_000];

const PRIVACY =
  "Stored: your quantity, your commitment, and an HMAC that tells that an account joined and not which. While a pool is open nobody, the operator included, can read a cap. A reveal is rounded down to a step of the price ladder before it is stored: of a cap nobody, not even all other buyers together, learns more than which two steps it lies between. A seller whose offer is taken sees the quantity of each buyer beside a voucher, and no name. Whoever runs this service sees the reveal as it arrives, holds the HMAC's key and could test an account that it knows.";

/** A sealed price cap: SHA-256, hexadecimal, over five lines. The product and currency keep it from being used elsewhere. */
export const capCommitment = (
  productRef: string,
  currency: string,
  capMinor: number,
  nonce: string,
): string =>
  createHash("sha256")
    .update(["bridge-bargaining/1", productRef, currency, String(capMinor), nonce].join("\n"))
    .digest("hex");

/** Names one account in one pool: the same account gives the same name there, another in every other pool. */
export const nullifierOf = (secret: string, poolId: string, accountId: string): string =>
  keyed(secret, "bargaining nullifier", poolId, accountId).toString("base64url");

/** "Acme  Lamp 3" and "acme lamp 3" are one product. */
export const productRefOf = (text: string): string =>
  text.normalize("NFKC").toLowerCase().trim().replace(/\s+/g, " ");

/** The pool with one buyer more. It locks at once when it has as many as it wants. */
export function withMember(pool: Pool, member: Member, now: number): Pool {
  const members = [...pool.members, member];
  const isFull = members.length >= Math.min(pool.targetMembers, MAX_MEMBERS);
  return isFull
    ? { ...pool, members, locksAt: Math.min(pool.locksAt, now), revealsUntil: now + REVEAL_MS }
    : { ...pool, members };
}

/** The pool with one cap more, as the step of the ladder that it lies on: the cap itself is forgotten here. */
export const withReveal = (pool: Pool, nullifier: string, capMinor: number): Pool => ({
  ...pool,
  members: pool.members.map((member) =>
    member.nullifier === nullifier ? { ...member, capMinor: stepOf(capMinor) } : member,
  ),
});

/** Whether a member buys at what the pool cleared at. */
export const isBuyer = ({ capMinor }: Member, { priceMinor }: Pick<Clearing, "priceMinor">): boolean =>
  capMinor !== null && capMinor >= priceMinor;

/**
 * Whether the price of the deal lies within the step that a member's cap counts as: only the member knows whether the cap is
 * at least the price, and may order if it is. They are not counted, so that no count tells more of a cap than its step.
 */
export function mayBuy(pool: Pool, { capMinor }: Member): boolean {
  const offer = takenOffer(pool);
  return (
    offer !== undefined &&
    capMinor !== null &&
    capMinor > 0 &&
    capMinor < offer.priceMinor &&
    capMinor === stepOf(offer.priceMinor)
  );
}

/** The offer that a pool took. */
export const takenOffer = ({ deal, offers = [] }: Pool): PoolOffer | undefined =>
  offers.find(({ offerId }) => offerId === deal?.offerId);

/**
 * All that is shown of a pool to anybody, member or not. Of caps it may depend on their steps alone.
 * @param pool settled, when it is due
 */
export function shownPool(pool: Pool, now: number) {
  const state = poolState(pool, now);
  const { clearing } = pool;
  const enough = pool.members.length >= LEAST_MEMBERS;
  return {
    pool_id: pool.poolId,
    product_ref: pool.productRef,
    currency: pool.currency,
    state,
    members: bandOf(pool.members.length),
    quantity: enough ? bandOf(pool.members.reduce((sum, { quantity }) => sum + quantity, 0)) : "not told",
    target_members: pool.targetMembers,
    locks_at: iso(pool.locksAt),
    reveals_until: iso(pool.revealsUntil),
    price_ladder: LADDER,
    clearing:
      state === "cleared" && clearing
        ? { price_minor: clearing.priceMinor, buyers: clearing.buyers, quantity: clearing.quantity }
        : null,
    ...shownOffers(pool, now),
    privacy: PRIVACY,
  };
}

/**
 * locked: closed to buyers, and nobody revealed yet.
 * @param now milliseconds
 */
export function poolState(pool: Pool, now: number): PoolState {
  const { clearing } = settledPool(pool, now);
  if (clearing !== undefined) return clearing === null ? "expired" : "cleared";
  if (now < pool.locksAt) return "open";
  if (pool.members.length < LEAST_MEMBERS) return "expired";
  return revealed(pool).length === 0 ? "locked" : "revealing";
}

/**
 * The pool with its clearing fixed when all revealed or the time is up; else the same object. The best offer that holds then
 * is taken, and its price is what the pool clears at.
 * @param now milliseconds
 */
export function settledPool(pool: Pool, now: number): Pool {
  if (pool.clearing !== undefined) return pool;
  if (now < pool.locksAt || pool.members.length < LEAST_MEMBERS) return pool;
  if (now < pool.revealsUntil && revealed(pool).length < pool.members.length) return pool;
  const offer = bestOffer(pool);
  if (!offer) return { ...pool, clearing: clearingOf(pool) ?? null };
  const clearing = orderAt(pool, stepAtOrAbove(offer.priceMinor));
  const takenAt = Math.floor(Math.min(now, pool.revealsUntil));
  return { ...pool, clearing, deal: { offerId: offer.offerId, takenAt } };
}

const revealed = (pool: Pool): Member[] => pool.members.filter(({ capMinor }) => capMinor !== null);

/** The offer of the lowest price, the earliest of several, for which at least five buy as much as it asks for. */
const bestOffer = (pool: Pool): PoolOffer | undefined =>
  (pool.offers ?? [])
    .toSorted((a, b) => a.priceMinor - b.priceMinor || a.postedAt - b.postedAt)
    .find(({ priceMinor, minQuantity }) => {
      const { buyers, quantity } = orderAt(pool, stepAtOrAbove(priceMinor));
      return buyers >= LEAST_MEMBERS && quantity >= minQuantity;
    });

/** What the pool would order at a step of the ladder. */
function orderAt(pool: Pool, priceMinor: number): Clearing {
  const buyers = pool.members.filter((member) => isBuyer(member, { priceMinor }));
  const quantity = buyers.reduce((sum, one) => sum + one.quantity, 0);
  return { priceMinor, buyers: buyers.length, quantity };
}

/**
 * The one price, a step of the ladder, at which the pool's order is worth most, price times quantity, of those at which at least five buy; the lower
 * of two that are worth the same. Whoever's cap is at or above it buys at it.
 * @returns undefined when fewer than five revealed a cap that is on the ladder at all
 */
export function clearingOf(pool: Pool): Clearing | undefined {
  const caps = revealed(pool)
    .filter(({ capMinor }) => capMinor !== 0)
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
}

/** A count as the band it lies in, so that nobody learns what one buyer more or less changed. */
export function bandOf(count: number): string {
  const at = BANDS.findLastIndex((least) => count >= least);
  if (at < 0) return `under ${LEAST_MEMBERS}`;
  return at === BANDS.length - 1 ? `${BANDS[at]} or more` : `${BANDS[at]} to ${BANDS[at + 1]! - 1}`;
}

/** Offers, the lowest price first, and the deal when one was taken. */
function shownOffers(pool: Pool, now: number) {
  const { offers = [], deal, clearing } = pool;
  const state = poolState(pool, now);
  const taken = takenOffer(pool);
  return {
    offers: offers
      .toSorted((a, b) => a.priceMinor - b.priceMinor || a.postedAt - b.postedAt)
      .map((offer) => ({
        ...shownOffer(offer),
        min_quantity: offer.minQuantity,
        posted_at: iso(offer.postedAt),
        state: offerStateOf(pool, state, offer, now),
      })),
    deal:
      taken && deal && clearing
        ? {
            ...shownOffer(taken),
            buyers: clearing.buyers,
            quantity: clearing.quantity,
            taken_at: iso(deal.takenAt),
          }
        : null,
  };
}

const shownOffer = (offer: PoolOffer) => ({
  offer_id: offer.offerId,
  seller: offer.siteId,
  url: offer.url,
  price_minor: offer.priceMinor,
  valid_until: iso(offer.validUntil),
});

function offerStateOf({ deal }: Pool, state: PoolState, { offerId, validUntil }: PoolOffer, now: number) {
  if (deal?.offerId === offerId) return "taken" as const;
  return deal || state === "cleared" || state === "expired" || validUntil < now
    ? ("not_taken" as const)
    : ("standing" as const);
}
