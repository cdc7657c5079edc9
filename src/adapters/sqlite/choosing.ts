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

/** The best of many sites: a heap whose root is the worst of them. Of equals those are better that were offered first. */
class Best {
  readonly #keys: Float64Array;
  readonly #ids: Uint32Array;
  /** When each was offered. */
  readonly #turns: Uint32Array;
  #count = 0;
  #offered = 0;

  constructor(limit: number) {
    this.#keys = new Float64Array(limit);
    this.#ids = new Uint32Array(limit);
    this.#turns = new Uint32Array(limit);
  }

  /**
   * @param key above what the offer before answered
   * @returns what a key has to be above to be offered
   */
  offer(id: number, key: number): number {
    const isFull = this.#count === this.#keys.length;
    const turn = this.#offered++;
    if (isFull) this.#sink(id, key, turn);
    else this.#rise(this.#count++, id, key, turn);
    return this.#count < this.#keys.length ? Number.NEGATIVE_INFINITY : this.#keys[0]!;
  }

  /** The best first. */
  get ids(): number[] {
    const order = Array.from({ length: this.#count }, (_, at) => at);
    order.sort((a, b) => this.#keys[b]! - this.#keys[a]! || this.#turns[a]! - this.#turns[b]!);
    return order.map((at) => this.#ids[at]!);
  }

  #isWorse(at: number, key: number, turn: number): boolean {
    const known = this.#keys[at]!;
    return known < key || (known === key && this.#turns[at]! > turn);
  }

  #put(at: number, id: number, key: number, turn: number): void {
    this.#ids[at] = id;
    this.#keys[at] = key;
    this.#turns[at] = turn;
  }

  #move(from: number, to: number): void {
    this.#put(to, this.#ids[from]!, this.#keys[from]!, this.#turns[from]!);
  }

  #rise(from: number, id: number, key: number, turn: number): void {
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >>> 1;
      if (this.#isWorse(parent, key, turn)) break;
      this.#move(parent, at);
      at = parent;
    }
    this.#put(at, id, key, turn);
  }

  /** In the place of the worst. */
  #sink(id: number, key: number, turn: number): void {
    const count = this.#count;
    let at = 0;
    for (let child = 1; child < count; child = 2 * at + 1) {
      if (child + 1 < count && this.#isWorse(child + 1, this.#keys[child]!, this.#turns[child]!)) child++;
      if (!this.#isWorse(child, key, turn)) break;
      this.#move(child, at);
      at = child;
    }
    this.#put(at, id, key, turn);
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

/** What is chosen, and among which sites. */
export interface Choice {
  /** Terms that documents hold. */
  known: Term[];
  /** Whether those are all that were asked for: then sites with all of them come first. */
  complete: boolean;
  /** What may be found (Roster.mask). */
  mask: Uint8Array;
  documents: number;
  /** Mean length of a text. */
  meanText: number;
  limit: number;
}

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

  best(connection: Connection, { known, complete, mask, documents, meanText, limit }: Choice): Matches {
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
