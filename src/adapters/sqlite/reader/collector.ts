/** Collects the sites that terms find: each posting list is walked once, and what a site gathers on the way is its score. */
import { idf } from "../../../domain/search/term-weight.ts";
import { ROTATION_BUCKETS } from "../../../domain/trust/rotation.ts";
import { COUNTED } from "../../index/query.ts";
import { hashOf } from "../../index/tokens.ts";
import { evidenceWeights, postingWeightClass, SEGMENT_SITES, segmentOffset } from "../segments/postings.ts";
import type { SqliteConnection } from "../storage/connection.ts";
import type { SiteColumns } from "./site-columns.ts";

/** Most postings that one query walks (2 ns each); where its terms have more, the commonest are passed over. */
const MAX_WALKED = 4_000_000;
/** In a site's sum, the number of terms that it holds stands above its score. MOST.terms of them have room there. */
const ONE_TERM = 2 ** 25;
/** In a site's key: what holds every term comes before the others. */
const COMPLETE = ONE_TERM;

export interface Term {
  token: string;
  /** Documents that hold it. */
  frequency: number;
}

/** The best of many sites: a heap whose root is the worst of them. Of equals those are better that were offered first. */
class TopSites {
  readonly #keys: Float64Array;
  readonly #ids: Uint32Array;
  /** When each was offered. */
  readonly #arrivals: Uint32Array;
  #count = 0;
  #offered = 0;

  constructor(limit: number) {
    this.#keys = new Float64Array(limit);
    this.#ids = new Uint32Array(limit);
    this.#arrivals = new Uint32Array(limit);
  }

  /**
   * @param key above what the offer before answered
   * @returns what a key has to be above to be offered
   */
  offer(id: number, key: number): number {
    const isFull = this.#count === this.#keys.length;
    const arrival = this.#offered++;
    if (isFull) this.#sink(id, key, arrival);
    else this.#rise(this.#count++, id, key, arrival);
    return this.#count < this.#keys.length ? Number.NEGATIVE_INFINITY : this.#keys[0]!;
  }

  /** The best first. */
  get ids(): number[] {
    const order = Array.from({ length: this.#count }, (_, at) => at);
    order.sort((a, b) => this.#keys[b]! - this.#keys[a]! || this.#arrivals[a]! - this.#arrivals[b]!);
    return order.map((at) => this.#ids[at]!);
  }

  #isWorse(at: number, key: number, arrival: number): boolean {
    const known = this.#keys[at]!;
    return known < key || (known === key && this.#arrivals[at]! > arrival);
  }

  #put(at: number, id: number, key: number, arrival: number): void {
    this.#ids[at] = id;
    this.#keys[at] = key;
    this.#arrivals[at] = arrival;
  }

  #move(from: number, to: number): void {
    this.#put(to, this.#ids[from]!, this.#keys[from]!, this.#arrivals[from]!);
  }

  #rise(from: number, id: number, key: number, arrival: number): void {
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >>> 1;
      if (this.#isWorse(parent, key, arrival)) break;
      this.#move(parent, at);
      at = parent;
    }
    this.#put(at, id, key, arrival);
  }

  /** In the place of the worst. */
  #sink(id: number, key: number, arrival: number): void {
    const count = this.#count;
    let at = 0;
    for (let child = 1; child < count; child = 2 * at + 1) {
      if (child + 1 < count && this.#isWorse(child + 1, this.#keys[child]!, this.#arrivals[child]!)) child++;
      if (!this.#isWorse(child, key, arrival)) break;
      this.#move(child, at);
      at = child;
    }
    this.#put(at, id, key, arrival);
  }
}

/** What is collected, and among which sites. */
export interface CollectionQuery {
  /** Terms that documents hold. */
  known: Term[];
  /** Whether those are all that were asked for: then sites with all of them come first. */
  complete: boolean;
  /** What may be found (SiteColumns.mask). */
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

/** What the sites of one segment gather while its lists are walked: small enough for the processor's nearest cache. */
class SegmentScores {
  /** In one number, how many terms a site holds and its score: the sum of what they count for. */
  readonly #sums = new Uint32Array(SEGMENT_SITES);
  /** Places of the sites that hold a term, each once; one more, since a place is written before it is known to be new. */
  readonly #places = new Uint16Array(SEGMENT_SITES + 1);
  #count = 0;

  /** @param added what each evidence of this term adds to a sum */
  add(postings: Uint32Array, added: Uint32Array): void {
    const [sums, places] = [this.#sums, this.#places];
    let count = this.#count;
    for (let i = 0; i < postings.length; i++) {
      const posting = postings[i]!;
      const place = segmentOffset(posting);
      const sum = sums[place]!;
      sums[place] = sum + added[postingWeightClass(posting)]!;
      places[count] = place;
      count += sum === 0 ? 1 : 0;
    }
    this.#count = count;
  }

  get count(): number {
    return this.#count;
  }

  /** Moves all that was gathered into `into` from `at` on. @param complete sums from here on hold every term */
  moveTo(into: Matching, at: number, segment: number, complete: number): void {
    const [sums, places] = [this.#sums, this.#places];
    const { ids, keys } = into;
    const first = segment * SEGMENT_SITES;
    for (let i = 0; i < this.#count; i++) {
      const place = places[i]!;
      ids[at + i] = first + place;
      const sum = sums[place]!;
      keys[at + i] = (sum % ONE_TERM) + (sum >= complete ? COMPLETE : 0);
      sums[place] = 0;
    }
    this.#count = 0;
  }
}

/** Row ids of the sites that hold a term, each once, and their scores. */
interface Matching {
  ids: Uint32Array;
  keys: Uint32Array;
}

export class Collector {
  readonly #columns: SiteColumns;
  readonly #scores = new SegmentScores();
  #matching: Matching = { ids: new Uint32Array(0), keys: new Uint32Array(0) };
  #count = 0;
  /** Of texts of this mean length. */
  #weights = evidenceWeights(1);
  #meanText = 1;
  /** What is gathered of what. */
  #gathered: string | undefined;

  constructor(columns: SiteColumns) {
    this.#columns = columns;
  }

  best(connection: SqliteConnection, asked: CollectionQuery): Matches {
    const { mask, limit } = asked;
    this.#gather(connection, asked);
    const best = new TopSites(limit);
    const { ids, keys } = this.#matching;
    let counted = 0;
    let floor = limit > 0 ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
    for (let i = 0; i < this.#count; i++) {
      const key = keys[i]!;
      // Most are neither counted nor good enough: then nobody need know whether they pass.
      if ((counted > COUNTED.candidates && !(key > floor)) || mask[ids[i]!] === 0) continue;
      counted++;
      if (key > floor) floor = best.offer(ids[i]!, key);
    }
    return { ids: best.ids, counted };
  }

  /** Row ids of the best whose owners are in one of the rotation buckets. */
  rotated(connection: SqliteConnection, asked: CollectionQuery, buckets: readonly number[]): number[] {
    const { mask, limit } = asked;
    this.#gather(connection, asked);
    const isListed = new Uint8Array(ROTATION_BUCKETS);
    for (const bucket of buckets) isListed[bucket] = 1;
    const best = new TopSites(limit);
    const { ids, keys } = this.#matching;
    const { rotationBuckets } = this.#columns;
    let floor = limit > 0 ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
    for (let i = 0; i < this.#count; i++) {
      const id = ids[i]!;
      const key = keys[i]!;
      if (key > floor && isListed[rotationBuckets[id]!] === 1 && mask[id] === 1) floor = best.offer(id, key);
    }
    return best.ids;
  }

  /** Row ids of sites that hold a term, at most `limit`, in no order of worth. */
  any(connection: SqliteConnection, known: Term[], mask: Uint8Array, limit: number): number[] {
    this.#gather(connection, { known, complete: false, documents: 1, meanText: 1 });
    const { ids } = this.#matching;
    const found: number[] = [];
    for (let i = 0; i < this.#count && found.length < limit; i++)
      if (mask[ids[i]!] === 1) found.push(ids[i]!);
    return found;
  }

  #gather(
    connection: SqliteConnection,
    {
      known,
      complete,
      documents,
      meanText,
    }: Pick<CollectionQuery, "known" | "complete" | "documents" | "meanText">,
  ): void {
    const terms = walkable(known);
    const every = complete && terms.length > 1 ? terms.length * ONE_TERM : Number.POSITIVE_INFINITY;
    // The best and those that the rotation chose are two questions of one search.
    const key = JSON.stringify([connection.version, every, documents, meanText, terms]);
    if (key === this.#gathered) return;
    this.#gathered = undefined;
    if (meanText !== this.#meanText) this.#weights = evidenceWeights(meanText);
    this.#meanText = meanText;
    this.#reserve();
    const added = addedBy(terms, documents, this.#weights);
    const lists = terms.map(({ token }, i) => ({
      added: added[i]!,
      segments: this.#columns.postings(connection, hashOf(token)),
      at: 0,
    }));
    let count = 0;
    for (let segment = 0; segment * SEGMENT_SITES < this.#columns.size; segment++) {
      for (const list of lists) {
        const next = list.segments[list.at];
        if (next?.segment !== segment) continue;
        this.#scores.add(next.postings, list.added);
        list.at++;
      }
      const found = this.#scores.count;
      this.#scores.moveTo(this.#matching, count, segment, every);
      count += found;
    }
    this.#count = count;
    this.#gathered = key;
  }

  #reserve(): void {
    if (this.#matching.ids.length >= this.#columns.size) return;
    const room = Math.max(1_024, 2 ** Math.ceil(Math.log2(this.#columns.size)));
    this.#matching = { ids: new Uint32Array(room), keys: new Uint32Array(room) };
  }
}

/** The rarest terms, as far as their lists may be walked; one at least. */
function walkable(terms: Term[]): Term[] {
  let sum = 0;
  return terms
    .toSorted((a, b) => a.frequency - b.frequency)
    .filter(({ frequency }, i) => {
      sum += frequency;
      return i === 0 || sum <= MAX_WALKED;
    });
}

/** For each term, what each evidence of it adds to a sum: all that a site can gather stays below ONE_TERM. */
function addedBy(terms: Term[], documents: number, weights: Float32Array): Uint32Array[] {
  const rarities = terms.map(({ frequency }) => idf(documents, frequency));
  const most = Math.max(...weights) * rarities.reduce((sum, rarity) => sum + rarity, 0);
  return rarities.map((rarity) => {
    const added = new Uint32Array(weights.length);
    const scale = (rarity * (ONE_TERM - 1)) / most;
    for (let evidence = 0; evidence < added.length; evidence++)
      added[evidence] = ONE_TERM + Math.floor(weights[evidence]! * scale);
    return added;
  });
}
