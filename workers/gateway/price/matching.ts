/**
 * Whether two offers of different shops are one product: what their names, models, numbers, brands and prices share, weighed
 * by boosted trees. Words are weighed by how rare they are among the offers that are compared, and by what they said of
 * other pairs.
 */
import { type BoostedTrees, probabilityOf } from "../../../src/classifiers/boosted-trees.ts";
import { pairWordsOf, type WordWeights, wordScore } from "./pair-words.ts";
import type { PreparedOffer, TokenSet } from "./prepared.ts";

/** How much a token says: ln(1 + (N − n + ½) / (n + ½)). */
export type Rarity = (token: string) => number;

/** What is not known. */
const UNKNOWN = -0.1;

/** A trained matcher as models/price/ has it. */
export interface MatchModel {
  version: string;
  /** From this probability on, two offers are given as one product. */
  threshold: number;
  words: WordWeights;
  trees: BoostedTrees;
}

export function rarityAmong(offers: Iterable<PreparedOffer>): Rarity {
  const holders = new Map<string, number>();
  let count = 0;
  for (const { everything } of offers) {
    count++;
    for (const token of everything) holders.set(token, (holders.get(token) ?? 0) + 1);
  }
  return (token) => {
    const n = holders.get(token) ?? 0;
    return Math.log(1 + (count - n + 0.5) / (n + 0.5));
  };
}

/** The probability, 0 to 1, that two offers are one product; the same in either order. */
export const matchConfidence = (
  { trees, words }: Pick<MatchModel, "trees" | "words">,
  a: PreparedOffer,
  b: PreparedOffer,
  rarity: Rarity,
): number => probabilityOf(trees, [...featuresOf(a, b, rarity), wordScore(words, pairWordsOf(a, b))]);

/** What the trees are asked about, but for what single words say. */
export function featuresOf(a: PreparedOffer, b: PreparedOffer, rarity: Rarity): number[] {
  const common = shared(a.tokens, b.tokens);
  const [weightA, weightB] = [sumOf(a.tokens, rarity), sumOf(b.tokens, rarity)];
  const weight = sumOf(common, rarity);
  const cosine = ratio(
    squares(common, rarity),
    Math.sqrt(squares(a.tokens, rarity) * squares(b.tokens, rarity)),
  );
  const trigrams = countShared(a.trigrams, b.trigrams);
  const [missingA, missingB] = [missing(a, b, rarity), missing(b, a, rarity)];
  const numbers = shared(a.numbers, b.numbers).length;
  const allNumbers = a.numbers.size + b.numbers.size - numbers;
  const alone = (one: PreparedOffer, other: PreparedOffer) =>
    one.numbers.size - shared(one.numbers, other.everything).length;
  const described = Math.min(sumOf(a.described, rarity), sumOf(b.described, rarity));
  const anywhere = (one: PreparedOffer, other: PreparedOffer) =>
    sumOf(shared(one.tokens, other.everything), rarity);
  return [
    cosine,
    ...ordered(ratio(weight, weightA), ratio(weight, weightB)),
    ratio(weight, weightA + weightB - weight),
    ratio(trigrams, a.trigrams.length + b.trigrams.length - trigrams),
    ratio(trigrams, Math.min(a.trigrams.length, b.trigrams.length)),
    ...modelFeatures(a, b),
    allNumbers === 0 ? 0.5 : numbers / allNumbers,
    ...ordered(alone(a, b), alone(b, a)),
    brandFeature(a, b),
    a.price && b.price ? Math.abs(Math.log(a.price / b.price)) : UNKNOWN,
    Number(a.first !== undefined && a.first === b.first),
    ...ordered(ratio(missingA.sum, weightA), ratio(missingB.sum, weightB)),
    ...ordered(missingA.most, missingB.most),
    ...ordered(missingA.sum, missingB.sum),
    Math.abs(a.tokens.size - b.tokens.size),
    described > 0 ? sumOf(shared(a.described, b.described), rarity) / described : UNKNOWN,
    weight,
    ...ordered(ratio(anywhere(a, b), weightA), ratio(anywhere(b, a), weightB)),
  ];
}

const shared = (one: TokenSet, other: TokenSet): string[] => [...one].filter((token) => other.has(token));

function sumOf(tokens: Iterable<string>, rarity: Rarity): number {
  let sum = 0;
  for (const token of tokens) sum += rarity(token);
  return sum;
}

const ratio = (part: number, whole: number): number => (whole > 0 ? part / whole : 0);

function squares(tokens: Iterable<string>, rarity: Rarity): number {
  let sum = 0;
  for (const token of tokens) sum += rarity(token) ** 2;
  return sum;
}

/** How many numbers are in both lists, each of which is in order. */
function countShared(one: Uint16Array, other: Uint16Array): number {
  let count = 0;
  for (let i = 0, j = 0; i < one.length && j < other.length; ) {
    const difference = one[i]! - other[j]!;
    if (difference === 0) count++;
    if (difference <= 0) i++;
    if (difference >= 0) j++;
  }
  return count;
}

/** Tokens of one name that the other offer has in no form, and what they say. */
function missing(one: PreparedOffer, other: PreparedOffer, rarity: Rarity) {
  const long = [...other.everything].filter((token) => token.length >= 4);
  const absent = [...one.tokens].filter((token) => !other.everything.has(token));
  const inNoForm = absent.filter(
    (token) =>
      token.length < 4 ||
      !(other.joined.includes(token) || long.some((candidate) => likeness(token, candidate) >= 0.8)),
  );
  const weights = inNoForm.map(rarity);
  return { sum: weights.reduce((a, b) => a + b, 0), most: Math.max(0, ...weights) };
}

/** Length of the common beginning by that of the longer. */
function likeness(one: string, other: string): number {
  let same = 0;
  while (same < one.length && one[same] === other[same]) same++;
  return same / Math.max(one.length, other.length);
}

/** Least and most of two values: it must not matter which offer is first. */
const ordered = (one: number, other: number): number[] => (one <= other ? [one, other] : [other, one]);

function modelFeatures(a: PreparedOffer, b: PreparedOffer): number[] {
  const both = a.models.size > 0 && b.models.size > 0;
  let like = 0;
  for (const one of a.models) for (const other of b.models) like = Math.max(like, likeness(one, other));
  const inside = (models: TokenSet, text: string) =>
    [...models].some((model) => model.length >= 5 && text.includes(model));
  const same =
    shared(a.models, b.everything).length > 0 ||
    shared(b.models, a.everything).length > 0 ||
    inside(a.models, b.joined) ||
    inside(b.models, a.joined);
  return [Number(same), like, Number(both), Number(both && !same)];
}

function brandFeature(a: PreparedOffer, b: PreparedOffer): number {
  if (shared(a.brand, b.everything).length > 0 || shared(b.brand, a.everything).length > 0) return 1;
  return a.brand.size > 0 && b.brand.size > 0 ? -1 : 0;
}
