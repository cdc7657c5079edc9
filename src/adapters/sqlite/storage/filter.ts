/** An IndexFilter as SQL conditions on `sites AS s`; values are always bound, never written into the text. */
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import type { IndexFilter } from "../../../ports/index.ts";
import { statusOf } from "../../index/query.ts";
import type { FacetTerm } from "./facet-terms.ts";
import { boxAround, distanceKm } from "./geo.ts";

export interface Condition {
  sql: string;
  values: SQLInputValue[];
}

/** Makes `distance_km` known to a connection. */
export const defineDistance = (db: DatabaseSync): void => {
  db.function("distance_km", { deterministic: true }, (a, b, c, d) =>
    a === null || b === null ? null : distanceKm(Number(a), Number(b), Number(c), Number(d)),
  );
};

/** Status, ring, times and nearness: conditions on the slim row alone. */
export const rowConditions = (filter: IndexFilter): Condition => {
  const parts = ["s.status = ?"];
  const values: SQLInputValue[] = [statusOf(filter)];
  if (filter.minRing !== undefined) {
    parts.push("s.ring >= ?");
    values.push(filter.minRing);
  }
  if (filter.notExpiredAt !== undefined) {
    parts.push("s.expires_at > ?");
    values.push(filter.notExpiredAt);
  }
  if (filter.verifiedAfter !== undefined) {
    parts.push("s.verified_at > ?");
    values.push(filter.verifiedAfter);
  }
  if (filter.near !== undefined) {
    const { latitude, longitude, radiusKm } = filter.near;
    const box = boxAround(filter.near);
    parts.push("s.latitude BETWEEN ? AND ?");
    values.push(box.south, box.north);
    parts.push(`(${box.longitudes.map(() => "s.longitude BETWEEN ? AND ?").join(" OR ")})`);
    for (const range of box.longitudes) values.push(...range);
    parts.push("distance_km(s.latitude, s.longitude, ?, ?) <= ?");
    values.push(latitude, longitude, radiusKm);
  }
  return { sql: parts.join(" AND "), values };
};

/** Facets by look-up, one a facet. */
export const facetConditions = (facets: FacetTerm[]): Condition => ({
  sql: facets
    .map(
      () =>
        " AND EXISTS (SELECT 1 FROM facets AS x WHERE x.kind = ? AND x.value = ? AND x.site_id = s.site_id)",
    )
    .join(""),
  values: facets.flat(),
});
