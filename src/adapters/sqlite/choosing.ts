/** The sites that words find: each list is walked once, and what a site gathers on the way says how good it is. */
import type { Connection } from "./connection.ts";
import { evidenceOf, evidenceWeights, siteOf } from "./postings.ts";
import type { Roster } from "./roster.ts";
import { hashOf } from "./tokens.ts";

/** Most entries that one query walks (2 ns each); where its words have more, the commonest are passed over. */
const MAX_WALKED = 4_000_000;
/** More than all that one site can gather: what holds every word comes before the others. */
const COMPLETE = 1e6;

export interface Term {
  token: string;
  /** Documents that hold it. */
  frequency: number;
}

/** The best of many sites, the best first; of equals those that were offered first. */
class Best {
  readonly #keys: Float64Array;
  readonly #ids: Uint32Array;
  #count = 0;

  constructor(limit: number) {
    this.#keys = new Float64Array(limit);
    this.#ids = new Uint32Array(limit);
  }

  /** @returns what a key has to be above to be offered */
  offer(id: number, key: number): number {
    const keys = this.#keys;
    let [low, high] = [0, this.#count];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (keys[middle]! >= key) low = middle + 1;
      else high = middle;
    }
    if (this.#count < keys.length) this.#count++;
    keys.copyWithin(low + 1, low, this.#count - 1);
    this.#ids.copyWithin(low + 1, low, this.#count - 1);
    keys[low] = key;
    this.#ids[low] = id;
    return this.#count < keys.length ? Number.NEGATIVE_INFINITY : keys[this.#count - 1]!;
  }

  get ids(): number[] {
    return Array.from(this.#ids.subarray(0, this.#count));
  }
}

/** The rarest terms, as far as their lists may be walked; one at least. */
const walkable = (terms: Term[]): Term[] => {
  let sum = 0;
  return terms
    .toSorted((a, b) => a.frequency - b.frequency)
    .filter(({ frequency }, i) => {
      sum += frequency;
      return i === 0 || sum <= MAX_WALKED;
    });
};

export interface Matches {
  /** The best that hold a term, those that hold all of them first. */
  ids: number[];
  /** All that hold a term. */
  counted: number;
}

export class Chooser {
  readonly #roster: Roster;
  #scores = new Float32Array(0);
  #held = new Uint8Array(0);
  /** Row ids of the sites that hold a term, each once. */
  #matching = new Uint32Array(0);
  #count = 0;
  /** Of texts of this mean length. */
  #weights = evidenceWeights(1);
  #meanText = 1;
  /** What the scores are of. */
  #weighed: string | undefined;

  constructor(roster: Roster) {
    this.#roster = roster;
  }

  /**
   * @param known terms that documents hold
   * @param complete whether those are all that were asked for: then sites with all of them come first
   * @param mask what may be found (Roster.mask)
   */
  best(
    connection: Connection,
    known: Term[],
    mask: Uint8Array,
    {
      complete,
      documents,
      meanText,
      limit,
    }: { complete: boolean; documents: number; meanText: number; limit: number },
  ): Matches {
    const terms = walkable(known);
    this.#weigh(connection, terms, documents, meanText);
    const best = new Best(limit);
    const all = complete && terms.length > 1 ? terms.length : Number.POSITIVE_INFINITY;
    const [scores, held] = [this.#scores, this.#held];
    let counted = 0;
    let floor = limit > 0 ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
    for (let i = 0; i < this.#count; i++) {
      const id = this.#matching[i]!;
      if (mask[id] === 0) continue;
      counted++;
      const key = held[id] === all ? scores[id]! + COMPLETE : scores[id]!;
      if (key > floor) floor = best.offer(id, key);
    }
    return { ids: best.ids, counted };
  }

  /** Row ids of sites that hold a term, at most `limit`, in no order of worth. */
  any(connection: Connection, known: Term[], mask: Uint8Array, limit: number): number[] {
    this.#weigh(connection, walkable(known), 1, 1);
    const ids: number[] = [];
    for (let i = 0; i < this.#count && ids.length < limit; i++) {
      const id = this.#matching[i]!;
      if (mask[id] === 1) ids.push(id);
    }
    return ids;
  }

  #weigh(connection: Connection, terms: Term[], documents: number, meanText: number): void {
    // The best and those whose turn it is are two questions of one search.
    const key = JSON.stringify([connection.version, documents, meanText, terms]);
    if (key === this.#weighed) return;
    this.#weighed = undefined;
    this.#clear();
    if (meanText !== this.#meanText) this.#weights = evidenceWeights(meanText);
    this.#meanText = meanText;
    const weights = this.#weights;
    const [scores, held, matching] = [this.#scores, this.#held, this.#matching];
    let count = 0;
    for (const { token, frequency } of terms) {
      const rarity = Math.log(1 + (Math.max(documents, frequency) - frequency + 0.5) / (frequency + 0.5));
      for (const { chunk, entries } of this.#roster.postings(connection, hashOf(token)))
        for (let i = 0; i < entries.length; i++) {
          const id = siteOf(chunk, entries[i]!);
          scores[id]! += rarity * weights[evidenceOf(entries[i]!)]!;
          matching[count] = id;
          count += held[id] === 0 ? 1 : 0;
          held[id]!++;
        }
    }
    this.#count = count;
    this.#weighed = key;
  }

  #clear(): void {
    const { size } = this.#roster;
    if (this.#scores.length > size) {
      this.#scores.fill(0);
      this.#held.fill(0);
      return;
    }
    // One more than all sites: the place after the last one is written to before it is known to be new.
    const room = Math.max(1_024, 2 ** Math.ceil(Math.log2(size + 1)));
    this.#scores = new Float32Array(room);
    this.#held = new Uint8Array(room);
    this.#matching = new Uint32Array(room);
  }
}
