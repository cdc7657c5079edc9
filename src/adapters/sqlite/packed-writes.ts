/**
 * What is written, on its way to the writer's thread. Copying a listing's members and a hundred terms one by one costs
 * both sides more than the rest of the document: as one text each they are copied at once.
 */
import type { IndexDocument, IndexWrite } from "../../ports.ts";
import { linesOf, type TermLines } from "./term-counts.ts";

export type PackedDocument = Omit<IndexDocument, "listing" | "terms"> & {
  /** JSON. */
  listing: string;
  fairnessBoost: number;
  terms: TermLines;
};

export type PackedWrite = { kind: "put"; document: PackedDocument } | Extract<IndexWrite, { kind: "remove" }>;

const packed = (document: IndexDocument): PackedDocument => ({
  ...document,
  listing: JSON.stringify(document.listing),
  fairnessBoost: document.listing.fairness_boost,
  terms: linesOf(document.terms),
});

export const packWrites = (writes: IndexWrite[]): PackedWrite[] =>
  writes.map((write) => (write.kind === "put" ? { kind: "put", document: packed(write.document) } : write));
