/**
 * Rotation of near-equal sites. Their order rotates by the hour, keyed by owner (not by site, so that clones gain nothing)
 * and by a secret (so that nobody can choose a name that comes first).
 */
import type { CandidateSet, IndexFilter } from "../../ports/index.ts";
import { keyedNames } from "../keyed.ts";

/** One epoch is an hour: the order changes with it, and not between the pages of one search. */
export const EPOCH_MS = 3_600_000;
/** 1 / golden ratio: steps of this size spread most evenly on a circle, for any number of steps. */
const GOLDEN_STEP = 0.618_033_988_749_894_8;
/** Epochs after which a new starting point is drawn, so that the order of neighbors changes too. */
const EPOCHS_A_DRAW = 7;
/** Buckets of owners, which rotate if more sites match than can be ranked. */
export const ROTATION_BUCKETS = 128;

export interface Rotation {
  /** An owner's position in [0, 1): frac(HMAC(secret, owner, query, ⌊epoch / 7⌋) + 0.618 · epoch). */
  position(owner: string): number;
  /** The order of sites that tie in everything else, including their owner. */
  tie(siteId: string): number;
}

/** √2 − 1: steps of this size know nothing of golden ones, so that both together reach every pair of positions. */
const SECOND_STEP = 0.414_213_562_373_095_1;

/** The epoch of a time in milliseconds. */
export const epochOf = (now: number): number => Math.floor(now / EPOCH_MS);

/** @param query the analyzed query terms: one query has one rotation, however it is spelled */
export function rotationOf(secret: string, query: string, epoch: number): Rotation {
  const hashOf = keyedNames(secret, "rotation", Math.floor(epoch / EPOCHS_A_DRAW), query);
  const step = (GOLDEN_STEP * epoch) % 1;
  // Memoized: a broad search ranks most of its sites twice.
  const positions = new Map<string, number>();
  return {
    position: (owner) => {
      const position = positions.get(owner) ?? (fraction(hashOf(owner)) + step) % 1;
      positions.set(owner, position);
      return position;
    },
    tie: (siteId) => (fraction(hashOf(`tie ${siteId}`)) + step) % 1,
  };
}

/** 48 bits of a hash in hexadecimal digits, as a fraction in [0, 1). */
const fraction = (digits: string): number => Number.parseInt(digits.slice(0, 12), 16) / 2 ** 48;

/** The bucket of an owner. It never changes, because the index stores it. */
export function rotationBuckets(secret: string): (owner: string) => number {
  const hashOf = keyedNames(secret, "rotation bucket");
  return (owner) => Math.floor(fraction(hashOf(owner)) * ROTATION_BUCKETS);
}

/** The buckets of an epoch for the sites that match a search, by the best estimate of their number. */
export function rotatedBuckets(
  epoch: number,
  wanted: number,
  filter: IndexFilter,
  { total, documentFrequencies }: Pick<CandidateSet, "total" | "documentFrequencies">,
): number[] {
  // For a filtered search only the bounded count is known.
  const matching = isNarrowed(filter) ? total : Math.max(total, ...documentFrequencies);
  return bucketsOf(epoch, wanted, matching);
}

const isNarrowed = ({ notExpiredAt: _, status, ...narrowing }: IndexFilter): boolean =>
  (status ?? "enabled") !== "enabled" || Object.keys(narrowing).length > 0;

/**
 * The buckets of an epoch: as many as hold about `wanted` of `matching` sites. Every epoch takes the next ones, so that
 * every owner gets an hour.
 */
export function bucketsOf(epoch: number, wanted: number, matching: number): number[] {
  const count = Math.min(ROTATION_BUCKETS, Math.ceil((ROTATION_BUCKETS * wanted) / Math.max(1, matching)));
  const first = (epoch * count) % ROTATION_BUCKETS;
  return Array.from({ length: count }, (_, i) => (first + i) % ROTATION_BUCKETS);
}

/** Where on the circle an epoch begins, in [0, 1): every position gets its hours, evenly spread. */
export const rotationPoint = (epoch: number): number => (GOLDEN_STEP * epoch) % 1;

/** The same within a part that `rotationPoint` chose. */
export const rotationPointWithin = (epoch: number): number => (SECOND_STEP * epoch) % 1;
