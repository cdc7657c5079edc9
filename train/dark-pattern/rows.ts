/** What the classifier of shop texts learns from: labelled texts of shop pages, and sentences of our own for rare kinds. */
import { readRows } from "../data.ts";
import type { Row, TrainingOptions } from "../linear.ts";
import { ownTemplateTexts } from "./own-templates.ts";
import { OWN_TEXTS } from "./own-texts.ts";

/** Kinds of ec-darkpattern (after Mathur and others, 2019), in the order of the model's classes after "dark". */
export const KINDS = [
  "Urgency",
  "Scarcity",
  "Social Proof",
  "Misdirection",
  "Obstruction",
  "Sneaking",
  "Forced Action",
] as const;
export type Kind = (typeof KINDS)[number];
export const NOT_DARK = "Not Dark Pattern";

export interface ShopText {
  page: string;
  text: string;
  label: number;
  category: string;
}

export const SHOP_TEXTS = "dark-patterns/ec-darkpattern.jsonl";

/** Texts from templates resemble each other: more of them count less. */
const TEMPLATE_WEIGHT = 0.3;

const SHARED = { features: { buckets: 1 << 16, words: 2, chars: [2, 5] }, seed: 20_261_121 } as const;

export const DARK_TRAINING: TrainingOptions = {
  ...SHARED,
  classes: ["dark"],
  epochs: 14,
  rate: 0.13,
  decay: 1e-6,
};
export const KIND_TRAINING: TrainingOptions = {
  ...SHARED,
  classes: KINDS,
  epochs: 14,
  rate: 0.13,
  decay: 1e-6,
};

export const readShopTexts = (): ShopText[] => readRows<ShopText>(SHOP_TEXTS);

/**
 * Rows for the kinds of pattern: each learned against all other texts, harmless ones among them. Texts from templates say which kind
 * a text is; of whether it is dark they would say too much, since half of them say it in the same words.
 */
export const kindRows = (texts: readonly ShopText[]): Row[] => [
  ...texts.map(({ text, category }) => ({ text, class: KINDS.indexOf(category as Kind) })),
  ...OWN_TEXTS.map(([category, text]) => ({ text, class: KINDS.indexOf(category as Kind) })),
  ...ownTemplateTexts().map(([category, text]) => ({
    text,
    class: KINDS.indexOf(category as Kind),
    weight: TEMPLATE_WEIGHT,
  })),
];

/** Rows for the question that comes first: dark or not. */
export const darkRows = (texts: readonly ShopText[]): Row[] => [
  ...texts.map(({ text, label }) => ({ text, class: label === 1 ? 0 : -1 })),
  ...OWN_TEXTS.map(([category, text]) => ({ text, class: category === NOT_DARK ? -1 : 0, weight: 0.5 })),
];
