/**
 * One pure function orders the candidates of every engine. Exact matches first, then sites whose name holds every
 * term, then by R · T · F: text, trust, fairness.
 */

import type { Candidate, CandidateSet } from "../ports.ts";
import { LEAST_SIMILARITY } from "./embeddings/static-vectors.ts";

/** Presence weights of what owners write: said once or ten times, it counts once. */
const NAME_WEIGHT = 4;
const DOMAIN_WEIGHT = 2;
const TAGS_WEIGHT = 2;
const DESCRIPTION_WEIGHT = 1;
/** What is left of a tag's weight when the crawl did not find the word on the site. */
const UNCONFIRMED_TAG = 0.25;
/** BM25 of the crawled text. A low b: long pages are not worse pages. */
const K1 = 1.2;
const B = 0.3;
/** More repeats of a word than this say nothing more. */
const MAX_TERM_FREQUENCY = 20;

export type MatchKind = "domain" | "name" | "all_terms_in_name" | "terms" | "meaning" | "none";
const TIERS: Record<MatchKind, number> = {
  domain: 4,
  name: 3,
  all_terms_in_name: 2,
  terms: 1,
  meaning: 1,
  none: 0,
};

export interface Explain {
  /** Sorts before all else, in the order of MatchKind. */
  match: MatchKind;
  /** R: relevance of the text, its words and its meaning, at least 0. */
  text: number;
  /** T: 0.96 + 0.01 for each ring. */
  trust: number;
  /** F: the listing's fairness_boost, within 0.96 to 1.04. */
  fairness: number;
}

export interface Ranked {
  siteId: string;
  /** R · T · F: comparable within one answer and one kind of match only. */
  score: number;
  explain: Explain;
}

export interface RankQuery {
  /** The terms that the candidates' counts are for. */
  terms: string[];
  exactDomain?: string;
  exactName?: string;
}

/** Inverse document frequency as BM25+ and Lucene have it: never negative. */
const idf = (documents: number, frequency: number): number =>
  Math.log(1 + (Math.max(documents, frequency) - frequency + 0.5) / (frequency + 0.5));

const textScore = (candidate: Candidate, set: CandidateSet, weights: number[]): number => {
  const { counts, lengths } = candidate;
  const mean = set.meanLengths.text;
  const saturation = K1 * (1 - B + B * (mean > 0 ? lengths.text / mean : 1));
  let score = 0;
  weights.forEach((weight, term) => {
    const frequency = Math.min(counts.text[term]!, MAX_TERM_FREQUENCY);
    let fields = (frequency * (K1 + 1)) / (frequency + saturation);
    if (counts.name[term]! > 0) fields += NAME_WEIGHT;
    if (counts.domain[term]! > 0) fields += DOMAIN_WEIGHT;
    if (counts.tags[term]! > 0) fields += frequency > 0 ? TAGS_WEIGHT : TAGS_WEIGHT * UNCONFIRMED_TAG;
    if (counts.description[term]! > 0) fields += DESCRIPTION_WEIGHT;
    score += weight * fields;
  });
  return score;
};

/** What a text that means the same as the query counts for, in the words of a query that a text holds once. */
const MEANING_WEIGHT = 2;

/** Words and meaning add up: fused by score, since ranks alone would forget how sure either is. */
const meaningScore = ({ similarity = 0 }: Candidate, weights: number[]): number =>
  similarity < LEAST_SIMILARITY
    ? 0
    : MEANING_WEIGHT *
      similarity *
      Math.max(
        1,
        weights.reduce((sum, weight) => sum + weight, 0),
      );

const matchKind = (candidate: Candidate, query: RankQuery, words: number, meaning: number): MatchKind => {
  if (query.exactDomain !== undefined && candidate.siteId === query.exactDomain) return "domain";
  if (query.exactName !== undefined && query.exactName !== "" && candidate.exactName === query.exactName)
    return "name";
  const inName = candidate.counts.name;
  if (query.terms.length > 0 && inName.every((count) => count > 0)) return "all_terms_in_name";
  return words > 0 ? "terms" : meaning > 0 ? "meaning" : "none";
};

/** A value that a damaged or foreign listing cannot use to rise above the rest. */
const within = (value: number, least: number, most: number, otherwise: number): number =>
  Number.isFinite(value) ? Math.min(most, Math.max(least, value)) : otherwise;

const trustOf = (candidate: Candidate): number => 0.96 + 0.01 * within(candidate.ring, 0, 4, 0);
const fairnessOf = (candidate: Candidate): number => within(candidate.fairnessBoost, 0.96, 1.04, 1);

/** Best first. Deterministic: ties go by siteId. The candidates' own order plays no part. */
export const rank = (set: CandidateSet, query: RankQuery): Ranked[] => {
  const weights = query.terms.map((_, term) => idf(set.documents, set.documentFrequencies[term] ?? 0));
  const ranked = set.candidates.map((candidate): Ranked => {
    const words = textScore(candidate, set, weights);
    const meaning = meaningScore(candidate, weights);
    const text = words + meaning;
    const trust = trustOf(candidate);
    const fairness = fairnessOf(candidate);
    const match = matchKind(candidate, query, words, meaning);
    return {
      siteId: candidate.siteId,
      score: text * trust * fairness,
      explain: { match, text, trust, fairness },
    };
  });
  return ranked.sort(
    (a, b) =>
      TIERS[b.explain.match] - TIERS[a.explain.match] ||
      b.score - a.score ||
      (a.siteId < b.siteId ? -1 : a.siteId > b.siteId ? 1 : 0),
  );
};
