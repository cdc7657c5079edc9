/** One search: the engine finds candidates, one pure function ranks them, and the listings of a page are read. */
import type { Listing } from "../../schemas/site.ts";
import { parseHost } from "../../src/domain/domain-name.ts";
import { type Ranked, ROTATION_WEIGHT, rank } from "../../src/domain/ranking.ts";
import { type Rotation, rotationOf, turnPoint } from "../../src/domain/rotation.ts";
import { analyseQuery, exactForm } from "../../src/domain/text-analysis.ts";
import type { Candidate, CandidateSet, IndexFilter, SiteIndex } from "../../src/ports.ts";
import { CANDIDATES, ENOUGH, halfTyped } from "./rules.ts";

/** Words that are looked for beside one that was given, and words given that are so treated. */
const MAX_SIMILAR = 8;
const MAX_WIDENED = 8;
/** Shorter words have too many neighbours: most are other words and no typing errors. */
const MIN_CORRECTED = 5;

export interface Search {
  words: string;
  filter: IndexFilter;
  /** Only the words given; otherwise, where few sites match, also words like them. */
  asTyped: boolean;
  /** What the words mean; absent: words alone find sites. Not heeded when `asTyped`. */
  vector?: Int8Array | undefined;
  /** Whose turn it is: the registry's secret, and the hour (src/domain/rotation.ts). */
  secret: string;
  epoch: number;
}

export interface Placed extends Ranked {
  candidate: Candidate;
  /** The terms that the candidate's counts are for. */
  terms: string[];
}

export interface Found {
  total: number;
  totalIsExact: boolean;
  /** Everything that was ranked, best first. */
  placed: Placed[];
  /** All terms that were looked for. */
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
  set: CandidateSet,
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

interface Asked {
  terms: string[];
  /** How many of the terms somebody typed. */
  typed: number;
  exact: { exactDomain?: string; exactName?: string };
  rotation: Rotation;
}

const place = (set: CandidateSet, { terms, typed, exact, rotation }: Asked): Placed[] => {
  const bySite = new Map(set.candidates.map((candidate) => [candidate.siteId, candidate]));
  return rank(set, { terms, asked: typed, ...exact }, rotation).map((ranked) => ({
    ...ranked,
    candidate: bySite.get(ranked.siteId)!,
    terms,
  }));
};

/**
 * More sites match than are ranked. What is as good as the last of the best, give or take a turn, has its place by turns
 * alone: an engine chooses among equals by accident, and always the same ones.
 */
const placeMany = (set: CandidateSet, inTheirTurn: Candidate[], asked: Asked): Placed[] => {
  const all = place(set, asked);
  const byText = all
    .filter(({ explain }) => explain.match === "terms")
    .sort((a, b) => b.explain.text - a.explain.text);
  const last = byText[Math.min(CANDIDATES / 2, byText.length) - 1]?.explain.text ?? 0;
  const kept = new Set(
    all
      .filter(({ explain }) => explain.match !== "terms" || explain.text > last * Math.exp(ROTATION_WEIGHT))
      .map(({ siteId }) => siteId),
  );
  const candidates = set.candidates.filter(({ siteId }) => kept.has(siteId));
  const others = inTheirTurn.filter(({ siteId }) => !kept.has(siteId));
  return place({ ...set, candidates: [...candidates, ...others] }, asked);
};

/**
 * Finds sites by words. Fewer than 20 of them: words one typing error away and words that begin alike are looked
 * for too (unless `asTyped`), and count less.
 */
export const find = async (
  index: SiteIndex,
  { words, filter, asTyped, vector, secret, epoch }: Search,
): Promise<Found> => {
  const typed = analyseQuery(words);
  const domain = parseHost(words.trim());
  const exact = { ...(domain.ok && { exactDomain: domain.host }), exactName: exactForm(words) };
  const meaning = vector && !asTyped ? { vector } : {};
  const rotation = rotationOf(secret, typed.join(" "), epoch);
  const search = async (terms: string[]) => {
    const asked = { terms, typed: typed.length, exact, rotation };
    const query = { terms, ...exact, ...meaning, filter, limit: CANDIDATES, epoch };
    const { inTurn: others, ...set } = await index.candidates(query);
    return { set, placed: others === undefined ? place(set, asked) : placeMany(set, others, asked) };
  };
  let { set, placed } = await search(typed);
  const isWide = asTyped || !set.totalIsExact || set.total >= ENOUGH;
  const added = isWide ? [] : await similarTo(index, typed, set, placed.length < ENOUGH);
  if (added.length > 0) ({ set, placed } = await search([...typed, ...added]));
  return {
    total: set.total + placed.filter(({ explain }) => explain.match === "meaning").length,
    totalIsExact: set.totalIsExact,
    placed,
    terms: [...typed, ...added],
    added,
  };
};

/** The listings of what was found, in order. A site may have changed since it was found: then it is left out. */
export const listingsOf = async (
  index: SiteIndex,
  placed: readonly { siteId: string }[],
  status: IndexFilter["status"] = "enabled",
): Promise<Listing[]> => {
  const listings = await index.listings(placed.map(({ siteId }) => siteId));
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
