/** Listings without text: pages, single sites, samples and figures. */
import { type Client, errors, type estypes } from "@elastic/elasticsearch";
import type { Listing } from "../../../schemas/site.ts";
import type { ListingPage, ListQuery, Sampled, SampleQuery } from "../../ports/index.ts";
import { COUNTED, clamp, MOST } from "../index/query.ts";
import { filterClauses } from "./filter.ts";
import { MAX_WINDOW, type Source } from "./schema.ts";
import { type Search, searchAll } from "./searching.ts";
import type { Snapshot } from "./snapshots.ts";

const pageSearch = (query: ListQuery, after: string | undefined, size: number): Search => ({
  size,
  track_total_hits: COUNTED.listings,
  _source: ["siteId", "listing"],
  query: { bool: { filter: filterClauses(query.filter) } },
  sort: [{ siteId: "asc" }],
  ...(after !== undefined && size > 0 && { search_after: [after] }),
});

/**
 * One page in order of siteId; total over all pages, counted to 10,000. An offset too deep for the engine is walked in
 * steps, each costing what a page of that many costs.
 */
export const list = async (client: Client, snapshot: Snapshot, query: ListQuery): Promise<ListingPage> => {
  let skip = clamp(query.offset, Number.MAX_SAFE_INTEGER);
  let after = query.after;
  const limit = clamp(query.limit, MOST.page);
  while (skip > 0 && (after !== undefined || skip + limit > MAX_WINDOW)) {
    const step = { ...pageSearch(query, after, Math.min(skip, MAX_WINDOW)), _source: false };
    const { found } = await searchAll(client, snapshot, { found: { ...step, track_total_hits: false } });
    const hits = found!.hits.hits;
    if (hits.length === 0) break;
    skip -= hits.length;
    after = String(hits.at(-1)!.sort![0]);
  }
  // Past the end there is nothing more to skip: the page asked for is the empty one after the last site.
  const from = after === undefined ? { from: skip } : {};
  const { found } = await searchAll(client, snapshot, {
    found: { ...pageSearch(query, after, limit), ...from },
  });
  const sources = found!.hits.hits.map((hit) => hit._source!);
  const { value, relation } = found!.hits.total as estypes.SearchTotalHits;
  return {
    listings: new TextEncoder().encode(`[${sources.map((source) => source.listing).join(",")}]`),
    count: sources.length,
    lastSiteId: sources.at(-1)?.siteId ?? null,
    total: value,
    totalIsExact: relation === "eq",
  };
};

/** The listing of one site, as last written (seen or not by searches). */
export const get = async (client: Client, index: string, siteId: string): Promise<Listing | undefined> => {
  if (siteId === "") return undefined;
  try {
    const reply = await client.get<Source>({ index, id: siteId, _source_includes: ["live", "listing"] });
    return reply._source?.live ? (JSON.parse(reply._source.listing) as Listing) : undefined;
  } catch (error) {
    const missing = error instanceof errors.ResponseError && error.statusCode === 404;
    if (missing && (error.body as { found?: boolean }).found === false) return undefined;
    throw error;
  }
};

const circleSearch = (query: SampleQuery, range: { gte?: number; lt?: number }, size: number): Search => ({
  size,
  track_total_hits: false,
  _source: ["siteId", "listing", "registrableDomain", "network"],
  query: { bool: { filter: [...filterClauses(query.filter), { range: { sampleKey: range } }] } },
  sort: [{ sampleKey: "asc" }, { siteId: "asc" }],
});

/** From each point the next `perPoint` sites on the circle; a site that two points reach is given once. */
export const sample = async (client: Client, snapshot: Snapshot, query: SampleQuery): Promise<Sampled[]> => {
  const size = clamp(query.perPoint, MOST.perPoint);
  const points = query.points.slice(0, MOST.points).map(Math.ceil);
  const ahead = await searchAll(
    client,
    snapshot,
    Object.fromEntries(points.map((point, i) => [i, circleSearch(query, { gte: point }, size)])),
  );
  const short = (i: number): number => size - ahead[i]!.hits.hits.length;
  const around = await searchAll(
    client,
    snapshot,
    Object.fromEntries(
      points.map((point, i) => [i, short(i) > 0 ? circleSearch(query, { lt: point }, short(i)) : undefined]),
    ),
  );
  const found = new Map<string, Source>();
  points.forEach((_, i) => {
    for (const reply of [ahead[i], around[i]])
      for (const hit of reply?.hits.hits ?? []) found.set(hit._source!.siteId, hit._source!);
  });
  return [...found.values()].map(({ listing, registrableDomain, network }) => ({
    listing: JSON.parse(listing) as Listing,
    registrableDomain,
    network,
  }));
};

/** Sites, those enabled, and bytes on the engine's disks, copies included. */
export const stats = async (client: Client, snapshot: Snapshot, index: string) => {
  const [{ enabled }, { documents }, sizes] = await Promise.all([
    searchAll(client, snapshot, {
      enabled: { size: 0, track_total_hits: true, query: { bool: { filter: filterClauses({}) } } },
    }),
    snapshot.figures(),
    client.indices.stats({ index, metric: "store" }),
  ]);
  return {
    documents,
    enabled: (enabled!.hits.total as estypes.SearchTotalHits).value,
    bytes: sizes._all.total?.store?.size_in_bytes ?? 0,
  };
};
