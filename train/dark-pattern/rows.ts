/** What the classifier of shop texts learns from: labeled texts of shop pages. */
import { createHash } from "node:crypto";
import { readRows } from "../data.ts";
import { type Trained, trainLinear } from "../linear.ts";

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
export const NOT_DARK = "Not Dark Pattern";

export interface ShopText {
  page: string;
  text: string;
  label: number;
  category: string;
}

export const SHOP_TEXTS = "dark-patterns/ec-darkpattern.jsonl";

const TRAINING = {
  features: { buckets: 1 << 16, words: 2, chars: [2, 5] },
  seed: 20_261_121,
  epochs: 14,
  rate: 0.13,
  decay: 1e-6,
} as const;
export const { seed: SEED } = TRAINING;

export const readShopTexts = (): ShopText[] => readRows<ShopText>(SHOP_TEXTS);

/** Learns whether a text is dark, and each kind against all other texts: classes "dark" and the kinds, in this order. */
export function trainTexts(texts: readonly ShopText[]): Trained {
  const dark = trainLinear(
    texts.map(({ text, label }) => ({ text, class: label - 1 })),
    { ...TRAINING, classes: ["dark"] },
  );
  const kinds = trainLinear(
    texts.map(({ text, category }) => ({ text, class: KINDS.findIndex((kind) => kind === category) })),
    { ...TRAINING, classes: KINDS },
  );
  const weights = new Int8Array([...dark.weights, ...kinds.weights]);
  return {
    ...kinds,
    classes: [...dark.classes, ...kinds.classes],
    biases: [...dark.biases, ...kinds.biases],
    scales: [...dark.scales, ...kinds.scales],
    weights,
    weightsSha256: createHash("sha256").update(weights).digest("hex"),
  };
}
