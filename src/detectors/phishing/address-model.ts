/** The committed judge of addresses (models/urls), read when the first one is judged. */
import { readFileSync } from "node:fs";
import { type BoostedTrees, logOddsOf } from "../../classifiers/boosted-trees.ts";
import { MODELS } from "../../classifiers/model-card.ts";
import { addressFeatures } from "./address-features.ts";

export interface TreeModel {
  /** Log-odds of phishing by public suffix; `other` where there is none for it. */
  readonly suffixes: Readonly<Record<string, number>>;
  readonly other: number;
  readonly trees: BoostedTrees;
}

/** What rules know of languages. */
export interface Language {
  /** Words, and names of two words, that would else be misspellings of a brand. */
  readonly ordinary: ReadonlySet<string>;
  /** Table of letter-model.ts. */
  readonly letters: string;
}

export interface AddressModel extends TreeModel {
  readonly version: string;
  readonly words: readonly string[];
  readonly letters: string;
  /** Log-odds of phishing = bias + rules × what the signs of url-analysis.ts add up to + trees × log-odds of the trees. */
  readonly calibration: { readonly bias: number; readonly rules: number; readonly trees: number };
}

let committed: (AddressModel & { readonly language: Language }) | undefined;

/** @throws Error when models/urls is not there */
export function readAddressModel(): NonNullable<typeof committed> {
  if (committed) return committed;
  const model = JSON.parse(readFileSync(new URL("urls/model.json", MODELS), "utf8")) as AddressModel;
  committed = { ...model, language: languageOf(model) };
  return committed;
}

export const languageOf = ({ words, letters }: Pick<AddressModel, "words" | "letters">): Language => ({
  ordinary: new Set(words),
  letters,
});

/** Log-odds of phishing by the trees alone. @param url of http or https */
export function treeLogOdds(model: TreeModel, url: URL): number {
  const { values, suffix } = addressFeatures(url);
  return logOddsOf(model.trees, [...values, suffixLogOdds(model, suffix)]);
}

const suffixLogOdds = ({ suffixes, other }: TreeModel, suffix: string): number =>
  suffixes[suffix] ?? suffixes[suffix.slice(suffix.lastIndexOf(".") + 1)] ?? other;
