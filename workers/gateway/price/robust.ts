/** What most of some numbers say, whatever a few of them say: median and MAD, by selection and so in expected linear time. */

/** Makes the median absolute deviation of a normal distribution its standard deviation. */
const NORMAL = 1.4826;
const DEVIATIONS = 3;
/** Prices change: twice or half of what is usual is nothing odd yet. */
const LEAST_RATIO = Math.log(2);

/**
 * Whether a price lies outside of what others say: by their median and MAD, in ratios.
 * @param usual prices in minor units; none: nothing is outside
 */
export function outlierTest(usual: readonly number[]): (priceMinor: number) => boolean {
  if (usual.length === 0) return () => false;
  const logs = usual.map(logOf);
  const median = medianOf(logs);
  const mad = medianOf(logs.map((one) => Math.abs(one - median)));
  const most = Math.max(DEVIATIONS * NORMAL * mad, LEAST_RATIO);
  return (priceMinor) => Math.abs(logOf(priceMinor) - median) > most;
}

/** A free thing has a price, too: one that is far below the least. */
const logOf = (priceMinor: number): number => Math.log(Math.max(priceMinor, 0.5));

/** The lower median: one of the numbers themselves. NaN of none. */
export const medianOf = (values: readonly number[]): number =>
  values.length === 0 ? Number.NaN : select(Float64Array.from(values), (values.length - 1) >> 1);

/**
 * The k-th least (from 0) of some numbers. The pivot is random, so that nobody can choose numbers that take long.
 * @param values at least k + 1; their order changes
 */
function select(values: Float64Array, k: number): number {
  let [from, to] = [0, values.length - 1];
  while (from < to) {
    const pivot = values[from + Math.floor(Math.random() * (to - from + 1))]!;
    let [i, j] = [from, to];
    while (i <= j) {
      while (values[i]! < pivot) i++;
      while (values[j]! > pivot) j--;
      if (i <= j) {
        [values[i], values[j]] = [values[j]!, values[i]!];
        i++;
        j--;
      }
    }
    if (k <= j) to = j;
    else if (k >= i) from = i;
    else return values[k]!;
  }
  return values[from]!;
}
