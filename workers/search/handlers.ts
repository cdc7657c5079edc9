import { VERSIONS } from "../../schemas/common.ts";
import { type Handlers, StoredReply } from "../../src/contract.ts";
import { parseHost } from "../../src/domain/domain-name.ts";
import { type Ranked, rank } from "../../src/domain/ranking.ts";
import { analyseQuery, exactForm } from "../../src/domain/text-analysis.ts";
import { fail } from "../../src/errors.ts";
import { bridgeMetaOf, INSTRUCTIONS, peerOf } from "../../src/peers.ts";
import type { IndexFilter, SiteIndex } from "../../src/ports.ts";
import type { search } from "./contract.ts";
import { CANDIDATES, listedFilter, placeFilter, readCursor, writeCursor } from "./rules.ts";

export interface SearchDeps {
  index: SiteIndex;
  now: () => number;
  publicUrl: string;
  cursorSecret: string;
  ownRing: () => Promise<number>;
}

/** Two phases: the engine finds candidates, one pure function ranks them. */
const find = async (index: SiteIndex, words: string, filter: IndexFilter, limit: number) => {
  const terms = analyseQuery(words);
  const domain = parseHost(words.trim());
  const exact = { ...(domain.ok && { exactDomain: domain.host }), exactName: exactForm(words) };
  const set = await index.candidates({ terms, ...exact, filter, limit: CANDIDATES });
  const ranked: Ranked[] = rank(set, { terms, ...exact });
  const listings = await index.listings(ranked.slice(0, limit).map((hit) => hit.siteId));
  return { total: set.total, total_is_exact: set.totalIsExact, listings };
};

export const searchHandlers = (deps: SearchDeps): Handlers<typeof search> => ({
  search: async ({ query: { q, category, limit } }) => {
    const { listings, ...totals } = await find(deps.index, q, listedFilter(deps.now(), category), limit);
    const results = listings.map(({ siteId, name, domain, neutrality_score, fairness_boost }) => ({
      siteId,
      name,
      domain,
      neutrality_score,
      fairness_boost,
    }));
    return { bridge_version: VERSIONS.bridge, query: q, ...totals, results };
  },

  directorySearch: async ({ query: { q, category, limit } }) => {
    const { listings, ...totals } = await find(deps.index, q, listedFilter(deps.now(), category), limit);
    return { bridge_version: VERSIONS.bridge, query: q, ...totals, results: listings };
  },

  registry: async ({ query: { category, limit, offset, cursor } }) => {
    const now = deps.now();
    const after = cursor === undefined ? undefined : readCursor(deps.cursorSecret, cursor, category, now);
    if (cursor !== undefined && after === undefined)
      return fail(
        "invalid_cursor",
        "Start again without a cursor; cursors last a day and belong to one category.",
      );
    const page = await deps.index.listJson({
      filter: listedFilter(now, category),
      offset,
      limit,
      ...(after !== undefined && { after }),
    });
    const last = page.count === limit ? page.lastSiteId : null;
    const rest = {
      bridge_version: VERSIONS.bridge,
      total: page.total,
      total_is_exact: page.totalIsExact,
      category,
      limit,
      offset,
      next_cursor: last === null ? null : writeCursor(deps.cursorSecret, last, category, now),
    };
    return new StoredReply(rest, "listings", page.listings);
  },

  registryDiscover: async ({ query: { intent, location, trust_ring: minRing, limit } }) => {
    const place = location === undefined ? {} : placeFilter(location);
    if (!place)
      return fail("invalid_request", "location: use a place, or lat,lon,km with km from 0 to 20000.", {
        errors: [{ pointer: "/query/location", code: "invalid_place", message: "not lat,lon,km" }],
      });
    const filter = { ...listedFilter(deps.now()), ...place, ...(minRing !== undefined && { minRing }) };
    const tagged = intent
      ? await deps.index.list({
          filter: { ...filter, intent: intent.trim().toLowerCase() },
          offset: 0,
          limit,
        })
      : await deps.index.list({ filter, offset: 0, limit });
    const listings = [...tagged.listings];
    if (intent && listings.length < limit) {
      const known = new Set(listings.map(({ siteId }) => siteId));
      const byText = await find(deps.index, intent, filter, limit);
      listings.push(
        ...byText.listings.filter(({ siteId }) => !known.has(siteId)).slice(0, limit - listings.length),
      );
    }
    return {
      count: listings.length,
      peers: listings.map(peerOf),
      instructions: INSTRUCTIONS,
      bridge_meta: bridgeMetaOf(deps.publicUrl, await deps.ownRing()),
    };
  },
});
