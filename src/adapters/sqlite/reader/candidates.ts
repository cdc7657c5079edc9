/** Candidates for a text query: collected by the posting lists of its terms, with counts from each site's own term vector. */
import { VECTOR_SIZE } from "../../../../schemas/common.ts";
import { LEAST_SIMILARITY } from "../../../domain/search/embeddings/static-vectors.ts";
import { rotatedBuckets } from "../../../domain/trust/rotation.ts";
import {
  type CandidateQuery,
  type CandidateSet,
  INDEX_FIELDS,
  type IndexFilter,
  MAX_NEAREST,
} from "../../../ports/index.ts";
import { COUNTED, clamp, MOST } from "../../index/query.ts";
import { dataView, readCounts } from "../../index/term-vectors.ts";
import { hashOf, tokenOf } from "../../index/tokens.ts";
import type { SqliteConnection } from "../storage/connection.ts";
import { facetConditions, facetsAsked, rowConditions } from "../storage/filter.ts";
import type { CollectionQuery, Term } from "./collector.ts";
import type { Searcher } from "./searcher.ts";

/** In the order of the row ids given, which json_each keeps. */
const CHOSEN_CARDS = "FROM json_each(?) AS chosen CROSS JOIN cards AS c ON c.id = chosen.value";
const NO_VECTOR = `zeroblob(${VECTOR_SIZE})`;

/** What ranking needs of some sites, in columns: typed arrays and one text cross between threads far faster than objects. */
export interface PackedSites {
  /** Three lines a site: its id, its owner and its whole name. */
  names: string;
  rings: Uint8Array;
  fairnessBoosts: Float64Array;
  /** Places in GRAVITIES. */
  gravities: Uint8Array;
  /** For each site, for each field, one count a term. */
  counts: Uint8Array;
  /** For each site, one length a field. */
  lengths: Uint32Array;
  /** For each site, NaN where it has no vector or the query none. */
  similarities: Float64Array;
}

const NOTHING: PackedSites = {
  names: "",
  rings: new Uint8Array(0),
  fairnessBoosts: new Float64Array(0),
  gravities: new Uint8Array(0),
  counts: new Uint8Array(0),
  lengths: new Uint32Array(0),
  similarities: new Float64Array(0),
};

/** The sites that terms, a domain or a name find, and behind them those that the rotation chose. */
export interface PackedCandidates extends PackedSites {
  /** The first so many are candidates. */
  best: number;
  /** Indexes of those that the rotation chose; undefined where it chose none. */
  rotated: number[] | undefined;
  total: number;
  totalIsExact: boolean;
  documents: number;
  meanLengths: number[];
  documentFrequencies: number[];
}

/** Vectors that `nearest` reads: those whose binary vectors are nearest. */
const VECTORS_READ = 4 * MAX_NEAREST;

/** The sites nearest to a vector, with counts of these terms. */
type NearestQuery = Required<Pick<CandidateQuery, "terms" | "filter" | "vector">>;

/** Row ids of sites that hold any of the terms and pass the filter, at most `limit`, in no order of worth. */
export function anyMatch(searcher: Searcher, terms: string[], filter: IndexFilter, limit: number): number[] {
  const { connection, columns, collector } = searcher;
  columns.refresh(connection);
  const known = heldBySome(termsOf(searcher, terms));
  return known.length === 0 ? [] : collector.any(connection, known, columns.mask(connection, filter), limit);
}

const heldBySome = (terms: Term[]): Term[] => terms.filter((term) => term.frequency > 0).slice(0, MOST.terms);

const termsOf = ({ connection, columns }: Searcher, terms: string[]): Term[] =>
  terms.map(tokenOf).map((token) => ({
    token,
    frequency: token === "" ? 0 : columns.frequency(connection, hashOf(token)),
  }));

/** Answers a candidate query on one snapshot, but for the sites nearest in meaning: those are asked for beside it. */
export function candidates(searcher: Searcher, query: CandidateQuery): PackedCandidates {
  const { connection, columns, collector } = searcher;
  return connection.snapshot(() => {
    columns.refresh(connection);
    const limit = clamp(query.limit, MOST.candidates);
    const terms = termsOf(searcher, query.terms);
    const documentFrequencies = terms.map((term) => term.frequency);
    const documents = connection.number("SELECT value FROM totals WHERE key = 'documents'", []);
    const mean = (field: string) =>
      documents === 0 ? 0 : connection.number("SELECT value FROM totals WHERE key = ?", [field]) / documents;
    const exact = new Set(exactMatches(connection, query).slice(0, limit));
    const known = heldBySome(terms);
    const asked = {
      known,
      complete: known.length === terms.length,
      mask: columns.mask(connection, query.filter),
      documents,
      meanText: mean("text"),
      limit,
    };
    const found = collector.best(connection, asked);
    const total = Math.min(found.counted, COUNTED.candidates);
    const rotated = rotatedOf(searcher, query, { total, documentFrequencies }, asked);
    const places = rotated === undefined ? limit : Math.ceil(limit / 2);
    const best = [...new Set([...exact, ...found.ids])].slice(0, places);
    const ids = [...new Set([...best, ...(rotated ?? [])])];
    const placeOf = new Map(ids.map((id, i) => [id, i]));
    const hashes = terms.map((term) => hashOf(term.token));
    const packed = readCards(searcher, ids, hashes, query.vector);
    const beyond = termless(packed.counts, Math.min(exact.size, places), INDEX_FIELDS.length * terms.length);
    return {
      ...packed,
      best: best.length,
      rotated: rotated?.map((id) => placeOf.get(id)!),
      total: total + beyond,
      totalIsExact: found.counted <= COUNTED.candidates && (known.length > 0 || exact.size < MOST.named),
      documents,
      meanLengths: INDEX_FIELDS.map(mean),
      documentFrequencies,
    };
  });
}

/** Sites asked for by their whole domain or whole name, if they pass the filter; the domain first. */
function exactMatches(connection: SqliteConnection, query: CandidateQuery): number[] {
  const row = rowConditions(query.filter);
  const facets = facetConditions(facetsAsked(query.filter));
  const by = (column: "site_id" | "exact_name", value: string | undefined): number[] =>
    value === undefined || value === ""
      ? []
      : connection
          .all(
            `SELECT s.id FROM sites AS s WHERE s.${column} = ? AND +${row.sql}${facets.sql} ORDER BY s.site_id LIMIT ?`,
            [value, ...row.values, ...facets.values, MOST.named],
          )
          .map((found) => Number(found.id));
  return [...by("site_id", query.exactDomain), ...by("exact_name", query.exactName)];
}

/**
 * The best of the owners of this hour; undefined where no more sites match than are wanted, or nearness narrows the
 * search as rotation would.
 */
function rotatedOf(
  { connection, collector }: Searcher,
  { epoch, filter }: CandidateQuery,
  counts: Pick<CandidateSet, "total" | "documentFrequencies">,
  asked: CollectionQuery,
): number[] | undefined {
  if (epoch === undefined || filter.near !== undefined || counts.total <= asked.limit) return undefined;
  const half = Math.floor(asked.limit / 2);
  const buckets = rotatedBuckets(epoch, half, filter, counts);
  return collector.rotated(connection, { ...asked, limit: half }, buckets);
}

/**
 * Loads the cards of these row ids, in their order.
 * @param hashes of the terms whose counts are wanted
 */
function readCards(
  { connection, columns }: Searcher,
  ids: number[],
  hashes: number[],
  vector: Int8Array | undefined,
): PackedSites {
  if (ids.length === 0) return NOTHING;
  const fields = INDEX_FIELDS.length;
  const vectors = vector === undefined ? "NULL" : together(`coalesce(c.vector, ${NO_VECTOR})`);
  const [row] = connection.tuples(
    `SELECT group_concat(c.names, char(10)), ${together("c.terms")}, ${vectors} ${CHOSEN_CARDS}`,
    [JSON.stringify(ids)],
  );
  const termVectors = dataView(row![1] as Uint8Array);
  const width = fields * hashes.length;
  const counts = new Uint8Array(ids.length * width);
  const lengths = new Uint32Array(ids.length * fields);
  for (let i = 0, at = 0; i < ids.length; i++)
    at = readCounts(termVectors, at, hashes, { counts, countsAt: i * width, lengths, lengthsAt: i * fields });
  const similarities =
    vector === undefined
      ? new Float64Array(ids.length).fill(Number.NaN)
      : cosines(asVectors(row![2]), vector);
  ids.forEach((id, i) => {
    if (!columns.vectors.has(id)) similarities[i] = Number.NaN;
  });
  return {
    names: String(row![0]),
    rings: Uint8Array.from(ids, (id) => columns.ring(id)),
    fairnessBoosts: Float64Array.from(ids, (id) => columns.fairnessBoost(id)),
    gravities: Uint8Array.from(ids, (id) => columns.gravity(id)),
    counts,
    lengths,
    similarities,
  };
}

/** The values of all rows one after the other: one of them costs what each of many would. */
const together = (column: string): string => `CAST(group_concat(CAST(${column} AS TEXT), '') AS BLOB)`;

/** Cosines between the query's vector and others that stand one after the other; 0 for one that is all zero. */
function cosines(vectors: Int8Array, query: Int8Array): Float64Array {
  const found = new Float64Array(vectors.length / VECTOR_SIZE);
  const squaresQuery = query.reduce((sum, component) => sum + component * component, 0);
  for (let i = 0; i < found.length; i++) {
    let dot = 0;
    let squares = 0;
    for (let component = 0, at = i * VECTOR_SIZE; component < VECTOR_SIZE; component++, at++) {
      const value = vectors[at]!;
      // 256 products of bytes fit 32 bits, and whole numbers need no check for more.
      dot = (dot + Math.imul(value, query[component]!)) | 0;
      squares = (squares + Math.imul(value, value)) | 0;
    }
    found[i] = squares === 0 || squaresQuery === 0 ? 0 : dot / Math.sqrt(squares * squaresQuery);
  }
  return found;
}

function asVectors(bytes: unknown): Int8Array {
  const { buffer, byteOffset, length } = bytes as Uint8Array;
  return new Int8Array(buffer, byteOffset, length);
}

/** How many of the exact matches hold no term of the query, and so are not in the count of matches. */
function termless(counts: Uint8Array, exact: number, width: number): number {
  let found = 0;
  for (let i = 0; i < exact; i++)
    if (!counts.subarray(i * width, (i + 1) * width).some((count) => count > 0)) found++;
  return found;
}

/** At most MAX_NEAREST sites that pass the filter and are similar to the vector, the nearest first. */
export function nearest(searcher: Searcher, { terms, filter, vector }: NearestQuery): PackedSites {
  const { connection, columns } = searcher;
  return connection.snapshot(() => {
    columns.refresh(connection);
    const chosen = columns.vectors.nearest(vector, VECTORS_READ, columns.mask(connection, filter));
    const similarities = similaritiesOf(connection, chosen, vector);
    const ids = chosen
      .map((id, i) => ({ id, similarity: similarities[i]! }))
      .filter(({ similarity }) => similarity >= LEAST_SIMILARITY)
      .sort((a, b) => b.similarity - a.similarity || a.id - b.id)
      .slice(0, MAX_NEAREST)
      .map(({ id }) => id);
    const hashes = terms.map((term) => hashOf(tokenOf(term)));
    return readCards(searcher, ids, hashes, vector);
  });
}

/** Cosines between the vector and those of these row ids, all of which have one. */
function similaritiesOf(connection: SqliteConnection, ids: number[], vector: Int8Array): Float64Array {
  if (ids.length === 0) return new Float64Array(0);
  const [row] = connection.tuples(`SELECT ${together("c.vector")} ${CHOSEN_CARDS}`, [JSON.stringify(ids)]);
  return cosines(asVectors(row![0]), vector);
}
