/** A committed model's card: what describes it, apart from its weights. */
import { readFileSync } from "node:fs";
import type { TextRole } from "../../schemas/finding.ts";

export const MODELS = new URL("../../models/", import.meta.url);

export interface FeatureOptions {
  /** Buckets that n-grams are hashed to: a power of two. */
  readonly buckets: number;
  /** Longest run of words. */
  readonly words: number;
  /** Shortest and longest run of characters inside a word, its two ends marked; [0, 0] for none. */
  readonly chars: readonly [shortest: number, longest: number];
}

export interface RoleCalibration {
  readonly scale: number;
  readonly bias: number;
  readonly doubt: number;
}

/** What stands in a model's card (model.json) beside its weights (weights.bin). */
export interface ModelCard {
  readonly name: string;
  readonly version: string;
  readonly classes: readonly string[];
  readonly features: FeatureOptions;
  readonly biases: readonly number[];
  /** Weight = 8-bit number times its class's scale. */
  readonly scales: readonly number[];
  readonly threshold: number;
  /** Platt's scaling of the first class's logit, fitted out of fold (Platt 1999); none: the logit is taken as it is. */
  readonly calibration?: { readonly scale: number; readonly bias: number };
  /** The same by what a text is to the agent that reads it; `doubt` is taken for each doubling of the words (judge.ts). */
  readonly calibrations?: Readonly<Record<TextRole, RoleCalibration>>;
  readonly weightsSha256: string;
  readonly seed: number;
  readonly trainedOn: readonly { data: string; license: string; rows: number }[];
  readonly measured: Readonly<Record<string, unknown>>;
}

const cards = new Map<string, ModelCard>();

/** @throws Error when there is no such model under models/ */
export function readCard(name: string): ModelCard {
  let card = cards.get(name);
  if (!card) {
    card = JSON.parse(readFileSync(new URL(`${name}/model.json`, MODELS), "utf8")) as ModelCard;
    cards.set(name, card);
  }
  return card;
}
