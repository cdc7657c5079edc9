/** One search: the engine finds candidates, one pure function ranks them, and the listings of a page are read. */
import type { Listing } from "../../schemas/site.ts";
import { parseHost, registrableDomain } from "../../src/domain/names/domain-name.ts";
import type { QueryMeaning } from "../../src/domain/search/embeddings/site-meaning.ts";
import { fitting, type RankedSite, ROTATION_WEIGHT, ranker } from "../../src/domain/search/ranking.ts";
import { exactForm, readTerms } from "../../src/domain/search/text-analysis.ts";
import { rotationOf, rotationPoint, rotationPointWithin } from "../../src/domain/trust/rotation.ts";
import type { Candidate, IndexFilter, SiteIndex } from "../../src/ports/index.ts";
import { CANDIDATES, type SearchPosition, siteDigests } from "./rules.ts";

/** Terms that are looked for in place of one that no site has, and terms that are so treated. */
const MAX_SIMILAR = 3;
const MAX_MENDED = 8;

export interface SiteSearch {
  words: string;
  filter: IndexFilter;
  /** Only the words given; otherwise also what they may have been meant for, where no site has them. */
  asTyped: boolean;
  /** Whether a word is one of a language, and so no typing error though no site has it; absent: none is known. */
  isWord?: ((word: string) => boolean) | undefined;
  /** What the words mean; absent: words alone find sites. Not heeded when `asTyped`. */
  meaning?: QueryMeaning | undefined;
  /** Only sites at least as relevant as this, 0 to 1; absent: those that fit (src/domain/search/ranking.ts). */
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
  /** Of words as typed that no site has, what they most probably were to be: a term. */
  mended: ReadonlyMap<string, string>;
}

type Rank = ReturnType<typeof ranker>;

/** Of a domain that is asked for, its suffix alone is worth less: half of all sites hold "com". */
const LEAST_BY_DOMAIN = 0.1;

/** Sites of a filter among which an owner's second comes after everyone's first. */
const WINDOW = 100;

/**
 * Finds sites by words. In place of a word that no site has, words near to it in spelling are looked for too (unless
 * `asTyped`), and count less. Who asks for a domain means that site, and none that is near in meaning or below the same suffix.
 */
export async function findSites(index: SiteIndex, asked: SiteSearch): Promise<FoundSites> {
  const { words, filter, asTyped, minRelevance, secret, epoch } = asked;
  const { terms: typed, compounds, typed: spelled } = readTerms(words);
  const domain = parseHost(words.trim());
  const exact = { ...(domain.ok && { exactDomain: domain.host }), exactName: exactForm(words) };
  const meaning = asTyped || domain.ok ? undefined : asked.meaning;
  const rotation = rotationOf(secret, typed.join(" "), epoch);
  const search = async (likes: ReadonlyMap<string, number>) => {
    const terms = [...typed, ...likes.keys()];
    const near = meaning && { vector: meaning.vector };
    const query = { terms, ...exact, ...near, filter, limit: CANDIDATES, epoch };
    const set = await index.candidates(query);
    const like = [...likes.values()];
    const rank = ranker(set, { terms, asked: typed.length, like, compounds, ...exact }, rotation);
    const { candidates, rotated } = set;
    return { set, ranked: rotated === undefined ? rank(candidates) : rankMany(candidates, rotated, rank) };
  };
  const nothing: ReadonlyMap<string, number> = new Map();
  let { set, ranked } = await search(nothing);
  const unheld = typed.filter((_, i) => set.documentFrequencies[i] === 0);
  const mendable = unheld.filter((term) => !asked.isWord?.(spelled.get(term) ?? term)).slice(0, MAX_MENDED);
  const similar = asTyped || domain.ok ? [] : await similarTo(index, mendable);
  const likes = new Map(similar.flatMap(([term, near]) => near.map((other) => [other, typed.indexOf(term)])));
  for (const term of typed) likes.delete(term);
  if (likes.size > 0) ({ set, ranked } = await search(likes));
  const fits =
    minRelevance === undefined
      ? fitting(ranked, typed.length, meaning?.by ?? "static")
      : atLeast(ranked, minRelevance);
  const found = domain.ok ? atLeast(fits, LEAST_BY_DOMAIN) : fits;
  const added = [...likes.keys()];
  return {
    // The engine gives the best: where some of them do not fit, no others do.
    isWhole: (set.totalIsExact && set.total <= CANDIDATES) || holdingTerms(found) < holdingTerms(ranked),
    ranked: found,
    terms: [...typed, ...added],
    added,
    mended: new Map(similar.map(([term, [first]]) => [spelled.get(term) ?? term, first!])),
  };
}

const atLeast = (ranked: readonly RankedSite[], relevance: number): RankedSite[] =>
  ranked.filter(({ explain }) => explain.relevance >= relevance);

const holdingTerms = (ranked: readonly RankedSite[]): number =>
  ranked.filter(({ explain }) => explain.match === "terms").length;

/** Of each of these terms those of the index that it may have been meant for, the most probable first; where there are any. */
async function similarTo(index: SiteIndex, terms: readonly string[]): Promise<[string, string[]][]> {
  const found = await Promise.all(
    terms.map(
      async (term): Promise<[string, string[]]> => [
        term,
        await index.similarTerms({ term, limit: MAX_SIMILAR }),
      ],
    ),
  );
  return found.filter(([, similar]) => similar.length > 0);
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

/** The listings of what was found, in order. A site may have changed since it was found: then it is left out. */
export async function listingsOf(
  index: SiteIndex,
  found: readonly { siteId: string }[],
  status: IndexFilter["status"] = "enabled",
): Promise<Listing[]> {
  const listings = await index.listings(found.map(({ siteId }) => siteId));
  return listings.filter((listing) => listing.status === status);
}
