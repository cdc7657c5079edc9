/**
 * One pure function orders the candidates of every engine. Exact matches first, then by
 * ln S = ln R + ln T + ln F + δ (u − ½): text, trust, fairness and rotation (docs/evaluation/search.md). The text goes in steps
 * of five hundredths, trust and fairness of one, and the rotation moves by less: it decides between equals alone.
 */
import { domainToUnicode } from "node:url";
import type { Candidate, CandidateSet, IndexField } from "../../ports/index.ts";
import { MOST_BOOST } from "../trust/neutrality.ts";
import type { Rotation } from "../trust/rotation.ts";
import { LEAST_SIMILARITY } from "./embeddings/static-vectors.ts";
import { placesOf, type RankQuery, termsOf, type Words, wordsHeldBy } from "./query-words.ts";
import { exactForm } from "./text-analysis.ts";

/** What ln S goes in, but for the text. */
const STEP = 0.01;
/** The same of the text. */
const TEXT_STEP = 0.05;
/** Steps for each ring that a site is below the highest, */
const STEPS_A_RING = 1;
const HIGHEST_RING = 4;
/** for each 25 points of the neutrality score above or below 50, */
const STEPS_OF_NEUTRALITY = 2;
const NEUTRALITY_GRADES = 2;
/** and for what is known against a site: no chance outweighs it. Behind all others where it is critical. */
const STEPS_OF_POOR_CONDUCT = 20;
/** δ: how far turns move a site, in ln S. */
export const ROTATION_WEIGHT = 0.9 * STEP;
const ofSteps = (steps: number): number => Math.exp(STEP * steps);
/** What the factors beside the text can be: trust by the ring, fairness by conduct, rotation by the hour. */
export const FACTOR_RANGES = {
  trust: { least: ofSteps(-STEPS_A_RING * HIGHEST_RING), most: 1 },
  fairness: {
    least: ofSteps(-STEPS_OF_NEUTRALITY * NEUTRALITY_GRADES - STEPS_OF_POOR_CONDUCT),
    most: ofSteps(STEPS_OF_NEUTRALITY * NEUTRALITY_GRADES),
  },
  rotation: { least: Math.exp(-ROTATION_WEIGHT / 2), most: Math.exp(ROTATION_WEIGHT / 2) },
} as const;

/** What a text that means the same as the query counts for, in the words of a query that a text holds once. */
const MEANING_WEIGHT = 2;
/** Of a longer question it counts for no more words, */
const WORDS_OF_MEANING = 5;
/** and beside so many of its words that a site holds these count in full: in a long question a few are much. */
export const WORDS_IN_FULL = 4;
/**
 * Where a site holds no word, meaning is all there is: what is near counts more and what is far less than beside words, so that
 * neither rotation nor words that are there by accident decide. As much at this similarity, the middle of right answers;
 */
const SAME_ALONE = 0.25;
/** and at most so many times as much: where documents are long, more costs more than it finds. */
const MOST_ALONE = 1.4;
/**
 * How relevant a site is that has none of the words, by how near it is in meaning: half of the share of the practice
 * questions' right answers that are no nearer (docs/evaluation/search.md). One as near as the middle one has 0.25.
 */
const RELEVANCE_BY_MEANING: readonly (readonly [similarity: number, relevance: number])[] = [
  [LEAST_SIMILARITY, 0.03],
  [0.15, 0.08],
  [0.2, 0.15],
  [0.25, 0.26],
  [0.3, 0.37],
  [0.35, 0.45],
  [0.4, 0.47],
  [0.5, 0.5],
];
/** Where a site holds this share of what was asked for (its words by their weights), */
const ANSWERED = 0.6;
/** meaning alone shows only sites as near as this: who asks for a word and finds it wants no others. */
const SURE_SIMILARITY = 0.5;

export type MatchKind = "domain" | "name" | "terms" | "meaning" | "none";
const TIERS: Record<MatchKind, number> = { domain: 4, name: 3, terms: 2, meaning: 2, none: 0 };
/** The same of sites with critical findings: behind all that fit, unless it is the one that was asked for. */
const CRITICAL_TIERS: Record<MatchKind, number> = { ...TIERS, terms: 1, meaning: 1 };

/** In which field which terms of the query stand. */
export interface TextEvidence {
  field: IndexField;
  terms: string[];
  /** Of tags: whether the crawl found these words on the site's pages, too. */
  onPages?: boolean;
}

export interface Explain {
  /** Sorts before all else, in the order of MatchKind. */
  match: MatchKind;
  /** R: relevance of the text, its words and its meaning, at least 0. */
  text: number;
  /** 0 to 1: what share of the words asked for it holds, by their weights; by meaning alone at most one half. */
  relevance: number;
  /** T: 1 at ring 4, a step less for each ring below. */
  trust: number;
  /** F: two steps for each 25 points of neutrality from 50, less where conduct is poor. */
  fairness: number;
  /** exp(δ (u − ½)): the rotation, less than a step. */
  rotation: number;
}

export interface RankedSite {
  candidate: Candidate;
  siteId: string;
  owner: string;
  /** The product of the explained factors: comparable within one answer and one kind of match only. */
  score: number;
  explain: Explain;
}

/** Of what the best pages say of the query's words, the part that a site's own say where they bear its name out. */
const BORNE_OUT = 0.5;

/** A name that so many sites hold every word of is no name of one: who asks for it asks for what it says. */
const DESCRIBED_BY = 30;

/**
 * Ranks candidates for one search: best first, one site an owner until others are shown. Deterministic for one rotation:
 * the candidates' own order plays no part. Each candidate is measured once, however often it is ranked among others.
 */
export function ranker(
  set: CandidateSet,
  query: RankQuery,
  rotation: Rotation,
): (candidates: readonly Candidate[]) => RankedSite[] {
  const terms = termsOf(set, query, set.candidates);
  const { asked = terms.weights.length } = query;
  const compounds = placesOf(query);
  const mostWords = terms.weights.reduce(
    (sum, weight, term) => (term < asked && set.documentFrequencies[term]! > 0 ? sum + weight : sum),
    0,
  );
  const measured = new Map<Candidate, Words>();
  const measure = (candidate: Candidate): Words => {
    const words = measured.get(candidate) ?? wordsHeldBy(candidate, set, terms, query, compounds);
    measured.set(candidate, words);
    return words;
  };
  return (candidates) => {
    const whole = candidates.map((candidate) => ({ candidate, own: measure(candidate) }));
    const isAnswered = whole.some(({ own }) => own.held >= ANSWERED);
    const mostOnPages = Math.max(0, ...whole.map(({ own }) => own.pages));
    const similarities = candidates.flatMap(({ similarity }) =>
      Number.isFinite(similarity) ? [similarity!] : [],
    );
    const nearest = Math.max(0, ...similarities);
    // Where meaning can be asked, a word or two of a whole question says little. Not so by words alone: it costs 3 % there.
    const hasMeaning = similarities.length > 0;
    const isDescription = whole.filter(({ own }) => own.held === 1).length >= DESCRIBED_BY;
    const ranked: RankedSite[] = [];
    const named: RankedSite[] = [];
    for (const { candidate, own } of whole) {
      const { siteId, owner, similarity = 0 } = candidate;
      const words =
        own.score * (hasMeaning ? Math.min(1, own.heldAlike * Math.max(1, asked / WORDS_IN_FULL)) : 1);
      const sameness = own.held === 1 ? nearest : similarity;
      const meaning = meaningScore(
        sameness,
        Math.max(1, mostWords * Math.min(1, WORDS_OF_MEANING / asked)),
        words === 0,
      );
      const match = matchKind(candidate, query, words, meaning);
      const isNamed = match !== "domain" && !isDescription && bearsName(candidate, query, own, mostOnPages);
      if (match === "meaning" && isAnswered && !isNamed && !(similarity >= SURE_SIMILARITY)) continue;
      const text = inSteps(words + meaning);
      const trust = trustOf(candidate);
      const fairness = fairnessOf(candidate);
      const boost = Math.exp(ROTATION_WEIGHT * (rotation.position(owner) - 0.5));
      const relevance = relevanceOf(match, own, similarity);
      const explain = { match, relevance, text, trust, fairness, rotation: boost };
      const site = { candidate, siteId, owner, score: text * trust * fairness * boost, explain };
      ranked.push(site);
      if (isNamed) named.push(site);
    }
    const sorted = ranked.sort(inOrder(rotation));
    // A name is asked for as one site's. Of several that have it the best is meant; the others have their places by words.
    const best = sorted.find((site) => named.includes(site));
    if (best) Object.assign(best.explain, { match: "name", relevance: 1 } satisfies Partial<Explain>);
    return oneAnOwner(best ? sorted.sort(inOrder(rotation)) : sorted);
  };
}

/**
 * Words and meaning add up: fused by score, since ranks alone would forget how sure either is.
 * @param similarity of a site that holds every word: the nearest one's, so that those sites are equals in meaning
 */
function meaningScore(similarity: number, mostWords: number, isAlone: boolean): number {
  if (!(similarity >= LEAST_SIMILARITY)) return 0;
  return (
    MEANING_WEIGHT * mostWords * similarity * (isAlone ? Math.min(MOST_ALONE, similarity / SAME_ALONE) : 1)
  );
}

function matchKind(candidate: Candidate, query: RankQuery, words: number, meaning: number): MatchKind {
  if (query.exactDomain !== undefined && candidate.siteId === query.exactDomain) return "domain";
  return words > 0 ? "terms" : meaning > 0 ? "meaning" : "none";
}

/**
 * Whether a site has the name that was asked for, and more than its owner's word for it: its pages say the words, and
 * half as much of them as the pages that say most, or its domain is the name and its pages say the words at all.
 * @param most what the pages of the candidate that say most of the words come to
 */
function bearsName(
  { exactName, owner }: Candidate,
  { exactName: asked = "", terms }: RankQuery,
  { onPages, pages }: Words,
  most: number,
): boolean {
  if (asked === "" || exactName !== asked) return false;
  // A name of stop words alone: no words find it.
  if (terms.length === 0) return true;
  return onPages === 1 && (pages >= BORNE_OUT * most || isSpelled(owner, exactName));
}

/** Whether a domain is this name: its first label, whatever stands between the words. */
const isSpelled = (domain: string, name: string): boolean =>
  plainOf(domainToUnicode(domain).split(".")[0]!) === plainOf(name);

const plainOf = (text: string): string => exactForm(text).replace(/[^\p{L}\p{N}]/gu, "");

const trustOf = ({ ring }: Candidate): number =>
  ofSteps(STEPS_A_RING * (within(ring, 0, HIGHEST_RING, 0) - HIGHEST_RING));

/** A value that a damaged or foreign listing cannot use to rise above the rest. */
const within = (value: number, least: number, most: number, otherwise: number): number =>
  Number.isFinite(value) ? Math.min(most, Math.max(least, value)) : otherwise;

/** F of a site. */
export function fairnessOf({ fairnessBoost, gravity }: Pick<Candidate, "fairnessBoost" | "gravity">): number {
  const grades = (NEUTRALITY_GRADES * (fairnessBoost - 1)) / MOST_BOOST;
  const grade = Math.round(within(grades, -NEUTRALITY_GRADES, NEUTRALITY_GRADES, 0));
  return ofSteps(STEPS_OF_NEUTRALITY * grade - (gravity === "none" ? 0 : STEPS_OF_POOR_CONDUCT));
}

/** A text's score in whole steps; 0 stays 0. */
const inSteps = (score: number): number =>
  score > 0 ? Math.exp(TEXT_STEP * Math.round(Math.log(score) / TEXT_STEP)) : 0;

/** To three digits, so that what is shown is what `min_relevance` is held against. */
function relevanceOf(match: MatchKind, { answered }: Words, similarity: number): number {
  if (match === "domain") return 1;
  return Math.round(1_000 * Math.max(answered, relevanceByMeaning(similarity))) / 1_000;
}

/** Along the line through the two known similarities around it. */
function relevanceByMeaning(similarity: number): number {
  if (!(similarity >= LEAST_SIMILARITY)) return 0;
  const above = RELEVANCE_BY_MEANING.findIndex(([known]) => similarity < known);
  if (above === -1) return RELEVANCE_BY_MEANING.at(-1)![1];
  const [[from, low], [to, high]] = [RELEVANCE_BY_MEANING[above - 1]!, RELEVANCE_BY_MEANING[above]!];
  return low + ((high - low) * (similarity - from)) / (to - from);
}

const tierOf = ({ explain: { match }, candidate: { gravity } }: RankedSite): number =>
  (gravity === "critical" ? CRITICAL_TIERS : TIERS)[match];

const inOrder =
  (rotation: Rotation) =>
  (a: RankedSite, b: RankedSite): number =>
    tierOf(b) - tierOf(a) ||
    b.score - a.score ||
    // Only sites without a word of the query tie as a rule: the rotation decides there, too.
    b.explain.rotation - a.explain.rotation ||
    rotation.tie(a.siteId) - rotation.tie(b.siteId) ||
    (a.siteId < b.siteId ? -1 : 1);

/** Each owner's best first, in order; what else they have comes after, in order. */
function oneAnOwner(ranked: RankedSite[]): RankedSite[] {
  const seen = new Set<string>();
  const [first, further]: [RankedSite[], RankedSite[]] = [[], []];
  for (const site of ranked) {
    (seen.has(site.owner) ? further : first).push(site);
    seen.add(site.owner);
  }
  return [...first, ...further];
}

/** What holds less of the words asked for than this is no match by words: of a long question, less does. */
export const LEAST_OF_WORDS = 0.15;
/** What has less than this share of the best one's relevance is none either, where that one has words. */
const LEAST_OF_BEST = 0.4;
/**
 * Where no site is as near as `nearest`, none answers by meaning; where one is, those do that are `share` as near as it. Cosines
 * of one query compare with each other, and hardly with another's: static vectors of right answers lie further off than those of
 * an encoder, and queries in other languages than English further off from all sites. Of these no bound is known, but the one
 * below which engines give none. The shares: decision 190.
 */
export const NEAR_ENOUGH = {
  encoder: { nearest: 0.165, share: 0.45 },
  static: { nearest: 0.12, share: 0.35 },
  foreign: { nearest: LEAST_SIMILARITY, share: 0.3 },
} as const;

/** By what a query's directions are, and "foreign" of one in another language than English. */
export type DirectionsBy = keyof typeof NEAR_ENOUGH;

/**
 * Those of a ranking that answer what was asked for: none may. Where a site has most of the words, relevance decides; else what
 * has enough of them or is near enough does, whichever: a word held by chance makes nobody worse.
 * @param asked terms of the query
 */
export function fitting(ranked: readonly RankedSite[], asked: number, by: DirectionsBy): RankedSite[] {
  const best = Math.max(0, ...ranked.filter(hasWords).map(({ explain }) => explain.relevance));
  const ofWords = LEAST_OF_WORDS * Math.min(1, WORDS_IN_FULL / Math.max(1, asked));
  const leastRelevance = Math.max(ofWords, LEAST_OF_BEST * best);
  const isAnswered = best >= ANSWERED;
  const nearest = Math.max(0, ...ranked.map(nearnessOf));
  const nearEnough = NEAR_ENOUGH[by];
  const isAnyNear = !isAnswered && nearest >= nearEnough.nearest;
  return ranked.filter((site) => {
    const { relevance } = site.explain;
    if (relevance === 0) return false;
    if (isAnyNear && nearnessOf(site) >= nearEnough.share * nearest) return true;
    return (isAnswered || hasWords(site)) && relevance >= leastRelevance;
  });
}

const hasWords = ({ explain: { match } }: RankedSite): boolean => match !== "meaning" && match !== "none";

/** 0 where nothing is known of it. */
const nearnessOf = ({ candidate: { similarity } }: RankedSite): number =>
  Number.isFinite(similarity) ? similarity! : 0;

/** Where the query's terms stand in a candidate. */
export function textEvidence({ counts }: Candidate, terms: string[]): TextEvidence[] {
  const found: TextEvidence[] = [];
  const add = (field: IndexField, holds: (term: number) => boolean, more: { onPages?: boolean } = {}) => {
    const held = terms.filter((_, term) => counts[field][term]! > 0 && holds(term));
    if (held.length > 0) found.push({ field, terms: held, ...more });
  };
  const onPages = (term: number): boolean => counts.text[term]! > 0;
  for (const field of ["name", "domain", "description", "text"] as const) add(field, () => true);
  add("tags", onPages, { onPages: true });
  add("tags", (term) => !onPages(term), { onPages: false });
  return found;
}
