/** What observations show, and what they do not. Pure. */
import type { ClaimedComparison } from "../../../schemas/certificate.ts";

/** Prices seen at the same time, in minor units: a control, the treatment, and where there is one a second control. */
export interface Pair {
  control: number;
  treatment: number;
  /** The same as the control in everything: what differs between the two is noise. */
  controlAgain: number | null;
}

/** Fewer discordant pairs than five cannot reach the level: 2^-5 is the first below it. */
const LEVEL = 0.05;
const METHOD =
  "Paired with an A/A control (Hannak et al., Measuring Price Discrimination and Steering on E-commerce Web Sites, IMC 2014); exact McNemar test, one-sided, level 0.05";

const MINUTE_MS = 60_000;

/**
 * Whether a price depends on a trait, by pairs that a caller claims: every verdict is a claim. "claimed_discrimination" only
 * where the treatment differs from its control significantly more often than two identical controls differ from each other;
 * without such controls a difference is a difference.
 */
export function compare(trait: string, pairs: readonly Pair[]): ClaimedComparison {
  const differs = ({ control, treatment }: Pair): boolean => treatment !== control;
  const isNoisy = ({ control, controlAgain }: Pair): boolean =>
    controlAgain !== null && controlAgain !== control;
  const controlled = pairs.filter(({ controlAgain }) => controlAgain !== null);
  const onlyTreatment = controlled.filter((pair) => differs(pair) && !isNoisy(pair)).length;
  const onlyControl = controlled.filter((pair) => !differs(pair) && isNoisy(pair)).length;
  const p = controlled.length === 0 ? null : binomialTail(onlyTreatment, onlyTreatment + onlyControl);
  const treatmentDiffers = pairs.filter(differs).length;
  const shown = p !== null && p < LEVEL;
  return {
    trait,
    observed_by: "caller",
    verdict: shown
      ? "claimed_discrimination"
      : treatmentDiffers > 0
        ? "claimed_difference"
        : "claimed_no_difference",
    pairs: pairs.length,
    controlled_pairs: controlled.length,
    treatment_differs: treatmentDiffers,
    control_differs: controlled.filter(isNoisy).length,
    p_value: p === null ? null : Number(p.toPrecision(6)),
    median_difference_minor: median(pairs.map(({ control, treatment }) => treatment - control)),
    method: METHOD,
  };
}

/**
 * P(X ≥ hits) for X of `trials` fair coins, at most 1,000. Summed from the right, where the terms are small.
 */
export function binomialTail(hits: number, trials: number): number {
  let term = 2 ** -trials;
  let tail = 0;
  // The terms are symmetric: the k-th from the right is the k-th from the left.
  for (let k = 0; k <= trials - hits; k++) {
    tail += term;
    term = (term * (trials - k)) / (k + 1);
  }
  return Math.min(1, tail);
}

function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : Math.round((sorted[middle - 1]! + sorted[middle]!) / 2);
}

/** The verdict on a payment as a caller claims it. */
export function paymentVerdict(
  agreed: { minor: number; currency: string },
  paid: { minor: number; currency: string },
) {
  if (agreed.currency !== paid.currency)
    return { verdict: "claimed_other_currency" as const, difference: null };
  const difference = paid.minor - agreed.minor;
  const verdict =
    difference === 0
      ? ("claimed_as_agreed" as const)
      : difference > 0
        ? ("claimed_charged_more" as const)
        : ("claimed_charged_less" as const);
  return { verdict, difference };
}

/** A time as coarse as a certificate has it. */
export const toMinute = (ms: number): string =>
  new Date(Math.floor(ms / MINUTE_MS) * MINUTE_MS).toISOString();
