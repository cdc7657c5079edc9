/**
 * Columns that a reader keeps in memory, by row id: what filters ask and ranking weighs of every site, and its binary
 * vector; beside them the posting lists that are not flushed yet. 87 bytes a site.
 */
import { LRUCache } from "lru-cache";
import type { IndexFilter } from "../../../ports/index.ts";
import { statusOf } from "../../index/query.ts";
import { hashOf } from "../../index/tokens.ts";
import {
  flushedPostings,
  Memtable,
  type PostingList,
  SEGMENT_SITES,
  segmentOf,
  siteOf,
} from "../segments/postings.ts";
import type { Row, SqliteConnection } from "../storage/connection.ts";
import { boxAround, distanceKm, facetsAsked, facetToken } from "../storage/filter.ts";
import { BinaryVectors } from "../vectors/binary-vectors.ts";
import { Circle, chosenFrom, sortedBy } from "./circle.ts";

/** Rows that are read at once: the first reading of all must not hold them all twice. */
const STEP = 10_000;
const MAX_MASK_BYTES = 4 << 20;
const MAX_LIST_BYTES = 16 << 20;
/** About what an empty list takes. */
const LIST_BYTES = 200;

/** A row whose site was removed stays, without a site. */
const CHANGED = `SELECT g.change, g.id, g.signs, s.status = 'enabled' AS enabled, s.ring, s.fairness_boost, s.gravity,
    s.rotation_bucket, s.sample_key, s.verified_at, s.expires_at, s.latitude, s.longitude
  FROM signs AS g LEFT JOIN sites AS s ON s.id = g.id WHERE g.change > ? ORDER BY g.change LIMIT ?`;

const GONE = 0;
const ENABLED = 1;
const OTHER_STATUS = 2;

const timeOf = (value: unknown): number => (value === null ? Number.NaN : Number(value));

export class SiteColumns {
  readonly vectors = new BinaryVectors();
  readonly #memtable = new Memtable();
  /** Filters of the same searches come again and again; until the next write. */
  readonly #masks = new LRUCache<string, Uint8Array>({
    maxSize: MAX_MASK_BYTES,
    sizeCalculation: (mask, key) => mask.length + key.length,
  });
  /** Common terms come again and again, and twice in one search; until the next write. */
  readonly #lists = new LRUCache<number, PostingList[]>({
    maxSize: MAX_LIST_BYTES,
    sizeCalculation: (lists) => lists.reduce((sum, { postings }) => sum + postings.byteLength, LIST_BYTES),
  });
  #statuses = new Uint8Array(0);
  #rings = new Uint8Array(0);
  #fairnessBoosts = new Float64Array(0);
  #gravities = new Uint8Array(0);
  #buckets = new Uint8Array(0);
  #sampleKeys = new Uint32Array(0);
  /** Row ids in order of their sample keys; until a key is new. */
  #order: Uint32Array | undefined;
  /** By masks, as long as those are kept. */
  readonly #circles = new WeakMap<Uint8Array, Circle>();
  #verifiedAt = new Float64Array(0);
  #expiresAt = new Float64Array(0);
  #latitudes = new Float64Array(0);
  #longitudes = new Float64Array(0);
  #size = 0;
  readonly #newTerms = new Set<string>();
  #lastNewTerms = 0;
  #flushed = -1;
  #version = -1;
  #lastChange = 0;

  /** One more than the highest row id. */
  get size(): number {
    return this.#size;
  }

  ring(id: number): number {
    return this.#rings[id]!;
  }

  /** By row id. */
  get rotationBuckets(): Readonly<Uint8Array> {
    return this.#buckets;
  }

  fairnessBoost(id: number): number {
    return this.#fairnessBoosts[id]!;
  }

  /** Its place in GRAVITIES. */
  gravity(id: number): number {
    return this.#gravities[id]!;
  }

  /** Terms that came since the last flush: the dictionary does not have them. */
  get newTerms(): Iterable<string> {
    return this.#newTerms;
  }

  /** Takes in what was written since the last call; within a snapshot. */
  refresh(connection: SqliteConnection): void {
    if (connection.version === this.#version) return;
    const flushed = connection.number("SELECT value FROM totals WHERE key = 'sealed'", []);
    const hasFlushed = flushed !== this.#flushed;
    this.#masks.clear();
    this.#lists.clear();
    // Until all is taken in: what is broken off here reads the whole memtable the next time.
    this.#flushed = -1;
    const changed: number[] = [];
    for (let rows = STEP; rows === STEP; ) {
      const read = connection.all(CHANGED, [this.#lastChange, STEP]);
      rows = read.length;
      for (const row of read) changed.push(this.#take(row));
    }
    this.#takeNewTerms(connection, hasFlushed);
    if (hasFlushed) this.#readMemtable(connection, flushed);
    else for (const id of changed) if (segmentOf(id) === flushed) this.#takeIntoMemtable(connection, id);
    this.#flushed = flushed;
    this.#version = connection.version;
  }

  /** Sites that hold a term or have a facet. */
  frequency(connection: SqliteConnection, hash: number): number {
    return (
      connection.number("SELECT documents FROM words WHERE hash = ?", [hash]) + this.#memtable.count(hash)
    );
  }

  /** The posting lists of a term or facet in all segments. */
  postings(connection: SqliteConnection, hash: number): PostingList[] {
    const known = this.#lists.get(hash);
    if (known !== undefined) return known;
    const lists = flushedPostings(connection, hash, this.#flushed);
    if (this.#memtable.count(hash) > 0)
      lists.push({ segment: this.#flushed, postings: this.#memtable.postings(hash) });
    this.#lists.set(hash, lists);
    return lists;
  }

  /** By row id, 1 where a site passes the filter, else 0. Not to be written to: it is the same one until the next write. */
  mask(connection: SqliteConnection, filter: IndexFilter): Uint8Array {
    const key = JSON.stringify(filter);
    const known = this.#masks.get(key);
    if (known !== undefined) return known;
    const mask = this.#filtered(connection, filter);
    this.#masks.set(key, mask);
    return mask;
  }

  /** The sites that pass the filter, in order of their sample keys. */
  circle(connection: SqliteConnection, filter: IndexFilter): Circle {
    const mask = this.mask(connection, filter);
    const known = this.#circles.get(mask);
    if (known !== undefined) return known;
    this.#order ??= sortedBy(this.#sampleKeys.subarray(0, this.#size));
    const circle = new Circle(this.#sampleKeys, chosenFrom(this.#order, mask));
    this.#circles.set(mask, circle);
    return circle;
  }

  #filtered(connection: SqliteConnection, filter: IndexFilter): Uint8Array {
    const status = statusOf(filter);
    const wanted = status === "enabled" ? ENABLED : OTHER_STATUS;
    const mask = new Uint8Array(this.#size);
    for (let id = 0; id < mask.length; id++) mask[id] = this.#statuses[id] === wanted ? 1 : 0;
    const facets = facetsAsked(filter);
    if (wanted === OTHER_STATUS) facets.push(["s", status]);
    for (const facet of facets) {
      const holds = this.#holding(connection, hashOf(facetToken(facet)));
      for (let id = 0; id < mask.length; id++) mask[id]! &= holds[id]!;
    }
    const { minRing, minFairnessBoost, notExpiredAt, verifiedAfter, near } = filter;
    if (minRing !== undefined) keepFrom(mask, this.#rings, minRing);
    if (minFairnessBoost !== undefined) keepFrom(mask, this.#fairnessBoosts, minFairnessBoost);
    if (notExpiredAt !== undefined) keepAbove(mask, this.#expiresAt, notExpiredAt);
    if (verifiedAfter !== undefined) keepAbove(mask, this.#verifiedAt, verifiedAfter);
    if (near !== undefined) this.#keepNear(mask, near);
    return mask;
  }

  #keepNear(mask: Uint8Array, near: NonNullable<IndexFilter["near"]>): void {
    const { south, north, longitudes } = boxAround(near);
    for (let id = 0; id < mask.length; id++) {
      const latitude = this.#latitudes[id]!;
      if (mask[id] === 1 && latitude >= south && latitude <= north) {
        const longitude = this.#longitudes[id]!;
        const isInside =
          longitudes.some(([west, east]) => longitude >= west && longitude <= east) &&
          distanceKm(latitude, longitude, near.latitude, near.longitude) <= near.radiusKm;
        mask[id] = isInside ? 1 : 0;
      } else mask[id] = 0;
    }
  }

  #holding(connection: SqliteConnection, hash: number): Uint8Array {
    const holds = new Uint8Array(this.#size);
    for (const { segment, postings } of this.postings(connection, hash))
      for (const posting of postings) holds[siteOf(segment, posting)] = 1;
    return holds;
  }

  #take(row: Row): number {
    const id = Number(row.id);
    this.#lastChange = Number(row.change);
    this.#reserve(id);
    this.vectors.set(id, row.signs as Uint8Array | null);
    this.#statuses[id] = row.enabled === null ? GONE : Number(row.enabled) === 1 ? ENABLED : OTHER_STATUS;
    this.#rings[id] = Number(row.ring);
    this.#fairnessBoosts[id] = Number(row.fairness_boost);
    this.#gravities[id] = Number(row.gravity);
    this.#buckets[id] = Number(row.rotation_bucket);
    this.#takeSampleKey(id, Number(row.sample_key));
    this.#verifiedAt[id] = timeOf(row.verified_at);
    this.#expiresAt[id] = timeOf(row.expires_at);
    this.#latitudes[id] = timeOf(row.latitude);
    this.#longitudes[id] = timeOf(row.longitude);
    return id;
  }

  #takeSampleKey(id: number, key: number): void {
    if (this.#sampleKeys[id] !== key) this.#order = undefined;
    this.#sampleKeys[id] = key;
  }

  #takeNewTerms(connection: SqliteConnection, anew: boolean): void {
    if (anew) {
      this.#newTerms.clear();
      this.#lastNewTerms = 0;
    }
    for (const row of connection.all("SELECT id, words FROM new_words WHERE id > ?", [this.#lastNewTerms])) {
      this.#lastNewTerms = Number(row.id);
      for (const term of JSON.parse(String(row.words)) as string[]) this.#newTerms.add(term);
    }
  }

  #readMemtable(connection: SqliteConnection, flushed: number): void {
    this.#memtable.clear();
    const rows = connection.all("SELECT id, terms FROM cards WHERE id >= ?", [flushed * SEGMENT_SITES]);
    for (const row of rows) this.#memtable.set(Number(row.id), row.terms as Uint8Array);
  }

  #takeIntoMemtable(connection: SqliteConnection, id: number): void {
    const row = connection.get("SELECT terms FROM cards WHERE id = ?", [id]);
    this.#memtable.set(id, row?.terms as Uint8Array | undefined);
  }

  #reserve(id: number): void {
    if (id >= this.#size) {
      this.#size = id + 1;
      this.#order = undefined;
    }
    if (id < this.#statuses.length) return;
    const size = Math.max(1_024, 2 ** Math.ceil(Math.log2(id + 1)));
    this.#statuses = grown(this.#statuses, Uint8Array, size);
    this.#rings = grown(this.#rings, Uint8Array, size);
    this.#fairnessBoosts = grown(this.#fairnessBoosts, Float64Array, size);
    this.#gravities = grown(this.#gravities, Uint8Array, size);
    this.#buckets = grown(this.#buckets, Uint8Array, size);
    this.#sampleKeys = grown(this.#sampleKeys, Uint32Array, size);
    this.#verifiedAt = grown(this.#verifiedAt, Float64Array, size);
    this.#expiresAt = grown(this.#expiresAt, Float64Array, size);
    this.#latitudes = grown(this.#latitudes, Float64Array, size);
    this.#longitudes = grown(this.#longitudes, Float64Array, size);
  }
}

function keepFrom(mask: Uint8Array, values: Uint8Array | Float64Array, least: number): void {
  for (let id = 0; id < mask.length; id++) if (!(values[id]! >= least)) mask[id] = 0;
}

function keepAbove(mask: Uint8Array, values: Float64Array, bound: number): void {
  for (let id = 0; id < mask.length; id++) if (!(values[id]! > bound)) mask[id] = 0;
}

function grown<T extends Uint8Array | Uint32Array | Float64Array>(
  old: T,
  make: new (size: number) => T,
  size: number,
): T {
  const next = new make(size);
  next.set(old);
  return next;
}
