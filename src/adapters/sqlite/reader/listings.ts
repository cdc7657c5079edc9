/** Listings without text: pages, single sites, samples and figures. */
import { hash } from "node:crypto";
import type { SQLInputValue } from "node:sqlite";
import type { Listing } from "../../../../schemas/site.ts";
import type {
  Change,
  ChangesQuery,
  IndexFilter,
  IndexStats,
  ListingPage,
  ListQuery,
  Sampled,
  SampleQuery,
} from "../../../ports/index.ts";
import { COUNTED, clamp, MOST, statusOf } from "../../index/query.ts";
import type { Connection, Row } from "../storage/connection.ts";
import { type Condition, facetConditions, facetsAsked, rowConditions } from "../storage/filter.ts";
import type { Searcher } from "./searcher.ts";

/** Up to this many sites are collected and sorted; more are found by walking an index in order. */
const FEW = 2_000;

/** A page whose listings are in memory that threads share: nobody writes it again. */
export interface PackedPage extends ListingPage {
  listings: Uint8Array<SharedArrayBuffer>;
  /** Two pages of one tag are the same. */
  tag: string;
}

/** UTF-8 in memory of its own that other threads can read. */
const sharedBytes = (text: string): Uint8Array<SharedArrayBuffer> => {
  const bytes = Buffer.from(text);
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
  shared.set(bytes);
  return shared;
};

/** The cheapest plan for the sites of a filter: a FROM clause, its conditions, and the column that orders sites. */
interface Plan extends Condition {
  from: string;
  order: "f.site_id" | "s.site_id";
  few: boolean;
}

/** At most `most` of the row ids that a mask lets pass. */
const idsIn = (mask: Uint8Array, most: number): number[] => {
  const ids: number[] = [];
  for (let id = mask.indexOf(1); id !== -1 && ids.length < most; id = mask.indexOf(1, id + 1)) ids.push(id);
  return ids;
};

const planFor = ({ connection, columns }: Searcher, filter: IndexFilter): Plan => {
  const row = rowConditions(filter);
  const facets = facetsAsked(filter);
  if (statusOf(filter) !== "enabled") facets.push(["s", statusOf(filter)]);
  const sizes = facets.map((facet) =>
    connection.number("SELECT count(*) FROM (SELECT 1 FROM facets WHERE kind = ? AND value = ? LIMIT ?)", [
      ...facet,
      FEW + 1,
    ]),
  );
  if (facets.length > 0) {
    const least = sizes.indexOf(Math.min(...sizes));
    const rest = facetConditions(facets.filter((_, i) => i !== least));
    return {
      from: "facets AS f CROSS JOIN sites AS s ON s.id = f.id",
      sql: `f.kind = ? AND f.value = ? AND ${row.sql}${rest.sql}`,
      values: [...facets[least]!, ...row.values, ...rest.values],
      order: "f.site_id",
      few: sizes[least]! <= FEW,
    };
  }
  if (filter.near !== undefined) {
    columns.refresh(connection);
    const ids = idsIn(columns.mask(connection, filter), FEW + 1);
    if (ids.length <= FEW)
      return {
        from: "json_each(?) AS chosen CROSS JOIN sites AS s ON s.id = chosen.value",
        sql: "TRUE",
        values: [JSON.stringify(ids)],
        order: "s.site_id",
        few: true,
      };
  }
  return { from: "sites AS s", ...row, order: "s.site_id", few: false };
};

/** Ids of sites that pass a filter, at most `limit`. */
export const idsOf = (searcher: Searcher, filter: IndexFilter, limit: number): number[] => {
  const plan = planFor(searcher, filter);
  return searcher.connection
    .all(`SELECT s.id FROM ${plan.from} WHERE ${plan.sql} LIMIT ?`, [...plan.values, limit])
    .map((row) => Number(row.id));
};

/** A JSON array of the listings, in the order of `ids`. */
const texts = (connection: Connection, ids: number[]): string => {
  const rows = connection.all(
    "SELECT l.listing FROM json_each(?) AS chosen CROSS JOIN listings AS l ON l.id = chosen.value",
    [JSON.stringify(ids)],
  );
  return `[${rows.map((row) => row.listing).join(",")}]`;
};

/**
 * One page of listings in order of siteId; total over all pages, counted to 10,000.
 * @param known the tag of the page that the asking side has; undefined answers that it is still that one
 */
export const list = (
  searcher: Searcher,
  { query, known }: { query: ListQuery; known: string | undefined },
): PackedPage | undefined => {
  const { connection } = searcher;
  const page = connection.snapshot(() =>
    connection.page(JSON.stringify(query), () => makePage(searcher, query)),
  );
  return page.tag === known ? undefined : page;
};

const makePage = (searcher: Searcher, query: ListQuery): PackedPage => {
  const { connection } = searcher;
  const plan = planFor(searcher, query.filter);
  const values: SQLInputValue[] = [...plan.values];
  if (query.after !== undefined) values.push(query.after);
  const rows = connection.all(
    `SELECT s.id, s.site_id FROM ${plan.from} WHERE ${plan.sql} ${query.after === undefined ? "" : `AND ${plan.order} > ?`}
       ORDER BY ${plan.order} LIMIT ? OFFSET ?`,
    [...values, clamp(query.limit, MOST.page), clamp(query.offset, Number.MAX_SAFE_INTEGER)],
  );
  const counted = connection.number(
    `SELECT count(*) FROM (SELECT 1 FROM ${plan.from} WHERE ${plan.sql} LIMIT ?)`,
    [...plan.values, COUNTED.listings + 1],
  );
  const ids = rows.map((row) => Number(row.id));
  const page = {
    lastSiteId: rows.length === 0 ? null : String(rows.at(-1)!.site_id),
    count: rows.length,
    listings: sharedBytes(texts(connection, ids)),
    total: Math.min(counted, COUNTED.listings),
    totalIsExact: counted <= COUNTED.listings,
  };
  return { ...page, tag: `${counted} ${hash("sha1", page.listings, "base64url")}` };
};

export const get = ({ connection }: Searcher, siteId: string): string | undefined => {
  const row = connection.get(
    "SELECT l.listing FROM sites AS s JOIN listings AS l ON l.id = s.id WHERE s.site_id = ?",
    [siteId],
  );
  return row === undefined ? undefined : String(row.listing);
};

/** A JSON array of the listings of these sites, in their order; those that are not there are left out. */
export const listings = ({ connection }: Searcher, siteIds: string[]): string =>
  connection.snapshot(() => {
    const rows = connection.all(
      `SELECT l.listing FROM json_each(?) AS chosen CROSS JOIN sites AS s ON s.site_id = chosen.value
       CROSS JOIN listings AS l ON l.id = s.id`,
      [JSON.stringify(siteIds.slice(0, MOST.listings))],
    );
    return `[${rows.map((row) => row.listing).join(",")}]`;
  });

interface PackedChanges {
  siteIds: string[];
  changedAt: number[];
  /** A JSON array of listings, null for tombstones. */
  listings: string;
}

/** The last change of each site, tombstones among them, in order of (changed_at, site_id). */
export const changes = ({ connection }: Searcher, query: ChangesQuery): PackedChanges =>
  connection.snapshot(() => {
    const limit = clamp(query.limit, MOST.changes);
    const after = query.after ?? { changedAt: query.since, siteId: "" };
    const from = Math.max(query.since, after.changedAt);
    // Each half walks its own index to the limit; only the rows given are looked up.
    const range = "changed_at >= ? AND (changed_at, site_id) > (?, ?) ORDER BY changed_at, site_id LIMIT ?";
    const values = [from, after.changedAt, after.siteId, limit];
    const rows = connection.all(
      `SELECT site_id, changed_at, listing FROM (
         SELECT * FROM (SELECT id, site_id, changed_at FROM sites WHERE ${range})
         UNION ALL SELECT * FROM (SELECT NULL, site_id, changed_at FROM tombstones WHERE ${range})
         ORDER BY changed_at, site_id LIMIT ?
       ) AS changed LEFT JOIN listings AS l ON l.id = changed.id ORDER BY changed_at, site_id`,
      [...values, ...values, limit],
    );
    return {
      siteIds: rows.map((row) => String(row.site_id)),
      changedAt: rows.map((row) => Number(row.changed_at)),
      listings: `[${rows.map((row) => row.listing ?? "null").join(",")}]`,
    };
  });

export const unpackChanges = ({ siteIds, changedAt, listings }: PackedChanges): Change[] => {
  const found = JSON.parse(listings) as (Listing | null)[];
  return siteIds.map((siteId, i) => ({
    siteId,
    changedAt: changedAt[i]!,
    listing: found[i] ?? undefined,
  }));
};

interface PackedSample {
  listings: string;
  registrableDomains: string[];
  networks: (string | null)[];
}

const SAMPLED = "s.id, s.sample_key, s.registrable_domain, s.network";

/** The next `count` sites on the circle of sample keys from `point`, around its end. */
type Walk = (point: number, count: number) => Row[];

const walkCollected = (connection: Connection, plan: Plan): Walk => {
  const rows = connection.all(
    `SELECT ${SAMPLED} FROM ${plan.from} WHERE ${plan.sql} ORDER BY s.sample_key, s.id`,
    plan.values,
  );
  return (point, count) => {
    const at = rows.findIndex((row) => Number(row.sample_key) >= point);
    return at === -1 ? rows.slice(0, count) : [...rows.slice(at), ...rows.slice(0, at)].slice(0, count);
  };
};

const walkIndex = (connection: Connection, filter: IndexFilter): Walk => {
  const row = rowConditions(filter);
  const facets = facetConditions(facetsAsked(filter));
  const part = (range: string, point: number, count: number): Row[] =>
    connection.all(
      `SELECT ${SAMPLED} FROM sites AS s INDEXED BY sites_by_sample
       WHERE ${row.sql}${facets.sql} AND s.sample_key ${range} ? ORDER BY s.sample_key, s.id LIMIT ?`,
      [...row.values, ...facets.values, point, count],
    );
  return (point, count) => {
    const ahead = part(">=", point, count);
    return ahead.length === count ? ahead : [...ahead, ...part("<", point, count - ahead.length)];
  };
};

/** From each point the next `perPoint` sites on the circle; a site that two points reach is given once. */
export const sample = (searcher: Searcher, query: SampleQuery): PackedSample => {
  const { connection } = searcher;
  return connection.snapshot(() => {
    const plan = planFor(searcher, query.filter);
    const walk = plan.few ? walkCollected(connection, plan) : walkIndex(connection, query.filter);
    const found = new Map<number, Row>();
    for (const point of query.points.slice(0, MOST.points))
      for (const row of walk(point, clamp(query.perPoint, MOST.perPoint))) found.set(Number(row.id), row);
    const rows = [...found.values()];
    return {
      listings: texts(connection, [...found.keys()]),
      registrableDomains: rows.map((row) => String(row.registrable_domain)),
      networks: rows.map((row) => (row.network === null ? null : String(row.network))),
    };
  });
};

export const unpackSample = ({ listings, registrableDomains, networks }: PackedSample): Sampled[] =>
  (JSON.parse(listings) as Listing[]).map((listing, i) => ({
    listing,
    registrableDomain: registrableDomains[i]!,
    network: networks[i]!,
  }));

export const stats = ({ connection }: Searcher): IndexStats =>
  connection.snapshot(() => ({
    documents: connection.number("SELECT value FROM totals WHERE key = 'documents'", []),
    enabled: connection.number("SELECT count(*) FROM sites WHERE status = 'enabled'", []),
    bytes: connection.number(
      "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()",
      [],
    ),
  }));
