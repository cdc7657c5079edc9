/**
 * The matcher of offers: boosted trees over workers/gateway/price/matching.ts, trained on the training parts of Abt-Buy,
 * Amazon-Google and Walmart-Amazon (megagonlabs/ditto, Apache-2.0); the threshold is chosen on their validation parts.
 */
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { probabilityOf } from "../../src/domain/boosted-trees.ts";
import { featuresOf, prepare, rarityAmong } from "../../workers/gateway/price/matching.ts";
import { trainTrees } from "../boosted-trees.ts";
import { type Pair, readPairs } from "./pairs.ts";

const COLLECTIONS = ["abt-buy", "amazon-google", "walmart-amazon"];
const FOLDER = join(import.meta.dirname, "..", "..", "models", "price");
export const SETTINGS = {
  trees: 200,
  leaves: 48,
  learningRate: 0.05,
  leastRows: 10,
  rowShare: 0.8,
  featureShare: 0.7,
  seed: 7,
} as const;

const dataFolder = (): string =>
  join(
    process.env.BRIDGE_DATA_DIR ?? join(import.meta.dirname, "..", "..", "..", "shared", "data"),
    "product-matching",
  );

/** Features of every pair; how rare a word is, is counted over the offers of the file. */
export const rowsOf = (pairs: Pair[]): number[][] => {
  const prepared = pairs.map(({ left, right }) => [prepare(left), prepare(right)] as const);
  const distinct = new Map(
    pairs.flatMap(
      (pair, i) =>
        [
          [JSON.stringify(pair.left), prepared[i]![0]],
          [JSON.stringify(pair.right), prepared[i]![1]],
        ] as const,
    ),
  );
  const rarity = rarityAmong(distinct.values());
  return prepared.map(([left, right]) => featuresOf(left, right, rarity));
};

const f1 = (labels: boolean[], probabilities: number[], threshold: number): number => {
  let [hits, alarms, misses] = [0, 0, 0];
  labels.forEach((label, i) => {
    const given = probabilities[i]! >= threshold;
    if (label && given) hits++;
    else if (given) alarms++;
    else if (label) misses++;
  });
  return (2 * hits) / (2 * hits + alarms + misses);
};

export const train = async (): Promise<void> => {
  const read = (part: string) =>
    COLLECTIONS.map((name) => readPairs(join(dataFolder(), `${name}-${part}.txt`)));
  const training = read("train");
  const rows = training.flatMap(rowsOf);
  const labels = training.flat().map(({ isSame }) => isSame);
  process.stderr.write(`${rows.length} pairs, ${rows[0]!.length} features\n`);
  const trees = trainTrees(rows, labels, SETTINGS);
  const validation = read("valid").map((pairs) => ({
    labels: pairs.map(({ isSame }) => isSame),
    probabilities: rowsOf(pairs).map((row) => probabilityOf(trees, row)),
  }));
  const meanF1 = (threshold: number): number =>
    validation.reduce((sum, set) => sum + f1(set.labels, set.probabilities, threshold), 0) /
    validation.length;
  const thresholds = Array.from({ length: 31 }, (_, i) => 0.2 + i / 100);
  const threshold = thresholds.reduce((best, one) => (meanF1(one) > meanF1(best) ? one : best));
  const text = JSON.stringify(trees);
  const version = createHash("sha256").update(text).digest("hex").slice(0, 12);
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(
    join(FOLDER, "model.json"),
    `${JSON.stringify({ version, threshold: Number(threshold.toFixed(2)), trees })}\n`,
  );
  const each = validation.map(
    (set, i) => `${COLLECTIONS[i]} ${f1(set.labels, set.probabilities, threshold).toFixed(3)}`,
  );
  process.stderr.write(`threshold ${threshold.toFixed(2)}, F1 on the validation parts: ${each.join(", ")}\n`);
  process.stderr.write(
    `wrote models/price/model.json (${Math.round(readFileSync(join(FOLDER, "model.json")).length / 1024)} KiB)\n`,
  );
};
