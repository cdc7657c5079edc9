/** Is a confidence of 0.8 right eight times of ten? And the temperature that makes it so. */
import type { Calibration, Classifier } from "../../../workers/gateway/neural/classifier.ts";

export interface Labelled {
  text: string;
  /** null: none of the labels fits. */
  label: string | null;
}

export interface Quality {
  texts: number;
  /** Of texts that have a label: the likeliest label is theirs. */
  accuracy: number;
  /** A label was given. */
  coverage: number;
  /** Of labels given, those that are right. */
  precision: number;
  /** Of texts without a label, those that were given none. */
  abstention: number | null;
  /** Expected calibration error: mean distance between confidence and share of right answers, over five bins. */
  calibrationError: number;
}

const BINS = 5;

export function measureQuality(classifier: Classifier, texts: Labelled[]): Quality {
  const judged = texts.map(({ text, label }) => ({ label, found: classifier.classify(text) }));
  const labelled = judged.filter(({ label }) => label !== null);
  const without = judged.filter(({ label }) => label === null);
  const given = judged.filter(({ found }) => found.label !== null);
  const bins = Array.from({ length: BINS }, () => ({ count: 0, confidence: 0, right: 0 }));
  for (const { label, found } of judged) {
    const bin = bins[Math.min(BINS - 1, Math.floor(found.confidence * BINS))]!;
    bin.count++;
    bin.confidence += found.confidence;
    if (found.ranked[0]!.label === label) bin.right++;
  }
  const error = bins.reduce((sum, { confidence, right }) => sum + Math.abs(confidence - right), 0);
  const share = (part: number, whole: number) => (whole === 0 ? 0 : part / whole);
  return {
    texts: texts.length,
    accuracy: share(
      labelled.filter(({ label, found }) => found.ranked[0]!.label === label).length,
      labelled.length,
    ),
    coverage: share(given.length, judged.length),
    precision: share(given.filter(({ label, found }) => found.label === label).length, given.length),
    abstention:
      without.length === 0
        ? null
        : share(without.filter(({ found }) => found.label === null).length, without.length),
    calibrationError: share(error, judged.length),
  };
}

/** Sharpness and level of "none" under which the right outcomes are likeliest, by trying a grid. */
export function fitCalibration(
  nearnessOf: (text: string) => number[],
  labels: string[],
  texts: Labelled[],
  threshold: number,
): Calibration {
  const seen = texts.map(({ text, label }) => ({
    nearness: nearnessOf(text),
    right: label === null ? -1 : labels.indexOf(label),
  }));
  let best = { sharpness: 1, none: 0, threshold };
  let least = Number.POSITIVE_INFINITY;
  for (let sharpness = 4; sharpness <= 40; sharpness += 0.5)
    for (let none = 0; none <= 0.6; none += 0.01) {
      const loss = seen.reduce((sum, { nearness, right }) => {
        const all = [none, ...nearness].map((value) => Math.exp(sharpness * value));
        return sum - Math.log(all[right + 1]! / all.reduce((total, weight) => total + weight, 0));
      }, 0);
      if (loss < least) {
        least = loss;
        best = { sharpness, none: Number(none.toFixed(2)), threshold };
      }
    }
  return best;
}
