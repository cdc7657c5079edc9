/** Discovery: peers by intent, place and trust. First those with the very tag, in rotation; then those that its words find. */
import type { z } from "zod";
import type { Listing } from "../../schemas/site.ts";
import { epochOf } from "../../src/domain/trust/rotation.ts";
import type { IndexFilter } from "../../src/ports/index.ts";
import { fail } from "../../src/rpc/errors.ts";
import { bridgeMetaOf, INSTRUCTIONS, peerOf } from "../../src/stores/peers.ts";
import type { search } from "./contract.ts";
import { findSites, listingsOf, rotatedPage } from "./find.ts";
import { badSearchCursor, invalidLocation, type SearchDeps } from "./parts.ts";
import {
  discoverScopeOf,
  filterOf,
  readSearchCursor,
  type SearchPosition,
  siteDigests,
  writeSearchCursor,
} from "./rules.ts";

type Query = z.output<(typeof search)["operations"]["discoverSites"]["query"]>;
type Peer = z.input<(typeof search)["operations"]["discoverSites"]["reply"]>["peers"][number];

interface Page {
  peers: Peer[];
  /** Where the next page begins; undefined: nowhere. */
  next?: SearchPosition | undefined;
}

/** Listings read at once while those are passed over that have the tag. */
const STEP = 50;

export async function discover(deps: SearchDeps, query: Query) {
  const { intent, exact, min_relevance: minRelevance, cursor } = query;
  const { index, secret } = deps;
  if (intent === undefined && exact) return needsIntent("exact");
  if (intent === undefined && minRelevance !== undefined) return needsIntent("min_relevance");
  const now = deps.now();
  const { intent: _, ...narrowing } = query;
  const filter = filterOf(narrowing, now);
  if (filter === undefined) return invalidLocation();
  const scope = discoverScopeOf(query);
  const generation = index.id;
  const position: SearchPosition | undefined =
    cursor === undefined
      ? { epoch: epochOf(now), shown: new Set(), rotation: {} }
      : readSearchCursor(secret, cursor, scope, generation, now);
  if (position === undefined) return badSearchCursor();
  const { peers, next } = await pageOf(deps, query, filter, position);
  return {
    count: peers.length,
    peers,
    next_cursor: next ? writeSearchCursor(secret, next, scope, generation, now) : null,
    instructions: INSTRUCTIONS,
    bridge_meta: bridgeMetaOf(deps.publicUrl, await deps.ownRing()),
  };
}

const needsIntent = (member: "exact" | "min_relevance") =>
  fail("invalid_request", `${member} goes with intent: without one, every site of the filter matches.`, {
    errors: [{ pointer: `/query/${member}`, code: "not_alone", message: "goes with intent" }],
  });

/** One page: what is left of the rotated sites, then of those that the words find. */
async function pageOf(
  deps: SearchDeps,
  query: Query,
  filter: IndexFilter,
  position: SearchPosition,
): Promise<Page> {
  const { intent, limit, exact } = query;
  const tag = intent?.trim().toLowerCase();
  const tagged = tag === undefined ? filter : { ...filter, intent: tag };
  const show = (listing: Listing): Peer => ({
    ...peerOf(listing),
    ...(tag !== undefined && { match: "tag" as const, relevance: 1 }),
  });
  const peers: Peer[] = [];
  if (position.rotation !== undefined) {
    const { listings, next } = await rotatedPage(deps, tagged, position, limit);
    peers.push(...listings.map(show));
    if (next !== undefined) return { peers, next };
  }
  if (intent === undefined || tag === undefined || exact) return { peers };
  const others = await ranked(deps, { ...query, intent }, filter, tag, position, limit - peers.length);
  return { peers: [...peers, ...others.peers], next: others.next };
}

/** What the words of the intent find, as a search does, without those that have the tag. */
async function ranked(
  deps: SearchDeps,
  { intent: words, min_relevance: minRelevance }: Query & { intent: string },
  filter: IndexFilter,
  tag: string,
  { epoch, shown }: SearchPosition,
  limit: number,
): Promise<Page> {
  const { index, secret } = deps;
  const meaning = await deps.meaningOf?.(words);
  const { isWord } = deps;
  const asked = { words, filter, asTyped: false, isWord, meaning, minRelevance, secret, epoch };
  const digestOf = siteDigests(secret);
  const found = (await findSites(index, asked)).ranked
    .map((site) => ({ ...site, digest: digestOf(site.siteId) }))
    .filter(({ digest }) => !shown.has(digest));
  const passed = new Set(shown);
  const peers: Peer[] = [];
  for (let from = 0; from < found.length; from += STEP) {
    const step = found.slice(from, from + STEP);
    const listings = new Map(
      (await listingsOf(index, step, filter.status)).map((listing) => [listing.siteId, listing]),
    );
    for (const { siteId, explain, digest } of step) {
      const listing = listings.get(siteId);
      const isOther = listing !== undefined && !listing.tags.includes(tag);
      if (isOther && peers.length === limit) return { peers, next: { epoch, shown: passed } };
      passed.add(digest);
      if (isOther) peers.push({ ...peerOf(listing), match: explain.match, relevance: explain.relevance });
    }
  }
  return { peers };
}
