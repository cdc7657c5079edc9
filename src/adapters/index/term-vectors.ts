/**
 * A document's term vector: how often each of its terms stands in each field, from which candidates get their counts
 * without reading text again. Little-endian: u32 number of terms, u32 length of each field, the sorted u32 term hashes,
 * then for each field one u8 count a term (at most 255). Facets that an engine adds are among its terms, with counts of 0.
 */
import { INDEX_FIELDS, type IndexDocument, OWNER_FIELDS } from "../../ports/index.ts";
import { DistinctHashes } from "./distinct-hashes.ts";
import { hashOf, hashOfTerm, textOf, tokenOf } from "./tokens.ts";

const FIELDS = INDEX_FIELDS.length;
const TEXT = INDEX_FIELDS.indexOf("text");
const HEADER_BYTES = 4 * (1 + FIELDS);
const MAX_COUNT = 255;

const LINE_BREAK = 10;

/** The terms of a document as numbers, which cross threads faster than a hundred texts do, and are hashed faster. */
export interface TermCodes {
  /** UTF-16 codes of every term with a line break behind it, field after field; no term holds one. */
  codes: Uint16Array;
  /** How many of the lines are each field's. */
  counts: Uint32Array;
}

export interface EncodedTerms {
  blob: Uint8Array;
  lengths: number[];
  /** Hashes of all distinct terms, then of the facets; signed: unsigned ones beyond 31 bits take memory of their own each. */
  hashes: number[];
  /** How many of them are terms'. */
  terms: number;
  /** The term whose hash stands at that place. */
  word(at: number): string;
}

interface CountsPlace {
  counts: Uint8Array;
  countsAt: number;
  lengths: Uint32Array;
  lengthsAt: number;
}

export function codesOf(terms: IndexDocument["terms"]): TermCodes {
  const codes = new Uint16Array(codesIn(terms));
  writeCodes(terms, codes, 0);
  return { codes, counts: Uint32Array.from(INDEX_FIELDS, (field) => terms[field].length) };
}

/** How many codes the terms take. */
export function codesIn(terms: IndexDocument["terms"]): number {
  let sum = 0;
  for (const field of INDEX_FIELDS) for (const term of terms[field]) sum += term.length + 1;
  return sum;
}

/** Writes the codes of the terms into `into` from `at`. @returns where they end */
export function writeCodes(terms: IndexDocument["terms"], into: Uint16Array, at: number): number {
  let end = at;
  for (const field of INDEX_FIELDS)
    for (const term of terms[field]) {
      for (let i = 0; i < term.length; i++) into[end++] = term.charCodeAt(i);
      into[end++] = LINE_BREAK;
    }
  return end;
}

/**
 * Encodes the analyzed terms of a document.
 * @param facets tokens that select the document and weigh nothing
 */
export function encodeTerms({ codes, counts }: TermCodes, facets: readonly string[] = []): EncodedTerms {
  const all = counts.reduce((sum, count) => sum + count, facets.length);
  const rows = new DistinctHashes(all);
  const found = new Uint8Array(all * FIELDS);
  const lengths: number[] = [];
  /** Where each distinct term stands first. */
  const starts: number[] = [];
  let from = 0;
  for (let column = 0; column < FIELDS; column++) {
    let length = 0;
    for (let line = 0; line < counts[column]!; line++) {
      const to = endOf(codes, from);
      if (to > from) {
        length++;
        const row = rows.add(hashOfTerm(codes, from, to));
        if (row === starts.length) starts.push(from);
        const at = row * FIELDS + column;
        if (found[at]! < MAX_COUNT) found[at]!++;
      }
      from = to + 1;
    }
    lengths.push(length);
  }
  for (const facet of facets) rows.add(hashOf(facet) | 0);
  return {
    blob: pack(rows, found, lengths),
    lengths,
    hashes: rows.hashes,
    terms: starts.length,
    word: (at) => textOf(codes, starts[at]!, endOf(codes, starts[at]!)),
  };
}

function endOf(codes: Uint16Array, from: number): number {
  let end = from;
  while (codes[end] !== LINE_BREAK) end++;
  return end;
}

function pack(rows: DistinctHashes, counts: Uint8Array, lengths: number[]): Uint8Array {
  const size = rows.size;
  const blob = new Uint8Array(HEADER_BYTES + size * (4 + FIELDS));
  const numbers = new Uint32Array(blob.buffer, 0, HEADER_BYTES / 4 + size);
  numbers[0] = size;
  numbers.set(lengths, 1);
  const sorted = numbers.subarray(HEADER_BYTES / 4);
  sorted.set(rows.hashes);
  sorted.sort();
  const countsAt = HEADER_BYTES + 4 * size;
  for (let i = 0; i < size; i++) {
    const row = rows.add(sorted[i]! | 0) * FIELDS;
    for (let column = 0; column < FIELDS; column++)
      blob[countsAt + column * size + i] = counts[row + column]!;
  }
  return blob;
}

/** For each field, its tokens separated by spaces. */
export const tokensOf = (terms: IndexDocument["terms"]): string[] =>
  INDEX_FIELDS.map((field) =>
    terms[field]
      .filter((term) => term !== "")
      .map(tokenOf)
      .join(" "),
  );

/** Field lengths of a term vector. */
export function lengthsOf(blob: Uint8Array): number[] {
  const view = dataView(blob);
  return INDEX_FIELDS.map((_, column) => view.getUint32(4 + 4 * column, true));
}

export const dataView = (blob: Uint8Array): DataView =>
  new DataView(blob.buffer, blob.byteOffset, blob.byteLength);

/** Distinct terms and facets of a term vector. */
export const termsIn = (blob: Uint8Array): number => dataView(blob).getUint32(0, true);

/** The hashes of a document's distinct terms. */
export function hashesOf(blob: Uint8Array): number[] {
  const view = dataView(blob);
  return Array.from({ length: view.getUint32(0, true) }, (_, i) =>
    view.getUint32(HEADER_BYTES + 4 * i, true),
  );
}

/**
 * Visits each term of a document in the order of their hashes: in which owner-written fields it stands, one bit a field in
 * the order of OWNER_FIELDS, and how often in the text.
 */
export function visitTerms(
  blob: Uint8Array,
  visit: (hash: number, fields: number, inText: number) => void,
): void {
  const numbers = numbersOf(blob);
  const size = numbers[0]!;
  const countsAt = HEADER_BYTES + 4 * size;
  for (let i = 0; i < size; i++) {
    let fields = 0;
    for (let column = 0; column < OWNER_FIELDS.length; column++)
      if (blob[countsAt + column * size + i]! > 0) fields |= 1 << column;
    visit(numbers[HEADER_BYTES / 4 + i]!, fields, blob[countsAt + TEXT * size + i]!);
  }
}

/** Counts, lengths and hashes of a vector that stands alone. */
const numbersOf = (blob: Uint8Array): Uint32Array =>
  blob.byteOffset % 4 === 0
    ? new Uint32Array(blob.buffer, blob.byteOffset, blob.length >>> 2)
    : new Uint32Array(blob.slice().buffer, 0, blob.length >>> 2);

/**
 * Reads the term vector that begins at `at`: the length of each field into `lengths`, and for each field the counts of the
 * terms hashed as `hashes` into `counts`. Binary search over the sorted hashes: O(terms of the query · log terms of
 * the document).
 * @returns where it ends
 */
export function readCounts(
  vectors: DataView,
  at: number,
  hashes: readonly number[],
  { counts, countsAt: into, lengths, lengthsAt }: CountsPlace,
): number {
  const size = vectors.getUint32(at, true);
  for (let column = 0; column < FIELDS; column++)
    lengths[lengthsAt + column] = vectors.getUint32(at + 4 + 4 * column, true);
  const hashesAt = at + HEADER_BYTES;
  const countsAt = hashesAt + 4 * size;
  for (let term = 0; term < hashes.length; term++) {
    const hash = hashes[term]!;
    let low = 0;
    let high = size;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (vectors.getUint32(hashesAt + 4 * middle, true) < hash) low = middle + 1;
      else high = middle;
    }
    if (low === size || vectors.getUint32(hashesAt + 4 * low, true) !== hash) continue;
    for (let column = 0; column < FIELDS; column++)
      counts[into + column * hashes.length + term] = vectors.getUint8(countsAt + column * size + low);
  }
  return countsAt + FIELDS * size;
}
