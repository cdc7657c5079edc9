/**
 * Which label a text deserves, if any: nearness in meaning to what describes each label, turned into probabilities
 * whose temperature was fitted to labelled texts, with "none of them" as one more outcome.
 */
import { cosine, type StaticVectors } from "../../../src/domain/search/embeddings/static-vectors.ts";
import type { Label } from "./categories.ts";

/** Fitted by `npm run eval -- neural --fit` (models/neural/classifier.json). */
export interface Calibration {
  /** What one unit of cosine counts for. */
  sharpness: number;
  /** The nearness at which a label is as likely as none. */
  none: number;
  /** A likelier label than this is given; below, the answer is that none can be given. */
  threshold: number;
}

/** Labels that are described lie nearer to their texts than names alone do. */
export interface Calibrations {
  described: Calibration;
  named: Calibration;
}

export interface RankedLabel {
  label: string;
  /** Probability that this label is right, 0 to 1. */
  confidence: number;
}

export interface Classification {
  /** The best label, or null: none is sure enough. */
  label: string | null;
  confidence: number;
  /** Probability that no label is right. */
  none: number;
  /** Every label, the likeliest first; with `none` they add up to 1. */
  ranked: RankedLabel[];
}

interface Prototype {
  name: string;
  vectors: Float32Array[];
}

export class Classifier {
  readonly #model: StaticVectors;
  readonly #calibration: Calibration;
  readonly #prototypes: Prototype[];

  constructor(model: StaticVectors, labels: readonly Label[], calibration: Calibration) {
    this.#model = model;
    this.#calibration = calibration;
    this.#prototypes = labels.map(({ name, descriptions }) => ({
      name,
      // Of an unknown label the name says everything: "real-estate" is two words.
      vectors: [name.replaceAll(/[-_/]/g, " "), ...descriptions].map((text) => model.embed(text)),
    }));
  }

  /** How near a text is to each label: the nearest of its descriptions counts. */
  nearness(text: string): number[] {
    const vector = this.#model.embed(text);
    return this.#prototypes.map(({ vectors }) => Math.max(...vectors.map((other) => cosine(vector, other))));
  }

  classify(text: string): Classification {
    return this.decide(this.nearness(text));
  }

  /** @param nearness of each label, in order */
  decide(nearness: number[]): Classification {
    const { sharpness, none: level, threshold } = this.#calibration;
    const most = Math.max(level, ...nearness);
    const weights = nearness.map((value) => Math.exp(sharpness * (value - most)));
    const noneWeight = Math.exp(sharpness * (level - most));
    const sum = noneWeight + weights.reduce((total, weight) => total + weight, 0);
    const ranked = this.#prototypes
      .map(({ name }, i) => ({ label: name, confidence: weights[i]! / sum }))
      .sort((a, b) => b.confidence - a.confidence || (a.label < b.label ? -1 : 1));
    const none = noneWeight / sum;
    const best = ranked[0]!;
    const isSure = best.confidence >= threshold && best.confidence > none;
    return { label: isSure ? best.label : null, confidence: best.confidence, none, ranked };
  }
}
