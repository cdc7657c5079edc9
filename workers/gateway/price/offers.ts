/** Every offer that has a name, followed in memory: blocking by rare words finds the few that are worth comparing. */
import type { PriceOffer } from "../../../schemas/price.ts";
import {
  type MatchModel,
  matchConfidence,
  type Offer,
  type Prepared,
  prepare,
  type Rarity,
} from "./matching.ts";

/** Offers held; the rest are not compared. Some 2 KB each. */
const MAX_OFFERS = 100_000;
/** Offers that are compared with one that is asked about. */
const MAX_CANDIDATES = 400;
/** A word of more offers than this finds nobody. */
const MAX_HOLDERS = 5_000;

interface Held {
  offer: PriceOffer;
  prepared: Prepared;
}

export interface Match {
  offer: PriceOffer;
  /** Probability, 0 to 1, that it is the same product. */
  confidence: number;
}

export class Offers {
  readonly #held = new Map<string, Held>();
  readonly #holders = new Map<string, Set<string>>();
  readonly #model: MatchModel;

  constructor(model: MatchModel) {
    this.#model = model;
  }

  get size(): number {
    return this.#held.size;
  }

  put(key: string, offer: PriceOffer): void {
    this.remove(key);
    if (this.#held.size >= MAX_OFFERS) return;
    const prepared = prepare({ name: offer.productName });
    this.#held.set(key, { offer, prepared });
    for (const token of prepared.everything) {
      const holders = this.#holders.get(token) ?? new Set();
      this.#holders.set(token, holders.add(key));
    }
  }

  remove(key: string): void {
    const held = this.#held.get(key);
    if (!held) return;
    this.#held.delete(key);
    for (const token of held.prepared.everything) {
      const holders = this.#holders.get(token);
      holders?.delete(key);
      if (holders?.size === 0) this.#holders.delete(token);
    }
  }

  /** The offers most likely to be the product that is named, best first. */
  match(asked: Offer, limit: number): Match[] {
    const prepared = prepare(asked);
    const rarity: Rarity = (token) => {
      const n = this.#holders.get(token)?.size ?? 0;
      return Math.log(1 + (this.#held.size - n + 0.5) / (n + 0.5));
    };
    return this.#candidates(prepared, rarity)
      .map(({ offer, prepared: other }) => ({
        offer,
        confidence: matchConfidence(this.#model, prepared, other, rarity),
      }))
      .sort((a, b) => b.confidence - a.confidence)
      .slice(0, limit);
  }

  /** Offers that share words with the one asked about, those that share the most rarity first. */
  #candidates(prepared: Prepared, rarity: Rarity): Held[] {
    const scores = new Map<string, number>();
    for (const token of prepared.everything) {
      const holders = this.#holders.get(token);
      if (!holders || holders.size > MAX_HOLDERS) continue;
      const weight = rarity(token);
      for (const key of holders) scores.set(key, (scores.get(key) ?? 0) + weight);
    }
    return [...scores]
      .sort(([, a], [, b]) => b - a)
      .slice(0, MAX_CANDIDATES)
      .map(([key]) => this.#held.get(key)!);
  }
}
