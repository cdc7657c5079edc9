/**
 * Whose turn it is. Near-equal sites take turns by the hour, keyed by owner (never by site: clones gain nothing) and
 * by a secret (nobody can make a name that comes first).
 */
import { createHmac, hash } from "node:crypto";
import type { CandidateSet, IndexFilter } from "../../ports/index.ts";

/** One epoch is an hour: what is shown first changes with it, and not between the pages of one search. */
export const EPOCH_MS = 3_600_000;
/** 1 / golden ratio: steps of this on a circle spread most evenly, whatever their number. */
const GOLDEN_STEP = 0.618_033_988_749_894_8;
/** After so many steps a new starting point is drawn, so that who follows whom changes too. */
const EPOCHS_A_DRAW = 7;
/** How many parts the owners are divided into, to take turns where more sites match than can be ranked. */
export const ROTATION_BUCKETS = 128;

/** The epoch of a time in milliseconds. */
export const epochOf = (now: number): number => Math.floor(now / EPOCH_MS);

/** SHA-256 of a secret key and a name: 48 bits of it as a fraction, 0 to below 1. Two thirds of a microsecond. */
const fraction = (key: string, name: string): number =>
  Number.parseInt(hash("sha256", key + name).slice(0, 12), 16) / 2 ** 48;

const keyOf = (secret: string, purpose: string, of: string): string =>
  createHmac("sha256", secret).update(`${purpose}\n${of}`).digest("hex");

export interface Rotation {
  /** u of an owner, 0 to below 1: frac(HMAC(secret, owner, query, ⌊epoch / 7⌋) + 0.618 · epoch). */
  turn(owner: string): number;
  /** The order of sites that tie in everything else, their owner too. */
  tie(siteId: string): number;
}

/** @param query the analyzed terms asked for: one question has one rotation however it is spelled */
export const rotationOf = (secret: string, query: string, epoch: number): Rotation => {
  const key = keyOf(secret, "rotation", `${Math.floor(epoch / EPOCHS_A_DRAW)}\n${query}`);
  const step = (GOLDEN_STEP * epoch) % 1;
  // A broad search ranks most of its sites twice.
  const turns = new Map<string, number>();
  return {
    turn: (owner) => {
      const turn = turns.get(owner) ?? (fraction(key, owner) + step) % 1;
      turns.set(owner, turn);
      return turn;
    },
    tie: (siteId) => (fraction(key, `tie ${siteId}`) + step) % 1,
  };
};

/** The bucket of an owner, the same for ever: it is written into the index. */
export const rotationBuckets = (secret: string): ((owner: string) => number) => {
  const key = keyOf(secret, "bucket", "");
  return (owner) => Math.floor(fraction(key, owner) * ROTATION_BUCKETS);
};

/**
 * The buckets whose turn it is in an epoch: as many as hold about `wanted` of `matching` sites, the next ones with
 * every epoch, so that every owner's turn comes.
 */
export const bucketsOf = (epoch: number, wanted: number, matching: number): number[] => {
  const count = Math.min(ROTATION_BUCKETS, Math.ceil((ROTATION_BUCKETS * wanted) / Math.max(1, matching)));
  const first = (epoch * count) % ROTATION_BUCKETS;
  return Array.from({ length: count }, (_, i) => (first + i) % ROTATION_BUCKETS);
};

const isNarrowed = ({ notExpiredAt: _, status, ...narrowing }: IndexFilter): boolean =>
  (status ?? "enabled") !== "enabled" || Object.keys(narrowing).length > 0;

/** The buckets whose turn it is among the sites that a search found, as far as their number is known. */
export const bucketsInTurn = (
  epoch: number,
  wanted: number,
  filter: IndexFilter,
  { total, documentFrequencies }: Pick<CandidateSet, "total" | "documentFrequencies">,
): number[] => {
  // Of a narrowed search no more is known than the bound of the count.
  const matching = isNarrowed(filter) ? total : Math.max(total, ...documentFrequencies);
  return bucketsOf(epoch, wanted, matching);
};

/** Where an hour's turns begin on the circle of 32-bit sample keys. */
export const turnPoint = (epoch: number): number => Math.floor(((GOLDEN_STEP * epoch) % 1) * 2 ** 32);
