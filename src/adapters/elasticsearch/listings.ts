/** Listings without text: pages, single sites, samples and figures. */
import { type Client, errors, type estypes } from "@elastic/elasticsearch";
import type { Listing } from "../../../schemas/site.ts";
import type {
  CirclePosition,
  EncodedVector,
  IndexFilter,
  ListingPage,
  ListQuery,
  SampledSite,
  SampleQuery,
} from "../../ports/index.ts";
import { COUNTED, clamp, MOST, startOf } from "../index/query.ts";
import { DIRECTION } from "./columns.ts";
import { filterClauses } from "./filter.ts";
import { type DocumentSource, MAX_WINDOW } from "./schema.ts";
import { type SearchBody, searchAll } from "./searching.ts";
import type { IndexSnapshot } from "./snapshots.ts";

/** Part of the circle of sample keys, walked by rising keys; of those behind `after` alone. */
interface Arc {
  keys: { gte?: number; lt?: number };
  after?: [key: number, siteId: string];
}

type Hit = estypes.SearchHit<DocumentSource>;

/** One page round the circle of sample keys; total over all pages, counted to 10,000. */
export async function fetchListingPage(
  client: Client,
  snapshot: IndexSnapshot,
  query: ListQuery,
): Promise<ListingPage> {
  const { start, ...counted } = await beginningOf(client, snapshot, query);
  const skip = clamp(query.offset, Number.MAX_SAFE_INTEGER);
  const arcs = arcsOf(start, query.after);
  const hits = await walk(client, snapshot, query.filter, arcs, skip, clamp(query.limit, MOST.page));
  const last = hits.at(-1);
  return {
    listings: new TextEncoder().encode(`[${hits.map((hit) => hit._source!.listing).join(",")}]`),
    count: hits.length,
    last: last === undefined ? null : { start, key: Number(last.sort![0]), siteId: last._source!.siteId },
    ...counted,
  };
}

/** How many sites match, counted to 10,000, and the key of the one that a listing begins with. */
async function beginningOf(
  client: Client,
  snapshot: IndexSnapshot,
  { filter, rotation = 0, after }: ListQuery,
) {
  const counting: SearchBody = {
    size: 0,
    track_total_hits: COUNTED.listings,
    query: { bool: { filter: filterClauses(filter) } },
  };
  const { counted } = await searchAll(client, snapshot, { counted: counting });
  const { value: total, relation } = counted!.hits.total as estypes.SearchTotalHits;
  const totalIsExact = relation === "eq";
  if (after !== undefined) return { total, totalIsExact, start: after.start };
  if (!totalIsExact) return { total, totalIsExact, start: startOf(rotation) };
  const ranked = {
    ...arcSearch(filter, { keys: { gte: 0 } }, 1),
    from: Math.floor(rotation * total),
    _source: false,
  };
  const { first } = await searchAll(client, snapshot, { first: ranked });
  return { total, totalIsExact, start: Number(first!.hits.hits[0]?.sort?.[0] ?? 0) };
}

const arcSearch = (filter: IndexFilter, { keys, after }: Arc, size: number): SearchBody => ({
  size,
  track_total_hits: false,
  query: { bool: { filter: [...filterClauses(filter), { range: { sampleKey: keys } }] } },
  sort: [{ sampleKey: "asc" }, { siteId: "asc" }],
  ...(after !== undefined && size > 0 && { search_after: after }),
});

/** From the start round to it again, or what is left of that. */
function arcsOf(start: number, after: CirclePosition | undefined): Arc[] {
  const [ahead, around]: [Arc, Arc] = [{ keys: { gte: start } }, { keys: { lt: start } }];
  if (after === undefined) return [ahead, around];
  const behind = { after: [after.key, after.siteId.toWellFormed()] satisfies Arc["after"] };
  return after.key < start ? [{ ...around, ...behind }] : [{ ...ahead, ...behind }, around];
}

/**
 * The next hits of the arcs behind those that are passed over: the engine goes only so deep by offset, so they are
 * walked, each step at the cost of a page of so many.
 */
async function walk(
  client: Client,
  snapshot: IndexSnapshot,
  filter: IndexFilter,
  arcs: Arc[],
  skip: number,
  limit: number,
): Promise<Hit[]> {
  const hits: Hit[] = [];
  let toSkip = skip;
  for (let [arc, ...rest] = arcs; arc !== undefined && hits.length < limit; ) {
    const size = Math.min(toSkip > 0 ? toSkip : limit - hits.length, MAX_WINDOW);
    const shown = toSkip > 0 ? false : ["siteId", "listing"];
    const { found } = await searchAll(client, snapshot, {
      found: { ...arcSearch(filter, arc, size), _source: shown },
    });
    const stepped = found!.hits.hits;
    if (toSkip > 0) toSkip -= stepped.length;
    else hits.push(...stepped);
    if (stepped.length < size) [arc, ...rest] = rest;
    else arc = { ...arc, after: stepped.at(-1)!.sort!.slice(0, 2) as [number, string] };
  }
  return hits;
}

/** The listing of one site, as last written (seen or not by searches). */
export async function fetchListing(
  client: Client,
  index: string,
  siteId: string,
): Promise<Listing | undefined> {
  if (siteId === "") return undefined;
  try {
    const reply = await client.get<DocumentSource>({
      index,
      id: siteId,
      _source_includes: ["live", "listing"],
    });
    return reply._source?.live ? (JSON.parse(reply._source.listing) as Listing) : undefined;
  } catch (error) {
    const missing = error instanceof errors.ResponseError && error.statusCode === 404;
    if (missing && (error.body as { found?: boolean }).found === false) return undefined;
    throw error;
  }
}

/** Those of the sites whose vectors an encoder made, as last written (seen or not by searches). */
export async function fetchEncodedVectors(
  client: Client,
  index: string,
  siteIds: string[],
): Promise<EncodedVector[]> {
  if (siteIds.length === 0) return [];
  const { docs } = await client.mget<DocumentSource>({
    index,
    ids: siteIds.slice(0, MOST.listings),
    _source_includes: ["siteId", "live", "encoded", DIRECTION],
  });
  return docs.flatMap((found) => {
    const source = "_source" in found ? found._source : undefined;
    if (!source?.live || source.encoded === undefined || source[DIRECTION] === undefined) return [];
    const vector = Int8Array.from(Buffer.from(source[DIRECTION], "base64"));
    return [{ siteId: source.siteId, encoded: source.encoded, vector }];
  });
}

/** From each point the next `perPoint` sites on the circle; a site that two points reach is given once. */
export async function fetchSample(
  client: Client,
  snapshot: IndexSnapshot,
  query: SampleQuery,
): Promise<SampledSite[]> {
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
  const found = new Map<string, DocumentSource>();
  points.forEach((_, i) => {
    for (const reply of [ahead[i], around[i]])
      for (const hit of reply?.hits.hits ?? []) found.set(hit._source!.siteId, hit._source!);
  });
  return [...found.values()].map(({ listing, registrableDomain, network }) => ({
    listing: JSON.parse(listing) as Listing,
    registrableDomain,
    network,
  }));
}

const circleSearch = (
  query: SampleQuery,
  range: { gte?: number; lt?: number },
  size: number,
): SearchBody => ({
  size,
  track_total_hits: false,
  _source: ["siteId", "listing", "registrableDomain", "network"],
  query: { bool: { filter: [...filterClauses(query.filter), { range: { sampleKey: range } }] } },
  sort: [{ sampleKey: "asc" }, { siteId: "asc" }],
});

/** Sites, those enabled, bytes on the engine's disks (copies included), and whether it was ever filled. */
export async function fetchStats(client: Client, snapshot: IndexSnapshot, index: string) {
  const [{ enabled }, { documents }, sizes, mappings] = await Promise.all([
    searchAll(client, snapshot, {
      enabled: { size: 0, track_total_hits: true, query: { bool: { filter: filterClauses({}) } } },
    }),
    snapshot.figures(),
    client.indices.stats({ index, metric: "store" }),
    client.indices.getMapping({ index }),
  ]);
  return {
    documents,
    enabled: (enabled!.hits.total as estypes.SearchTotalHits).value,
    bytes: sizes._all.total?.store?.size_in_bytes ?? 0,
    isFilled: mappings[index]?.mappings._meta?.filled !== false,
  };
}
