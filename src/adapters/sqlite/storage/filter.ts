/**
 * What an IndexFilter means here: by equality, facets, which stand in posting lists beside terms and weigh nothing; beside
 * them conditions on `sites AS s`, whose values are always bound, never written into the text; and distances.
 */
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import type { Facet, IndexDocument, IndexFilter } from "../../../ports/index.ts";
import { statusOf } from "../../index/query.ts";
import { tokenOf } from "../../index/tokens.ts";

/** Kinds of facet: access, category, intent, place, and a status other than "enabled". */
export type FacetKind = "a" | "c" | "i" | "p" | "s";
export type FacetTerm = [kind: FacetKind, value: string];

/** The kinds of what sites are counted by; rings are a column. */
export const FACET_KINDS: Readonly<Record<Exclude<Facet, "ring">, FacetKind>> = {
  category: "c",
  intent: "i",
  place: "p",
};

const EARTH_RADIUS_KM = 6371.0088;
const KM_PER_DEGREE = (Math.PI * EARTH_RADIUS_KM) / 180;

interface Box {
  south: number;
  north: number;
  /** One range, or two where the circle crosses the 180th meridian. */
  longitudes: [west: number, east: number][];
}

interface Condition {
  sql: string;
  values: SQLInputValue[];
}

/** The token of a facet. Two underscores begin no term's token, so facets and terms never meet. */
export const facetToken = ([kind, value]: FacetTerm): string => `__${kind}${tokenOf(value)}`;

/** The facets of a site. Statuses are facets when they are the exception. */
export function facetTerms(document: IndexDocument): FacetTerm[] {
  const facets: FacetTerm[] = [["c", document.category]];
  for (const tag of document.intentTags) facets.push(["i", tag]);
  for (const place of [document.country, document.region, document.city])
    if (place !== null) facets.push(["p", place]);
  facets.push(["a", document.listing.access]);
  if (document.status !== "enabled") facets.push(["s", document.status]);
  return facets;
}

/** What the filter asks for by equality, beside the status. */
export function facetsAsked(filter: IndexFilter): FacetTerm[] {
  const facets: FacetTerm[] = [];
  if (filter.place !== undefined) facets.push(["p", filter.place]);
  if (filter.intent !== undefined) facets.push(["i", filter.intent]);
  for (const tag of filter.tags ?? []) facets.push(["i", tag]);
  if (filter.category !== undefined) facets.push(["c", filter.category]);
  if (filter.access !== undefined) facets.push(["a", filter.access]);
  return facets;
}

/** Makes `distance_km` known to a connection. */
export function defineDistance(db: DatabaseSync): void {
  db.function("distance_km", { deterministic: true }, (a, b, c, d) =>
    a === null || b === null ? null : distanceKm(Number(a), Number(b), Number(c), Number(d)),
  );
}

/** Great-circle distance in kilometres (haversine, mean Earth radius). */
export function distanceKm(lat1: number, lon1: number, lat2: number, lon2: number): number {
  const half =
    Math.sin(radians(lat2 - lat1) / 2) ** 2 +
    Math.cos(radians(lat1)) * Math.cos(radians(lat2)) * Math.sin(radians(lon2 - lon1) / 2) ** 2;
  return 2 * EARTH_RADIUS_KM * Math.asin(Math.sqrt(Math.min(1, half)));
}

const radians = (degrees: number): number => (degrees * Math.PI) / 180;

/** Status, ring, times and nearness: conditions on the slim row alone. */
export function rowConditions(filter: IndexFilter): Condition {
  const parts = ["s.status = ?"];
  const values: SQLInputValue[] = [statusOf(filter)];
  if (filter.minRing !== undefined) {
    parts.push("s.ring >= ?");
    values.push(filter.minRing);
  }
  if (filter.minFairnessBoost !== undefined) {
    parts.push("s.fairness_boost >= ?");
    values.push(filter.minFairnessBoost);
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
}

/** The box around a circle, a little too large rather than too small; all longitudes when it reaches a pole. */
export function boxAround(near: NonNullable<IndexFilter["near"]>): Box {
  const slack = 1e-4;
  const height = near.radiusKm / KM_PER_DEGREE + slack;
  const south = Math.max(-90, near.latitude - height);
  const north = Math.min(90, near.latitude + height);
  const everywhere: Box = { south, north, longitudes: [[-180, 180]] };
  if (south === -90 || north === 90) return everywhere;
  // Widest where the meridians through the circle's tangents lie: asin(sin r / cos latitude).
  const reach =
    Math.sin(Math.min(Math.PI / 2, near.radiusKm / EARTH_RADIUS_KM)) / Math.cos(radians(near.latitude));
  if (!(reach < 1)) return everywhere;
  const width = Math.asin(reach) / (Math.PI / 180) + slack;
  const west = near.longitude - width;
  const east = near.longitude + width;
  if (west < -180)
    return {
      south,
      north,
      longitudes: [
        [-180, east],
        [west + 360, 180],
      ],
    };
  if (east > 180)
    return {
      south,
      north,
      longitudes: [
        [west, 180],
        [-180, east - 360],
      ],
    };
  return { south, north, longitudes: [[west, east]] };
}

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
