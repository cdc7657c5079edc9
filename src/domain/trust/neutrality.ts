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

/** What moves a score away from 50: a part that was measured or declared, or a cap that holds it. */
export interface NeutralityReason {
  reason: Part | "unverified_domain" | "contradicted";
  points: number;
}

/** What a part counts as: nothing where a contradiction takes it, one half where nothing is known of it. */
const shareOf = (evidence: NeutralityEvidence, part: Part): number => {
  const lies = evidence.contradictions?.confirmed ?? 0;
  return lies > 0 && LOST_BY_LYING.includes(part) ? 0 : clamp(evidence[part] ?? UNKNOWN, 0, 1);
};

/** How much the evidence is worth: all of it from ten pages on, half of it after 90 days. */
const confidenceOf = ({ pages, ageDays }: NeutralityEvidence): number =>
  clamp(pages / FULL_PAGES, 0, 1) * 2 ** (-Math.max(0, ageDays) / HALF_LIFE_DAYS);

/** The score before rounding is 50 and the sum of these. Parts that move nothing are left out. */
export function neutralityReasons(evidence: NeutralityEvidence): NeutralityReason[] {
  const confidence = confidenceOf(evidence);
  const reasons: NeutralityReason[] = PARTS.map((part) => ({
    reason: part,
    points: confidence * WEIGHTS[part] * (shareOf(evidence, part) - UNKNOWN),
  }));
  const open = NEUTRAL + reasons.reduce((sum, { points }) => sum + points, 0);
  const most = cap(evidence);
  if (open > most)
    reasons.push({ reason: most === LIAR_CAP ? "contradicted" : "unverified_domain", points: most - open });
  return reasons.filter(({ points }) => points !== 0);
}

/** 0 to 100; 50 says nothing is known. Rounded to 0.1. */
export function neutralityScore(evidence: NeutralityEvidence): number {
  const score = neutralityReasons(evidence).reduce((sum, { points }) => sum + points, NEUTRAL);
  return Math.round(clamp(score, 0, 100) * 10) / 10;
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
