/** Listings without text: pages, single sites, samples and figures. */
import { hash } from "node:crypto";
import { VECTOR_SIZE } from "../../../../schemas/common.ts";
import type { Listing } from "../../../../schemas/site.ts";
import type {
  ChangesQuery,
  EncodedVector,
  IndexChange,
  IndexFilter,
  IndexStats,
  ListingPage,
  ListQuery,
  SampledSite,
  SampleQuery,
} from "../../../ports/index.ts";
import { COUNTED, clamp, MOST, startOf } from "../../index/query.ts";
import type { SqliteConnection } from "../storage/connection.ts";
import type { Searcher } from "./searcher.ts";

/** A page whose listings are in memory that threads share: nobody writes it again. */
export interface PackedPage extends ListingPage {
  listings: Uint8Array<SharedArrayBuffer>;
  /** Two pages of one tag are the same. */
  tag: string;
}

/** Vectors of these sites that an encoder made: their names in lines, and the vectors one after the other. */
interface PackedVectors {
  sites: string[];
  marks: string[];
  vectors: Uint8Array<ArrayBuffer>;
}

interface PackedChanges {
  siteIds: string[];
  changedAt: number[];
  /** A JSON array of listings, null for tombstones. */
  listings: string;
}

interface PackedSample {
  listings: string;
  registrableDomains: string[];
  networks: (string | null)[];
}

/** Ids of sites that pass a filter, at most `limit`. */
export function idsOf({ connection, columns }: Searcher, filter: IndexFilter, limit: number): number[] {
  columns.refresh(connection);
  const mask = columns.mask(connection, filter);
  const ids: number[] = [];
  for (let id = mask.indexOf(1); id !== -1 && ids.length < limit; id = mask.indexOf(1, id + 1)) ids.push(id);
  return ids;
}

/**
 * One page of listings round the circle of sample keys; total over all pages, counted to 10,000.
 * @param known the tag of the page that the asking side has; undefined answers that it is still that one
 */
export function list(
  searcher: Searcher,
  { query, known }: { query: ListQuery; known: string | undefined },
): PackedPage | undefined {
  const { connection } = searcher;
  const page = connection.snapshot(() =>
    connection.page(JSON.stringify(query), () => makePage(searcher, query)),
  );
  return page.tag === known ? undefined : page;
}

function makePage(searcher: Searcher, query: ListQuery): PackedPage {
  const { connection, columns } = searcher;
  columns.refresh(connection);
  const { filter, rotation = 0, after } = query;
  const circle = columns.circle(connection, filter);
  const { matching } = circle;
  const totalIsExact = matching <= COUNTED.listings;
  const start =
    after?.start ?? (totalIsExact ? circle.keyAt(Math.floor(rotation * matching)) : startOf(rotation));
  const behind = after && { key: after.key, id: idOf(connection, after.siteId) };
  const skip = clamp(query.offset, Number.MAX_SAFE_INTEGER);
  const ids = circle.walk(start, skip, clamp(query.limit, MOST.page), behind);
  const lastId = ids.at(-1);
  const page = {
    last:
      lastId === undefined ? null : { start, key: circle.key(lastId), siteId: siteIdOf(connection, lastId) },
    count: ids.length,
    listings: sharedBytes(texts(connection, ids)),
    total: Math.min(matching, COUNTED.listings),
    totalIsExact,
  };
  return { ...page, tag: `${matching} ${start} ${hash("sha1", page.listings, "base64url")}` };
}

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

function idOf(connection: SqliteConnection, siteId: string): number | undefined {
  const row = connection.get("SELECT id FROM sites WHERE site_id = ?", [siteId]);
  return row === undefined ? undefined : Number(row.id);
}

export function get({ connection }: Searcher, siteId: string): string | undefined {
  const row = connection.get(
    "SELECT l.listing FROM sites AS s JOIN listings AS l ON l.id = s.id WHERE s.site_id = ?",
    [siteId],
  );
  return row === undefined ? undefined : String(row.listing);
}

const siteIdOf = (connection: SqliteConnection, id: number): string =>
  String(connection.get("SELECT site_id FROM sites WHERE id = ?", [id])!.site_id);

/** UTF-8 in memory of its own that other threads can read. */
function sharedBytes(text: string): Uint8Array<SharedArrayBuffer> {
  const bytes = Buffer.from(text);
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
  shared.set(bytes);
  return shared;
}

/** A JSON array of the listings, in the order of `ids`. */
function texts(connection: SqliteConnection, ids: number[]): string {
  const rows = connection.all(
    "SELECT l.listing FROM json_each(?) AS chosen CROSS JOIN listings AS l ON l.id = chosen.value",
    [JSON.stringify(ids)],
  );
  return `[${rows.map((row) => row.listing).join(",")}]`;
}

export function encodedVectors({ connection }: Searcher, siteIds: string[]): PackedVectors {
  const rows = connection.all(
    `SELECT s.site_id, c.encoded, c.vector FROM json_each(?) AS chosen CROSS JOIN sites AS s ON s.site_id = chosen.value
     CROSS JOIN cards AS c ON c.id = s.id WHERE c.encoded IS NOT NULL AND c.vector IS NOT NULL`,
    [JSON.stringify(siteIds.slice(0, MOST.listings))],
  );
  return {
    sites: rows.map((row) => String(row.site_id)),
    marks: rows.map((row) => String(row.encoded)),
    vectors: new Uint8Array(Buffer.concat(rows.map((row) => row.vector as Uint8Array))),
  };
}

export const unpackVectors = ({ sites, marks, vectors }: PackedVectors): EncodedVector[] =>
  sites.map((siteId, i) => ({
    siteId,
    encoded: marks[i]!,
    vector: new Int8Array(vectors.buffer, vectors.byteOffset + i * VECTOR_SIZE, VECTOR_SIZE).slice(),
  }));

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

export function unpackChanges({ siteIds, changedAt, listings }: PackedChanges): IndexChange[] {
  const found = JSON.parse(listings) as (Listing | null)[];
  return siteIds.map((siteId, i) => ({
    siteId,
    changedAt: changedAt[i]!,
    listing: found[i] ?? undefined,
  }));
}

/** From each point the next `perPoint` sites on the circle; a site that two points reach is given once. */
export function sample(searcher: Searcher, query: SampleQuery): PackedSample {
  const { connection, columns } = searcher;
  return connection.snapshot(() => {
    columns.refresh(connection);
    const circle = columns.circle(connection, query.filter);
    const ids = new Set<number>();
    const perPoint = clamp(query.perPoint, MOST.perPoint);
    for (const point of query.points.slice(0, MOST.points))
      for (const id of circle.walk(point, 0, perPoint)) ids.add(id);
    const rows = connection.all(
      `SELECT s.registrable_domain, s.network FROM json_each(?) AS chosen CROSS JOIN sites AS s ON s.id = chosen.value`,
      [JSON.stringify([...ids])],
    );
    return {
      listings: texts(connection, [...ids]),
      registrableDomains: rows.map((row) => String(row.registrable_domain)),
      networks: rows.map((row) => (row.network === null ? null : String(row.network))),
    };
  });
}

export const unpackSample = ({ listings, registrableDomains, networks }: PackedSample): SampledSite[] =>
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
    isFilled: connection.number("SELECT count(*) FROM meta WHERE key = 'filled' AND value = 'no'", []) === 0,
  }));
