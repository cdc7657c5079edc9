/** Is a confidence of 0.8 right eight times of ten? And the temperature that makes it so, fitted to other sources than are judged. */
import {
  type Calibration,
  Classifier,
  labelTexts,
  type Prototype,
} from "../../../workers/gateway/neural/classifier.ts";
import { calibrationError, shownShare } from "../interval.ts";
import type { LabelledSet } from "./labelled.ts";

/** A set, and how near each of its texts is to each label. */
export interface NearSet extends LabelledSet {
  nearness: number[][];
}

export interface Quality {
  name: string;
  labels: number;
  /** Of texts that have a label, with 95 % intervals: the likeliest label is theirs. */
  likeliestIsRight: string;
  /** They were given a label, and of labels given the right ones. */
  given: string;
  givenIsRight: string;
  /** Of texts whose label is none of them, those that were given none. */
  noneIsRight: string;
  calibrationError: number;
}

const UNFITTED: Calibration = { sharpness: 1, none: 0 };

type Directions = (text: string) => Promise<Float32Array>;

/** Each set with how near its texts are to its labels, by some directions of both. */
export async function nearSets(sets: readonly LabelledSet[], directionOf: Directions): Promise<NearSet[]> {
  const near: NearSet[] = [];
  for (const set of sets) {
    const prototypes: Prototype[] = [];
    for (const label of set.labels) {
      const directions: Float32Array[] = [];
      for (const said of labelTexts(label)) directions.push(await directionOf(said));
      prototypes.push({ name: label.name, directions });
    }
    const classifier = new Classifier(prototypes, UNFITTED);
    const nearness: number[][] = [];
    for (const { text } of set.texts) nearness.push(classifier.nearness(await directionOf(text)));
    near.push({ ...set, nearness });
  }
  return near;
}

export function measureQuality(set: NearSet, calibration: Calibration): Quality {
  const prototypes = set.labels.map(({ name }) => ({ name, directions: [] }));
  const classifier = new Classifier(prototypes, calibration);
  const judged = set.texts.map(({ label }, i) => ({ label, found: classifier.decide(set.nearness[i]!) }));
  const labelled = judged.filter(({ label }) => label !== null);
  const given = judged.filter(({ found }) => found.label !== null);
  const without = judged.filter(({ label }) => label === null);
  const isLikeliest = ({ label, found }: (typeof judged)[number]): boolean =>
    found.ranked[0]!.label === label;
  return {
    name: set.name,
    labels: set.labels.length,
    likeliestIsRight: shownShare(labelled.map(isLikeliest)),
    given: shownShare(labelled.map(({ found }) => found.label !== null)),
    givenIsRight: shownShare(given.map(isLikeliest)),
    noneIsRight: shownShare(without.map(({ found }) => found.label === null)),
    calibrationError: calibrationError(
      judged.map((one) => ({ probability: one.found.confidence, isTrue: isLikeliest(one), weight: 1 })),
    ),
  };
}

/** Sharpness and level of "none" under which the right outcomes are likeliest, each set counting as much as another; by trying a grid. */
export function fitCalibration(sets: readonly NearSet[]): Calibration {
  let best = UNFITTED;
  let least = Number.POSITIVE_INFINITY;
  for (let sharpness = 4; sharpness <= 40; sharpness += 1)
    for (let none = 0; none <= 0.5; none += 0.01) {
      const loss = sets.reduce((sum, set) => sum + lossOf(set, sharpness, none), 0);
      if (loss < least) {
        least = loss;
        best = { sharpness, none: Number(none.toFixed(2)) };
      }
    }
  return best;
}

/** Mean log-loss of a set. */
function lossOf({ texts, labels, nearness }: NearSet, sharpness: number, none: number): number {
  const names = labels.map(({ name }) => name);
  const losses = texts.map(({ label }, i) => {
    const near = nearness[i]!;
    const total = near.reduce((sum, value) => sum + Math.exp(sharpness * value), Math.exp(sharpness * none));
    const right = label === null ? none : near[names.indexOf(label)]!;
    return Math.log(total) - sharpness * right;
  });
  return losses.reduce((sum, loss) => sum + loss, 0) / texts.length;
}
