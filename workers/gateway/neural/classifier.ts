/**
 * Which label a text deserves, if any: nearness in meaning to what describes each label, turned into probabilities
 * whose temperature was fitted to labelled texts, with "none of them" as one more outcome.
 */
import { readFileSync } from "node:fs";
import { MODELS } from "../../../src/classifiers/model-card.ts";
import { cosine } from "../../../src/domain/search/embeddings/static-vectors.ts";
import type { Label } from "./categories.ts";

/** Fitted by `npm run eval -- neural --fit` (models/neural/classifier.json). */
export interface Calibration {
  /** What one unit of cosine counts for. */
  sharpness: number;
  /** The nearness at which a label is as likely as none. */
  none: number;
}

/** Directions by the sentence encoder lie otherwise than those by static vectors. */
export type Calibrations = Readonly<Record<"encoder" | "static", Calibration>>;

/** As they were fitted. */
export const readCalibrations = (): Calibrations =>
  JSON.parse(readFileSync(new URL("neural/classifier.json", MODELS), "utf8")) as Calibrations;

export interface RankedLabel {
  label: string;
  /** Probability that this label is right, 0 to 1. */
  confidence: number;
}

export interface Classification {
  /** The likeliest label, or null: that none fits is likelier. */
  label: string | null;
  confidence: number;
  /** Probability that no label is right. */
  none: number;
  /** Every label, the likeliest first; with `none` they add up to 1. */
  ranked: RankedLabel[];
}

/** A label and the directions of all that is said of it. */
export interface Prototype {
  name: string;
  directions: readonly Float32Array[];
}

/** What says what a label means: its name, of which "real-estate" is two words, and its descriptions. */
export const labelTexts = ({ name, descriptions }: Label): string[] => [
  name.replaceAll(/[-_/]/g, " "),
  ...descriptions,
];

export class Classifier {
  readonly #calibration: Calibration;
  readonly #prototypes: readonly Prototype[];

  constructor(prototypes: readonly Prototype[], calibration: Calibration) {
    this.#calibration = calibration;
    this.#prototypes = prototypes;
  }

  /** How near a text's direction is to each label: the nearest of its descriptions counts. */
  nearness(direction: Float32Array): number[] {
    return this.#prototypes.map(({ directions }) =>
      Math.max(...directions.map((other) => cosine(direction, other))),
    );
  }

  classify(direction: Float32Array): Classification {
    return this.decide(this.nearness(direction));
  }

  /** @param nearness of each label, in order */
  decide(nearness: number[]): Classification {
    const { sharpness, none: level } = this.#calibration;
    const most = Math.max(level, ...nearness);
    const weights = nearness.map((value) => Math.exp(sharpness * (value - most)));
    const noneWeight = Math.exp(sharpness * (level - most));
    const sum = noneWeight + weights.reduce((total, weight) => total + weight, 0);
    const ranked = this.#prototypes
      .map(({ name }, i) => ({ label: name, confidence: weights[i]! / sum }))
      .sort((a, b) => b.confidence - a.confidence || (a.label < b.label ? -1 : 1));
    const none = noneWeight / sum;
    const best = ranked[0]!;
    return { label: best.confidence > none ? best.label : null, confidence: best.confidence, none, ranked };
  }
}
