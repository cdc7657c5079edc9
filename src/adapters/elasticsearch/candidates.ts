/** Candidates for a text query, with counts from each document's own record of terms, all from one moment. */
import type { Client, estypes } from "@elastic/elasticsearch";
import { cosine, LEAST_SIMILARITY } from "../../domain/embeddings/static-vectors.ts";
import {
  type Candidate,
  type CandidateQuery,
  type CandidateSet,
  INDEX_FIELDS,
  type IndexField,
  MAX_NEAREST,
} from "../../ports.ts";
import { lengthsOf, readCounts } from "../sqlite/term-counts.ts";
import { hashOf, tokenOf } from "../sqlite/tokens.ts";
import { filterClauses, termClause } from "./filter.ts";
import { COLUMNS, type Columns, DIRECTION, engineTokenOf } from "./schema.ts";
import { type Found, type Search, searchAll } from "./searching.ts";
import type { Snapshot } from "./snapshots.ts";

/** Totals are counted to here; a larger one is a lower bound. */
const MAX_COUNTED = 1_000;
const MAX_LIMIT = 1_000;
/** Terms that select: 5 fields each must stay below the engine's bound of clauses (1,024 at the least). */
const MAX_MATCH_TERMS = 64;
/** Terms whose documents are counted; analysis of the longest question yields fewer. */
const MAX_COUNTED_TERMS = 2_048;
/** Column weights of candidate selection, as SQLite's: a word in a name, domain or tag outweighs one in prose. */
const BOOSTS: Record<IndexField, number> = { name: 8, domain: 4, tags: 4, description: 2, text: 1 };
/** Above any sum of weights: sites with every term come first. */
const ALL_TERMS = 10_000;
/** Vectors that the engine looks at to find the nearest: more find them more surely, and take longer. */
const VECTORS_LOOKED_AT = 3 * MAX_NEAREST;

type Clause = estypes.QueryDslQueryContainer;

/** What is asked for of each hit: columns alone, never the row. */
const columnsOf = (query: CandidateQuery): Pick<Search, "_source" | "docvalue_fields"> => ({
  _source: false,
  docvalue_fields: query.vector ? [...COLUMNS, DIRECTION] : [...COLUMNS],
});

const weighed = (token: string): Clause[] =>
  INDEX_FIELDS.map((field) => ({ term: { [`terms.${field}`]: { value: token, boost: BOOSTS[field] } } }));

const wordsSearch = (tokens: string[], query: CandidateQuery, limit: number): Search => {
  const should = tokens.flatMap(weighed);
  if (tokens.length > 1) {
    const filter = tokens.map((token) => termClause("any", token));
    should.push({ constant_score: { filter: { bool: { filter } }, boost: ALL_TERMS } });
  }
  const filter = filterClauses(query.filter);
  if (query.buckets !== undefined && query.filter.near === undefined)
    filter.push({ terms: { rotationBucket: query.buckets } });
  return {
    size: limit,
    track_total_hits: MAX_COUNTED,
    ...columnsOf(query),
    query: { bool: { filter, should, minimum_should_match: 1 } },
  };
};

/** Sites asked for by their whole domain or whole name. */
const exactSearch = (query: CandidateQuery, limit: number): Search | undefined => {
  const should: Clause[] = [];
  if (query.exactDomain) should.push(termClause("siteId", query.exactDomain));
  if (query.exactName) should.push(termClause("exactName", query.exactName));
  if (should.length === 0) return undefined;
  return {
    size: limit,
    track_total_hits: false,
    ...columnsOf(query),
    sort: [{ siteId: "asc" }],
    query: { bool: { filter: filterClauses(query.filter), should, minimum_should_match: 1 } },
  };
};

/** The sites whose vectors are nearest to the query's. */
const nearestSearch = (query: CandidateQuery, vector: Int8Array): Search => ({
  size: MAX_NEAREST,
  track_total_hits: false,
  ...columnsOf(query),
  knn: {
    field: "vector",
    query_vector: Array.from(vector),
    k: MAX_NEAREST,
    num_candidates: VECTORS_LOOKED_AT,
    similarity: LEAST_SIMILARITY,
    filter: filterClauses(query.filter),
  },
});

/** How many documents hold each token: by filters over everything, which the engine answers from its term dictionary. */
const frequencySearch = (tokens: string[]): Search => ({
  size: 0,
  track_total_hits: false,
  aggs: {
    frequencies: {
      filters: {
        filters: Object.fromEntries(tokens.map((token, i) => [`t${i}`, termClause("any", token)])),
      },
    },
  },
});

const frequenciesOf = (reply: Found, count: number): number[] => {
  const found = reply.aggregations?.frequencies as estypes.AggregationsFiltersAggregate | undefined;
  const buckets = (found?.buckets ?? {}) as Record<string, { doc_count: number }>;
  return Array.from({ length: count }, (_, i) => buckets[`t${i}`]?.doc_count ?? 0);
};

const byField = <T>(of: (column: number) => T): Record<IndexField, T> =>
  Object.fromEntries(INDEX_FIELDS.map((field, column) => [field, of(column)])) as Record<IndexField, T>;

const similarityOf = (direction: string | undefined, vector: Int8Array | undefined): number | undefined => {
  if (direction === undefined || vector === undefined) return undefined;
  const bytes = Buffer.from(direction, "base64");
  return cosine(new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length), vector);
};

const candidateOf = (columns: Columns, hashes: number[], vector: Int8Array | undefined): Candidate => {
  const blob = Buffer.from(columns.counts[0], "base64");
  const width = hashes.length;
  const counts = new Uint8Array(INDEX_FIELDS.length * width);
  readCounts(blob, hashes, counts, 0);
  const lengths = lengthsOf(blob);
  return {
    siteId: columns.siteId[0],
    owner: columns.registrableDomain[0],
    ring: columns.ring[0],
    fairnessBoost: columns.fairnessBoost[0],
    // An empty name is kept out of columns by nothing, one too long for a keyword is.
    exactName: columns.exactName?.[0] ?? "",
    counts: byField((column) => Array.from(counts.subarray(column * width, (column + 1) * width))),
    lengths: byField((column) => lengths[column]!),
    similarity: similarityOf(columns.direction?.[0], vector),
  };
};

const rowsOf = (reply: Found | undefined): Columns[] =>
  (reply?.hits.hits ?? []).map((hit) => hit.fields as unknown as Columns);

const holdsNone = ({ counts }: Candidate): boolean =>
  INDEX_FIELDS.every((field) => counts[field].every((count) => count === 0));

/** Answers a candidate query on one moment, in one request beside that of its figures. */
export const candidates = async (
  client: Client,
  snapshot: Snapshot,
  query: CandidateQuery,
): Promise<CandidateSet> => {
  const limit = Math.max(0, Math.min(MAX_LIMIT, query.limit));
  const tokens = query.terms.map(engineTokenOf);
  const selecting = tokens.filter((token) => token !== "").slice(0, MAX_MATCH_TERMS);
  const searches = {
    words: selecting.length > 0 ? wordsSearch(selecting, query, limit) : undefined,
    exact: exactSearch(query, limit),
    nearest: query.vector?.some((component) => component !== 0)
      ? nearestSearch(query, query.vector)
      : undefined,
    frequencies: tokens.length > 0 ? frequencySearch(tokens.slice(0, MAX_COUNTED_TERMS)) : undefined,
  };
  const [replies, figures] = await Promise.all([searchAll(client, snapshot, searches), snapshot.figures()]);

  const hashes = query.terms.map((term) => hashOf(tokenOf(term)));
  const read = (columns: Columns) => candidateOf(columns, hashes, query.vector);
  const exact = rowsOf(replies.exact).map(read);
  // The domain asked for comes before sites that share a name.
  exact.sort((a, b) => Number(b.siteId === query.exactDomain) - Number(a.siteId === query.exactDomain));
  const known = new Set(exact.map(({ siteId }) => siteId));
  const isNew = ({ siteId: [siteId] }: Columns) => !known.has(siteId) && known.add(siteId);
  const byWords = rowsOf(replies.words)
    .filter(isNew)
    .slice(0, Math.max(0, limit - exact.length));
  const near = rowsOf(replies.nearest).filter(isNew);

  const counted = replies.words?.hits.total as estypes.SearchTotalHits | undefined;
  return {
    candidates: [...exact.slice(0, limit), ...byWords.map(read), ...near.map(read)],
    total: (counted?.value ?? 0) + exact.filter(holdsNone).length,
    totalIsExact: counted?.relation !== "gte",
    documents: figures.documents,
    meanLengths: figures.meanLengths,
    documentFrequencies: replies.frequencies
      ? frequenciesOf(replies.frequencies, tokens.length)
      : tokens.map(() => 0),
  };
};
