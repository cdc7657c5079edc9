/**
 * Which sites hold a term: one posting list a term and segment of 4,096 row ids, by the term's hash (encodeBlock). A
 * posting says which site of the segment, and enough of how it holds the term to tell better sites from worse. Lists of
 * full segments are flushed: they stand in the table. Sites of the last segment have no lists there yet: readers keep
 * those in memory (Memtable), so that a new site costs no write for each of its terms.
 */
import { PRESENCE, saturationOf, termWeight } from "../../../domain/search/term-weight.ts";
import { INDEX_FIELDS, OWNER_FIELDS } from "../../../ports/index.ts";
import { lengthsOf, visitTerms } from "../../index/term-vectors.ts";
import type { SqliteConnection } from "../storage/connection.ts";

/**
 * Posting lists as they are stored: those of about a dozen terms in one block, by the first bits of the terms' hashes. Most
 * terms of a segment stand in one of its sites, so that a row each would be mostly rows.
 *
 * A block is little-endian 32-bit numbers: how many terms; their hashes, rising; where the list of each ends; the postings.
 */
const BLOCK_BITS = 12;

/** Postings of many lists one after the other, with the hash of each one's term beside it. */
export interface HashedPostings {
  hashes: Uint32Array;
  postings: Uint32Array;
}

const DIGIT_BITS = 16;

const SEGMENT_BITS = 12;
/** Row ids of one segment. */
export const SEGMENT_SITES = 1 << SEGMENT_BITS;

const OWNER_BITS = OWNER_FIELDS.length;
const TEXT = INDEX_FIELDS.indexOf("text");
const COUNT_BITS = 3;
const MAX_COUNT = (1 << COUNT_BITS) - 1;
const LENGTH_BITS = 3;
const MAX_LENGTH_CLASS = (1 << LENGTH_BITS) - 1;
/** Texts of fewer terms than this are equally short. */
const SHORT_TEXT = 16;
const EVIDENCE_BITS = OWNER_BITS + COUNT_BITS + LENGTH_BITS;

/** Texts in classes by the powers of two of their lengths. */
const lengthClass = (length: number): number =>
  Math.min(MAX_LENGTH_CLASS, Math.max(0, Math.floor(Math.log2(Math.max(1, length) / SHORT_TEXT))));

const FULL_PRESENCES = OWNER_FIELDS.map((field) => PRESENCE[field]);

/** The posting list of one term in one segment. */
export interface PostingList {
  segment: number;
  postings: Uint32Array;
}

/** The posting lists of the last segment, which is not flushed: made of the sites' own term vectors, in memory. */
export class Memtable {
  readonly #lists = new Map<number, number[]>();
  readonly #vectors = new Map<number, Uint8Array>();

  /** Lists a site anew; undefined: a site that is gone. */
  set(id: number, vector: Uint8Array | undefined): void {
    const known = this.#vectors.get(id);
    if (known !== undefined) this.#remove(id, known);
    if (vector === undefined) return;
    this.#vectors.set(id, vector);
    visitPostings(id, vector, (hash, posting) => {
      const list = this.#lists.get(hash);
      if (list === undefined) this.#lists.set(hash, [posting]);
      else list.push(posting);
    });
  }

  clear(): void {
    this.#lists.clear();
    this.#vectors.clear();
  }

  /** The sites that hold a term. */
  count(hash: number): number {
    return this.#lists.get(hash)?.length ?? 0;
  }

  postings(hash: number): Uint32Array {
    return Uint32Array.from(this.#lists.get(hash) ?? []);
  }

  #remove(id: number, known: Uint8Array): void {
    this.#vectors.delete(id);
    visitPostings(id, known, (hash, posting) => {
      const list = this.#lists.get(hash)!;
      list.splice(list.indexOf(posting), 1);
      if (list.length === 0) this.#lists.delete(hash);
    });
  }
}

/** The same postings in the order of their terms' hashes, those of one term in the order that they had. */
export const inOrderOfTerms = (all: HashedPostings): HashedPostings => sortedBy(DIGIT_BITS, sortedBy(0, all));

/** One pass of a radix sort: by the 16 bits of the hashes from `shift` on, equals in the order that they had. */
function sortedBy(shift: number, { hashes, postings }: HashedPostings): HashedPostings {
  const digit = (hash: number): number => (hash >>> shift) & 0xffff;
  const ends = new Uint32Array(1 << DIGIT_BITS);
  for (let i = 0; i < hashes.length; i++) ends[digit(hashes[i]!)]!++;
  for (let i = 1; i < ends.length; i++) ends[i]! += ends[i - 1]!;
  const sorted = { hashes: new Uint32Array(hashes.length), postings: new Uint32Array(hashes.length) };
  for (let i = hashes.length - 1; i >= 0; i--) {
    const at = --ends[digit(hashes[i]!)]!;
    sorted.hashes[at] = hashes[i]!;
    sorted.postings[at] = postings[i]!;
  }
  return sorted;
}

/** The block with another list of one term; undefined where nothing is left in it. */
export function withList(
  block: Uint8Array | undefined,
  hash: number,
  list: readonly number[],
): Uint8Array | undefined {
  const hashes: number[] = [];
  const postings: number[] = [];
  const add = (term: number, those: Iterable<number>): void => {
    for (const posting of those) {
      hashes.push(term);
      postings.push(posting);
    }
  };
  const numbers = block === undefined ? new Uint32Array(1) : numbersOf(block);
  const known = Array.from(numbers.subarray(1, 1 + numbers[0]!));
  for (const term of known) if (term < hash) add(term, listIn(block!, term));
  add(hash, list);
  for (const term of known) if (term > hash) add(term, listIn(block!, term));
  if (hashes.length === 0) return undefined;
  return encodeBlock({ hashes: Uint32Array.from(hashes), postings: Uint32Array.from(postings) });
}

const numbersOf = (block: Uint8Array): Uint32Array =>
  block.byteOffset % 4 === 0
    ? new Uint32Array(block.buffer, block.byteOffset, block.length / 4)
    : new Uint32Array(block.slice().buffer);

/** The list of one term, in memory of its own; empty where the block has none. */
export function listIn(block: Uint8Array, hash: number): Uint32Array {
  const numbers = numbersOf(block);
  const terms = numbers[0]!;
  const hashes = numbers.subarray(1, 1 + terms);
  let [low, high] = [0, terms];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (hashes[middle]! < hash) low = middle + 1;
    else high = middle;
  }
  if (hashes[low] !== hash) return new Uint32Array(0);
  const ends = numbers.subarray(1 + terms, 1 + 2 * terms);
  const postings = numbers.subarray(1 + 2 * terms);
  return postings.slice(low === 0 ? 0 : ends[low - 1]!, ends[low]!);
}

/** @param all the postings of a block's terms, in the order of the terms' hashes */
export function encodeBlock({ hashes, postings }: HashedPostings): Uint8Array {
  const terms: number[] = [];
  const ends: number[] = [];
  for (let i = 0; i < hashes.length; i++) {
    if (i > 0 && hashes[i] === hashes[i - 1]) continue;
    if (i > 0) ends.push(i);
    terms.push(hashes[i]!);
  }
  ends.push(hashes.length);
  const numbers = new Uint32Array(1 + 2 * terms.length + postings.length);
  numbers[0] = terms.length;
  numbers.set(terms, 1);
  numbers.set(ends, 1 + terms.length);
  numbers.set(postings, 1 + 2 * terms.length);
  return new Uint8Array(numbers.buffer);
}

export const segmentOf = (id: number): number => id >>> SEGMENT_BITS;

/**
 * Every term and facet of a term vector, as a posting of the site: its place in the segment, which owner-written fields
 * hold the term, how often the text does (to 7), and about how long that text is.
 */
export function visitPostings(
  id: number,
  vector: Uint8Array,
  visit: (hash: number, posting: number) => void,
): void {
  const place = (id % SEGMENT_SITES) << EVIDENCE_BITS;
  const length = lengthClass(lengthsOf(vector)[TEXT]!) << (OWNER_BITS + COUNT_BITS);
  visitTerms(vector, (hash, fields, inText) => {
    const evidence = fields | (Math.min(MAX_COUNT, inText) << OWNER_BITS) | (inText > 0 ? length : 0);
    visit(hash, place | evidence);
  });
}

/** The site of a posting of `segment`. */
export const siteOf = (segment: number, posting: number): number =>
  segment * SEGMENT_SITES + segmentOffset(posting);

/** The place in its segment of a posting's site. */
export const segmentOffset = (posting: number): number => posting >>> EVIDENCE_BITS;
export const postingWeightClass = (posting: number): number => posting & ((1 << EVIDENCE_BITS) - 1);

/**
 * What each evidence weighs, for one of equal terms: what ranking makes of it as far as evidence tells, since ranking sees
 * exact counts and the lengths of all fields.
 * @param meanText mean length of a text
 */
export const evidenceWeights = (meanText: number): Float32Array =>
  Float32Array.from({ length: 1 << EVIDENCE_BITS }, (_, evidence) => {
    const frequency = (evidence >>> OWNER_BITS) & MAX_COUNT;
    const length = SHORT_TEXT * 1.5 * 2 ** (evidence >>> (OWNER_BITS + COUNT_BITS));
    return termWeight(frequency, saturationOf(length, meanText), evidence, FULL_PRESENCES);
  });

/** The lists of a term in all flushed segments. */
export function flushedPostings(connection: SqliteConnection, hash: number, flushed: number): PostingList[] {
  if (flushed === 0) return [];
  // One look-up a segment: lists of one segment stand side by side, for the writer's sake.
  return connection
    .tuples(
      `WITH RECURSIVE chunks (chunk) AS (SELECT 0 UNION ALL SELECT chunk + 1 FROM chunks WHERE chunk + 1 < ?)
       SELECT p.chunk, p.lists FROM chunks AS c CROSS JOIN postings AS p ON p.chunk = c.chunk AND p.block = ?`,
      [flushed, postingBlock(hash)],
    )
    .map(([segment, lists]) => ({ segment: Number(segment), postings: listIn(lists as Uint8Array, hash) }))
    .filter(({ postings }) => postings.length > 0);
}

/** The block that a term's list is in. */
export const postingBlock = (hash: number): number => hash >>> (32 - BLOCK_BITS);
