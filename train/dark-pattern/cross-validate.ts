/** Cross-validation by page: no page's texts are both learned from and judged. */
import { judgePatternTextBy } from "../../src/detectors/dark-pattern/texts.ts";
import { mulberry32 } from "../../src/domain/listing/mulberry32.ts";
import { fitDense } from "../dense.ts";
import { asModel, shuffled } from "../linear.ts";
import { KINDS, NOT_DARK, type ShopText, trainTexts } from "./rows.ts";

const FOLDS = 5;
const UNKNOWN = { name: "", threshold: 0.5, trainedOn: [], measured: {} };

export interface Judged {
  text: ShopText;
  /** Probability that it is dark. */
  dark: number;
  /** Its likeliest kind, whether or not it is dark. */
  kind: string;
  isTelling: boolean;
}

export interface Scores {
  precision: number;
  recall: number;
  f1: number;
}

/** Every text judged by a model that saw no text of its page. */
export function crossValidate(
  texts: readonly ShopText[],
  seed: number,
  judge = judgePatternTextBy,
): Judged[] {
  const pages = shuffled([...new Set(texts.map(({ page }) => page))].sort(), mulberry32(seed));
  const foldOf = new Map(pages.map((page, index) => [page, index % FOLDS]));
  return Array.from({ length: FOLDS }, (_, fold) => {
    const known = texts.filter(({ page }) => foldOf.get(page) !== fold);
    const model = asModel(trainTexts(known), UNKNOWN);
    return texts
      .filter(({ page }) => foldOf.get(page) === fold)
      .map((text) => ({ text, ...judge(model, text.text) }));
  }).flat();
}

/** The same texts, those of each half of the pages scaled as the other half says: nothing is measured on what was fitted. */
export function scaledByHalves(judged: readonly Judged[], seed: number): Judged[] {
  const pages = shuffled([...new Set(judged.map(({ text }) => text.page))].sort(), mulberry32(seed));
  const first = new Set(pages.slice(0, pages.length >> 1));
  const halves = [true, false].map((isFirst) =>
    judged.filter(({ text }) => first.has(text.page) === isFirst),
  );
  return halves.flatMap((half, i) => {
    const { scale, bias } = fitScaling(halves[1 - i]!);
    return half.map((one) => ({ ...one, dark: 1 / (1 + Math.exp(-(scale * logit(one.dark) + bias))) }));
  });
}

/** Platt's scaling that makes probabilities of texts that were not learned from mean what they say. */
export function fitScaling(judged: readonly Judged[]): { scale: number; bias: number } {
  const [bias, scale] = fitDense(
    judged.map(({ dark }) => [logit(dark)]),
    judged.map(({ text }) => text.label === 1),
    judged.map(() => 1),
    0.01,
  );
  return { scale: Number(scale!.toFixed(3)), bias: Number(bias!.toFixed(3)) };
}

function logit(probability: number): number {
  const bounded = Math.min(Math.max(probability, 1e-6), 1 - 1e-6);
  return Math.log(bounded / (1 - bounded));
}

export function judgeDark(judged: readonly Judged[], threshold: number): Scores {
  const count = (label: number, found: boolean): number =>
    judged.filter(({ text, dark }) => text.label === label && dark >= threshold === found).length;
  return f1Of(count(1, true), count(0, true), count(1, false));
}

export function f1Of(tp: number, fp: number, fn: number): Scores {
  const precision = tp / Math.max(1, tp + fp);
  const recall = tp / Math.max(1, tp + fn);
  return { precision, recall, f1: tp === 0 ? 0 : (2 * precision * recall) / (precision + recall) };
}

/** F1 of each kind and of harmless texts, by the whole decision: first dark or not, then which kind. */
export const judgeKinds = (
  judged: readonly Judged[],
  threshold: number,
): Map<string, Scores & { rows: number }> =>
  new Map(
    [NOT_DARK, ...KINDS].map((category) => {
      const said = judged.map(({ dark, kind }) => (dark >= threshold ? kind : NOT_DARK));
      const is = judged.map(({ text }) => text.category);
      const count = (test: (said: boolean, is: boolean) => boolean): number =>
        judged.filter((_, i) => test(said[i] === category, is[i] === category)).length;
      const tp = count((one, other) => one && other);
      const scores = f1Of(
        tp,
        count((one, other) => one && !other),
        count((one, other) => !one && other),
      );
      return [category, { ...scores, rows: count((_, other) => other) }];
    }),
  );
