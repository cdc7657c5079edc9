/** What a candidate's own words say of a query, whatever other candidates there are. Pure. */
import { type Candidate, type CandidateSet, OWNER_FIELDS, type OwnerField } from "../../ports/index.ts";
import { declaredWeight, idf, PRESENCE, saturationOf, textWeight } from "./term-weight.ts";
import type { Compound } from "./text-analysis.ts";

/** A name, a list of tags or a description of more terms than this shares its weight among them: stuffing gains nothing. */
const FULL_LENGTHS: Record<OwnerField, number> = { name: 8, domain: 8, tags: 12, description: 60 };
/** What a word like one that was asked for counts for. */
const LIKENESS = 0.5;
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
type Collection = Omit<CandidateSet, "candidates" | "inTurn">;

/** From so many sites on, what most of them say is known to say nothing. */
const MANY_SITES = 50;

/** What the terms of a query count for. */
export interface Terms {
  weights: number[];
  /** Those that most sites hold: on pages they say nothing, and count where owners declare them, by how many do. */
  commonplace: boolean[];
}

/** What a candidate's own words say, whatever others there are. */
export interface Words {
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
export interface CompoundPlaces {
  whole: number;
  parts: number[];
}

/**
 * What each term counts for; one that was not asked for never more than half of the best that was.
 * @param candidates the engine's, which come by what they declare: of terms that most sites hold, those tell how many declare it
 */
export function termsOf(
  set: Collection,
  { terms, asked = terms.length }: RankQuery,
  candidates: readonly Candidate[],
): Terms {
  const { documents, documentFrequencies } = set;
  const commonplace = terms.map(
    (_, term) => documents >= MANY_SITES && documentFrequencies[term]! > documents / 2,
  );
  const weights = terms.map((_, term) => {
    const declaring = () => candidates.filter((candidate) => isDeclared(candidate, term)).length;
    return idf(documents, commonplace[term] ? declaring() : documentFrequencies[term]!);
  });
  // Words that no site has say nothing of how much a word counts for here.
  const known = weights.filter((_, term) => term < asked && documentFrequencies[term]! > 0);
  const best = known.length > 0 ? Math.max(...known) : Number.POSITIVE_INFINITY;
  return {
    commonplace,
    weights: weights.map((weight, term) => (term < asked ? weight : LIKENESS * Math.min(weight, best))),
  };
}

const isDeclared = ({ counts }: Candidate, term: number): boolean =>
  OWNER_FIELDS.some((field) => counts[field][term]! > 0);

/** Of each whole once: a query may say it a thousand times. */
export function placesOf({ terms, compounds = [] }: RankQuery): CompoundPlaces[] {
  const known = new Map<string, CompoundPlaces>();
  for (const { whole, parts } of compounds) {
    const places = { whole: terms.indexOf(whole), parts: parts.map((part) => terms.indexOf(part)) };
    if (places.whole >= 0 && parts.length > 0 && !places.parts.includes(-1)) known.set(whole, places);
  }
  return [...known.values()];
}

export function wordsHeldBy(
  candidate: Candidate,
  set: Collection,
  { weights, commonplace }: Terms,
  { asked = weights.length, like = [] }: RankQuery,
  compounds: readonly CompoundPlaces[],
): Words {
  const { counts, lengths } = candidate;
  const onPages = weights.map((_, term) => counts.text[term]! > 0);
  const holds = weights.map(
    (_, term) => isDeclared(candidate, term) || (onPages[term]! && !commonplace[term]),
  );
  const isAlike = new Set(like.filter((_, added) => holds[asked + added]));
  const shareOf = (held: readonly boolean[], likeness: number): number => {
    let [all, share] = [0, 0];
    for (let term = 0; term < asked; term++) {
      all += weights[term]!;
      share += weights[term]! * (held[term] ? 1 : isAlike.has(term) ? likeness : 0);
    }
    return all > 0 ? share / all : 0;
  };
  const saturation = saturationOf(lengths.text, set.meanLengths.text);
  const presences = presencesOf(lengths);
  let [score, pages] = [0, 0];
  for (let term = 0; term < weights.length; term++) {
    const held = fieldsHolding(candidate, term);
    const inText = counts.text[term]!;
    const weight = weights[term]!;
    score += weight * declaredWeight(onPages[term]!, held, presences);
    if (!commonplace[term]) score += weight * textWeight(inText, saturation, held, presences);
    pages += weight * textWeight(inText, saturation, 0, presences);
  }
  return {
    score,
    onPages: shareOf(spelledOut(onPages, compounds), 0),
    pages,
    held: shareOf(holds, 0),
    heldAlike: shareOf(holds, LIKENESS),
    answered: shareOf(spelledOut(holds, compounds), LIKENESS),
  };
}

/** The owner-written fields that hold a term, one bit a field. */
function fieldsHolding({ counts }: Candidate, term: number): number {
  let held = 0;
  for (let i = 0; i < OWNER_FIELDS.length; i++) if (counts[OWNER_FIELDS[i]!][term]! > 0) held |= 1 << i;
  return held;
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
