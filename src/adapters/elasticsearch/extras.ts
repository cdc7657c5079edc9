/** Facets, similar terms and changes. */
import type { Client, estypes } from "@elastic/elasticsearch";
import type { Listing } from "../../../schemas/site.ts";
import type {
  ChangesQuery,
  Facet,
  FacetCounts,
  FacetQuery,
  IndexChange,
  SimilarTermsQuery,
} from "../../ports/index.ts";
import { clamp, MOST } from "../index/query.ts";
import { MIN_TYPO, mostEdits, similarOf } from "../index/similar-terms.ts";
import { filterClauses, termClause } from "./filter.ts";
import { engineTokenOf, termOfToken } from "./schema.ts";
import { type SearchBody, searchAll } from "./searching.ts";
import type { IndexSnapshot } from "./snapshots.ts";

const FACET_FIELDS: Record<Facet, string> = {
  category: "category",
  intent: "intents",
  place: "places",
  ring: "ring",
};

type Buckets = { key: string | number; doc_count: number }[];

/** Never so common that it could not be mistyped. */
const ANY_FREQUENCY = 1e9;

/** Counts over all sites that match: one shard's counts are exact. At most 200 values a facet. */
export async function fetchFacets(
  client: Client,
  snapshot: IndexSnapshot,
  query: FacetQuery,
): Promise<FacetCounts> {
  const size = clamp(query.limit, MOST.facetValues);
  const tokens = query.terms.map(engineTokenOf).filter((token) => token !== "");
  const filter = filterClauses(query.filter);
  if (query.terms.length > 0) filter.push({ terms: { any: tokens } });
  const order: Record<string, "asc" | "desc">[] = [{ _count: "desc" }, { _key: "asc" }];
  const aggs = Object.fromEntries(
    // The engine refuses a size of 0.
    query.facets.map((facet) => [
      facet,
      { terms: { field: FACET_FIELDS[facet], size: Math.max(1, size), order } },
    ]),
  );
  const search: SearchBody = { size: 0, track_total_hits: true, query: { bool: { filter } }, aggs };
  const { found } = await searchAll(client, snapshot, { found: search });
  const counts: FacetCounts["counts"] = {};
  for (const facet of query.facets)
    counts[facet] = bucketsOf(found!.aggregations?.[facet])
      .slice(0, size)
      .map(({ key, doc_count }) => ({ value: String(key), count: doc_count }));
  return { counts, counted: (found!.hits.total as estypes.SearchTotalHits).value, isExact: true };
}

const bucketsOf = (aggregate: estypes.AggregationsAggregate | undefined): Buckets =>
  (aggregate as { buckets?: Buckets } | undefined)?.buckets ?? [];

export async function fetchSimilarTerms(
  client: Client,
  snapshot: IndexSnapshot,
  { term, limit }: SimilarTermsQuery,
): Promise<string[]> {
  const most = mostEdits(Array.from(term).length);
  const typing = most > 0 ? typingSearch(engineTokenOf(term), most) : undefined;
  const replies = await searchAll(client, snapshot, { typing });
  const options = replies.typing?.suggest?.near?.[0]?.options as { text: string; freq: number }[] | undefined;
  const near = new Map((options ?? []).map(({ text, freq }) => [termOfToken(text), freq]));
  return similarOf(term, near.keys(), (other) => near.get(other)!, limit);
}

const typingSearch = (token: string, most: number): SearchBody => ({
  size: 0,
  track_total_hits: false,
  suggest: {
    near: {
      text: token,
      term: {
        field: "any",
        suggest_mode: "always",
        max_edits: most,
        prefix_length: 0,
        min_word_length: MIN_TYPO - 1,
        max_term_freq: ANY_FREQUENCY,
        size: MOST.similarTerms,
        sort: "score",
      },
    },
  },
});

/** Sites of every status and tombstones, in order of (changedAt, siteId). */
export async function fetchChanges(
  client: Client,
  snapshot: IndexSnapshot,
  { since, after, limit }: ChangesQuery,
): Promise<IndexChange[]> {
  const size = clamp(limit, MOST.changes);
  if (size === 0) return [];
  const search: SearchBody = {
    size,
    track_total_hits: false,
    _source: ["siteId", "live", "changedAt", "listing"],
    query: { range: { changedAt: { gte: since } } },
    sort: [{ changedAt: "asc" }, { siteId: "asc" }],
    ...(after && { search_after: [after.changedAt, after.siteId.toWellFormed()] }),
  };
  const { found } = await searchAll(client, snapshot, { found: search });
  return found!.hits.hits.map(({ _source: source }) => ({
    siteId: source!.siteId,
    changedAt: source!.changedAt,
    listing: source!.live ? (JSON.parse(source!.listing) as Listing) : undefined,
  }));
}

/** Listings of these sites in the order given, without those that are not there. */
export async function fetchListings(
  client: Client,
  snapshot: IndexSnapshot,
  siteIds: string[],
): Promise<Listing[]> {
  const asked = siteIds.slice(0, MOST.listings).map((siteId) => siteId.toWellFormed());
  if (asked.length === 0) return [];
  const search: SearchBody = {
    size: MOST.listings,
    track_total_hits: false,
    _source: ["siteId", "listing"],
    query: { bool: { filter: [termClause("live", "true"), { terms: { siteId: asked } }] } },
  };
  const { found } = await searchAll(client, snapshot, { found: search });
  const texts = new Map(found!.hits.hits.map(({ _source: source }) => [source!.siteId, source!.listing]));
  return asked.flatMap((siteId) => {
    const text = texts.get(siteId);
    return text === undefined ? [] : [JSON.parse(text) as Listing];
  });
}
