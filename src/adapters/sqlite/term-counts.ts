/**
 * The compact record of a document's terms, from which candidates get their counts without reading text again.
 * Little-endian: u32 number of terms, u32 length of each field, the sorted u32 term hashes, then for each field one
 * u8 count a term (at most 255). The facets of a document are among its terms, with counts of 0.
 */
import { INDEX_FIELDS, type IndexDocument } from "../../ports.ts";
import { hashOf, tokenOf } from "./tokens.ts";

const FIELDS = INDEX_FIELDS.length;
const HEADER_BYTES = 4 * (1 + FIELDS);
const MAX_COUNT = 255;

export interface EncodedTerms {
  blob: Uint8Array;
  lengths: number[];
  /** Every distinct term by its hash; facets have no word. */
  words: Map<number, string>;
}

/**
 * Encodes the analysed terms of a document, all fields in the order of INDEX_FIELDS.
 * @param facets tokens that select the document and weigh nothing
 */
export const encodeTerms = (terms: IndexDocument["terms"], facets: readonly string[] = []): EncodedTerms => {
  const counts = new Map<number, number[]>();
  const lengths: number[] = [];
  const words = new Map<number, string>();
  INDEX_FIELDS.forEach((field, column) => {
    let length = 0;
    for (const term of terms[field]) {
      if (term === "") continue;
      length++;
      const hash = hashOf(tokenOf(term));
      let row = counts.get(hash);
      if (row === undefined) {
        row = new Array<number>(FIELDS).fill(0);
        counts.set(hash, row);
        words.set(hash, term);
      }
      if (row[column]! < MAX_COUNT) row[column]!++;
    }
    lengths.push(length);
  });
  for (const facet of facets) {
    const hash = hashOf(facet);
    if (!counts.has(hash)) counts.set(hash, new Array<number>(FIELDS).fill(0));
  }
  return { blob: pack(counts, lengths), lengths, words };
};

/** For each field, its tokens separated by spaces. */
export const tokensOf = (terms: IndexDocument["terms"]): string[] =>
  INDEX_FIELDS.map((field) =>
    terms[field]
      .filter((term) => term !== "")
      .map(tokenOf)
      .join(" "),
  );

const pack = (counts: Map<number, number[]>, lengths: number[]): Uint8Array => {
  const size = counts.size;
  const blob = new Uint8Array(HEADER_BYTES + size * (4 + FIELDS));
  const view = new DataView(blob.buffer);
  view.setUint32(0, size, true);
  lengths.forEach((length, column) => {
    view.setUint32(4 + 4 * column, length, true);
  });
  const hashes = Uint32Array.from(counts.keys()).sort();
  hashes.forEach((hash, i) => {
    view.setUint32(HEADER_BYTES + 4 * i, hash, true);
    const row = counts.get(hash)!;
    for (let column = 0; column < FIELDS; column++)
      blob[HEADER_BYTES + 4 * size + column * size + i] = row[column]!;
  });
  return blob;
};

const viewOf = (blob: Uint8Array): DataView => new DataView(blob.buffer, blob.byteOffset, blob.byteLength);

/** Field lengths from a blob, or from its first HEADER_BYTES. */
export const lengthsOf = (blob: Uint8Array): number[] => {
  const view = viewOf(blob);
  return INDEX_FIELDS.map((_, column) => view.getUint32(4 + 4 * column, true));
};

/** The hashes of a document's distinct terms. */
export const hashesOf = (blob: Uint8Array): number[] => {
  const view = viewOf(blob);
  return Array.from({ length: view.getUint32(0, true) }, (_, i) =>
    view.getUint32(HEADER_BYTES + 4 * i, true),
  );
};

/**
 * Visits each term of a document in the order of their hashes: in which fields it stands, one bit a field without the
 * last one, and how often in the last, the text.
 */
export const visitTerms = (
  blob: Uint8Array,
  visit: (hash: number, fields: number, inText: number) => void,
): void => {
  const view = viewOf(blob);
  const size = view.getUint32(0, true);
  const countsAt = HEADER_BYTES + 4 * size;
  for (let i = 0; i < size; i++) {
    let fields = 0;
    for (let column = 0; column < FIELDS - 1; column++)
      if (blob[countsAt + column * size + i]! > 0) fields |= 1 << column;
    visit(view.getUint32(HEADER_BYTES + 4 * i, true), fields, blob[countsAt + (FIELDS - 1) * size + i]!);
  }
};

/**
 * Writes the counts of the terms hashed as `hashes` into `into` from `offset`: for each field, one count a term.
 * Binary search over the sorted hashes: O(terms of the query · log terms of the document).
 */
export const readCounts = (blob: Uint8Array, hashes: number[], into: Uint8Array, offset: number): void => {
  const view = viewOf(blob);
  const size = view.getUint32(0, true);
  const countsAt = HEADER_BYTES + 4 * size;
  hashes.forEach((hash, term) => {
    let low = 0;
    let high = size;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (view.getUint32(HEADER_BYTES + 4 * middle, true) < hash) low = middle + 1;
      else high = middle;
    }
    if (low === size || view.getUint32(HEADER_BYTES + 4 * low, true) !== hash) return;
    for (let column = 0; column < FIELDS; column++)
      into[offset + column * hashes.length + term] = blob[countsAt + column * size + low]!;
  });
};
