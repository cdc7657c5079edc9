/** Trains gradient-boosted trees: histograms of at most 64 bins a feature, leaf by leaf. The same rows and seed give the same trees. */
import type { BoostedTrees } from "../src/classifiers/boosted-trees.ts";
import { mulberry32 } from "../src/domain/listing/mulberry32.ts";

export interface TreeSettings {
  trees: number;
  leaves: number;
  learningRate: number;
  /** Least rows in a leaf. */
  leastRows: number;
  /** Share of the rows that each tree sees. */
  rowShare: number;
  /** Share of the features that each tree may ask for. */
  featureShare: number;
  seed: number;
}

const BINS = 64;
/** L2 penalty on leaf values. */
const LAMBDA = 1;

interface Split {
  gain: number;
  feature: number;
  bin: number;
}

interface Leaf {
  rows: number[];
  gradient: number;
  hessian: number;
  node: number;
  split: Split | undefined;
}

interface Data {
  /** bins[feature][row] */
  bins: Uint8Array[];
  edges: number[][];
  gradient: Float64Array;
  hessian: Float64Array;
}

/**
 * @param rows features of each row, all of one length
 * @param labels true for the positive class
 */
export function trainTrees(rows: number[][], labels: boolean[], settings: TreeSettings): BoostedTrees {
  const random = mulberry32(settings.seed);
  const width = rows[0]!.length;
  const edges = Array.from({ length: width }, (_, feature) =>
    edgesOf(rows.map((row) => row[feature]!)).map(short),
  );
  const bins = edges.map((each, feature) => Uint8Array.from(rows, (row) => binOf(each, row[feature]!)));
  const positives = labels.filter(Boolean).length;
  const base = short(Math.log(positives / (rows.length - positives)));
  const model: BoostedTrees = { base, roots: [], feature: [], value: [], left: [] };
  const logOdds = new Float64Array(rows.length).fill(base);
  const data = {
    bins,
    edges,
    gradient: new Float64Array(rows.length),
    hessian: new Float64Array(rows.length),
  };
  for (let tree = 0; tree < settings.trees; tree++) {
    for (let row = 0; row < rows.length; row++) {
      const probability = 1 / (1 + Math.exp(-logOdds[row]!));
      data.gradient[row] = probability - (labels[row] ? 1 : 0);
      data.hessian[row] = probability * (1 - probability);
    }
    growTree(
      model,
      data,
      sample(rows.length, settings.rowShare, random),
      sample(width, settings.featureShare, random),
      settings,
    );
    for (let row = 0; row < rows.length; row++) {
      let node = model.roots[tree]!;
      for (let feature = model.feature[node]!; feature >= 0; feature = model.feature[node]!)
        node = model.left[node]! + (rows[row]![feature]! <= model.value[node]! ? 0 : 1);
      logOdds[row]! += model.value[node]!;
    }
  }
  return model;
}

/** Upper edges of a feature's bins, by its quantiles. */
function edgesOf(values: number[]): number[] {
  const sorted = values.toSorted((a, b) => a - b);
  const edges = new Set<number>();
  for (let bin = 1; bin < BINS; bin++) edges.add(sorted[Math.floor((bin * sorted.length) / BINS)]!);
  return [...edges].sort((a, b) => a - b);
}

/** Five significant digits: what a tree decides does not hang on more, and the file is half as long. */
const short = (value: number): number => Number(value.toPrecision(5));

function binOf(edges: number[], value: number): number {
  let [low, high] = [0, edges.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (value <= edges[middle]!) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Grows one tree leaf by leaf, the most useful split first, and appends it to the model. */
function growTree(
  model: BoostedTrees,
  data: Data,
  rows: number[],
  features: number[],
  settings: TreeSettings,
): void {
  const makeLeaf = (members: number[], node: number): Leaf => {
    const leaf: Leaf = { rows: members, gradient: 0, hessian: 0, node, split: undefined };
    for (const row of members) {
      leaf.gradient += data.gradient[row]!;
      leaf.hessian += data.hessian[row]!;
    }
    leaf.split = bestSplit(data, leaf, features, settings.leastRows);
    return leaf;
  };
  const addNode = (): number => {
    model.value.push(0);
    model.left.push(0);
    return model.feature.push(-1) - 1;
  };
  const root = addNode();
  model.roots.push(root);
  const leaves = [makeLeaf(rows, root)];
  while (leaves.length < settings.leaves) {
    const leaf = leaves.reduce((best, one) =>
      (one.split?.gain ?? 0) > (best.split?.gain ?? 0) ? one : best,
    );
    if (!leaf.split) break;
    const { feature, bin } = leaf.split;
    const bins = data.bins[feature]!;
    const left = addNode();
    const right = addNode();
    model.feature[leaf.node] = feature;
    model.value[leaf.node] = data.edges[feature]![bin]!;
    model.left[leaf.node] = left;
    leaves.splice(
      leaves.indexOf(leaf),
      1,
      makeLeaf(
        leaf.rows.filter((row) => bins[row]! <= bin),
        left,
      ),
      makeLeaf(
        leaf.rows.filter((row) => bins[row]! > bin),
        right,
      ),
    );
  }
  for (const { node, gradient, hessian } of leaves)
    model.value[node] = short((-settings.learningRate * gradient) / (hessian + LAMBDA));
}

/** The split of a leaf that lowers the loss most. */
function bestSplit(data: Data, leaf: Leaf, features: number[], leastRows: number): Split | undefined {
  let best: Split | undefined;
  const sums = new Float64Array(BINS * 2);
  const counts = new Int32Array(BINS);
  const whole = score(leaf.gradient, leaf.hessian);
  for (const feature of features) {
    sums.fill(0);
    counts.fill(0);
    const bins = data.bins[feature]!;
    for (const row of leaf.rows) {
      const bin = bins[row]!;
      sums[bin * 2]! += data.gradient[row]!;
      sums[bin * 2 + 1]! += data.hessian[row]!;
      counts[bin]!++;
    }
    let [gradient, hessian, count] = [0, 0, 0];
    for (let bin = 0; bin < data.edges[feature]!.length; bin++) {
      gradient += sums[bin * 2]!;
      hessian += sums[bin * 2 + 1]!;
      count += counts[bin]!;
      if (count < leastRows || leaf.rows.length - count < leastRows) continue;
      const gain = score(gradient, hessian) + score(leaf.gradient - gradient, leaf.hessian - hessian) - whole;
      if (gain > 1e-9 && gain > (best?.gain ?? 0)) best = { gain, feature, bin };
    }
  }
  return best;
}

const score = (gradient: number, hessian: number): number => gradient ** 2 / (hessian + LAMBDA);

function sample(count: number, share: number, random: () => number): number[] {
  const chosen: number[] = [];
  for (let i = 0; i < count; i++) if (random() < share) chosen.push(i);
  return chosen.length > 0 ? chosen : [Math.floor(random() * count)];
}
