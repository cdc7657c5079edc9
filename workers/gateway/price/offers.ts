/** Every offer that has a name, followed in memory: blocking by rare words finds the few that are worth comparing. */
import type { PriceOffer } from "../../../schemas/price.ts";
import { type MatchModel, matchConfidence, type Rarity } from "./matching.ts";
import { type Offer, type PreparedOffer, prepare } from "./prepared.ts";

/** Offers held; the rest are not compared. Some 3.5 KB each. */
const MAX_OFFERS = 100_000;
/** Offers that are compared with one that is asked about; fewer when it has many words, each of which is searched in all. */
const MAX_CANDIDATES = 400;
const MIN_CANDIDATES = 100;
const MAX_WORDS_COMPARED = 10_000;
/** A word of more offers than this finds nobody. */
const MAX_HOLDERS = 5_000;
/** Of one site, offers that are remembered as seen on its pages; what was seen last stays. */
const MAX_SEEN_AT_HOST = 200;
/** Offers that the words of one query are looked up in, rare words first: a query holds up other requests. */
const MAX_LOOKED_UP = 30_000;

interface Held {
  readonly offer: PriceOffer;
  readonly prepared: PreparedOffer;
  /** What the words say that it shares with the offer that is asked about; 0 between questions. */
  score: number;
}

export interface Match {
  offer: PriceOffer;
  /** Probability, 0 to 1, that it is the same product. */
  confidence: number;
}

/** A price that the registry read itself, on a page of the site. */
export interface SeenPrice {
  offer: PriceOffer;
  latest: PriceOffer["latest"][number] & { page: string };
}

export class Offers {
  readonly #held = new Map<string, Held>();
  readonly #holders = new Map<string, Set<Held>>();
  /** By host, then by key: the last that came is the last of its host. */
  readonly #seen = new Map<string, Map<string, SeenPrice[]>>();
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
    const held = { offer, prepared: prepare({ name: offer.productName }), score: 0 };
    this.#held.set(key, held);
    for (const token of held.prepared.everything) {
      const holders = this.#holders.get(token) ?? new Set();
      this.#holders.set(token, holders.add(held));
    }
    for (const [host, prices] of seenByHost(offer)) {
      const ofHost = this.#seen.get(host) ?? new Map<string, SeenPrice[]>();
      this.#seen.set(host, ofHost.set(key, prices));
      const oldest = ofHost.keys().next().value;
      if (ofHost.size > MAX_SEEN_AT_HOST && oldest !== undefined) ofHost.delete(oldest);
    }
  }

  /** Prices that the registry read on pages of a host, the newest first. @param host as in an address */
  seenAt(host: string): SeenPrice[] {
    return [...(this.#seen.get(host)?.values() ?? [])]
      .flat()
      .toSorted((a, b) => b.latest.atSeconds - a.latest.atSeconds);
  }

  remove(key: string): void {
    const held = this.#held.get(key);
    if (!held) return;
    this.#held.delete(key);
    for (const token of held.prepared.everything) {
      const holders = this.#holders.get(token);
      holders?.delete(held);
      if (holders?.size === 0) this.#holders.delete(token);
    }
    for (const host of seenByHost(held.offer).keys()) {
      const ofHost = this.#seen.get(host);
      ofHost?.delete(key);
      if (ofHost?.size === 0) this.#seen.delete(host);
    }
  }

  /** The offers most likely to be the product that is named, best first. */
  match(asked: Offer, limit: number): Match[] {
    const prepared = prepare(asked);
    const known = new Map<string, number>();
    const rarity: Rarity = (token) => {
      let weight = known.get(token);
      if (weight === undefined) {
        const n = this.#holders.get(token)?.size ?? 0;
        weight = Math.log(1 + (this.#held.size - n + 0.5) / (n + 0.5));
        known.set(token, weight);
      }
      return weight;
    };
    return this.#candidates(prepared, rarity)
      .map(({ offer, prepared: other }) => ({
        offer,
        confidence: matchConfidence(this.#model, prepared, other, rarity),
      }))
      .sort((a, b) => b.confidence - a.confidence)
      .slice(0, limit);
  }

  /** Offers that share words with the one asked about, those that share the most rarity. */
  #candidates(prepared: PreparedOffer, rarity: Rarity): Held[] {
    const found = this.#sharing(prepared, rarity);
    const scores = Float64Array.from(found, ({ score }) => score).sort();
    const affordable = Math.floor(MAX_WORDS_COMPARED / Math.max(1, prepared.everything.size));
    const most = Math.min(MAX_CANDIDATES, Math.max(MIN_CANDIDATES, affordable));
    const least = scores[Math.max(0, scores.length - most)] ?? 0;
    const above = found.filter(({ score }) => score > least);
    const level = found.filter(({ score }) => score === least);
    for (const held of found) held.score = 0;
    return [...above, ...level].slice(0, most);
  }

  /** Offers that share words with the one asked about, each with its score. */
  #sharing(prepared: PreparedOffer, rarity: Rarity): Held[] {
    const words = [...prepared.everything].flatMap((token) => {
      const holders = this.#holders.get(token);
      return holders && holders.size <= MAX_HOLDERS ? [{ token, holders }] : [];
    });
    words.sort((a, b) => a.holders.size - b.holders.size);
    const found: Held[] = [];
    let left = MAX_LOOKED_UP;
    for (const { token, holders } of words) {
      left -= holders.size;
      if (left < 0) break;
      const weight = rarity(token);
      for (const held of holders) {
        if (held.score === 0) found.push(held);
        held.score += weight;
      }
    }
    return found;
  }
}

/** The prices of an offer that the registry fetched, by the host whose page had them. */
function seenByHost(offer: PriceOffer): Map<string, SeenPrice[]> {
  const seen = offer.latest.flatMap((latest) => {
    const { fetched, page } = latest;
    const host = fetched && page !== null ? URL.parse(page)?.hostname : undefined;
    return host && page !== null ? [{ host, price: { offer, latest: { ...latest, page } } }] : [];
  });
  return new Map(
    [...Map.groupBy(seen, ({ host }) => host)].map(([host, all]) => [host, all.map(({ price }) => price)]),
  );
}
