/**
 * The matcher of offers (workers/gateway/price/matching.ts), trained on the training parts of Abt-Buy, Amazon-Google and
 * Walmart-Amazon (megagonlabs/ditto, Apache-2.0); the threshold is chosen on their validation parts.
 */
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { collectionOf, confidencesOf, trainMatcher } from "./matcher.ts";
import { readPairs } from "./pairs.ts";

const COLLECTIONS = ["abt-buy", "amazon-google", "walmart-amazon"];
const FOLDER = join(import.meta.dirname, "..", "..", "models", "price");

export async function train(): Promise<void> {
  const read = (part: string) =>
    COLLECTIONS.map((name) => collectionOf(readPairs(join(dataFolder(), `${name}-${part}.txt`))));
  const training = read("train");
  process.stderr.write(`${training.flatMap(({ pairs }) => pairs).length} pairs\n`);
  const matcher = trainMatcher(training);
  const validation = read("valid").map((collection) => ({
    labels: collection.pairs.map(({ isSame }) => isSame),
    probabilities: confidencesOf(matcher, collection),
  }));
  const meanF1 = (threshold: number): number =>
    validation.reduce((sum, set) => sum + f1(set.labels, set.probabilities, threshold), 0) /
    validation.length;
  const thresholds = Array.from({ length: 31 }, (_, i) => 0.2 + i / 100);
  const threshold = thresholds.reduce((best, one) => (meanF1(one) > meanF1(best) ? one : best));
  const { trees, words } = matcher;
  const { weights, ...scales } = words;
  const hash = createHash("sha256").update(JSON.stringify({ trees, words: scales }));
  const version = hash.update(weights).digest("hex").slice(0, 12);
  mkdirSync(FOLDER, { recursive: true });
  const model = { version, threshold: Number(threshold.toFixed(2)), words: scales, trees };
  writeFileSync(join(FOLDER, "model.json"), `${JSON.stringify(model)}\n`);
  writeFileSync(join(FOLDER, "words.bin"), weights);
  const each = validation.map(
    (set, i) => `${COLLECTIONS[i]} ${f1(set.labels, set.probabilities, threshold).toFixed(3)}`,
  );
  process.stderr.write(`threshold ${threshold.toFixed(2)}, F1 on the validation parts: ${each.join(", ")}\n`);
  process.stderr.write("wrote models/price/model.json and words.bin\n");
}

const dataFolder = (): string =>
  join(
    process.env.BRIDGE_DATA_DIR ?? join(import.meta.dirname, "..", "..", "..", "shared", "data"),
    "product-matching",
  );

function f1(labels: boolean[], probabilities: number[], threshold: number): number {
  let [hits, alarms, misses] = [0, 0, 0];
  labels.forEach((label, i) => {
    const given = probabilities[i]! >= threshold;
    if (label && given) hits++;
    else if (given) alarms++;
    else if (label) misses++;
  });
  return (2 * hits) / (2 * hits + alarms + misses);
}
