/** One search: the engine finds candidates, one pure function ranks them, and the listings of a page are read. */
import type { Listing } from "../../schemas/site.ts";
import { parseHost, registrableDomain } from "../../src/domain/names/domain-name.ts";
import { type RankedSite, ROTATION_WEIGHT, ranker } from "../../src/domain/search/ranking.ts";
import { analyzeCompounds, exactForm } from "../../src/domain/search/text-analysis.ts";
import { rotationOf, rotationPoint, rotationPointWithin } from "../../src/domain/trust/rotation.ts";
import type { Candidate, CandidateSet, IndexFilter, SiteIndex } from "../../src/ports/index.ts";
import { CANDIDATES, ENOUGH, halfTyped, type SearchPosition, siteDigests } from "./rules.ts";

/** Words that are looked for beside one that was given, and words given that are so treated. */
const MAX_SIMILAR = 8;
const MAX_WIDENED = 8;
/** Shorter words have too many neighbors: most are other words and no typing errors. */
const MIN_CORRECTED = 5;

export interface SiteSearch {
  words: string;
  filter: IndexFilter;
  /** Only the words given; otherwise, where few sites match, also words like them. */
  asTyped: boolean;
  /** What the words mean; absent: words alone find sites. Not heeded when `asTyped`. */
  vector?: Int8Array | undefined;
  /** Only sites at least as relevant as this, 0 to 1; absent: all. */
  minRelevance?: number | undefined;
  /** What the rotation follows from: the registry's secret, and the hour (src/domain/trust/rotation.ts). */
  secret: string;
  epoch: number;
}

export interface FoundSites {
  /** Whether no more sites match than these. */
  isWhole: boolean;
  /** Best first. */
  ranked: RankedSite[];
  /** All terms that were looked for: those that the candidates' counts are for. */
  terms: string[];
  /** Those of them that nobody typed. */
  added: string[];
}

type Rank = ReturnType<typeof ranker>;

/** Of a domain that is asked for, its suffix alone is worth less: half of all sites hold "com". */
const LEAST_BY_DOMAIN = 0.1;

/** Sites of a filter among which an owner's second comes after everyone's first. */
const WINDOW = 100;

/**
 * Finds sites by words. Fewer than 20 of them: words one typing error away and words that begin alike are looked
 * for too (unless `asTyped`), and count less. Who asks for a domain means that site, and none that is near in meaning
 * or below the same suffix.
 */
export async function findSites(index: SiteIndex, asked: SiteSearch): Promise<FoundSites> {
  const { words, filter, asTyped, vector, minRelevance = 0, secret, epoch } = asked;
  const { terms: typed, compounds } = analyzeCompounds(words);
  const domain = parseHost(words.trim());
  const exact = { ...(domain.ok && { exactDomain: domain.host }), exactName: exactForm(words) };
  const meaning = vector && !asTyped && !domain.ok ? { vector } : {};
  const rotation = rotationOf(secret, typed.join(" "), epoch);
  const search = async (likes: ReadonlyMap<string, number>) => {
    const terms = [...typed, ...likes.keys()];
    const query = { terms, ...exact, ...meaning, filter, limit: CANDIDATES, epoch };
    const { candidates, rotated, ...set } = await index.candidates(query);
    const like = [...likes.values()];
    const rank = ranker(set, { terms, asked: typed.length, like, compounds, ...exact }, rotation);
    return { set, ranked: rotated === undefined ? rank(candidates) : rankMany(candidates, rotated, rank) };
  };
  const nothing: ReadonlyMap<string, number> = new Map();
  let { set, ranked } = await search(nothing);
  const isWide = asTyped || !set.totalIsExact || set.total >= ENOUGH;
  const likes = isWide ? nothing : await similarTo(index, typed, set, ranked.length < ENOUGH);
  if (likes.size > 0) ({ set, ranked } = await search(likes));
  const added = [...likes.keys()];
  const least = domain.ok ? Math.max(minRelevance, LEAST_BY_DOMAIN) : minRelevance;
  return {
    isWhole: set.totalIsExact && set.total <= CANDIDATES,
    ranked: ranked.filter(({ explain }) => explain.relevance >= least),
    terms: [...typed, ...added],
    added,
  };
}

/**
 * Sites of a filter in rotation, where nothing ranks them: round the circle of sample keys, from another point every hour.
 * Of every hundred one an owner, then more of them.
 * @param position where it goes on; of its hundred, `shown` were shown
 * @returns no `next` when there are no more
 */
export async function rotatedPage(
  { index, secret }: { index: SiteIndex; secret: string },
  filter: IndexFilter,
  { epoch, rotation: start = {}, shown: before }: SearchPosition,
  limit: number,
): Promise<{ listings: Listing[]; next?: SearchPosition }> {
  const digestOf = siteDigests(secret);
  const listings: Listing[] = [];
  const shown = new Set(before);
  for (let from = start; ; ) {
    const page = await index.list({
      filter,
      rotation: rotationPoint(epoch),
      ...from,
      offset: 0,
      limit: WINDOW,
    });
    const all = JSON.parse(Buffer.from(page.listings).toString()) as Listing[];
    const others = ownersFirst(all, secret, epoch).filter(({ siteId }) => !shown.has(digestOf(siteId)));
    const wanted = others.slice(0, limit - listings.length);
    listings.push(...wanted);
    for (const { siteId } of wanted) shown.add(digestOf(siteId));
    const isWhole = wanted.length === others.length;
    if (isWhole && (page.count < WINDOW || page.last === null)) return { listings };
    if (isWhole) from = { after: page.last! };
    // Of the hundred before, too: what arrives moves its last ones into the next.
    if (listings.length >= limit)
      return { listings, next: { epoch, rotation: from, shown: new Set([...shown].slice(-2 * WINDOW)) } };
  }
}

/**
 * Everyone's first, then the others. Owners, too, are on a circle by a keyed hash, which rotates: of many
 * sites of one owner none comes sooner for it.
 */
function ownersFirst(listings: Listing[], secret: string, epoch: number): Listing[] {
  const byOwner = new Map<string, Listing[]>();
  for (const listing of listings) {
    const owner = registrableDomain(listing.siteId);
    byOwner.set(owner, [...(byOwner.get(owner) ?? []), listing]);
  }
  const { position } = rotationOf(secret, "owners", 0);
  const circle = [...byOwner.keys()].sort((a, b) => position(a) - position(b));
  const start = Math.floor(rotationPointWithin(epoch) * circle.length);
  const inOrder = [...circle.slice(start), ...circle.slice(0, start)].map((owner) => byOwner.get(owner)!);
  return [...inOrder.map(([first]) => first!), ...inOrder.flatMap(([, ...others]) => others)];
}

/**
 * More sites match than are ranked. What is as good as the last of the best, give or take the rotation's weight, is there by
 * rotation alone: an engine chooses among equals by accident, and always the same ones.
 */
function rankMany(best: Candidate[], rotated: Candidate[], rank: Rank): RankedSite[] {
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
  const others = rotated.filter(({ siteId }) => !kept.has(siteId));
  const rotatedIds = new Set(others.map(({ siteId }) => siteId));
  // Where all are of a few owners, the rotation may leave room.
  const over = best
    .filter(({ siteId }) => !kept.has(siteId) && !rotatedIds.has(siteId))
    .slice(0, Math.max(0, CANDIDATES / 2 - others.length));
  return rank([...best.filter(({ siteId }) => kept.has(siteId)), ...over, ...others]);
}

/**
 * Terms like those of the query: for a word that no site has, corrections; for the last one, which may be half typed,
 * those that begin with it (where `longer` ones are wanted, or no site has it).
 * @returns of each the index of the one that it is like
 */
async function similarTo(
  index: SiteIndex,
  terms: string[],
  set: Pick<CandidateSet, "documentFrequencies">,
  longer: boolean,
): Promise<Map<string, number>> {
  const found = await Promise.all(
    terms.slice(0, MAX_WIDENED).map(async (term, i) => {
      const known = set.documentFrequencies[i]! > 0;
      const isLast = i === terms.length - 1;
      if (known && !(longer && isLast)) return [];
      const isCorrected = !known && term.length >= MIN_CORRECTED;
      if (!isCorrected && !isLast) return [];
      const which = isCorrected ? "edited" : "longer";
      const query = { term, limit: MAX_SIMILAR };
      const start = halfTyped(term);
      // Asked at the same time: of a word that nobody knows, most often both are wanted.
      const [similar, beginning] = await Promise.all([
        index.similarTerms(isCorrected && isLast ? query : { ...query, which }),
        known || !isLast || start === undefined
          ? []
          : index.similarTerms({ term: start, limit: MAX_SIMILAR }),
      ]);
      const fitting = similar.filter((other) => (other.startsWith(term) ? isLast : isCorrected));
      return fitting.length > 0 || start === undefined
        ? fitting
        : beginning.filter((other) => term.startsWith(other));
    }),
  );
  const likes = new Map<string, number>();
  for (const [index, similar] of found.entries())
    for (const term of similar) if (!terms.includes(term) && !likes.has(term)) likes.set(term, index);
  return likes;
}

/** The listings of what was found, in order. A site may have changed since it was found: then it is left out. */
export async function listingsOf(
  index: SiteIndex,
  found: readonly { siteId: string }[],
  status: IndexFilter["status"] = "enabled",
): Promise<Listing[]> {
  const listings = await index.listings(found.map(({ siteId }) => siteId));
  return listings.filter((listing) => listing.status === status);
}
