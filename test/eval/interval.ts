/** How sure a measured share is: bootstrap intervals, and the distance between what a score says and what is so. */
import { mulberry32 } from "../../src/domain/listing/mulberry32.ts";

const RESAMPLES = 1_000;
const SEED = 20_261_123;
const BINS = 10;

/**
 * 95 % interval of a statistic, by the percentiles of resamples with replacement (Efron 1979).
 * @param groups what is drawn together, such as the texts of one page
 */
export function bootstrap<T>(groups: readonly T[], statistic: (sample: T[]) => number): [number, number] {
  if (groups.length === 0) return [Number.NaN, Number.NaN];
  const random = mulberry32(SEED);
  const values = Array.from({ length: RESAMPLES }, () =>
    statistic(groups.map(() => groups[Math.floor(random() * groups.length)]!)),
  ).sort((a, b) => a - b);
  return [values[Math.floor(0.025 * RESAMPLES)]!, values[Math.floor(0.975 * RESAMPLES)]!];
}

export const shareOf = (flags: readonly boolean[]): number =>
  flags.filter(Boolean).length / Math.max(1, flags.length);

/** `.91 (.89–.93)`: a share and its 95 % interval. */
export function shownShare(flags: readonly boolean[], digits = 3): string {
  if (flags.length === 0) return "–";
  const [low, high] = bootstrap(flags, shareOf);
  const shown = (value: number): string => value.toFixed(digits).replace(/^0/, "");
  return `${shown(shareOf(flags))} (${shown(low)}–${shown(high)})`;
}

export interface Judged {
  probability: number;
  isTrue: boolean;
  weight: number;
}

/** Expected calibration error: mean distance between probability and share of what is true, over ten bins of equal width. */
export function calibrationError(judged: readonly Judged[]): number {
  const bins = Array.from({ length: BINS }, () => ({ said: 0, so: 0 }));
  let total = 0;
  for (const { probability, isTrue, weight } of judged) {
    const bin = bins[Math.min(BINS - 1, Math.floor(probability * BINS))]!;
    bin.said += weight * probability;
    bin.so += weight * Number(isTrue);
    total += weight;
  }
  return bins.reduce((sum, { said, so }) => sum + Math.abs(said - so), 0) / total;
}
