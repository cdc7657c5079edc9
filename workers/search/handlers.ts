import type { z } from "zod";
import { VERSIONS } from "../../schemas/common.ts";
import type { Listing } from "../../schemas/site.ts";
import { parseHost } from "../../src/domain/names/domain-name.ts";
import { highlight } from "../../src/domain/search/highlight.ts";
import { queryWords } from "../../src/domain/search/text-analysis.ts";
import { EPOCH_MS, epochOf, rotationPoint } from "../../src/domain/trust/rotation.ts";
import { type IndexChange, type IndexFilter, type SiteIndex, stoppable } from "../../src/ports/index.ts";
import { type Handlers, type RequestContext, StoredReply } from "../../src/rpc/contract.ts";
import { Failure, fail } from "../../src/rpc/errors.ts";
import type { search } from "./contract.ts";
import { discover } from "./discover.ts";
import { explanationOf } from "./explain.ts";
import { type FoundSites, findSites, listingsOf } from "./find.ts";
import { badSearchCursor, invalidLocation, pageOf, type SearchDeps } from "./parts.ts";
import {
  changeAfter,
  changePosition,
  circleKey,
  filterOf,
  readCirclePosition,
  readCursor,
  readSearchCursor,
  requestedFacets,
  scopeOf,
  searchScopeOf,
  writeCursor,
  writeSearchCursor,
} from "./rules.ts";

const SNIPPET = 240;
const FACET_VALUES = 50;

type SearchQuery = z.output<(typeof search)["operations"]["searchSites"]["query"]>;

type RegistryQuery = z.output<(typeof search)["operations"]["listDirectory"]["query"]>;
type RegistryReply = z.input<(typeof search)["operations"]["listDirectory"]["reply"]>;

export const searchHandlers = (
  shared: SearchDeps,
): Pick<Handlers<typeof search>, "searchSites" | "searchDirectory" | "listDirectory" | "discoverSites"> => ({
  searchSites: async ({ query }, context) => {
    const found = await answer(depsFor(shared, context), query);
    if (found instanceof Failure) return found;
    const results = found.results.map((result) => {
      const { siteId, name, domain, neutrality_score, fairness_boost, access, relevance } = result;
      const shown = {
        ...(result.highlight && { highlight: result.highlight }),
        ...(result.explain && { explain: result.explain }),
      };
      return { siteId, name, domain, neutrality_score, fairness_boost, access, relevance, ...shown };
    });
    return { ...found, results };
  },

  searchDirectory: ({ query }, context) => answer(depsFor(shared, context), query),

  listDirectory: async ({ query }, context) => {
    const deps = depsFor(shared, context);
    if (query.updated_since !== undefined) {
      if (!isNarrowed(query)) return changesPage(deps, query, query.updated_since);
      return fail("invalid_request", "updated_since goes with limit and cursor alone.", {
        errors: [
          { pointer: "/query/updated_since", code: "not_together", message: "goes with limit and cursor" },
        ],
      });
    }
    const filter = filterOf(query, deps.now());
    if (filter === undefined) return invalidLocation();
    if (query.domain !== undefined) return lookUp(deps, query, query.domain, filter);
    return page(deps, query, filter);
  },

  discoverSites: ({ query }, context) => discover(depsFor(shared, context), query),
});

/** What both searches answer, with whole listings. */
async function answer(deps: SearchDeps, query: SearchQuery) {
  const { q, cursor, as_typed: asTyped, min_relevance: minRelevance } = query;
  const { index, secret, isWord } = deps;
  const now = deps.now();
  const filter = filterOf(query, now);
  if (filter === undefined) return invalidLocation();
  const scope = searchScopeOf(query);
  // Read once: a switch to another generation halfway must not stand in a cursor of the old one's order.
  const generation = index.id;
  const position =
    cursor === undefined
      ? { epoch: epochOf(now), shown: new Set<number>() }
      : readSearchCursor(secret, cursor, scope, generation, now);
  if (position === undefined) return badSearchCursor();
  const { epoch, shown } = position;
  const meaning = await deps.meaningOf?.(q);
  const found = await findSites(index, {
    ...{ words: q, filter, asTyped, isWord, meaning, minRelevance, secret, epoch },
  });
  const { page, next, more } = pageOf(secret, found.ranked, shown, query);
  const listings = await listingsOf(index, page, filter.status);
  const explained = new Map(page.map((ranked) => [ranked.siteId, ranked]));
  const terms = new Set(found.terms);
  const meant = meantBy(q, found.mended, listings);
  const facets =
    query.facets && found.terms.length > 0
      ? await countFacets(index, query.facets, found.terms, filter)
      : undefined;
  return {
    bridge_version: VERSIONS.bridge,
    query: q,
    total: next.size + more,
    total_is_exact: found.isWhole,
    offset: shown.size + query.offset,
    next_cursor: more > 0 ? writeSearchCursor(secret, { epoch, shown: next }, scope, generation, now) : null,
    ranked_at: new Date(epoch * EPOCH_MS).toISOString(),
    ...(found.added.length > 0 && { also_searched: found.added }),
    ...(meant !== undefined && { did_you_mean: meant }),
    ...(facets && { facets }),
    results: listings.map((listing) => ({
      ...listing,
      relevance: explained.get(listing.siteId)!.explain.relevance,
      ...(query.highlight && { highlight: highlightOf(listing, terms) }),
      ...(query.explain && { explain: explanationOf(explained.get(listing.siteId)!, found.terms, listing) }),
    })),
  };
}

/** One page of the directory in rotation: round the circle of sample keys, from another point every hour. */
async function page(deps: SearchDeps, query: RegistryQuery, filter: IndexFilter) {
  const { category, limit, offset, cursor } = query;
  const now = deps.now();
  const scope = `rotation ${scopeOf(query)}`;
  const after = cursor === undefined ? undefined : readCursor(deps.secret, cursor, scope, now);
  if (cursor !== undefined && after === undefined) return badCursor();
  const from =
    after === undefined ? { rotation: rotationPoint(epochOf(now)) } : { after: readCirclePosition(after) };
  const [found, facets] = await Promise.all([
    deps.index.list({ filter, ...from, offset, limit }),
    query.facets ? countFacets(deps.index, query.facets, [], filter) : undefined,
  ]);
  const last = found.count === limit ? found.last : null;
  const rest = {
    bridge_version: VERSIONS.bridge,
    total: found.total,
    total_is_exact: found.totalIsExact,
    category,
    limit,
    offset,
    next_cursor: last === null ? null : writeCursor(deps.secret, circleKey(last), scope, now),
    ...(facets && { facets }),
  };
  return new StoredReply<RegistryReply, "listings">(rest, "listings", found.listings);
}

const badCursor = () =>
  fail("invalid_cursor", "Start again without a cursor; cursors last a day and belong to one listing.");

async function countFacets(index: SiteIndex, names: string, terms: string[], filter: IndexFilter) {
  const asked = requestedFacets(names);
  const { counts, counted, isExact } = await index.facets({
    terms,
    filter,
    facets: asked,
    limit: FACET_VALUES,
  });
  const { place, ...others } = counts;
  return { ...others, ...(place && { location: place }), counted, is_exact: isExact };
}

const highlightOf = ({ name, description }: Listing, terms: ReadonlySet<string>) => ({
  name: highlight(name, terms, SNIPPET),
  description: highlight(description, terms, SNIPPET),
});

/**
 * The query with its typing errors mended, as the sites that were found spell the words; undefined: it has none, or nobody
 * does. Listings say words, the index only knows their stems.
 */
function meantBy(q: string, mended: FoundSites["mended"], listings: readonly Listing[]): string | undefined {
  if (mended.size === 0) return undefined;
  const wanted = new Set(mended.values());
  const spelled = new Map<string, string>();
  for (const { name, description, tags, category } of listings)
    for (const [word, term] of queryWords([category, tags.join(" "), name, description].join(" ")))
      if (wanted.has(term) && !spelled.has(term)) spelled.set(term, word);
  const words = q.split(/\s+/).map((word) => {
    const [typed] = queryWords(word).keys();
    return spelled.get(mended.get(typed ?? "") ?? "") ?? word;
  });
  const meant = words.join(" ");
  return meant === q.replace(/\s+/g, " ") ? undefined : meant;
}

/** For a caller who may go away. */
const depsFor = (deps: SearchDeps, { signal }: Pick<RequestContext, "signal">): SearchDeps => ({
  ...deps,
  index: stoppable(deps.index, signal),
});

const isNarrowed = ({
  category,
  intent,
  location,
  trust_ring,
  min_neutrality,
  access,
  status,
  offset,
  domain,
  facets,
}: RegistryQuery) =>
  category !== "all" ||
  status !== "enabled" ||
  offset !== 0 ||
  [intent, location, trust_ring, min_neutrality, access, domain, facets].some((part) => part !== undefined);

/** What changed since a time, oldest first; each site once, as it is now. */
async function changesPage(deps: SearchDeps, query: RegistryQuery, updatedSince: string) {
  const { limit, cursor } = query;
  const now = deps.now();
  const since = Date.parse(updatedSince);
  const scope = `changes since ${since}`;
  const after = cursor === undefined ? undefined : readCursor(deps.secret, cursor, scope, now);
  if (cursor !== undefined && after === undefined) return badCursor();
  const changes = await deps.index.changes({
    since,
    limit,
    ...(after !== undefined && { after: changeAfter(after) }),
  });
  const last = changes.at(-1);
  const more = changes.length === limit && last !== undefined;
  const isListed = ({ listing }: IndexChange) => listing?.status === "enabled";
  return {
    bridge_version: VERSIONS.bridge,
    total: changes.length,
    total_is_exact: !more && after === undefined,
    category: query.category,
    limit,
    offset: 0,
    next_cursor: more ? writeCursor(deps.secret, changePosition(last), scope, now) : null,
    updated_until: new Date(last?.changedAt ?? (after ? changeAfter(after).changedAt : since)).toISOString(),
    removed: changes
      .filter((change) => !isListed(change))
      .map(({ siteId, changedAt }) => ({ domain: siteId, removed_at: new Date(changedAt).toISOString() })),
    listings: changes.flatMap((change) => (isListed(change) ? [change.listing!] : [])),
  };
}

/** The listing of one domain, if it passes the filter. */
async function lookUp(deps: SearchDeps, query: RegistryQuery, domain: string, filter: IndexFilter) {
  const host = parseHost(domain.trim());
  if (!host.ok) return fail("invalid_domain", "domain: not a domain name.");
  const set = await deps.index.candidates({ terms: [], exactDomain: host.host, filter, limit: 1 });
  const listings = await deps.index.listings(set.candidates.map(({ siteId }) => siteId));
  const { category, limit } = query;
  return {
    bridge_version: VERSIONS.bridge,
    total: listings.length,
    total_is_exact: true,
    category,
    limit,
    offset: 0,
    next_cursor: null,
    listings,
  };
}
