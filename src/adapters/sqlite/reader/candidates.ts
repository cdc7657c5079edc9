/** Candidates for a text query: collected by the posting lists of its terms, with counts from each site's own term vector. */
import { LEAST_SIMILARITY } from "../../../domain/search/embeddings/static-vectors.ts";
import { bucketsInTurn } from "../../../domain/trust/rotation.ts";
import {
  type CandidateQuery,
  type CandidateSet,
  INDEX_FIELDS,
  type IndexFilter,
  MAX_NEAREST,
} from "../../../ports/index.ts";
import { COUNTED, clamp, MOST } from "../../index/query.ts";
import { hashOf, tokenOf } from "../../index/tokens.ts";
import type { Connection } from "../storage/connection.ts";
import { facetConditions, facetsAsked, rowConditions } from "../storage/filter.ts";
import { type PackedSites, readCards, similaritiesOf } from "./cards.ts";
import type { Collecting, Term } from "./collector.ts";
import type { Searcher } from "./searcher.ts";

/** The sites that terms, a domain or a name find, and behind them those that have their places by turns alone. */
export interface PackedCandidates extends PackedSites {
  /** The first so many are candidates. */
  best: number;
  /** Places of those whose turn it is; undefined where turns decided over no places. */
  inTurn: number[] | undefined;
  total: number;
  totalIsExact: boolean;
  documents: number;
  meanLengths: number[];
  documentFrequencies: number[];
}

const termsOf = ({ connection, columns }: Searcher, terms: string[]): Term[] =>
  terms.map(tokenOf).map((token) => ({
    token,
    frequency: token === "" ? 0 : columns.frequency(connection, hashOf(token)),
  }));

const heldBySome = (terms: Term[]): Term[] => terms.filter((term) => term.frequency > 0).slice(0, MOST.terms);

/** Row ids of sites that hold any of the terms and pass the filter, at most `limit`, in no order of worth. */
export const anyMatch = (
  searcher: Searcher,
  terms: string[],
  filter: IndexFilter,
  limit: number,
): number[] => {
  const { connection, columns, collector } = searcher;
  columns.refresh(connection);
  const known = heldBySome(termsOf(searcher, terms));
  return known.length === 0 ? [] : collector.any(connection, known, columns.mask(connection, filter), limit);
};

/** Sites asked for by their whole domain or whole name, if they pass the filter; the domain first. */
const exactMatches = (connection: Connection, query: CandidateQuery, limit: number): number[] => {
  const row = rowConditions(query.filter);
  const facets = facetConditions(facetsAsked(query.filter));
  const by = (column: "site_id" | "exact_name", value: string | undefined): number[] =>
    value === undefined || value === ""
      ? []
      : connection
          .all(
            `SELECT s.id FROM sites AS s WHERE s.${column} = ? AND +${row.sql}${facets.sql} ORDER BY s.site_id LIMIT ?`,
            [value, ...row.values, ...facets.values, limit],
          )
          .map((found) => Number(found.id));
  return [...by("site_id", query.exactDomain), ...by("exact_name", query.exactName)];
};

/** How many of the exact matches hold no term of the query, and so are not in the count of matches. */
const termless = (counts: Uint8Array, exact: number, width: number): number => {
  let found = 0;
  for (let i = 0; i < exact; i++)
    if (!counts.subarray(i * width, (i + 1) * width).some((count) => count > 0)) found++;
  return found;
};

/**
 * The best of the owners whose turn it is; undefined where no more sites match than have places, or nearness narrows
 * the search as turns would.
 */
const turnOf = (
  { connection, collector }: Searcher,
  { epoch, filter }: CandidateQuery,
  counts: Pick<CandidateSet, "total" | "documentFrequencies">,
  asked: Collecting,
): number[] | undefined => {
  if (epoch === undefined || filter.near !== undefined || counts.total <= asked.limit) return undefined;
  const half = Math.floor(asked.limit / 2);
  const buckets = bucketsInTurn(epoch, half, filter, counts);
  return collector.inTurn(connection, { ...asked, limit: half }, buckets);
};

/** Answers a candidate query on one snapshot, but for the sites nearest in meaning: those are asked for beside it. */
export const candidates = (searcher: Searcher, query: CandidateQuery): PackedCandidates => {
  const { connection, columns, collector } = searcher;
  return connection.snapshot(() => {
    columns.refresh(connection);
    const limit = clamp(query.limit, MOST.candidates);
    const terms = termsOf(searcher, query.terms);
    const documentFrequencies = terms.map((term) => term.frequency);
    const documents = connection.number("SELECT value FROM totals WHERE key = 'documents'", []);
    const mean = (field: string) =>
      documents === 0 ? 0 : connection.number("SELECT value FROM totals WHERE key = ?", [field]) / documents;
    const exact = new Set(exactMatches(connection, query, limit).slice(0, limit));
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
    const turn = turnOf(searcher, query, { total, documentFrequencies }, asked);
    const places = turn === undefined ? limit : Math.ceil(limit / 2);
    const best = [...new Set([...exact, ...found.ids])].slice(0, places);
    const ids = [...new Set([...best, ...(turn ?? [])])];
    const placeOf = new Map(ids.map((id, i) => [id, i]));
    const hashes = terms.map((term) => hashOf(term.token));
    const packed = readCards(searcher, ids, hashes, query.vector);
    const beyond = termless(packed.counts, Math.min(exact.size, places), INDEX_FIELDS.length * terms.length);
    return {
      ...packed,
      best: best.length,
      inTurn: turn?.map((id) => placeOf.get(id)!),
      total: total + beyond,
      totalIsExact: found.counted <= COUNTED.candidates && (exact.size < limit || limit === 0),
      documents,
      meanLengths: INDEX_FIELDS.map(mean),
      documentFrequencies,
    };
  });
};

/** Vectors that `nearest` reads: those whose binary vectors are nearest. */
const VECTORS_READ = 4 * MAX_NEAREST;

/** The sites nearest to a vector, with counts of these terms. */
type NearestQuery = Required<Pick<CandidateQuery, "terms" | "filter" | "vector">>;

/** At most MAX_NEAREST sites that pass the filter and are similar to the vector, the nearest first. */
export const nearest = (searcher: Searcher, { terms, filter, vector }: NearestQuery): PackedSites => {
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
};
