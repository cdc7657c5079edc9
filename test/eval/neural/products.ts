/** Do titles of one product lie near each other? Static vectors against hashed n-grams, and the full model's figures. */
import { readFileSync } from "node:fs";
import { hashOf } from "../../../src/adapters/index/tokens.ts";
import { cosine, type StaticVectors } from "../../../src/domain/search/embeddings/static-vectors.ts";
import { dataFile } from "../../support/data.ts";

export const PRODUCT_SETS = ["abt-buy", "amazon-google", "walmart-amazon"] as const;

export interface Offer {
  title: string;
  category: string;
}
export interface Pair {
  left: Offer;
  right: Offer;
  same: boolean;
}

export interface Nearness {
  /** Chance that a pair of one product is nearer than a pair of two. */
  auc: number;
  /** Share of offers whose own product at the other shop is the nearest of all there. */
  firstPlace: number;
  /** Mean reciprocal rank of it. */
  mrr: number;
}

const memberOf = (offer: string, names: string): string =>
  new RegExp(`COL (?:${names}) VAL (.*?)(?= COL |$)`).exec(offer)?.[1]?.trim() ?? "";

const offerOf = (text: string): Offer => ({
  title: memberOf(text, "title|name"),
  category: memberOf(text, "category"),
});

/** The full model takes a tenth of a second a title: it and all others are measured on so many pairs of a set. */
const MAX_PAIRS = 500;

/** The first pairs of a set; undefined where the data is not there. */
export function readPairs(set: string, most = MAX_PAIRS): Pair[] | undefined {
  const path = dataFile(`product-matching/${set}-valid.txt`);
  if (path === undefined) return undefined;
  return readFileSync(path, "utf8")
    .trim()
    .split("\n")
    .slice(0, most)
    .map((line) => {
      const [left = "", right = "", label] = line.split("\t");
      return { left: offerOf(left), right: offerOf(right), same: label === "1" };
    });
}

type Embed = (text: string) => ArrayLike<number>;

/** Counts of a text's n-grams of 3 to 5 characters, hashed into `size` places, logarithms of them. */
export const hashedGrams =
  (size: number): Embed =>
  (text) => {
    const vector = new Float32Array(size);
    const padded = ` ${text.toLowerCase().replace(/\s+/g, " ")} `;
    for (let length = 3; length <= 5; length++)
      for (let at = 0; at + length <= padded.length; at++)
        vector[hashOf(padded.slice(at, at + length)) % size]!++;
    return vector.map((count) => Math.log1p(count));
  };

export const embedWith =
  (model: StaticVectors): Embed =>
  (text) =>
    model.embed(text);

/** Area under the ROC curve by ranks (Mann-Whitney). */
function areaOf(scored: { score: number; same: boolean }[]): number {
  const ascending = scored.toSorted((a, b) => a.score - b.score);
  const same = ascending.filter((one) => one.same).length;
  let rankSum = 0;
  ascending.forEach((one, i) => {
    if (one.same) rankSum += i + 1;
  });
  return (rankSum - (same * (same + 1)) / 2) / (same * (ascending.length - same));
}

export function measureNearness(pairs: Pair[], embed: Embed): Nearness {
  const known = new Map<string, ArrayLike<number>>();
  const vectorOf = (title: string): ArrayLike<number> => {
    const vector = known.get(title) ?? embed(title);
    known.set(title, vector);
    return vector;
  };
  const scored = pairs.map(({ left, right, same }) => ({
    score: cosine(vectorOf(left.title), vectorOf(right.title)),
    same,
  }));
  const others = [...new Set(pairs.map(({ right }) => right.title))];
  const ranks = pairs
    .filter(({ same }) => same)
    .map(({ left, right }) => {
      const query = vectorOf(left.title);
      const own = cosine(query, vectorOf(right.title));
      return 1 + others.filter((title) => cosine(query, vectorOf(title)) > own).length;
    });
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  return {
    auc: areaOf(scored),
    firstPlace: mean(ranks.map((rank) => (rank === 1 ? 1 : 0))),
    mrr: mean(ranks.map((rank) => 1 / rank)),
  };
}
