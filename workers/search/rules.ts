/** Decisions of search that need no index: filters and cursors. Scoring is in src/domain/search/ranking.ts. */

import { createHash } from "node:crypto";
import type { Access } from "../../schemas/license.ts";
import { keyedNames } from "../../src/domain/keyed.ts";
import { openToken, signedToken } from "../../src/domain/signed-token.ts";
import { fairnessBoost } from "../../src/domain/trust/neutrality.ts";
import type { CirclePosition, Facet, IndexFilter } from "../../src/ports/index.ts";
import { DAY_MS } from "../../src/ports/time.ts";

/** Ranked from this many candidates. */
export const CANDIDATES = 300;
const CURSOR_LIFE_MS = DAY_MS;
const CURSOR_STEP_MS = 900_000;
const SEARCH_CURSOR_LIFE_MS = 3_600_000;

/** What a request narrows a listing by. */
export interface FilterInput {
  category?: string | undefined;
  intent?: string | undefined;
  location?: string | undefined;
  trust_ring?: number | undefined;
  min_neutrality?: number | undefined;
  access?: Access | undefined;
  status?: string | undefined;
}

/** Where on the circle the window begins that a page of rotated sites is of. */
export interface RotationPosition {
  /** What it comes after; absent: nothing. */
  after?: CirclePosition;
}

/**
 * Where a page of a search goes on: the hour of the rotation that its first page was ranked by, and the sites that were shown.
 * The next page is the best of the others, so that none is shown twice and none is passed over, whatever arrives meanwhile.
 */
export interface SearchPosition {
  epoch: number;
  /** By `siteDigests`, those passed over among them. */
  shown: ReadonlySet<number>;
  /** Of discovery: where it is among the rotated sites; absent behind them, among those that are ranked. */
  rotation?: RotationPosition | undefined;
}

const SHOWN_BYTES = 4;

/** The filter that a request asks for; undefined when its location has wrong numbers. */
export function filterOf(asked: FilterInput, now: number): IndexFilter | undefined {
  const place = asked.location === undefined ? {} : locationFilter(asked.location);
  if (place === undefined) return undefined;
  const { notExpiredAt, ...filter } = listedFilter(now, asked.category);
  const status = asked.status ?? "enabled";
  return {
    ...filter,
    ...place,
    status,
    // Only enabled sites have a manifest that could have run out.
    ...(status === "enabled" && notExpiredAt !== undefined && { notExpiredAt }),
    ...(asked.intent !== undefined && { intent: asked.intent.trim().toLowerCase() }),
    ...(asked.trust_ring !== undefined && { minRing: asked.trust_ring }),
    ...(asked.access !== undefined && { access: asked.access }),
    ...(asked.min_neutrality !== undefined && { minFairnessBoost: fairnessBoost(asked.min_neutrality) }),
  };
}

/** A country, region or city; or `lat,lon,km` with km up to 20,000. Undefined when it has the second form with wrong numbers. */
export function locationFilter(text: string): Pick<IndexFilter, "place" | "near"> | undefined {
  const parts = text.split(",").map((part) => part.trim());
  if (parts.length !== 3 || !parts.every((part) => /^-?\d{1,5}(\.\d{1,10})?$/.test(part)))
    return { place: text.trim().toLowerCase() };
  const [latitude, longitude, radiusKm] = parts.map(Number) as [number, number, number];
  const valid = Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 && radiusKm > 0 && radiusKm <= 20_000;
  return valid ? { near: { latitude, longitude, radiusKm } } : undefined;
}

/**
 * Directory and search hold enabled sites only, and none past its manifest's expiry. Whole seconds: what an engine found
 * for one request of a second it need not find again for the next.
 */
export function listedFilter(now: number, category?: string): IndexFilter {
  const wanted = category?.trim().toLowerCase();
  const notExpiredAt = Math.ceil(now / 1_000) * 1_000;
  return { status: "enabled", notExpiredAt, ...(wanted && wanted !== "all" && { category: wanted }) };
}

/** The facets of a request by the index's names for them. */
export const requestedFacets = (text: string): Facet[] => [
  ...new Set(text.split(",").map((name) => (name === "location" ? "place" : (name as Facet)))),
];

/** A position in the order of changes, as a cursor carries it. */
export function changeAfter(text: string): { changedAt: number; siteId: string } {
  const [changedAt, siteId = ""] = text.split(" ");
  return { changedAt: Number(changedAt), siteId };
}
export const changePosition = (change: { changedAt: number; siteId: string }): string =>
  `${change.changedAt} ${change.siteId}`;

/** A position on the circle, as a cursor carries it. */
export function readCirclePosition(text: string): CirclePosition {
  const [start, key, siteId = ""] = text.split(" ");
  return { start: Number(start), key: Number(key), siteId };
}
export const circleKey = ({ start, key, siteId }: CirclePosition): string => `${start} ${key} ${siteId}`;

/**
 * A signed position in a listing: what the next page comes after, the filter it belongs to, and when it runs out. To the
 * next quarter of an hour, so that a page that did not change keeps its entity tag.
 */
export const writeCursor = (secret: string, after: string, category: string, now: number): string =>
  signedToken(
    secret,
    "cursor",
    [after, category],
    Math.ceil((now + CURSOR_LIFE_MS) / CURSOR_STEP_MS) * CURSOR_STEP_MS,
  );

/** @returns what to go on after, or undefined for a cursor that is not ours, ran out, or is of another listing */
export function readCursor(
  secret: string,
  cursor: string,
  category: string,
  now: number,
): string | undefined {
  const opened = openToken(secret, "cursor", cursor, now);
  if (opened === undefined) return undefined;
  const [after, of] = opened.payload as [string, string];
  return of === category ? after : undefined;
}

/** What a cursor of a search is bound to: everything that decides which sites come in which order. */
export const searchScopeOf = (
  asked: FilterInput & { q: string; as_typed: boolean; min_relevance?: number | undefined },
): string => hashOf([asked.q, asked.as_typed, asked.min_relevance, scopeOf(asked)]).slice(0, 22);

const hashOf = (parts: unknown[]): string =>
  createHash("sha256").update(JSON.stringify(parts)).digest("base64url");

/** What a cursor of a listing is bound to. */
export const scopeOf = ({
  category = "all",
  intent,
  location,
  trust_ring,
  min_neutrality,
  access,
  status = "enabled",
}: FilterInput): string => hashOf([category, intent, location, trust_ring, status, min_neutrality, access]);

/** The same of discovery. */
export const discoverScopeOf = (
  asked: FilterInput & { exact: boolean; min_relevance?: number | undefined },
): string => hashOf(["discover", asked.exact, asked.min_relevance, scopeOf(asked)]).slice(0, 22);

/** The same of what can be done. */
export const doableScopeOf = (
  kind: string,
  { cursor: _, limit: __, facets: ___, ...asked }: Readonly<Record<string, unknown>>,
): string => hashOf([kind, Object.entries(asked).sort(([a], [b]) => (a < b ? -1 : 1))]).slice(0, 22);

/**
 * What a cursor knows a site by: 32 bits, keyed so that nobody can choose a name that stands for another's. Of the 360
 * sites or so of a search, two share theirs in one search of 60,000.
 */
export function siteDigests(secret: string): (siteId: string) => number {
  const hashOf = keyedNames(secret, "search mark");
  return (siteId) => Number.parseInt(hashOf(siteId).slice(0, 2 * SHOWN_BYTES), 16);
}

/** A signed position in a search's results. It freezes the rotation, and ends with the index that it was made of. */
export function writeSearchCursor(
  secret: string,
  { epoch, shown, rotation }: SearchPosition,
  scope: string,
  generation: string,
  now: number,
): string {
  const digests = Buffer.alloc(shown.size * SHOWN_BYTES);
  [...shown].forEach((digest, i) => {
    digests.writeUInt32BE(digest, i * SHOWN_BYTES);
  });
  const until = now + SEARCH_CURSOR_LIFE_MS;
  return signedToken(secret, "search cursor", [scope, epoch, generation, rotation], until, digests);
}

/** @returns undefined for a cursor that is not ours, ran out, or is of another search or index */
export function readSearchCursor(
  secret: string,
  cursor: string,
  scope: string,
  generation: string,
  now: number,
): SearchPosition | undefined {
  const opened = openToken(secret, "search cursor", cursor, now);
  if (opened === undefined) return undefined;
  const [of, epoch, from, rotation] = opened.payload as [
    scope: string,
    epoch: number,
    generation: string,
    rotation?: RotationPosition | null,
  ];
  if (of !== scope || from !== generation) return undefined;
  const { bytes } = opened;
  const digests = Array.from({ length: bytes.length / SHOWN_BYTES }, (_, i) =>
    bytes.readUInt32BE(i * SHOWN_BYTES),
  );
  return { epoch, shown: new Set(digests), rotation: rotation ?? undefined };
}
