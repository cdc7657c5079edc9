/** An IndexFilter as clauses of a bool query's filter. A removed site has no status, so none of them lets it pass. */
import type { estypes } from "@elastic/elasticsearch";
import type { IndexFilter } from "../../ports/index.ts";
import { statusOf } from "../index/query.ts";

type Clause = estypes.QueryDslQueryContainer;

export function filterClauses(filter: IndexFilter): Clause[] {
  const clauses: Clause[] = [termClause("status", statusOf(filter))];
  if (filter.category !== undefined) clauses.push(termClause("category", filter.category));
  if (filter.access !== undefined) clauses.push(termClause("access", filter.access));
  if (filter.intent !== undefined) clauses.push(termClause("intents", filter.intent));
  for (const tag of filter.tags ?? []) clauses.push(termClause("intents", tag));
  if (filter.place !== undefined) clauses.push(termClause("places", filter.place));
  if (filter.minRing !== undefined) clauses.push({ range: { ring: { gte: filter.minRing } } });
  if (filter.minFairnessBoost !== undefined)
    clauses.push({ range: { fairnessBoost: { gte: filter.minFairnessBoost } } });
  if (filter.notExpiredAt !== undefined) clauses.push({ range: { expiresAt: { gt: filter.notExpiredAt } } });
  if (filter.verifiedAfter !== undefined)
    clauses.push({ range: { verifiedAt: { gt: filter.verifiedAfter } } });
  if (filter.near !== undefined) {
    const { latitude: lat, longitude: lon, radiusKm } = filter.near;
    clauses.push({ geo_distance: { distance: `${radiusKm}km`, location: { lat, lon } } });
  }
  return clauses;
}

/** Text as the engine can take it: UTF-8 has no lone surrogates. */
export const termClause = (field: string, value: string): Clause => ({
  term: { [field]: value.toWellFormed() },
});
