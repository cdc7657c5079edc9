/** One search: the engine finds candidates, one pure function ranks them, and the listings of a page are read. */
import type { Listing } from "../../schemas/site.ts";
import { parseHost } from "../../src/domain/domain-name.ts";
import { rank } from "../../src/domain/ranking.ts";
import { analyseQuery, exactForm } from "../../src/domain/text-analysis.ts";
import type { CandidateSet, IndexFilter, SiteIndex } from "../../src/ports.ts";
import { CANDIDATES, halfTyped } from "./rules.ts";

/** Words that are looked for beside one that was given, and words given that are so treated. */
const MAX_SIMILAR = 8;
const MAX_WIDENED = 8;

export interface Found {
  total: number;
  totalIsExact: boolean;
  listings: Listing[];
  /** All terms that were looked for. */
  terms: string[];
  /** Those of them that nobody typed. */
  added: string[];
}

/** Terms like those of the query: for a word that no site has, corrections; for each word, longer ones that begin with it. */
const similarTo = async (index: SiteIndex, terms: string[], set: CandidateSet): Promise<string[]> => {
  const found = await Promise.all(
    terms.slice(0, MAX_WIDENED).map(async (term, i) => {
      const known = set.documentFrequencies[i]! > 0;
      const similar = await index.similarTerms({ term, limit: MAX_SIMILAR });
      if (known) return similar.filter((other) => other.startsWith(term));
      if (similar.length > 0) return similar;
      const start = halfTyped(term);
      if (start === undefined) return [];
      const longer = await index.similarTerms({ term: start, limit: MAX_SIMILAR });
      return longer.filter((other) => term.startsWith(other));
    }),
  );
  return [...new Set(found.flat())].filter((term) => !terms.includes(term));
};

/**
 * Finds sites by words. Fewer than `limit` of them: words one typing error away and words that begin alike are looked
 * for too (unless `asTyped`), and what they find comes after what was asked for.
 */
export const find = async (
  index: SiteIndex,
  words: string,
  filter: IndexFilter,
  limit: number,
  asTyped: boolean,
  vector?: Int8Array,
): Promise<Found> => {
  const typed = analyseQuery(words);
  const domain = parseHost(words.trim());
  const exact = { ...(domain.ok && { exactDomain: domain.host }), exactName: exactForm(words) };
  const search = async (terms: string[]) => {
    const set = await index.candidates({
      terms,
      ...exact,
      filter,
      limit: CANDIDATES,
      ...(vector && { vector }),
    });
    const ranked = rank(set, { terms, ...exact });
    const byMeaning = ranked.filter(({ explain }) => explain.match === "meaning").length;
    return { set, siteIds: ranked.map(({ siteId }) => siteId), byMeaning };
  };
  const first = await search(typed);
  let { set, siteIds, byMeaning } = first;
  const added = asTyped || !set.totalIsExact || set.total >= limit ? [] : await similarTo(index, typed, set);
  if (added.length > 0) {
    const wider = await search([...typed, ...added]);
    ({ set, byMeaning } = wider);
    siteIds = [...new Set([...siteIds, ...wider.siteIds])];
  }
  const listings = await index.listings(siteIds.slice(0, limit));
  return {
    total: set.total + byMeaning,
    totalIsExact: set.totalIsExact,
    // A site may have changed since the candidates were chosen.
    listings: listings.filter(({ status }) => status === (filter.status ?? "enabled")),
    terms: [...typed, ...added],
    added,
  };
};
