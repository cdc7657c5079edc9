/** Learns the matcher of offers from labelled pairs: what single words say first, then trees over that and the rest. */
import type { BoostedTrees } from "../../src/classifiers/boosted-trees.ts";
import {
  featuresOf,
  type MatchModel,
  matchConfidence,
  type Rarity,
  rarityAmong,
} from "../../workers/gateway/price/matching.ts";
import {
  pairWordsOf,
  WORD_BUCKETS,
  type WordWeights,
  wordScore,
} from "../../workers/gateway/price/pair-words.ts";
import { type PreparedOffer, prepare } from "../../workers/gateway/price/prepared.ts";
import { trainTrees } from "../boosted-trees.ts";
import { fitLogistic, roundWeights } from "../linear.ts";
import type { Pair } from "./pairs.ts";

const SEED = 7;
const TREES = {
  trees: 200,
  leaves: 48,
  learningRate: 0.05,
  leastRows: 10,
  rowShare: 0.8,
  featureShare: 0.7,
  seed: SEED,
} as const;
const WORDS = { buckets: WORD_BUCKETS, seed: SEED, epochs: 12, rate: 0.1, decay: 2e-5 } as const;
const FOLDS = 5;

export interface Collection {
  pairs: Pair[];
  prepared: (readonly [PreparedOffer, PreparedOffer])[];
  rarity: Rarity;
}

/** One file of pairs; how rare a word is, is counted over its offers. */
export function collectionOf(pairs: Pair[]): Collection {
  const known = new Map<string, PreparedOffer>();
  const once = (offer: Pair["left"]): PreparedOffer => {
    const key = JSON.stringify(offer);
    const prepared = known.get(key) ?? prepare(offer);
    known.set(key, prepared);
    return prepared;
  };
  const prepared = pairs.map(({ left, right }) => [once(left), once(right)] as const);
  return { pairs, prepared, rarity: rarityAmong(known.values()) };
}

/** @param collections to learn from; the same give the same matcher */
export function trainMatcher(collections: Collection[]): { words: WordWeights; trees: BoostedTrees } {
  const pairs = collections.flatMap((one) => one.pairs);
  const labels = pairs.map(({ isSame }) => isSame);
  const words = collections.flatMap(({ prepared }) => prepared.map(([a, b]) => pairWordsOf(a, b)));
  const scores = heldOutScores(words, labels, foldsOf(pairs));
  const features = collections.flatMap(({ prepared, rarity }) =>
    prepared.map(([a, b]) => featuresOf(a, b, rarity)),
  );
  const rows = features.map((row, i) => [...row, scores[i]!]);
  return { words: fitWords(words, labels), trees: trainTrees(rows, labels, TREES) };
}

/** What the words of each pair say by weights that were learned from the other folds. */
function heldOutScores(words: Uint32Array[], labels: boolean[], folds: number[]): number[] {
  const scores = new Array<number>(words.length);
  for (let fold = 0; fold < FOLDS; fold++) {
    const isKnown = (_: unknown, i: number) => folds[i] !== fold;
    const weights = fitWords(words.filter(isKnown), labels.filter(isKnown));
    words.forEach((one, i) => {
      if (folds[i] === fold) scores[i] = wordScore(weights, one);
    });
  }
  return scores;
}

function fitWords(words: Uint32Array[], labels: boolean[]): WordWeights {
  const { weights, bias } = fitLogistic(words, labels, WORDS);
  return { bias, ...roundWeights(weights) };
}

/** Folds by the first offer: no offer's words are judged by what its other pairs taught. */
function foldsOf(pairs: Pair[]): number[] {
  const folds = new Map<string, number>();
  return pairs.map(({ left }) => {
    const key = JSON.stringify(left);
    if (!folds.has(key)) folds.set(key, folds.size % FOLDS);
    return folds.get(key)!;
  });
}

/** The matcher's probability for each pair of a collection. */
export const confidencesOf = (
  matcher: Pick<MatchModel, "words" | "trees">,
  { prepared, rarity }: Collection,
): number[] => prepared.map(([a, b]) => matchConfidence(matcher, a, b, rarity));
