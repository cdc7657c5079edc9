/**
 * One pure function orders the candidates of every engine. Exact matches first, then by
 * ln S = ln R + ln T + ln F + δ (u − ½): text, trust, fairness and rotation (docs/evaluation/search.md).
 */
import { domainToUnicode } from "node:url";
import {
  type Candidate,
  type CandidateSet,
  INDEX_FIELDS,
  type IndexField,
  OWNER_FIELDS,
  type OwnerField,
} from "../../ports/index.ts";
import type { Rotation } from "../trust/rotation.ts";
import { LEAST_SIMILARITY } from "./embeddings/static-vectors.ts";
import { idf, PRESENCE, saturationOf, termWeight } from "./term-weight.ts";
import { type Compound, exactForm } from "./text-analysis.ts";

/** A name, a list of tags or a description of more terms than this shares its weight among them: stuffing gains nothing. */
const FULL_LENGTHS: Record<OwnerField, number> = { name: 8, domain: 8, tags: 12, description: 60 };
/** What a word like one that was asked for counts for. */
const LIKENESS = 0.5;
/** δ: how far the rotation moves a site, in ln S. Costs 0.5 % of nDCG@10. */
export const ROTATION_WEIGHT = 0.1;
/** What the factors beside the text can be: trust by the ring, fairness by the neutrality score, rotation by the hour. */
export const FACTOR_RANGES = {
  trust: { least: 0.96, most: 1 },
  fairness: { least: 0.96, most: 1.04 },
  rotation: { least: Math.exp(-ROTATION_WEIGHT / 2), most: Math.exp(ROTATION_WEIGHT / 2) },
} as const;

/** What a text that means the same as the query counts for, in the words of a query that a text holds once. */
const MEANING_WEIGHT = 2;
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
const TIERS: Record<MatchKind, number> = { domain: 3, name: 2, terms: 1, meaning: 1, none: 0 };

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
  /** T: 0.96 + 0.01 for each ring. */
  trust: number;
  /** F: the listing's fairness_boost, within 0.96 to 1.04. */
  fairness: number;
  /** exp(δ (u − ½)): the rotation, within 0.951 to 1.052. */
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

export interface RankQuery {
  /** The terms that the candidates' counts are for. */
  terms: string[];
  /** The first so many of them were asked for, the others are like those: they count half. All, by default. */
  asked?: number;
  /** Of each that was not asked for, the place of the one that it is like. */
  like?: readonly number[];
  /** Compounds among the terms: who holds the whole holds the parts, and the other way about. */
  compounds?: readonly Compound[];
  exactDomain?: string;
  exactName?: string;
}

/** What ranking needs of the whole collection. */
type Collection = Omit<CandidateSet, "candidates" | "rotated">;

/** Of what the best pages say of the query's words, the part that a site's own say where they bear its name out. */
const BORNE_OUT = 0.5;

/** What a candidate's own words say, whatever others there are. */
interface Words {
  score: number;
  /** What share of the words asked for it holds, by their weights, 0 to 1. */
  held: number;
  /** The same, where one that it has a word like counts for half. */
  heldAlike: number;
  /** The same, in whatever spelling of compounds. Ranking by it costs 0.5 % of nDCG@10. */
  answered: number;
  /** What share of them its pages hold, in whatever spelling of compounds, and what that comes to. */
  onPages: number;
  pages: number;
}

/** A compound by the places of its terms. */
interface CompoundPlaces {
  whole: number;
  parts: number[];
}

/**
 * Ranks candidates for one search: best first, one site an owner until others are shown. Deterministic for one rotation:
 * the candidates' own order plays no part. Each candidate is measured once, however often it is ranked among others.
 */
export function ranker(
  set: Collection,
  query: RankQuery,
  rotation: Rotation,
): (candidates: readonly Candidate[]) => RankedSite[] {
  const weights = termWeights(set, query);
  const { asked = weights.length } = query;
  const compounds = placesOf(query);
  const mostWords = weights.reduce(
    (sum, weight, term) => (term < asked && set.documentFrequencies[term]! > 0 ? sum + weight : sum),
    0,
  );
  const measured = new Map<Candidate, Words>();
  const measure = (candidate: Candidate): Words => {
    const words = measured.get(candidate) ?? wordsOf(candidate, set, weights, query, compounds);
    measured.set(candidate, words);
    return words;
  };
  return (candidates) => {
    let [isAnswered, hasMeaning, nearest, mostOnPages] = [false, false, 0, 0];
    for (const candidate of candidates) {
      const { similarity = Number.NaN } = candidate;
      const { held, pages } = measure(candidate);
      isAnswered ||= held >= ANSWERED;
      if (pages > mostOnPages) mostOnPages = pages;
      // Where meaning can be asked, a word or two of a whole question says little. Not so by words alone: it costs 3 % there.
      hasMeaning ||= Number.isFinite(similarity);
      if (similarity > nearest) nearest = similarity;
    }
    const ranked: RankedSite[] = [];
    const named: RankedSite[] = [];
    for (const candidate of candidates) {
      const { siteId, owner, similarity = 0 } = candidate;
      const own = measure(candidate);
      const { score, held, heldAlike } = own;
      const words = score * (hasMeaning ? heldAlike : 1);
      const sameness = held === 1 ? nearest : similarity;
      const meaning = meaningScore(sameness, Math.max(1, mostWords), words === 0);
      const match = matchKind(candidate, query, words, meaning);
      const isNamed = match !== "domain" && bearsName(candidate, query, own, mostOnPages);
      if (match === "meaning" && isAnswered && !isNamed && !(similarity >= SURE_SIMILARITY)) continue;
      const text = words + meaning;
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

/** What each term counts for; one that was not asked for never more than half of the best that was. */
function termWeights(set: Collection, { terms, asked = terms.length }: RankQuery): number[] {
  const weights = terms.map((_, term) => idf(set.documents, set.documentFrequencies[term]!));
  // Words that no site has say nothing of how much a word counts for here.
  const known = weights.filter((_, term) => term < asked && set.documentFrequencies[term]! > 0);
  const best = known.length > 0 ? Math.max(...known) : Number.POSITIVE_INFINITY;
  return weights.map((weight, term) => (term < asked ? weight : LIKENESS * Math.min(weight, best)));
}

/** Of each whole once: a query may say it a thousand times. */
function placesOf({ terms, compounds = [] }: RankQuery): CompoundPlaces[] {
  const known = new Map<string, CompoundPlaces>();
  for (const { whole, parts } of compounds) {
    const places = { whole: terms.indexOf(whole), parts: parts.map((part) => terms.indexOf(part)) };
    if (places.whole >= 0 && parts.length > 0 && !places.parts.includes(-1)) known.set(whole, places);
  }
  return [...known.values()];
}

function wordsOf(
  candidate: Candidate,
  set: Collection,
  weights: number[],
  { asked = weights.length, like = [] }: RankQuery,
  compounds: readonly CompoundPlaces[],
): Words {
  const { counts, lengths } = candidate;
  const holds = weights.map((_, term) => INDEX_FIELDS.some((field) => counts[field][term]! > 0));
  const isAlike = new Set(like.filter((_, added) => holds[asked + added]));
  const shareOf = (held: readonly boolean[], likeness: number): number => {
    let [all, share] = [0, 0];
    for (let term = 0; term < asked; term++) {
      all += weights[term]!;
      share += weights[term]! * (held[term] ? 1 : isAlike.has(term) ? likeness : 0);
    }
    return all > 0 ? share / all : 0;
  };
  const onPages = weights.map((_, term) => counts.text[term]! > 0);
  const saturation = saturationOf(lengths.text, set.meanLengths.text);
  return {
    score: textScore(candidate, set, weights),
    onPages: shareOf(spelledOut(onPages, compounds), 0),
    pages: counts.text.reduce(
      (sum, count, term) => sum + weights[term]! * termWeight(count, saturation, 0, []),
      0,
    ),
    held: shareOf(holds, 0),
    heldAlike: shareOf(holds, LIKENESS),
    answered: shareOf(spelledOut(holds, compounds), LIKENESS),
  };
}

/** R of the words alone. */
function textScore({ counts, lengths }: Candidate, set: Collection, weights: number[]): number {
  const saturation = saturationOf(lengths.text, set.meanLengths.text);
  const presences = presencesOf(lengths);
  let score = 0;
  for (let term = 0; term < weights.length; term++) {
    let held = 0;
    for (let i = 0; i < OWNER_FIELDS.length; i++) if (counts[OWNER_FIELDS[i]!][term]! > 0) held |= 1 << i;
    score += weights[term]! * termWeight(counts.text[term]!, saturation, held, presences);
  }
  return score;
}

/** What standing in each owner-written field counts for on this site, in the order of OWNER_FIELDS. */
const presencesOf = (lengths: Candidate["lengths"]): number[] =>
  OWNER_FIELDS.map(
    (field) => PRESENCE[field] * Math.min(1, FULL_LENGTHS[field] / Math.max(1, lengths[field])),
  );

/** The same with the other spellings of compounds: who holds all parts holds the whole, and the other way about. */
function spelledOut(holds: readonly boolean[], compounds: readonly CompoundPlaces[]): readonly boolean[] {
  if (compounds.length === 0) return holds;
  const all = [...holds];
  for (const { whole, parts } of compounds) {
    if (all[whole]) for (const part of parts) all[part] = true;
    else all[whole] = parts.every((part) => all[part]);
  }
  return all;
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

const trustOf = ({ ring }: Candidate): number => FACTOR_RANGES.trust.least + 0.01 * within(ring, 0, 4, 0);

/** A value that a damaged or foreign listing cannot use to rise above the rest. */
const within = (value: number, least: number, most: number, otherwise: number): number =>
  Number.isFinite(value) ? Math.min(most, Math.max(least, value)) : otherwise;

const fairnessOf = ({ fairnessBoost }: Candidate): number =>
  within(fairnessBoost, FACTOR_RANGES.fairness.least, FACTOR_RANGES.fairness.most, 1);

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

const inOrder =
  (rotation: Rotation) =>
  (a: RankedSite, b: RankedSite): number =>
    TIERS[b.explain.match] - TIERS[a.explain.match] ||
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
