/**
 * A batch on its way to the writer's thread. Copying a listing's members and a hundred terms one by one costs both sides
 * more than the rest of a document: the listing goes as the text that is stored, and what is many and small as numbers
 * of all documents in one array.
 */
import type { IndexDocument, IndexWrite } from "../../ports.ts";
import { codesIn, countsOf, writeCodes } from "./term-counts.ts";

export type PackedDocument = Omit<IndexDocument, "listing" | "terms" | "vector"> & {
  /** JSON. */
  listing: string;
  fairnessBoost: number;
  /** How many terms each field has. */
  counts: number[];
  /** Where the codes of its terms end; they begin where those of the document before end. */
  codesEnd: number;
  /** Where its vector ends, likewise; of no length where it has none. */
  vectorEnd: number;
};

export type PackedWrite = { kind: "put"; document: PackedDocument } | Extract<IndexWrite, { kind: "remove" }>;

export interface PackedWrites {
  writes: PackedWrite[];
  /** Term codes (term-counts.ts). */
  codes: Uint16Array;
  vectors: Int8Array;
}

export const packWrites = (writes: IndexWrite[]): PackedWrites => {
  let [codesSize, vectorsSize] = [0, 0];
  for (const write of writes)
    if (write.kind === "put") {
      codesSize += codesIn(write.document.terms);
      vectorsSize += write.document.vector?.length ?? 0;
    }
  const codes = new Uint16Array(codesSize);
  const vectors = new Int8Array(vectorsSize);
  let [codesEnd, vectorEnd] = [0, 0];
  const pack = ({ listing, terms, vector, ...others }: IndexDocument): PackedDocument => {
    codesEnd = writeCodes(terms, codes, codesEnd);
    if (vector !== undefined) vectors.set(vector, vectorEnd);
    vectorEnd += vector?.length ?? 0;
    return {
      ...others,
      listing: JSON.stringify(listing),
      fairnessBoost: listing.fairness_boost,
      counts: countsOf(terms),
      codesEnd,
      vectorEnd,
    };
  };
  const packed = writes.map(
    (write): PackedWrite => (write.kind === "put" ? { kind: "put", document: pack(write.document) } : write),
  );
  return { writes: packed, codes, vectors };
};
