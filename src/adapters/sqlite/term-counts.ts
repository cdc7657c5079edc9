/**
 * The compact record of a document's terms, from which candidates get their counts without reading text again.
 * Little-endian: u32 number of terms, u32 length of each field, the sorted u32 term hashes, then for each field one
 * u8 count a term (at most 255).
 */
import { INDEX_FIELDS, type IndexDocument } from "../../ports.ts";
import { hashOf, tokenOf } from "./tokens.ts";

const FIELDS = INDEX_FIELDS.length;
const HEADER_BYTES = 4 * (1 + FIELDS);
const MAX_COUNT = 255;

export interface EncodedTerms {
  blob: Uint8Array;
  lengths: number[];
  /** For each field, its tokens separated by spaces, as FTS5 takes them. */
  tokens: string[];
  /** Every distinct term by its hash. */
  words: Map<number, string>;
}

/** Encodes the analysed terms of a document, all fields in the order of INDEX_FIELDS. */
export const encodeTerms = (terms: IndexDocument["terms"]): EncodedTerms => {
  const counts = new Map<number, number[]>();
  const lengths: number[] = [];
  const tokens: string[] = [];
  const words = new Map<number, string>();
  INDEX_FIELDS.forEach((field, column) => {
    const spelled: string[] = [];
    for (const term of terms[field]) {
      if (term === "") continue;
      const token = tokenOf(term);
      spelled.push(token);
      const hash = hashOf(token);
      let row = counts.get(hash);
      if (row === undefined) {
        row = new Array<number>(FIELDS).fill(0);
        counts.set(hash, row);
        words.set(hash, term);
      }
      if (row[column]! < MAX_COUNT) row[column]!++;
    }
    lengths.push(spelled.length);
    tokens.push(spelled.join(" "));
  });
  return { blob: pack(counts, lengths), lengths, tokens, words };
};

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
