/** How many of the sites that match have each value of a facet. */
import type { Facet, FacetCounts, FacetQuery } from "../../../ports/index.ts";
import { clamp, MOST } from "../../index/query.ts";
import type { SqliteConnection } from "../storage/connection.ts";
import { FACET_KINDS } from "../storage/filter.ts";
import { anyMatch } from "./candidates.ts";
import { idsOf } from "./listings.ts";
import type { Searcher } from "./searcher.ts";

/** Sites counted at most, at 2 to 4 µs each; more than these are counted in part. */
const MAX_COUNTED = 5_000;

type Values = { value: string; count: number }[];

/** Counts over at most 5,000 of the sites that match, on one snapshot; at most 200 values a facet. */
export function facets(searcher: Searcher, query: FacetQuery): FacetCounts {
  const { connection } = searcher;
  return connection.snapshot(() => {
    const found =
      query.terms.length === 0
        ? idsOf(searcher, query.filter, MAX_COUNTED + 1)
        : anyMatch(searcher, query.terms, query.filter, MAX_COUNTED + 1);
    const isExact = found.length <= MAX_COUNTED;
    const ids = isExact ? found : found.slice(0, MAX_COUNTED);
    const limit = clamp(query.limit, MOST.facetValues);
    const chosen = JSON.stringify(ids);
    const counts: FacetCounts["counts"] = {};
    for (const facet of query.facets) counts[facet] = valuesOf(connection, facet, chosen, limit);
    return { counts, counted: ids.length, isExact };
  });
}

function valuesOf(connection: SqliteConnection, facet: Facet, ids: string, limit: number): Values {
  const rows =
    facet === "ring"
      ? connection.all(
          `SELECT CAST(s.ring AS TEXT) AS value, count(*) AS count FROM json_each(?) AS chosen
           CROSS JOIN sites AS s ON s.id = chosen.value GROUP BY s.ring ORDER BY count DESC, value LIMIT ?`,
          [ids, limit],
        )
      : connection.all(
          `SELECT f.value AS value, count(*) AS count FROM json_each(?) AS chosen
           CROSS JOIN site_facets AS f ON f.id = chosen.value AND f.kind = ?
           GROUP BY f.value ORDER BY count DESC, f.value LIMIT ?`,
          [ids, FACET_KINDS[facet], limit],
        );
  return rows.map((row) => ({ value: String(row.value), count: Number(row.count) }));
}
