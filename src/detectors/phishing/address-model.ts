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

export interface AddressModel extends TreeModel {
  readonly version: string;
  /** Log-odds of phishing = bias + rules × what the signs of url-analysis.ts add up to + trees × log-odds of the trees. */
  readonly calibration: { readonly bias: number; readonly rules: number; readonly trees: number };
}

let committed: AddressModel | undefined;

/** @throws Error when models/urls is not there */
export const readAddressModel = (): AddressModel => {
  committed ??= JSON.parse(readFileSync(new URL("urls/model.json", MODELS), "utf8")) as AddressModel;
  return committed;
};

const suffixLogOdds = ({ suffixes, other }: TreeModel, suffix: string): number =>
  suffixes[suffix] ?? suffixes[suffix.slice(suffix.lastIndexOf(".") + 1)] ?? other;

/** Log-odds of phishing by the trees alone. @param url of http or https */
export const treeLogOdds = (model: TreeModel, url: URL): number => {
  const { values, suffix } = addressFeatures(url);
  return logOddsOf(model.trees, [...values, suffixLogOdds(model, suffix)]);
};
