/** Sites near to a query in meaning: chosen by the signs of their vectors, then by the vectors themselves. */
import { cosine, LEAST_SIMILARITY } from "../../domain/embeddings/static-vectors.ts";
import { type IndexFilter, MAX_NEAREST } from "../../ports.ts";
import type { Connection } from "./connection.ts";
import { facetConditions, facetsAsked, rowConditions } from "./filter.ts";
import { fewSites } from "./listings.ts";
import type { Signs } from "./signs.ts";

/** Vectors that are read at once, and in all: where a filter lets few of the nearest pass, the next ones are asked. */
const STEP = 4 * MAX_NEAREST;
const MOST_READ = 5 * STEP;

/** Those of `ids` that pass the filter, each with the cosine of its vector and the query's. */
const compared = (connection: Connection, ids: number[], vector: Int8Array, filter: IndexFilter) => {
  const row = rowConditions(filter);
  const facets = facetConditions(facetsAsked(filter));
  return connection
    .all(
      `SELECT s.id, v.vector FROM json_each(?) AS chosen CROSS JOIN sites AS s ON s.id = chosen.value
       CROSS JOIN vectors AS v ON v.id = s.id WHERE ${row.sql}${facets.sql}`,
      [JSON.stringify(ids), ...row.values, ...facets.values],
    )
    .map((found) => ({ id: Number(found.id), similarity: similarityOf(found.vector, vector) }));
};

/** Cosine of a stored vector and the query's; NaN where there is none. */
export const similarityOf = (stored: unknown, vector: Int8Array | undefined): number =>
  stored instanceof Uint8Array && vector !== undefined
    ? cosine(new Int8Array(stored.buffer, stored.byteOffset, stored.length), vector)
    : Number.NaN;

/** Ids of at most MAX_NEAREST sites that pass the filter and are similar to the vector, the nearest first. */
export const nearest = (
  connection: Connection,
  signs: Signs,
  vector: Int8Array,
  filter: IndexFilter,
): number[] => {
  signs.refresh(connection);
  const chosen = signs.nearest(vector, MOST_READ, fewSites(connection, filter));
  const passed: { id: number; similarity: number }[] = [];
  for (let from = 0; from < chosen.length && passed.length < MAX_NEAREST; from += STEP)
    passed.push(...compared(connection, chosen.slice(from, from + STEP), vector, filter));
  return passed
    .filter(({ similarity }) => similarity >= LEAST_SIMILARITY)
    .sort((a, b) => b.similarity - a.similarity || a.id - b.id)
    .slice(0, MAX_NEAREST)
    .map(({ id }) => id);
};
