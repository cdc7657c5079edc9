/**
 * Gradient-boosted decision trees (Friedman 2001), second-order as in XGBoost (Chen and Guestrin 2016): a sum of small
 * trees whose logistic value is a probability.
 */

/** Parallel arrays over all nodes of all trees; a tree is entered at one of `roots`. */
export interface BoostedTrees {
  /** Log-odds that the trees add to. */
  base: number;
  roots: number[];
  /** Feature that a node asks for; -1: a leaf. */
  feature: number[];
  /** A node's threshold (at most: left); a leaf's value. */
  value: number[];
  /** A node's children: `left` and `left + 1`. */
  left: number[];
}

/** The probability that the trees give to one row of features. */
export const probabilityOf = (trees: BoostedTrees, row: readonly number[]): number =>
  logistic(logOddsOf(trees, row));

const logistic = (logOdds: number): number => 1 / (1 + Math.exp(-logOdds));

/** The log-odds that the trees give to one row of features. */
export function logOddsOf(trees: BoostedTrees, row: readonly number[]): number {
  let sum = trees.base;
  for (const root of trees.roots) {
    let node = root;
    for (let feature = trees.feature[node]!; feature >= 0; feature = trees.feature[node]!)
      node = trees.left[node]! + (row[feature]! <= trees.value[node]! ? 0 : 1);
    sum += trees.value[node]!;
  }
  return sum;
}
