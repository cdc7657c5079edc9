/**
 * Small linear classifiers over hashed n-grams. A text is the set of its n-grams, its vector of length one; a class's score is the
 * logistic of weights times vector plus bias. Weights are 8-bit, one scale a class. Trained by train/linear.ts.
 */
import { readFileSync } from "node:fs";
import { FeatureReader } from "./feature-reader.ts";
import { MODELS, type ModelCard, readCard } from "./model-card.ts";

export class LinearModel {
  readonly card: ModelCard;
  readonly #weights: Int8Array;
  readonly #reader: FeatureReader;

  /** @param weights class after class, a byte a bucket */
  constructor(card: ModelCard, weights: Int8Array) {
    this.card = card;
    this.#weights = weights;
    this.#reader = new FeatureReader(card.features);
  }

  /** Logit of each class, in the card's order. */
  logits(text: string): number[] {
    const found = this.#reader.read(text);
    const norm = 1 / Math.sqrt(Math.max(1, found.length));
    return this.card.classes.map((_, index) => {
      const offset = index * this.card.features.buckets;
      let sum = 0;
      for (const bucket of found) sum += this.#weights[offset + bucket]!;
      return sum * this.card.scales[index]! * norm + this.card.biases[index]!;
    });
  }

  /** Probability of each class by itself, 0 to 1. */
  scores(text: string): number[] {
    return this.logits(text).map(logistic);
  }
}

export const logistic = (x: number): number => 1 / (1 + Math.exp(-x));

/** The probability that a logit stands for, by what the model got right of texts that it did not learn from. */
export const calibrated = ({ calibration }: ModelCard, logit: number): number =>
  logistic(calibration ? calibration.scale * logit + calibration.bias : logit);

/** A model that is committed under models/. @throws Error when it is not there */
export function loadModel(name: string): LinearModel {
  const card = readCard(name);
  return new LinearModel(card, modelWeights(card));
}

/** The weights of a committed model. @throws Error when they do not fit its card */
export function modelWeights({ name, classes, features }: ModelCard): Int8Array {
  const bytes = readFileSync(new URL(`${name}/weights.bin`, MODELS));
  if (bytes.length !== classes.length * features.buckets)
    throw new Error(`models/${name}: the weights do not fit the card`);
  return new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length);
}
