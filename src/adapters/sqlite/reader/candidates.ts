/** Candidates for a text query: chosen by the lists of their words, with counts from each site's own record of terms. */
import { bucketsInTurn } from "../../../domain/trust/rotation.ts";
import {
  type CandidateQuery,
  type CandidateSet,
  INDEX_FIELDS,
  type IndexFilter,
} from "../../../ports/index.ts";
import { hashOf, tokenOf } from "../../index/tokens.ts";
import type { Connection } from "../storage/connection.ts";
import { facetConditions, facetsAsked, rowConditions } from "../storage/filter.ts";
import type { PackedCandidates } from "../worker/messages.ts";
import { pack } from "./cards.ts";
import { type Choice, type Chooser, MAX_COUNTED, MAX_TERMS, type Term } from "./collector.ts";
import type { Roster } from "./site-columns.ts";

const MAX_LIMIT = 1_000;

/** What a reading thread finds sites with. */
export interface Finder {
  connection: Connection;
  roster: Roster;
  chooser: Chooser;
}

const termsOf = ({ connection, roster }: Finder, terms: string[]): Term[] =>
  terms.map(tokenOf).map((token) => ({
    token,
    frequency: token === "" ? 0 : roster.frequency(connection, hashOf(token)),
  }));

const heldBySome = (terms: Term[]): Term[] => terms.filter((term) => term.frequency > 0).slice(0, MAX_TERMS);

/** Row ids of sites that hold any of the terms and pass the filter, at most `limit`, in no order of worth. */
export const anyMatch = (finder: Finder, terms: string[], filter: IndexFilter, limit: number): number[] => {
  const { connection, roster, chooser } = finder;
  roster.refresh(connection);
  const known = heldBySome(termsOf(finder, terms));
  return known.length === 0 ? [] : chooser.any(connection, known, roster.mask(connection, filter), limit);
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
const wordless = (counts: Uint8Array, exact: number, width: number): number => {
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
  { connection, chooser }: Finder,
  { epoch, filter }: CandidateQuery,
  counts: Pick<CandidateSet, "total" | "documentFrequencies">,
  choice: Choice,
): number[] | undefined => {
  if (epoch === undefined || filter.near !== undefined || counts.total <= choice.limit) return undefined;
  const half = Math.floor(choice.limit / 2);
  const buckets = bucketsInTurn(epoch, half, filter, counts);
  return chooser.inTurn(connection, { ...choice, limit: half }, buckets);
};

/** Answers a candidate query on one snapshot, but for the sites nearest in meaning (nearest.ts). */
export const candidates = (finder: Finder, query: CandidateQuery): PackedCandidates => {
  const { connection, roster, chooser } = finder;
  return connection.snapshot(() => {
    roster.refresh(connection);
    const limit = Math.max(0, Math.min(MAX_LIMIT, query.limit));
    const terms = termsOf(finder, query.terms);
    const documentFrequencies = terms.map((term) => term.frequency);
    const documents = connection.number("SELECT value FROM totals WHERE key = 'documents'", []);
    const mean = (field: string) =>
      documents === 0 ? 0 : connection.number("SELECT value FROM totals WHERE key = ?", [field]) / documents;
    const exact = new Set(exactMatches(connection, query, limit).slice(0, limit));
    const known = heldBySome(terms);
    const choice = {
      known,
      complete: known.length === terms.length,
      mask: roster.mask(connection, query.filter),
      documents,
      meanText: mean("text"),
      limit,
    };
    const found = chooser.best(connection, choice);
    const total = Math.min(found.counted, MAX_COUNTED);
    const turn = turnOf(finder, query, { total, documentFrequencies }, choice);
    const places = turn === undefined ? limit : Math.ceil(limit / 2);
    const best = [...new Set([...exact, ...found.ids])].slice(0, places);
    const ids = [...new Set([...best, ...(turn ?? [])])];
    const placeOf = new Map(ids.map((id, i) => [id, i]));
    const hashes = terms.map((term) => hashOf(term.token));
    const packed = pack(finder, ids, hashes, query.vector);
    const beyond = wordless(packed.counts, Math.min(exact.size, places), INDEX_FIELDS.length * terms.length);
    return {
      ...packed,
      best: best.length,
      inTurn: turn?.map((id) => placeOf.get(id)!),
      total: total + beyond,
      totalIsExact: found.counted <= MAX_COUNTED && (exact.size < limit || limit === 0),
      documents,
      meanLengths: INDEX_FIELDS.map(mean),
      documentFrequencies,
    };
  });
};
