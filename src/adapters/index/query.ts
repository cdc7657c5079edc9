/** What every engine makes of a question alike: its bounds, its defaults and its fields. */
import { INDEX_FIELDS, type IndexField, type IndexFilter } from "../../ports/index.ts";

/** Most of each thing in one question or answer; what asks for more is given so many. */
export const MOST = {
  candidates: 1_000,
  /** Sites that are candidates for their whole name alone: a name that hundreds take must not keep out what words find. */
  named: 20,
  /** Terms that candidates are chosen by: an engine may ask for each in every field, or sum what they count for. */
  terms: 64,
  /** Sites on a page of listings. */
  page: 10_000,
  /** Listings asked for by their siteIds. */
  listings: 1_000,
  changes: 10_000,
  /** Points of a sample, and sites from each. */
  points: 256,
  perPoint: 10_000,
  /** Values of one facet. */
  facetValues: 200,
  similarTerms: 64,
} as const;

/** Totals are counted to here; a larger one is a lower bound. */
export const COUNTED = { candidates: 1_000, listings: 10_000 } as const;

/** A whole number from 0 to `most`. */
export const clamp = (value: number, most: number): number =>
  Math.max(0, Math.min(most, Math.trunc(value) || 0));

/** The status asked for: "enabled" when none is. */
export const statusOf = (filter: IndexFilter): string => filter.status ?? "enabled";

/** One value a field. */
export function byField<T>(of: (column: number, field: IndexField) => T): Record<IndexField, T> {
  const made = {} as Record<IndexField, T>;
  for (let column = 0; column < INDEX_FIELDS.length; column++) {
    const field = INDEX_FIELDS[column]!;
    made[field] = of(column, field);
  }
  return made;
}

/** Where on the circle of sample keys a listing begins of which too many match to be counted. */
export const startOf = (rotation: number): number => Math.floor(rotation * 2 ** 32);
