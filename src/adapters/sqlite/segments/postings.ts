/**
 * Which sites hold a term: one posting list a term and segment of 4,096 row ids, by the term's hash (posting-blocks.ts). A
 * posting says which site of the segment, and enough of how it holds the term to tell better sites from worse. Lists of
 * full segments are flushed: they stand in the table. Sites of the last segment have no lists there yet: readers keep
 * those in memory (memtable.ts), so that a new site costs no write for each of its terms.
 */
import { PRESENCE, saturationOf, termWeight } from "../../../domain/search/term-weight.ts";
import { INDEX_FIELDS, OWNER_FIELDS } from "../../../ports/index.ts";
import { lengthsOf, visitTerms } from "../../index/term-vectors.ts";
import type { Connection } from "../storage/connection.ts";
import { blockOf, listIn } from "./posting-blocks.ts";

const SEGMENT_BITS = 12;
/** Row ids of one segment. */
export const SEGMENT_SITES = 1 << SEGMENT_BITS;
export const segmentOf = (id: number): number => id >>> SEGMENT_BITS;

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

/**
 * Every term and facet of a term vector, as a posting of the site: its place in the segment, which owner-written fields
 * hold the term, how often the text does (to 7), and about how long that text is.
 */
export const visitPostings = (
  id: number,
  vector: Uint8Array,
  visit: (hash: number, posting: number) => void,
): void => {
  const place = (id % SEGMENT_SITES) << EVIDENCE_BITS;
  const length = lengthClass(lengthsOf(vector)[TEXT]!) << (OWNER_BITS + COUNT_BITS);
  visitTerms(vector, (hash, fields, inText) => {
    const evidence = fields | (Math.min(MAX_COUNT, inText) << OWNER_BITS) | (inText > 0 ? length : 0);
    visit(hash, place | evidence);
  });
};

/** The place in its segment of a posting's site. */
export const placeOf = (posting: number): number => posting >>> EVIDENCE_BITS;
/** The site of a posting of `segment`. */
export const siteOf = (segment: number, posting: number): number =>
  segment * SEGMENT_SITES + placeOf(posting);
export const evidenceOf = (posting: number): number => posting & ((1 << EVIDENCE_BITS) - 1);

const FULL_PRESENCES = OWNER_FIELDS.map((field) => PRESENCE[field]);

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

/** The posting list of one term in one segment. */
export interface PostingList {
  segment: number;
  postings: Uint32Array;
}

/** The lists of a term in all flushed segments. */
export const flushedPostings = (connection: Connection, hash: number, flushed: number): PostingList[] => {
  if (flushed === 0) return [];
  // One look-up a segment: lists of one segment stand side by side, for the writer's sake.
  return connection
    .tuples(
      `WITH RECURSIVE chunks (chunk) AS (SELECT 0 UNION ALL SELECT chunk + 1 FROM chunks WHERE chunk + 1 < ?)
       SELECT p.chunk, p.lists FROM chunks AS c CROSS JOIN postings AS p ON p.chunk = c.chunk AND p.block = ?`,
      [flushed, blockOf(hash)],
    )
    .map(([segment, lists]) => ({ segment: Number(segment), postings: listIn(lists as Uint8Array, hash) }))
    .filter(({ postings }) => postings.length > 0);
};
