/** Candidates for a text query: chosen by FTS5, with counts from each document's own record of terms. */
import { type CandidateQuery, INDEX_FIELDS, type IndexFilter } from "../../ports.ts";
import type { Connection, Row } from "./connection.ts";
import { type Condition, facetConditions, facetsAsked, rowConditions, statusOf } from "./filter.ts";
import { sitesNear } from "./listings.ts";
import type { PackedCandidates } from "./messages.ts";
import { nearest, similarityOf } from "./nearest.ts";
import type { Signs } from "./signs.ts";
import { lengthsOf, readCounts } from "./term-counts.ts";
import { bucketToken, facetToken, hashOf, tokenOf } from "./tokens.ts";

/** Most matching rows that one search weighs, at 0.6 to 1 µs each, in the order they were indexed. */
const MAX_WEIGHED = 4_000;
/**
 * bm25() walks the whole list of every word of its expression before its first row (60 ns an entry). Where the lists
 * are longer than this, fields say which sites are better: a word in a name outweighs any number in a text.
 */
const MAX_WALKED = 16_000;
/** Totals are counted to here; a larger one is a lower bound. Counting costs 0.4 µs a site. */
const MAX_COUNTED = 1_000;
const MAX_LIMIT = 1_000;
const MAX_MATCH_TERMS = 64;

interface Term {
  token: string;
  /** Documents that hold it. */
  frequency: number;
}

interface Match {
  /** Facets of the filter as FTS5 tokens: an AND with them costs what the rarer side costs. */
  facets: string[];
  condition: Condition;
  /** No search can match more rows than its rarest facet has. */
  facetRows: number;
  /** Entries in the facets' lists. */
  facetsWalked: number;
  /** Rotation buckets as tokens: any of them; none: all. */
  buckets: string[];
}

const quoted = (tokens: string[], operator: "AND" | "OR"): string =>
  tokens.map((token) => `"${token}"`).join(` ${operator} `);

const frequency = (connection: Connection, token: string): number =>
  connection.number("SELECT documents FROM words WHERE hash = ?", [hashOf(token)]);

const matchOf = (connection: Connection, filter: IndexFilter, buckets: number[] = []): Match => {
  const facets = facetsAsked(filter).map(([kind, value]) => facetToken(kind, value));
  if (statusOf(filter) !== "enabled") facets.push(facetToken("s", statusOf(filter)));
  const rows = facets.map((facet) => frequency(connection, facet));
  return {
    facets,
    condition: rowConditions(filter),
    facetRows: Math.min(Number.POSITIVE_INFINITY, ...rows),
    facetsWalked: rows.reduce((sum, count) => sum + count, 0),
    buckets: buckets.map(bucketToken),
  };
};

const withFacets = (expression: string, match: Match): string => {
  const parts = [`(${expression})`];
  if (match.facets.length > 0) parts.push(quoted(match.facets, "AND"));
  if (match.buckets.length > 0) parts.push(`(${quoted(match.buckets, "OR")})`);
  return parts.length === 1 ? expression : parts.join(" AND ");
};

const FOUND = "FROM terms AS t CROSS JOIN sites AS s ON s.id = t.rowid WHERE t.terms MATCH ? AND";

/** Ids of rows of an FTS5 expression that pass the filter, in the order they were indexed. */
const anyOf = (connection: Connection, expression: string, match: Match, limit: number): number[] =>
  connection
    .all(`SELECT t.rowid AS id ${FOUND} ${match.condition.sql} LIMIT ?`, [
      withFacets(expression, match),
      ...match.condition.values,
      limit,
    ])
    .map((row) => Number(row.id));

/** Ids of the best of the first rows that pass the filter. */
const weighed = (connection: Connection, expression: string, match: Match, limit: number): number[] =>
  connection
    .all(
      `SELECT id FROM (SELECT t.rowid AS id, t.rank AS score ${FOUND} ${match.condition.sql} LIMIT ?)
       ORDER BY score, id LIMIT ?`,
      [withFacets(expression, match), ...match.condition.values, MAX_WEIGHED, limit],
    )
    .map((row) => Number(row.id));

const OWNERS_FIELDS = ["name", "name domain tags", "name domain tags description"];

/** Adds the rows that an expression finds, better fields first, until `add` has enough; true when it has. */
const byFields = (
  connection: Connection,
  expression: string,
  match: Match,
  limit: number,
  add: (ids: number[]) => boolean,
): boolean =>
  OWNERS_FIELDS.some((fields) => add(anyOf(connection, `{${fields}} : (${expression})`, match, limit)));

/** Sites holding all terms first, then any of them, rare terms before common ones. */
const matching = (
  connection: Connection,
  known: Term[],
  complete: boolean,
  documents: number,
  match: Match,
  limit: number,
): Set<number> => {
  const found = new Set<number>();
  const add = (ids: number[]): boolean => {
    for (const id of ids) if (found.size < limit) found.add(id);
    return found.size >= limit;
  };
  const rarestFirst = known.toSorted((a, b) => a.frequency - b.frequency);
  const tokens = rarestFirst.map((term) => term.token);
  const most = Math.min(documents, match.facetRows);
  const isWalkable = (sum: number) => documents <= MAX_WEIGHED || match.facetsWalked + sum <= MAX_WALKED;
  /** The rarest terms, as long as the sum of their documents is worth the work. */
  const rarest = (isWorth: (sum: number) => boolean): string[] => {
    let sum = 0;
    const chosen = rarestFirst.filter((term) => {
      sum += term.frequency;
      return isWorth(sum);
    });
    return chosen.map((term) => term.token);
  };
  const walked = rarest(isWalkable);
  const light = rarest((sum) => isWalkable(sum) && Math.min(sum, most) <= MAX_WEIGHED);

  /** True when the places are full. */
  const addAll = (): boolean => {
    const all = quoted(tokens, "AND");
    const few = anyOf(connection, all, match, limit + 1);
    if (few.length <= limit) return add(few);
    if (walked.length === tokens.length && Math.min(rarestFirst[0]!.frequency, most) <= MAX_WEIGHED)
      return add(weighed(connection, all, match, limit));
    if (byFields(connection, all, match, limit, add)) return true;
    return add(walked.length === 0 ? few : weighed(connection, quoted(walked, "AND"), match, limit));
  };
  const addAny = (some: string[]): boolean => {
    const any = quoted(some, "OR");
    const few = anyOf(connection, any, match, limit + 1);
    if (few.length <= limit) return add(few);
    if (some.length === light.length) return add(weighed(connection, any, match, limit));
    return byFields(connection, any, match, limit, add) || add(few);
  };
  if (tokens.length === 0) return found;
  if (complete && tokens.length > 1 && addAll()) return found;
  if (light.length > 0 && light.length < tokens.length && addAny(light)) return found;
  addAny(tokens);
  return found;
};

/**
 * The same from the other side, where the filter leaves few sites: their own records of terms say which match.
 * More terms first, then rarer ones. Every match is counted.
 */
const matchingAmong = (
  connection: Connection,
  ids: number[],
  known: Term[],
  documents: number,
  limit: number,
) => {
  const hashes = known.map((term) => hashOf(term.token));
  const weights = known.map((term) => Math.log(1 + documents / term.frequency));
  const scored: { id: number; held: number; weight: number }[] = [];
  const fields = INDEX_FIELDS.length;
  for (const id of ids) {
    const row = connection.get("SELECT terms FROM counts WHERE id = ?", [id]) as Row;
    const counts = new Uint8Array(fields * hashes.length);
    readCounts(row.terms as Uint8Array, hashes, counts, 0);
    const holds = hashes.map((_, term) =>
      INDEX_FIELDS.some((_field, column) => counts[column * hashes.length + term]! > 0),
    );
    const held = holds.filter(Boolean).length;
    const weight = weights.reduce((sum, found, term) => (holds[term] ? sum + found : sum), 0);
    if (held > 0) scored.push({ id, held, weight });
  }
  scored.sort((a, b) => b.held - a.held || b.weight - a.weight || a.id - b.id);
  return { found: new Set(scored.slice(0, limit).map(({ id }) => id)), counted: scored.length };
};

const countMatches = (connection: Connection, tokens: string[], match: Match): number => {
  if (tokens.length === 0) return 0;
  return connection.number(
    `SELECT count(*) FROM (
       SELECT 1 FROM terms AS t CROSS JOIN sites AS s ON s.id = t.rowid
       WHERE t.terms MATCH ? AND ${match.condition.sql} LIMIT ?
     )`,
    [withFacets(quoted(tokens, "OR"), match), ...match.condition.values, MAX_COUNTED + 1],
  );
};

/** Ids of sites that hold any of the terms and pass the filter, at most `limit`, in no order of worth. */
export const anyMatch = (
  connection: Connection,
  terms: string[],
  filter: IndexFilter,
  limit: number,
): number[] => {
  const known = terms
    .map((term) => ({ token: tokenOf(term), frequency: frequency(connection, tokenOf(term)) }))
    .filter((term) => term.frequency > 0)
    .slice(0, MAX_MATCH_TERMS);
  if (known.length === 0) return [];
  const near = sitesNear(connection, filter);
  if (near !== undefined) return [...matchingAmong(connection, near, known, 1, limit).found];
  const tokens = known.map((term) => term.token);
  return anyOf(connection, quoted(tokens, "OR"), matchOf(connection, filter), limit);
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

/** Loads the candidates and packs them by columns. */
const pack = (connection: Connection, ids: number[], hashes: number[], vector: Int8Array | undefined) => {
  const fields = INDEX_FIELDS.length;
  const siteIds: string[] = [];
  const owners: string[] = [];
  const exactNames: string[] = [];
  const rings = new Uint8Array(ids.length);
  const fairnessBoosts = new Float64Array(ids.length);
  const counts = new Uint8Array(ids.length * fields * hashes.length);
  const lengths = new Uint32Array(ids.length * fields);
  const similarities = new Float32Array(ids.length);
  // One statement for all rows costs half of one statement a row; json_each keeps their order.
  const rows = connection.all(
    `SELECT s.site_id, s.registrable_domain, s.exact_name, s.ring, s.fairness_boost, c.terms${vector ? ", v.vector" : ""} FROM json_each(?) AS chosen
     CROSS JOIN sites AS s ON s.id = chosen.value CROSS JOIN counts AS c ON c.id = s.id
     ${vector ? "LEFT JOIN vectors AS v ON v.id = s.id" : ""}`,
    [JSON.stringify(ids)],
  );
  rows.forEach((row, i) => {
    const blob = row.terms as Uint8Array;
    siteIds.push(String(row.site_id));
    owners.push(String(row.registrable_domain));
    exactNames.push(String(row.exact_name));
    rings[i] = Number(row.ring);
    fairnessBoosts[i] = Number(row.fairness_boost);
    readCounts(blob, hashes, counts, i * fields * hashes.length);
    lengths.set(lengthsOf(blob), i * fields);
    similarities[i] = similarityOf(row.vector, vector);
  });
  return { siteIds, owners, exactNames, rings, fairnessBoosts, counts, lengths, similarities };
};

/** How many of the exact matches hold no term of the query, and so are not in the count of matches. */
const wordless = (counts: Uint8Array, exact: number, width: number): number => {
  let found = 0;
  for (let i = 0; i < exact; i++)
    if (!counts.subarray(i * width, (i + 1) * width).some((count) => count > 0)) found++;
  return found;
};

/** The sites found by the words of the query, and how many there are. */
const byWords = (
  connection: Connection,
  query: CandidateQuery,
  terms: Term[],
  documents: number,
  limit: number,
) => {
  const known = terms.filter((term) => term.frequency > 0).slice(0, MAX_MATCH_TERMS);
  const ids = sitesNear(connection, query.filter);
  if (ids !== undefined) return matchingAmong(connection, ids, known, documents, limit);
  const match = matchOf(connection, query.filter, query.filter.near ? [] : query.buckets);
  const found = matching(connection, known, known.length === terms.length, documents, match, limit);
  // Fewer than the limit are all there are.
  if (found.size < limit) return { found, counted: found.size };
  const tokens = known.map((term) => term.token);
  return { found, counted: countMatches(connection, tokens, match) };
};

/**
 * Most of the time no site of a status has expired: then nobody need ask each row, which costs half of a search again.
 * A site without an expiry stands first in the index, and so keeps the question.
 */
const withoutIdleExpiry = (connection: Connection, filter: IndexFilter): IndexFilter => {
  const { notExpiredAt, ...rest } = filter;
  if (notExpiredAt === undefined) return filter;
  const soonest = connection.number(
    "SELECT expires_at FROM sites WHERE status = ? ORDER BY expires_at LIMIT 1",
    [statusOf(filter)],
  );
  return soonest > notExpiredAt ? rest : filter;
};

/** Answers a candidate query on one snapshot. */
export const candidates = (connection: Connection, signs: Signs, asked: CandidateQuery): PackedCandidates =>
  connection.snapshot(() => {
    const query = { ...asked, filter: withoutIdleExpiry(connection, asked.filter) };
    const limit = Math.max(0, Math.min(MAX_LIMIT, query.limit));
    const terms = query.terms.map(tokenOf).map((token) => ({
      token,
      frequency: token === "" ? 0 : frequency(connection, token),
    }));
    const documents = connection.number("SELECT value FROM totals WHERE key = 'documents'", []);
    const mean = (field: string) =>
      documents === 0 ? 0 : connection.number("SELECT value FROM totals WHERE key = ?", [field]) / documents;
    const exact = new Set(exactMatches(connection, query, limit).slice(0, limit));
    const { found, counted } = byWords(connection, query, terms, documents, limit);
    const byWord = [...new Set([...exact, ...found])].slice(0, limit);
    const near = query.vector && !query.buckets ? nearest(connection, signs, query.vector, query.filter) : [];
    const ids = [...new Set([...byWord, ...near])];
    const packed = pack(
      connection,
      ids,
      terms.map((term) => hashOf(term.token)),
      query.vector,
    );
    const beyond = wordless(packed.counts, exact.size, INDEX_FIELDS.length * terms.length);
    return {
      ...packed,
      total: Math.min(counted, MAX_COUNTED) + beyond,
      totalIsExact: counted <= MAX_COUNTED && (exact.size < limit || limit === 0),
      documents,
      meanLengths: INDEX_FIELDS.map(mean),
      documentFrequencies: terms.map((term) => term.frequency),
    };
  });
