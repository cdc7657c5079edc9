/**
 * Fits the firewall's classifier to texts that are known to be attacks as a whole: an attack is often a few words among harmless
 * ones. So it is fitted again to the windows that the first fit finds worst (MI-SVM's turns, Andrews et al. 2002), of attacks and of
 * harmless texts.
 */
import { FeatureReader } from "../../src/classifiers/feature-reader.ts";
import type { ModelCard } from "../../src/classifiers/model-card.ts";
import { type TextWindow, WindowModel, windowsOf } from "../../src/classifiers/window-model.ts";
import { WARN_RISK } from "../../src/detectors/firewall/judge.ts";
import { mulberry32 } from "../../src/domain/listing/mulberry32.ts";
import { fitLogistic, roundWeights } from "../linear.ts";

export interface Example {
  readonly text: string;
  readonly isAttack: boolean;
  readonly source: string;
}

export const FEATURES = { buckets: 1 << 18, words: 2, chars: [3, 5] } as const;
export const SEED = 20_261_127;
const FIT = { seed: SEED, epochs: 5, rate: 0.2, decay: 1e-6, buckets: FEATURES.buckets };
const TURNS = 1;
/** Windows of a harmless text that are learned from, by its length. */
const WORDS_A_WINDOW = 64;
const MOST_WINDOWS = 12;

interface Row {
  readonly buckets: Uint32Array;
  readonly isAttack: boolean;
  readonly source: string;
}

/** @returns the model, its calibrations left out */
export function fitWindows(examples: readonly Example[]): { model: WindowModel; weights: Int8Array } {
  const reader = new FeatureReader(FEATURES);
  const rows = examples.flatMap((example) => firstRows(example, reader));
  let fitted = fitRows(rows);
  for (let turn = 0; turn < TURNS; turn++) {
    const worst = examples.flatMap((example) => worstRow(example, fitted.model));
    fitted = fitRows([...rows, ...worst]);
  }
  return fitted;
}

/** The whole text, and of a harmless one windows by chance. */
function firstRows({ text, isAttack, source }: Example, reader: FeatureReader): Row[] {
  reader.open(text);
  const windows = [{ from: 0, to: reader.words }];
  if (!isAttack && reader.words > WORDS_A_WINDOW) {
    const random = mulberry32(SEED + reader.words);
    const all = [...windowsOf(reader.words)];
    const count = Math.min(MOST_WINDOWS, Math.ceil(reader.words / WORDS_A_WINDOW));
    for (let i = 0; i < count; i++) windows.push(all[Math.floor(random() * all.length)]!);
  }
  return windows.map((window) => ({ buckets: bucketsOf(reader, window), isAttack, source }));
}

function worstRow({ text, isAttack, source }: Example, model: WindowModel): Row[] {
  const worst = model.riskiest(text);
  return worst ? [{ buckets: bucketsOf(model.reader, worst), isAttack, source }] : [];
}

/** The n-grams of a window, as often as they are in it. */
function bucketsOf(reader: FeatureReader, { from, to }: TextWindow): Uint32Array {
  const grams = new Uint32Array(FEATURES.words);
  const found: number[] = [];
  for (let word = from; word < to; word++) {
    const count = Math.min(reader.gramsOf(word, grams), word - from + 1);
    for (let i = 0; i < count; i++) found.push(grams[i]!);
  }
  for (let i = reader.runStarts[from]!; i < reader.runStarts[to]!; i++) found.push(reader.runs[i]!);
  return Uint32Array.from(found);
}

/** Every source counts by the root of its size: one of thousands of rows must not be all that is learned. */
function fitRows(rows: readonly Row[]): { model: WindowModel; weights: Int8Array } {
  const used = rows.filter(({ buckets }) => buckets.length > 0);
  const counts = new Map<string, number>();
  const keyOf = ({ source, isAttack }: Row): string => `${source} ${isAttack}`;
  for (const row of used) counts.set(keyOf(row), (counts.get(keyOf(row)) ?? 0) + 1);
  const roots = { true: 0, false: 0 };
  for (const [key, count] of counts) roots[key.endsWith("true") ? "true" : "false"] += Math.sqrt(count);
  const weightOf = (row: Row): number =>
    used.length / 2 / roots[`${row.isAttack}`] / Math.sqrt(counts.get(keyOf(row))!);
  const { weights: exact, bias } = fitLogistic(
    used.map(({ buckets }) => buckets),
    used.map(({ isAttack }) => isAttack),
    FIT,
    (index) => weightOf(used[index]!),
  );
  const { weights, scale } = roundWeights(exact);
  return { model: new WindowModel(cardOf(scale, bias), weights), weights };
}

export const cardOf = (scale: number, bias: number): ModelCard => ({
  name: "firewall",
  version: "",
  classes: ["attack"],
  features: FEATURES,
  seed: SEED,
  biases: [bias],
  scales: [scale],
  threshold: WARN_RISK,
  trainedOn: [],
  measured: {},
  weightsSha256: "",
});
