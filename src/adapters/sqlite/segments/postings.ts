/**
 * Who holds a word: one list a word and chunk of 4,096 row ids, by the word's hash (blocks.ts). An entry says which site of the
 * chunk, and enough of how it holds the word to tell better sites from worse. Chunks that are full are sealed: their
 * lists stand in the table. The sites of the last chunk, the tail, have no lists yet: readers keep those in memory, so
 * that a site that is new costs no write for each of its words.
 */
import { INDEX_FIELDS } from "../../../ports/index.ts";
import { lengthsOf, visitTerms } from "../../index/term-vectors.ts";
import type { Connection } from "../storage/connection.ts";
import { blockOf, listIn } from "./posting-blocks.ts";

const CHUNK_BITS = 12;
/** Row ids of one chunk. */
export const CHUNK_SITES = 1 << CHUNK_BITS;
export const chunkOf = (id: number): number => id >>> CHUNK_BITS;

const OWNERS_FIELDS = INDEX_FIELDS.length - 1;
const COUNT_BITS = 3;
const MAX_COUNT = (1 << COUNT_BITS) - 1;
const LENGTH_BITS = 3;
const MAX_LENGTH_CLASS = (1 << LENGTH_BITS) - 1;
/** Texts of fewer terms than this are equally short. */
const SHORT_TEXT = 16;
const EVIDENCE_BITS = OWNERS_FIELDS + COUNT_BITS + LENGTH_BITS;

/** Texts in classes by the powers of two of their lengths. */
const lengthClass = (length: number): number =>
  Math.min(MAX_LENGTH_CLASS, Math.max(0, Math.floor(Math.log2(Math.max(1, length) / SHORT_TEXT))));

/**
 * Every word and facet of a record of terms, as a list's entry for the site: its place in the chunk, which owner-written
 * fields hold the word, how often the text does (to 7), and about how long that text is.
 */
export const visitEntries = (
  id: number,
  terms: Uint8Array,
  visit: (hash: number, entry: number) => void,
): void => {
  const place = (id % CHUNK_SITES) << EVIDENCE_BITS;
  const length = lengthClass(lengthsOf(terms)[OWNERS_FIELDS]!) << (OWNERS_FIELDS + COUNT_BITS);
  visitTerms(terms, (hash, fields, inText) => {
    const evidence = fields | (Math.min(MAX_COUNT, inText) << OWNERS_FIELDS) | (inText > 0 ? length : 0);
    visit(hash, place | evidence);
  });
};

/** The place in its chunk of an entry's site. */
export const placeOf = (entry: number): number => entry >>> EVIDENCE_BITS;
/** The site of an entry of `chunk`. */
export const siteOf = (chunk: number, entry: number): number => chunk * CHUNK_SITES + placeOf(entry);
export const evidenceOf = (entry: number): number => entry & ((1 << EVIDENCE_BITS) - 1);

/** What presence in a name, domain, tags and description weighs, and a tag that the text does not bear out. */
const PRESENCE = [2, 1, 1.5, 0.5];
const TAGS = INDEX_FIELDS.indexOf("tags");
const UNCONFIRMED_TAG = 0.25;
const K1 = 1.6;
const B = 0.3;
const FULL_TEXT = 2;

/**
 * What each evidence weighs, for one of equal words: about what ranking makes of it (src/domain/search/ranking.ts), which
 * sees exact counts and lengths.
 * @param meanText mean length of a text
 */
export const evidenceWeights = (meanText: number): Float32Array => {
  const weights = new Float32Array(1 << EVIDENCE_BITS);
  for (let evidence = 0; evidence < weights.length; evidence++) {
    const inText = (evidence >>> OWNERS_FIELDS) & MAX_COUNT;
    const length = SHORT_TEXT * 1.5 * 2 ** (evidence >>> (OWNERS_FIELDS + COUNT_BITS));
    const saturation = K1 * (1 - B + B * (meanText > 0 ? length / meanText : 1));
    const inTags = (evidence & (1 << TAGS)) !== 0;
    let weight = (inText * (K1 + 1)) / (inText + saturation);
    // A tag that the text bears out counts as a text that says it often.
    if (inTags && inText > 0) weight = Math.max(weight, FULL_TEXT);
    PRESENCE.forEach((presence, field) => {
      if (evidence & (1 << field))
        weight += field === TAGS && inText === 0 ? presence * UNCONFIRMED_TAG : presence;
    });
    weights[evidence] = weight;
  }
  return weights;
};

/** The list of one word in one chunk. */
export interface Postings {
  chunk: number;
  entries: Uint32Array;
}

/** The lists of a word in all sealed chunks. */
export const sealedPostings = (connection: Connection, hash: number, sealed: number): Postings[] => {
  if (sealed === 0) return [];
  // One look-up a chunk: lists of one chunk stand side by side, for the writer's sake.
  return connection
    .tuples(
      `WITH RECURSIVE chunks (chunk) AS (SELECT 0 UNION ALL SELECT chunk + 1 FROM chunks WHERE chunk + 1 < ?)
       SELECT p.chunk, p.lists FROM chunks AS c CROSS JOIN postings AS p ON p.chunk = c.chunk AND p.block = ?`,
      [sealed, blockOf(hash)],
    )
    .map(([chunk, lists]) => ({ chunk: Number(chunk), entries: listIn(lists as Uint8Array, hash) }))
    .filter(({ entries }) => entries.length > 0);
};
