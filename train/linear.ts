/** Trains the linear models of workers/gateway: logistic regression by AdaGrad, the same weights from the same rows. */
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { FeatureReader } from "../src/classifiers/feature-reader.ts";
import { LinearModel, logistic } from "../src/classifiers/linear-model.ts";
import type { FeatureOptions, ModelCard } from "../src/classifiers/model-card.ts";
import { mulberry32 } from "../src/domain/listing/mulberry32.ts";

export interface Row {
  text: string;
  /** Index of its class, -1 for none: every class is learned against all other rows. */
  class: number;
  /** Default 1. */
  weight?: number;
}

export interface TrainingOptions {
  features: FeatureOptions;
  classes: readonly string[];
  seed: number;
  epochs: number;
  /** Step of AdaGrad. */
  rate: number;
  /** L2 penalty, per row. */
  decay: number;
}

export type FitOptions = Pick<TrainingOptions, "seed" | "epochs" | "rate" | "decay"> & { buckets: number };

export type Trained = Pick<
  ModelCard,
  "classes" | "features" | "biases" | "scales" | "seed" | "weightsSha256"
> & {
  weights: Int8Array;
};

export type CardRest = Pick<ModelCard, "name" | "threshold" | "trainedOn" | "measured" | "calibration">;

/** Learns every class of the rows and rounds the weights to 8 bits. */
export function trainLinear(rows: Row[], options: TrainingOptions): Trained {
  const reader = new FeatureReader(options.features);
  const vectors = rows.map(({ text }) => reader.read(text).slice());
  const { buckets } = options.features;
  const weights = new Int8Array(options.classes.length * buckets);
  const biases: number[] = [];
  const scales: number[] = [];
  for (const [index] of options.classes.entries()) {
    const targets = rows.map((row) => row.class === index);
    const fitted = fitLogistic(vectors, targets, { ...options, buckets }, (row) => rows[row]!.weight ?? 1);
    const rounded = roundWeights(fitted.weights);
    weights.set(rounded.weights, index * buckets);
    biases.push(fitted.bias);
    scales.push(rounded.scale);
  }
  return {
    classes: options.classes,
    features: options.features,
    seed: options.seed,
    biases,
    scales,
    weights,
    weightsSha256: createHash("sha256").update(weights).digest("hex"),
  };
}

/**
 * Logistic regression over rows of buckets, each row's vector of length one.
 * @param weightOf of a row; default 1
 */
export function fitLogistic(
  vectors: Uint32Array[],
  targets: readonly boolean[],
  { seed, epochs, rate, decay, buckets }: FitOptions,
  weightOf: (row: number) => number = () => 1,
): { weights: Float64Array; bias: number } {
  const weights = new Float64Array(buckets);
  const squares = new Float64Array(buckets).fill(1e-6);
  let bias = 0;
  let biasSquares = 1e-6;
  const random = mulberry32(seed);
  const order = vectors.map((_, index) => index);
  for (let epoch = 0; epoch < epochs; epoch++)
    for (const index of shuffled(order, random)) {
      const vector = vectors[index]!;
      const norm = 1 / Math.sqrt(Math.max(1, vector.length));
      let sum = bias;
      for (const bucket of vector) sum += weights[bucket]! * norm;
      const error = (logistic(sum) - Number(targets[index])) * weightOf(index);
      biasSquares += error * error;
      bias -= (rate * error) / Math.sqrt(biasSquares);
      for (const bucket of vector) {
        const gradient = error * norm + decay * weights[bucket]!;
        squares[bucket]! += gradient * gradient;
        weights[bucket]! -= (rate * gradient) / Math.sqrt(squares[bucket]!);
      }
    }
  return { weights, bias };
}

export function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const all = [...items];
  for (let i = all.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [all[i], all[j]] = [all[j]!, all[i]!];
  }
  return all;
}

/** Weights as 8-bit numbers of one scale. Nothing is lost by it: one weight in many thousands is at the bound. */
export function roundWeights(weights: Float64Array): { scale: number; weights: Int8Array } {
  const scale = weights.reduce((max, weight) => Math.max(max, Math.abs(weight)), 1e-9) / 127;
  return { scale, weights: Int8Array.from(weights, (weight) => Math.round(weight / scale)) };
}

export function asModel(trained: Trained, rest: CardRest): LinearModel {
  const { weights, ...known } = trained;
  return new LinearModel({ version: trained.weightsSha256.slice(0, 12), ...rest, ...known }, weights);
}

/**
 * Writes models/<name>/: weights.bin, model.json and the card for readers, README.md.
 * @param trainer folder of train/ that makes the model, and of test/eval/ that measures it
 */
export function writeModel(
  { card }: Pick<LinearModel, "card">,
  weights: Int8Array,
  about: string,
  trainer: string,
): void {
  const folder = join(import.meta.dirname, "..", "models", card.name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "weights.bin"), weights);
  writeFileSync(join(folder, "model.json"), `${JSON.stringify(card, null, 2)}\n`);
  const sources = card.trainedOn.map(({ data, license, rows }) => `| ${data} | ${license} | ${rows} |`);
  writeFileSync(
    join(folder, "README.md"),
    `# ${card.name}\n\n${about}\n\n- Classes: ${card.classes.join(", ")}\n- Threshold: ${card.threshold}\n- Seed: ${card.seed}\n- SHA-256 of weights.bin: \`${card.weightsSha256}\`\n- License of the weights: Apache-2.0, as the project; of what they were trained on:\n\n| Data | License | Rows |\n| --- | --- | --- |\n${sources.join("\n")}\n\nMade by \`npm run train -- ${trainer}\`; the same data gives the same bytes. Measured by \`npm run eval -- ${trainer}\`: [report](../../docs/evaluation/${trainer}.md).\n`,
  );
}
