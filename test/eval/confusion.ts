/** What a classifier got right and wrong, as every evaluation prints it. */
export interface Confusion {
  tp: number;
  fp: number;
  tn: number;
  fn: number;
}

export function confusionOf(pairs: Iterable<readonly [isTrue: boolean, isGiven: boolean]>): Confusion {
  const counts: Confusion = { tp: 0, fp: 0, tn: 0, fn: 0 };
  for (const [isTrue, isGiven] of pairs) counts[isTrue ? (isGiven ? "tp" : "fn") : isGiven ? "fp" : "tn"]++;
  return counts;
}

const share = (part: number, whole: number): number | null =>
  whole === 0 ? null : Number((part / whole).toFixed(4));

/** Counts with precision, recall, F1 and the share of false alarms; null where there is nothing to divide by. */
export const measuresOf = ({ tp, fp, tn, fn }: Confusion) => ({
  count: tp + fp + tn + fn,
  tp,
  fp,
  tn,
  fn,
  precision: share(tp, tp + fp),
  recall: share(tp, tp + fn),
  f1: share(2 * tp, 2 * tp + fp + fn),
  false_alarm_rate: share(fp, fp + tn),
});
