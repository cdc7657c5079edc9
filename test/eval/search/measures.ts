/** Measures of a ranking. Pure. */

/**
 * nDCG at `depth` with linear gains and the discount log2(place + 1), as trec_eval has it. 0 when nothing is relevant.
 */
export const ndcg = (ranked: string[], gains: ReadonlyMap<string, number>, depth = 10): number => {
  const discounted = (values: number[]) =>
    values.slice(0, depth).reduce((sum, gain, place) => sum + gain / Math.log2(place + 2), 0);
  const ideal = discounted([...gains.values()].sort((a, b) => b - a));
  return ideal === 0 ? 0 : discounted(ranked.map((id) => gains.get(id) ?? 0)) / ideal;
};
