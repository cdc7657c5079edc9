/** Candidates for a text query, with counts from each document's own record of terms, all from one moment. */
import type { Client, estypes } from "@elastic/elasticsearch";
import { cosine, LEAST_SIMILARITY } from "../../domain/search/embeddings/static-vectors.ts";
import { K1, PRESENCE } from "../../domain/search/term-weight.ts";
import { rotatedBuckets } from "../../domain/trust/rotation.ts";
import {
  type Candidate,
  type CandidateQuery,
  type CandidateSet,
  INDEX_FIELDS,
  type IndexField,
  MAX_NEAREST,
} from "../../ports/index.ts";
import { byField, COUNTED, clamp, MOST } from "../index/query.ts";
import { hashOf, tokenOf } from "../index/tokens.ts";
import { CARD, DIRECTION, decodeCard, decodeCounts, piecesOf } from "./columns.ts";
import { filterClauses, termClause } from "./filter.ts";
import { engineTokenOf } from "./schema.ts";
import { type SearchBody, type SearchResponse, searchAll } from "./searching.ts";
import type { IndexSnapshot } from "./snapshots.ts";

/** Terms whose documents are counted; analysis of the longest question yields fewer. */
const MAX_COUNTED_TERMS = 2_048;
/**
 * What ranking weighs a term with, on the engine's own BM25: there a field that holds a term once counts for nearly one
 * half, as does a text, whose weight ranking multiplies by K1 + 1 (src/domain/search/term-weight.ts). With boosts of its own it found .83 of the ten best, so .99.
 */
const BOOSTS: Record<IndexField, number> = { ...PRESENCE, text: K1 + 1 };
/** Above any sum of weights: sites with every term come first. */
const ALL_TERMS = 10_000;
/** Vectors that the engine looks at to find the nearest: more find them more surely, and take longer. */
const VECTORS_LOOKED_AT = 3 * MAX_NEAREST;

type Clause = estypes.QueryDslQueryContainer;

type Columns = Partial<Record<string, unknown[]>>;

/**
 * Answers a candidate query on one moment, in one request beside that of its figures. Where the rotation chooses some, a
 * second one asks for them: the owners of the hour follow from how many match.
 */
export async function fetchCandidates(
  client: Client,
  snapshot: IndexSnapshot,
  query: CandidateQuery,
): Promise<CandidateSet> {
  const limit = clamp(query.limit, MOST.candidates);
  const tokens = query.terms.map(engineTokenOf);
  const selecting = tokens.filter((token) => token !== "").slice(0, MOST.terms);
  const searches = {
    words: selecting.length > 0 ? wordsSearch(selecting, query, limit) : undefined,
    exact: exactSearch(query, limit),
    nearest: query.vector?.some((component) => component !== 0)
      ? nearestSearch(query, query.vector)
      : undefined,
    frequencies: tokens.length > 0 ? frequencySearch(tokens.slice(0, MAX_COUNTED_TERMS)) : undefined,
  };
  const [replies, figures] = await Promise.all([searchAll(client, snapshot, searches), snapshot.figures()]);

  const hashes = hashesOf(query);
  const read = (reply: SearchResponse | undefined) =>
    rowsOf(reply).map((columns) => candidateOf(columns, hashes, query.vector));
  const exact = read(replies.exact);
  const seen = new Set<string>();
  const isNew = ({ siteId }: Candidate) => !seen.has(siteId) && seen.add(siteId);
  const byWords = [...exact, ...read(replies.words)].filter(isNew).slice(0, limit);
  const counted = replies.words?.hits.total as estypes.SearchTotalHits | undefined;
  const total = counted?.value ?? 0;
  const documentFrequencies = replies.frequencies
    ? frequenciesOf(replies.frequencies, tokens.length)
    : tokens.map(() => 0);
  const { epoch, filter } = query;
  const half = Math.floor(limit / 2);
  let rotated: SearchResponse | undefined;
  if (epoch !== undefined && filter.near === undefined && total > limit) {
    const buckets = rotatedBuckets(epoch, half, filter, { total, documentFrequencies });
    ({ rotated } = await searchAll(client, snapshot, {
      rotated: wordsSearch(selecting, query, half, buckets),
    }));
  }
  const best = rotated === undefined ? byWords : byWords.slice(0, Math.ceil(limit / 2));
  const known = new Set(best.map(({ siteId }) => siteId));
  return {
    candidates: [...best, ...read(replies.nearest).filter(({ siteId }) => !known.has(siteId))],
    ...(rotated && { rotated: read(rotated) }),
    total: total + exact.filter(holdsNone).length,
    totalIsExact: counted?.relation !== "gte" && (selecting.length > 0 || exact.length < MOST.named),
    documents: figures.documents,
    meanLengths: figures.meanLengths,
    documentFrequencies,
  };
}

/** @param buckets of which the owners are; absent: of all */
function wordsSearch(
  tokens: string[],
  query: CandidateQuery,
  limit: number,
  buckets?: readonly number[],
): SearchBody {
  const should = tokens.flatMap(weighed);
  if (tokens.length > 1) {
    const filter = tokens.map((token) => termClause("any", token));
    should.push({ constant_score: { filter: { bool: { filter } }, boost: ALL_TERMS } });
  }
  const filter = filterClauses(query.filter);
  if (buckets !== undefined) filter.push({ terms: { rotationBucket: [...buckets] } });
  return {
    size: limit,
    track_total_hits: COUNTED.candidates,
    ...columnsOf(query),
    query: { bool: { filter, should, minimum_should_match: 1 } },
  };
}

const weighed = (token: string): Clause[] =>
  INDEX_FIELDS.map((field) => ({ term: { [`terms.${field}`]: { value: token, boost: BOOSTS[field] } } }));

/** What is asked for of each hit: columns alone. Its row, and even its _id, would cost more than finding it. */
const columnsOf = (
  query: CandidateQuery,
): Pick<SearchBody, "_source" | "stored_fields" | "docvalue_fields"> => ({
  _source: false,
  stored_fields: "_none_",
  docvalue_fields: [CARD, ...piecesOf(hashesOf(query)), ...(query.vector ? [DIRECTION] : [])],
});

const hashesOf = (query: CandidateQuery): number[] => query.terms.map((term) => hashOf(tokenOf(term)));

/** Sites asked for by their whole domain or whole name, the domain first. */
function exactSearch(query: CandidateQuery, limit: number): SearchBody | undefined {
  const should: Clause[] = [];
  const scored = (filter: Clause, boost: number): Clause => ({ constant_score: { filter, boost } });
  if (query.exactDomain) should.push(scored(termClause("siteId", query.exactDomain), 2));
  if (query.exactName) should.push(scored(termClause("exactName", query.exactName), 1));
  if (should.length === 0) return undefined;
  return {
    size: Math.min(limit, MOST.named),
    track_total_hits: false,
    ...columnsOf(query),
    sort: [{ _score: { order: "desc" } }, { siteId: "asc" }],
    query: { bool: { filter: filterClauses(query.filter), should, minimum_should_match: 1 } },
  };
}

/** The sites whose vectors are nearest to the query's. */
const nearestSearch = (query: CandidateQuery, vector: Int8Array): SearchBody => ({
  size: MAX_NEAREST,
  track_total_hits: false,
  ...columnsOf(query),
  knn: {
    field: "vector",
    query_vector: Buffer.from(vector).toString("hex") as unknown as number[],
    k: MAX_NEAREST,
    num_candidates: VECTORS_LOOKED_AT,
    similarity: LEAST_SIMILARITY,
    filter: filterClauses(query.filter),
  },
});

/** How many documents hold each token: by filters over everything, which the engine answers from its term dictionary. */
const frequencySearch = (tokens: string[]): SearchBody => ({
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

const rowsOf = (reply: SearchResponse | undefined): Columns[] =>
  (reply?.hits.hits ?? []).map((hit) => hit.fields as Columns);

function candidateOf(columns: Columns, hashes: number[], vector: Int8Array | undefined): Candidate {
  const { lengths, ...card } = decodeCard(String(columns[CARD]?.[0]));
  const counts = decodeCounts(columns, hashes);
  return {
    ...card,
    counts: byField((column) => counts[column]!),
    lengths: byField((column) => lengths[column]!),
    similarity: similarityOf(columns[DIRECTION]?.[0], vector),
  };
}

function similarityOf(direction: unknown, vector: Int8Array | undefined): number | undefined {
  if (typeof direction !== "string" || vector === undefined) return undefined;
  const bytes = Buffer.from(direction, "base64");
  return cosine(new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length), vector);
}

function frequenciesOf(reply: SearchResponse, count: number): number[] {
  const found = reply.aggregations?.frequencies as estypes.AggregationsFiltersAggregate | undefined;
  const buckets = (found?.buckets ?? {}) as Record<string, { doc_count: number }>;
  return Array.from({ length: count }, (_, i) => buckets[`t${i}`]?.doc_count ?? 0);
}

const holdsNone = ({ counts }: Candidate): boolean =>
  INDEX_FIELDS.every((field) => counts[field].every((count) => count === 0));
