/**
 * The judge of addresses (models/urls): the trees of fraudurl 1.0.1 (MIT), which learned from 316,682 addresses (PhreshPhish,
 * Hannousse and Yahiouche, feeds of 2026), in this project's format; and what makes the sum of their log-odds and the signs beside
 * them a probability, fitted here.
 */
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BoostedTrees } from "../../src/classifiers/boosted-trees.ts";
import type { AddressModel, TreeModel } from "../../src/detectors/phishing/address-model.ts";
import { addressEvidence, logOddsIn } from "../../src/detectors/phishing/url-analysis.ts";
import { fitDense } from "../dense.ts";
import { runPython } from "../python.ts";
import { readSources, type Source } from "./addresses.ts";
import { readOrdinaryWords } from "./language.ts";

const FOLDER = join(import.meta.dirname, "..", "..", "models", "urls");
/** Share of phishing that the probabilities are for. */
export const PRIOR = 0.1;
const PENALTY = 0.01;

/** A tree as LightGBM has it: children below zero are leaves, `-1 - leaf`. */
interface ForeignTree {
  f: number[];
  t: number[];
  l: number[];
  r: number[];
  lv: number[];
}

interface ForeignModel {
  init_score: number;
  trees: ForeignTree[];
  tld_table: Record<string, number>;
  tld_prior: number;
}

export interface Fitted {
  name: string;
  isPhishing: boolean;
  /** Of each address, before calibration: by trees and signs, and by the trees alone. */
  logOdds: [all: number, trees: number][];
}

export async function train(): Promise<void> {
  const requirements = join(import.meta.dirname, "requirements.txt");
  const foreign = JSON.parse(
    runPython(requirements, join(import.meta.dirname, "model.py"), []),
  ) as ForeignModel;
  const converted = convert(foreign);
  const words = readOrdinaryWords();
  const calibration = fitCalibration(fittedOf(converted, new Set(words), readSources()));
  const version = createHash("sha256")
    .update(JSON.stringify({ calibration, words, ...converted }))
    .digest("hex")
    .slice(0, 12);
  mkdirSync(FOLDER, { recursive: true });
  const model: AddressModel = { version, calibration, words, ...converted };
  writeFileSync(join(FOLDER, "model.json"), `${JSON.stringify(model)}\n`);
  process.stderr.write(`wrote models/urls/model.json, ${JSON.stringify(calibration)}\n`);
}

function convert(foreign: ForeignModel): TreeModel {
  const trees: BoostedTrees = { base: foreign.init_score, roots: [], feature: [], value: [], left: [] };
  for (const tree of foreign.trees) append(trees, tree);
  const suffixes = Object.fromEntries(
    Object.entries(foreign.tld_table).map(([suffix, share]) => [suffix, logOdds(share)]),
  );
  return { suffixes, other: logOdds(foreign.tld_prior), trees };
}

/** Appends a tree; every node's children stand side by side. */
function append(model: BoostedTrees, tree: ForeignTree): void {
  const place = (): number => {
    model.value.push(0);
    model.left.push(0);
    return model.feature.push(-1) - 1;
  };
  const root = place();
  model.roots.push(root);
  const open: [foreign: number, node: number][] = [[tree.f.length === 0 ? -1 : 0, root]];
  for (const [foreign, node] of open) {
    if (foreign < 0) {
      model.value[node] = short(tree.lv[-1 - foreign]!);
      continue;
    }
    model.feature[node] = tree.f[foreign]!;
    model.value[node] = short(tree.t[foreign]!);
    const left = place();
    model.left[node] = left;
    open.push([tree.l[foreign]!, left], [tree.r[foreign]!, place()]);
  }
}

const short = (value: number): number => Number(value.toPrecision(6));

function logOdds(share: number): number {
  const bounded = Math.min(Math.max(share, 1e-4), 1 - 1e-4);
  return short(Math.log(bounded / (1 - bounded)));
}

export function fitCalibration(sources: readonly Fitted[]): AddressModel["calibration"] {
  const [bias, scale] = fitDense(
    sources.flatMap(({ logOdds }) => logOdds.map(([all]) => [all])),
    sources.flatMap(({ isPhishing, logOdds }) => logOdds.map(() => isPhishing)),
    sources.flatMap((source) => source.logOdds.map(() => weightIn(sources, source))),
    PENALTY,
  );
  return { bias: short(bias!), scale: short(scale!) };
}

/** What an address of a source weighs: each source as much as another of its kind, and phishing `PRIOR` of all. */
export function weightIn(sources: readonly Fitted[], { isPhishing, logOdds }: Fitted): number {
  const total = sources.reduce((sum, one) => sum + one.logOdds.length, 0);
  const kinds = sources.filter((one) => one.isPhishing === isPhishing).length;
  return ((isPhishing ? PRIOR : 1 - PRIOR) * total) / kinds / logOdds.length;
}

export const fittedOf = (
  model: TreeModel,
  ordinary: ReadonlySet<string>,
  sources: readonly Source[],
): Fitted[] =>
  sources.map(({ name, isPhishing, addresses }) => ({
    name,
    isPhishing,
    logOdds: addresses.map((address) => {
      const evidence = addressEvidence(new URL(address), model, ordinary);
      return [logOddsIn(evidence), evidence.learned];
    }),
  }));
