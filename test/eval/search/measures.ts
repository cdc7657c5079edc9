/** Measures of a ranking. Pure. */

/**
 * nDCG at `depth` with linear gains and the discount log2(place + 1), as trec_eval has it. 0 when nothing is relevant.
 */
export function ndcg(ranked: string[], gains: ReadonlyMap<string, number>, depth = 10): number {
  const discounted = (values: number[]) =>
    values.slice(0, depth).reduce((sum, gain, place) => sum + gain / Math.log2(place + 2), 0);
  const ideal = discounted([...gains.values()].sort((a, b) => b - a));
  return ideal === 0 ? 0 : discounted(ranked.map((id) => gains.get(id) ?? 0)) / ideal;
}

/**
 * Kendall's τ of the first `depth` of two rankings, 1 for the same order, over the pairs of what either shows. What one
 * does not show stands below all it shows; a pair that it shows neither of says nothing (Fagin, Kumar, Sivakumar 2003, p = 0).
 */
export function kendallTau(one: readonly string[], other: readonly string[], depth: number): number {
  const places = (ranked: readonly string[]) =>
    new Map(ranked.slice(0, depth).map((id, place) => [id, place]));
  const [a, b] = [places(one), places(other)];
  const all = [...new Set([...a.keys(), ...b.keys()])];
  let [agreeing, counted] = [0, 0];
  for (let i = 0; i < all.length; i++)
    for (let j = i + 1; j < all.length; j++) {
      const order = (found: Map<string, number>): number =>
        Math.sign((found.get(all[i]!) ?? depth) - (found.get(all[j]!) ?? depth));
      const [x, y] = [order(a), order(b)];
      if (x === 0 || y === 0) continue;
      counted++;
      agreeing += x * y;
    }
  return counted === 0 ? 1 : agreeing / counted;
}
