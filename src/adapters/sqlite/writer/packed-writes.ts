/**
 * A batch on its way to the writer's thread. Copying the members of documents and listings and a hundred terms one by one
 * costs both sides more than the rest of a write: a document goes as the values that its rows hold, and what is many and
 * small as numbers of all documents in one array.
 */
import { GRAVITIES, INDEX_FIELDS, type IndexDocument, type IndexWrite } from "../../../ports/index.ts";
import { codesIn, writeCodes } from "../../index/term-vectors.ts";
import { type FacetTerm, facetTerms } from "../storage/filter.ts";

export interface PackedPut {
  kind: "put";
  siteId: string;
  revision: number;
  /** Also over the same revision. */
  again: boolean;
  /** Of which text its vector was encoded; null: by static vectors. */
  encoded: string | null;
  /** The columns of its row of sites as the writer's statements name them, the last one its siteId. */
  row: (string | number | null)[];
  /** JSON. */
  listing: string;
  /** What its card names, in lines: none of the three can hold one. */
  names: string;
  /** What a filter can ask for by equality. */
  facets: FacetTerm[];
}

export type PackedWrite = PackedPut | Extract<IndexWrite, { kind: "remove" }>;

export interface PackedWrites {
  writes: PackedWrite[];
  /** For each put: how many terms each field has, how many codes they take, and how many components its vector has. */
  sizes: Uint32Array<ArrayBuffer>;
  /** Codes of terms (src/adapters/index/term-vectors.ts), document after document. */
  codes: Uint16Array<ArrayBuffer>;
  /** Vectors of those that have one. */
  vectors: Int8Array<ArrayBuffer>;
}

/** Sizes of one put. */
const SIZES = INDEX_FIELDS.length + 2;

/** What a put has in the arrays of its batch. */
export interface PackedContent {
  codes: Uint16Array;
  /** How many terms each field has. */
  counts: Uint32Array;
  vector: Int8Array | undefined;
}

export function packWrites(writes: IndexWrite[]): PackedWrites {
  const documents = writes.flatMap((write) => (write.kind === "put" ? [write.document] : []));
  const sizes = sizesOf(documents);
  let [codesEnd, vectorsEnd] = [0, 0];
  for (let at = SIZES; at <= sizes.length; at += SIZES) {
    codesEnd += sizes[at - 2]!;
    vectorsEnd += sizes[at - 1]!;
  }
  const codes = new Uint16Array(codesEnd);
  const vectors = new Int8Array(vectorsEnd);
  [codesEnd, vectorsEnd] = [0, 0];
  for (const { terms, vector } of documents) {
    codesEnd = writeCodes(terms, codes, codesEnd);
    if (vector === undefined) continue;
    vectors.set(vector, vectorsEnd);
    vectorsEnd += vector.length;
  }
  const packed = writes.map((write) => (write.kind === "put" ? packPut(write) : write));
  return { writes: packed, sizes, codes, vectors };
}

function sizesOf(documents: IndexDocument[]): PackedWrites["sizes"] {
  const sizes = new Uint32Array(documents.length * SIZES);
  let at = 0;
  for (const { terms, vector } of documents) {
    for (const field of INDEX_FIELDS) sizes[at++] = terms[field].length;
    sizes[at++] = codesIn(terms);
    sizes[at++] = vector?.length ?? 0;
  }
  return sizes;
}

const packPut = ({ document, again = false }: Extract<IndexWrite, { kind: "put" }>): PackedPut => ({
  kind: "put",
  siteId: document.siteId,
  revision: document.revision,
  again,
  encoded: document.encoded ?? null,
  row: [
    document.revision,
    document.registrableDomain,
    document.rotationBucket,
    document.status,
    document.ring,
    document.listing.fairness_boost,
    GRAVITIES.indexOf(document.gravity),
    document.verifiedAt,
    document.expiresAt,
    document.latitude,
    document.longitude,
    document.network,
    document.sampleKey,
    document.exactName,
    document.changedAt,
    document.siteId,
  ],
  listing: JSON.stringify(document.listing),
  names: `${document.siteId}\n${document.registrableDomain}\n${document.exactName}`,
  facets: facetTerms(document),
});

/** The contents of the puts of a batch, in their order. */
export function* contentsOf({ sizes, codes, vectors }: PackedWrites): Generator<PackedContent, undefined> {
  let [codesAt, vectorAt] = [0, 0];
  for (let at = 0; at < sizes.length; at += SIZES) {
    const [codesEnd, vectorEnd] = [codesAt + sizes[at + SIZES - 2]!, vectorAt + sizes[at + SIZES - 1]!];
    yield {
      codes: codes.subarray(codesAt, codesEnd),
      counts: sizes.subarray(at, at + INDEX_FIELDS.length),
      vector: vectorEnd > vectorAt ? vectors.subarray(vectorAt, vectorEnd) : undefined,
    };
    [codesAt, vectorAt] = [codesEnd, vectorEnd];
  }
}
