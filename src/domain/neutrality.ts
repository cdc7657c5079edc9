/**
 * The neutrality score: how even-handed a site is towards its visitors, 0 to 100, and the small boost it gives in the
 * ranking. All but 5 points come from what a crawl measures, and a contradicted declaration loses 35: lying does not pay.
 */

/** Points of each part; together 100. */
const WEIGHTS = { dark: 30, affiliate: 20, trackers: 15, ownership: 15, honesty: 15, declared: 5 } as const;
type Part = keyof typeof WEIGHTS;
const PARTS = Object.keys(WEIGHTS) as Part[];
/** A contradiction sets these to nothing: 35 points together. */
const LOST_BY_LYING: readonly Part[] = ["ownership", "honesty", "declared"];

const UNKNOWN = 0.5;
const NEUTRAL = 50;
/** Evidence from fewer pages counts in proportion, and halves with every so many days. */
const FULL_PAGES = 10;
const HALF_LIFE_DAYS = 90;
const UNVERIFIED_CAP = 60;
const LIAR_CAP = 25;
const LIAR_CAP_DAYS = 90;
const LIAR_CONTRADICTIONS = 2;
/** Half the width of the boost: 0.96 to 1.04. Wider cuts relevance (measured: ±50 % costs 22 % of nDCG@10). */
const BOOST = 0.04;

/** Parts run from 0 (worst) to 1 (best); one that was not measured counts as 0.5. */
export interface NeutralityEvidence {
  /** Free of dark patterns. */
  dark?: number;
  /** Free of undisclosed affiliate links. */
  affiliate?: number;
  /** Free of trackers. */
  trackers?: number;
  /** Who owns it is said, and independent. */
  ownership?: number;
  /** What it says of itself agrees with what was found. */
  honesty?: number;
  /** What it declares (is_independent, commission_rate). */
  declared?: number;
  /** Pages the parts were measured on. */
  pages: number;
  /** Days since they were measured. */
  ageDays: number;
  domainVerified: boolean;
  /** Declarations that were found false and confirmed so. */
  contradictions?: { confirmed: number; daysSinceLast: number };
}

/** 0 to 100; 50 says nothing is known. Rounded to 0.1. */
export function neutralityScore(evidence: NeutralityEvidence): number {
  const lies = evidence.contradictions?.confirmed ?? 0;
  const raw = PARTS.reduce((sum, part) => {
    const measured = lies > 0 && LOST_BY_LYING.includes(part) ? 0 : (evidence[part] ?? UNKNOWN);
    return sum + WEIGHTS[part] * clamp(measured, 0, 1);
  }, 0);
  const confidence =
    clamp(evidence.pages / FULL_PAGES, 0, 1) * 2 ** (-Math.max(0, evidence.ageDays) / HALF_LIFE_DAYS);
  const score = clamp(NEUTRAL + confidence * (raw - NEUTRAL), 0, 100);
  return Math.round(Math.min(score, cap(evidence)) * 10) / 10;
}

/** What the ranking multiplies a site's text score with: 0.96 to 1.04. */
export const fairnessBoost = (neutrality: number): number => 1 + (BOOST * (neutrality - NEUTRAL)) / NEUTRAL;

function cap({ contradictions, domainVerified }: NeutralityEvidence): number {
  if (
    contradictions &&
    contradictions.confirmed >= LIAR_CONTRADICTIONS &&
    contradictions.daysSinceLast < LIAR_CAP_DAYS
  ) {
    return LIAR_CAP;
  }
  return domainVerified ? 100 : UNVERIFIED_CAP;
}

const clamp = (value: number, least: number, most: number): number => Math.min(most, Math.max(least, value));
