/** One search: the engine finds candidates, one pure function ranks them, and the listings of a page are read. */
import type { Listing } from "../../schemas/site.ts";
import { parseHost } from "../../src/domain/names/domain-name.ts";
import { type Ranked, ROTATION_WEIGHT, ranker } from "../../src/domain/search/ranking.ts";
import { analyzeQuery, exactForm } from "../../src/domain/search/text-analysis.ts";
import { rotationOf, turnPoint } from "../../src/domain/trust/rotation.ts";
import type { Candidate, CandidateSet, IndexFilter, SiteIndex } from "../../src/ports/index.ts";
import { CANDIDATES, ENOUGH, halfTyped } from "./rules.ts";

/** Words that are looked for beside one that was given, and words given that are so treated. */
const MAX_SIMILAR = 8;
const MAX_WIDENED = 8;
/** Shorter words have too many neighbors: most are other words and no typing errors. */
const MIN_CORRECTED = 5;

export interface Search {
  words: string;
  filter: IndexFilter;
  /** Only the words given; otherwise, where few sites match, also words like them. */
  asTyped: boolean;
  /** What the words mean; absent: words alone find sites. Not heeded when `asTyped`. */
  vector?: Int8Array | undefined;
  /** Whose turn it is: the registry's secret, and the hour (src/domain/trust/rotation.ts). */
  secret: string;
  epoch: number;
}

export interface Found {
  total: number;
  totalIsExact: boolean;
  /** Best first. */
  ranked: Ranked[];
  /** All terms that were looked for: those that the candidates' counts are for. */
  terms: string[];
  /** Those of them that nobody typed. */
  added: string[];
}

/**
 * Terms like those of the query: for a word that no site has, corrections; for the last one, which may be half typed,
 * those that begin with it (where `longer` ones are wanted, or no site has it).
 */
const similarTo = async (
  index: SiteIndex,
  terms: string[],
  set: Pick<CandidateSet, "documentFrequencies">,
  longer: boolean,
): Promise<string[]> => {
  const found = await Promise.all(
    terms.slice(0, MAX_WIDENED).map(async (term, i) => {
      const known = set.documentFrequencies[i]! > 0;
      const isLast = i === terms.length - 1;
      if (known && !(longer && isLast)) return [];
      const similar = await index.similarTerms({ term, limit: MAX_SIMILAR });
      const fitting = similar.filter((other) =>
        other.startsWith(term) ? isLast : !known && term.length >= MIN_CORRECTED,
      );
      const start = halfTyped(term);
      if (known || fitting.length > 0 || !isLast || start === undefined) return fitting;
      const beginning = await index.similarTerms({ term: start, limit: MAX_SIMILAR });
      return beginning.filter((other) => term.startsWith(other));
    }),
  );
  return [...new Set(found.flat())].filter((term) => !terms.includes(term));
};

type Rank = ReturnType<typeof ranker>;

/**
 * More sites match than are ranked. What is as good as the last of the best, give or take a turn, has its place by turns
 * alone: an engine chooses among equals by accident, and always the same ones.
 */
const rankMany = (best: Candidate[], inTheirTurn: Candidate[], rank: Rank): Ranked[] => {
  const all = rank(best);
  const byText = all
    .filter(({ explain }) => explain.match === "terms")
    .sort((a, b) => b.explain.text - a.explain.text);
  const last = byText[Math.min(CANDIDATES / 2, byText.length) - 1]?.explain.text ?? 0;
  const kept = new Set(
    all
      .filter(({ explain }) => explain.match !== "terms" || explain.text > last * Math.exp(ROTATION_WEIGHT))
      .map(({ siteId }) => siteId),
  );
  const others = inTheirTurn.filter(({ siteId }) => !kept.has(siteId));
  return rank([...best.filter(({ siteId }) => kept.has(siteId)), ...others]);
};

/**
 * Finds sites by words. Fewer than 20 of them: words one typing error away and words that begin alike are looked
 * for too (unless `asTyped`), and count less.
 */
export const find = async (
  index: SiteIndex,
  { words, filter, asTyped, vector, secret, epoch }: Search,
): Promise<Found> => {
  const typed = analyzeQuery(words);
  const domain = parseHost(words.trim());
  const exact = { ...(domain.ok && { exactDomain: domain.host }), exactName: exactForm(words) };
  const meaning = vector && !asTyped ? { vector } : {};
  const rotation = rotationOf(secret, typed.join(" "), epoch);
  const search = async (terms: string[]) => {
    const query = { terms, ...exact, ...meaning, filter, limit: CANDIDATES, epoch };
    const { candidates, inTurn, ...set } = await index.candidates(query);
    const rank = ranker(set, { terms, asked: typed.length, ...exact }, rotation);
    return { set, ranked: inTurn === undefined ? rank(candidates) : rankMany(candidates, inTurn, rank) };
  };
  let { set, ranked } = await search(typed);
  const isWide = asTyped || !set.totalIsExact || set.total >= ENOUGH;
  const added = isWide ? [] : await similarTo(index, typed, set, ranked.length < ENOUGH);
  if (added.length > 0) ({ set, ranked } = await search([...typed, ...added]));
  return {
    total: set.total + ranked.filter(({ explain }) => explain.match === "meaning").length,
    totalIsExact: set.totalIsExact,
    ranked,
    terms: [...typed, ...added],
    added,
  };
};

/** The listings of what was found, in order. A site may have changed since it was found: then it is left out. */
export const listingsOf = async (
  index: SiteIndex,
  found: readonly { siteId: string }[],
  status: IndexFilter["status"] = "enabled",
): Promise<Listing[]> => {
  const listings = await index.listings(found.map(({ siteId }) => siteId));
  return listings.filter((listing) => listing.status === status);
};

/** Most sites of one owner that are passed over before another owner's is found. */
const MAX_SAMPLED = 1_000;
const SAMPLED_A_PLACE = 5;

/**
 * Sites of a filter by turns, where nothing ranks them: an order by a keyed hash, shifted every hour by the golden
 * step. One site an owner, then more of them.
 */
export const inTurn = async (
  index: SiteIndex,
  filter: IndexFilter,
  epoch: number,
  limit: number,
): Promise<Listing[]> => {
  const points = [turnPoint(epoch)];
  const perPoint = Math.min(MAX_SAMPLED, SAMPLED_A_PLACE * limit);
  const sampled = await index.sample({ points, perPoint, filter });
  const seen = new Set<string>();
  const [first, further]: [Listing[], Listing[]] = [[], []];
  for (const { listing, registrableDomain } of sampled) {
    (seen.has(registrableDomain) ? further : first).push(listing);
    seen.add(registrableDomain);
  }
  return [...first, ...further].slice(0, limit);
};
