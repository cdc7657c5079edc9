/** Cross-validation by page: no page's texts are both learned from and judged. */
import { mulberry32 } from "../../src/domain/listing/mulberry32.ts";
import { asModel, shuffled, trainLinear } from "../linear.ts";
import { DARK_TRAINING, darkRows, KIND_TRAINING, KINDS, kindRows, NOT_DARK, type ShopText } from "./rows.ts";

const FOLDS = 5;
const UNKNOWN = { name: "", threshold: 0.5, trainedOn: [], measured: {} };

export interface Judged {
  text: ShopText;
  /** Probability that it is dark. */
  dark: number;
  /** Its likeliest kind, whether or not it is dark. */
  kind: string;
}

/** Every text judged by a model that saw no text of its page. */
export const crossValidate = (texts: readonly ShopText[], seed: number): Judged[] => {
  const pages = shuffled([...new Set(texts.map(({ page }) => page))].sort(), mulberry32(seed));
  const foldOf = new Map(pages.map((page, index) => [page, index % FOLDS]));
  return Array.from({ length: FOLDS }, (_, fold) => {
    const known = texts.filter(({ page }) => foldOf.get(page) !== fold);
    const dark = asModel(trainLinear(darkRows(known), DARK_TRAINING), UNKNOWN);
    const kinds = asModel(trainLinear(kindRows(known), KIND_TRAINING), UNKNOWN);
    return texts
      .filter(({ page }) => foldOf.get(page) === fold)
      .map((text) => {
        const logits = kinds.logits(text.text);
        const kind = KINDS[logits.indexOf(Math.max(...logits))]!;
        return { text, dark: dark.scores(text.text)[0]!, kind };
      });
  }).flat();
};

export interface Scores {
  precision: number;
  recall: number;
  f1: number;
}

export const f1Of = (tp: number, fp: number, fn: number): Scores => {
  const precision = tp / Math.max(1, tp + fp);
  const recall = tp / Math.max(1, tp + fn);
  return { precision, recall, f1: tp === 0 ? 0 : (2 * precision * recall) / (precision + recall) };
};

export const judgeDark = (judged: readonly Judged[], threshold: number): Scores => {
  const count = (label: number, found: boolean): number =>
    judged.filter(({ text, dark }) => text.label === label && dark >= threshold === found).length;
  return f1Of(count(1, true), count(0, true), count(1, false));
};

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
