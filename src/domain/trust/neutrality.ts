/**
 * The neutrality score: how even-handed a site is towards its visitors, 0 to 100, and its small boost in the ranking.
 * All but 5 points come from what a crawl measures, and a contradicted declaration loses 35, so that lying does not
 * pay.
 */

/** Points of each part, 100 in total. */
const WEIGHTS = { dark: 30, affiliate: 20, trackers: 15, ownership: 15, honesty: 15, declared: 5 } as const;
type Part = keyof typeof WEIGHTS;
const PARTS = Object.keys(WEIGHTS) as Part[];
/** A contradiction zeroes these parts, 35 points in total. */
const LOST_BY_LYING: readonly Part[] = ["ownership", "honesty", "declared"];

const UNKNOWN = 0.5;
const NEUTRAL = 50;
/** Evidence from fewer pages counts proportionally, and halves with every half-life. */
const FULL_PAGES = 10;
const HALF_LIFE_DAYS = 90;
const UNVERIFIED_CAP = 60;
const LIAR_CAP = 25;
const LIAR_CAP_DAYS = 90;
const LIAR_CONTRADICTIONS = 2;
/** Half the width of the boost: 0.96 to 1.04. Wider cuts relevance (measured: ±50 % costs 22 % of nDCG@10). */
const BOOST = 0.04;

/** Parts run from 0 (worst) to 1 (best); an unmeasured one counts as 0.5. */
export interface NeutralityEvidence {
  /** Free of dark patterns. */
  dark?: number;
  /** Free of undisclosed affiliate links. */
  affiliate?: number;
  /** Free of trackers. */
  trackers?: number;
  /** The owner is stated, and independent. */
  ownership?: number;
  /** Its declarations match what the crawl found. */
  honesty?: number;
  /** Its declarations (is_independent, commission_rate). */
  declared?: number;
  /** Pages the parts were measured on. */
  pages: number;
  /** Days since they were measured. */
  ageDays: number;
  domainVerified: boolean;
  /** Declarations that are confirmed false. */
  contradictions?: { confirmed: number; daysSinceLast: number };
}

/** What moves a score away from 50: a measured or declared part, or a cap. */
export interface NeutralityReason {
  reason: Part | "unverified_domain" | "contradicted";
  points: number;
}

/** The value of a part: 0 if a contradiction zeroes it, one half if it is unknown. */
const shareOf = (evidence: NeutralityEvidence, part: Part): number => {
  const lies = evidence.contradictions?.confirmed ?? 0;
  return lies > 0 && LOST_BY_LYING.includes(part) ? 0 : clamp(evidence[part] ?? UNKNOWN, 0, 1);
};

/** The weight of the evidence: full from ten pages on, half after 90 days. */
const confidenceOf = ({ pages, ageDays }: NeutralityEvidence): number =>
  clamp(pages / FULL_PAGES, 0, 1) * 2 ** (-Math.max(0, ageDays) / HALF_LIFE_DAYS);

/** The score before rounding is 50 plus the sum of these. Parts without effect are omitted. */
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

/** 0 to 100, rounded to 0.1; 50 means unknown. */
export function neutralityScore(evidence: NeutralityEvidence): number {
  const score = neutralityReasons(evidence).reduce((sum, { points }) => sum + points, NEUTRAL);
  return Math.round(clamp(score, 0, 100) * 10) / 10;
}

/** The factor of a site's text score in the ranking: 0.96 to 1.04. */
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
