/**
 * The neutrality score: how even-handed a site is towards its visitors, 0 to 100, and its small boost in the ranking.
 * All but 5 points come from what a crawl measures, and a contradicted declaration loses 35, so that lying does not
 * pay.
 */
import type { ShownEvidence } from "../../../schemas/site.ts";

/** Points of each part, 100 in total. */
export const NEUTRALITY_POINTS = {
  dark: 30,
  affiliate: 20,
  trackers: 15,
  ownership: 15,
  honesty: 15,
  declared: 5,
} as const;
export type MeasureName = keyof typeof NEUTRALITY_POINTS;
const PARTS = Object.keys(NEUTRALITY_POINTS) as MeasureName[];
/** A contradiction zeroes these parts, 35 points in total. */
const LOST_BY_LYING: readonly MeasureName[] = ["ownership", "honesty", "declared"];

/** What a site can do about a part that is less than whole, where no finding says more. */
const FIXES: Readonly<Record<MeasureName, string>> = {
  dark: "Take away what presses or misleads visitors.",
  affiliate: "Say beside paid links, in plain words, that they are paid.",
  trackers: "Load third parties that follow visitors after consent only, or not at all.",
  ownership: "Name who runs the site on every page, and say how to reach them.",
  honesty: "Let the pages bear out the name, the tags and the declarations of the discovery document.",
  declared: "A lower commission_rate, and is_independent, count for more while they are true.",
};

const UNKNOWN = 0.5;
const NEUTRAL = 50;
/** Evidence from fewer pages counts proportionally, and halves with every half-life. */
export const FULL_PAGES = 10;
const HALF_LIFE_DAYS = 90;
/** Grades of the dark-pattern audit by the part's value, and the most that a site with such a page can have. */
const GRADE_CAPS = [
  { reason: "grade_e", below: 0.5, most: 40 },
  { reason: "grade_d", below: 0.6, most: 49 },
] as const;
const UNVERIFIED_CAP = 60;
const LIAR_CAP = 25;
const LIAR_CAP_DAYS = 90;
const LIAR_CONTRADICTIONS = 2;
/** Half the width of the boost: 0.96 to 1.04. Wider cuts relevance (measured: ±50 % costs 22 % of nDCG@10). */
export const MOST_BOOST = 0.04;

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
  /** By part: what moves it most, the worst first. */
  shown?: Readonly<Partial<Record<string, readonly ShownEvidence[]>>>;
}

type CapReason = "contradicted" | "grade_e" | "grade_d" | "unverified_domain";

interface NeutralityPart {
  name: MeasureName;
  /** 0 to 1; one half where nothing is known. */
  value: number;
  /** What it adds to 50, or takes. */
  points: number;
  /** The most that it can add, at full confidence. */
  max_points: number;
  /** The pages that move it most, the worst first. */
  evidence: { page: string; selector: string | null; excerpt: string; seen_at: string }[];
  /** What the site can do; null where the part is whole, or nothing is known. */
  fix: string | null;
}

export interface Neutrality {
  /** 0 to 100, rounded to 0.1; 50 means unknown. 50, the parts' points and the cap's add up to it. */
  score: number;
  /** The factor of the site's text score in the ranking: 0.96 to 1.04. */
  boost: number;
  /** The weight of the evidence, 0 to 1. */
  confidence: number;
  pages: number;
  parts: NeutralityPart[];
  /** The least of the caps that the parts would exceed, and the points that it takes. */
  cap: { reason: CapReason; most: number; points: number } | null;
}

/** How much of what was seen so many days ago still counts: all of today's, half after 90 days. */
export const ageWeight = (days: number): number => 2 ** (-Math.max(0, days) / HALF_LIFE_DAYS);

/** The score with all that it follows from. */
export function neutralityFrom(evidence: NeutralityEvidence): Neutrality {
  const confidence = confidenceOf(evidence);
  const parts = PARTS.map((name) => partOf(evidence, name, confidence));
  const open = NEUTRAL + parts.reduce((sum, { points }) => sum + points, 0);
  const cap = capOf(evidence);
  const capped = cap && open > cap.most ? { ...cap, points: cap.most - open } : null;
  const score = Math.round(clamp(capped?.most ?? open, 0, 100) * 10) / 10;
  return {
    score,
    boost: fairnessBoost(score),
    confidence: Math.round(confidence * 1_000) / 1_000,
    pages: evidence.pages,
    parts,
    cap: capped,
  };
}

/** The weight of the evidence: full from ten pages on, half after 90 days. */
const confidenceOf = ({ pages, ageDays }: NeutralityEvidence): number =>
  clamp(pages / FULL_PAGES, 0, 1) * ageWeight(ageDays);

const clamp = (value: number, least: number, most: number): number => Math.min(most, Math.max(least, value));

function partOf(evidence: NeutralityEvidence, name: MeasureName, confidence: number): NeutralityPart {
  const value = partValue(evidence, name);
  const shown = evidence.shown?.[name] ?? [];
  const isKnown = evidence[name] !== undefined || value !== UNKNOWN;
  return {
    name,
    value,
    points: confidence * NEUTRALITY_POINTS[name] * (value - UNKNOWN),
    max_points: NEUTRALITY_POINTS[name] * (1 - UNKNOWN),
    evidence: shown.map(({ page, selector, excerpt, seen_at }) => ({
      page,
      selector: selector ?? null,
      excerpt,
      seen_at,
    })),
    fix: isKnown && value < 1 ? shown[0]?.fix || FIXES[name] : null,
  };
}

/** The value of a part: 0 if a contradiction zeroes it, one half if it is unknown. */
function partValue(evidence: NeutralityEvidence, part: MeasureName): number {
  const lies = evidence.contradictions?.confirmed ?? 0;
  return lies > 0 && LOST_BY_LYING.includes(part) ? 0 : clamp(evidence[part] ?? UNKNOWN, 0, 1);
}

/** The lowest cap that holds. A page of a bad grade caps less and less as it ages, as it counts. */
function capOf(evidence: NeutralityEvidence): { reason: CapReason; most: number } | undefined {
  const { contradictions, domainVerified, dark, ageDays } = evidence;
  if (
    contradictions &&
    contradictions.confirmed >= LIAR_CONTRADICTIONS &&
    contradictions.daysSinceLast < LIAR_CAP_DAYS
  )
    return { reason: "contradicted", most: LIAR_CAP };
  const worst = 1 - (1 - (dark ?? 1)) * ageWeight(ageDays);
  const grade = GRADE_CAPS.find(({ below }) => worst < below);
  if (grade) return { reason: grade.reason, most: grade.most };
  return domainVerified ? undefined : { reason: "unverified_domain", most: UNVERIFIED_CAP };
}

/** The factor of a site's text score in the ranking: 0.96 to 1.04. */
export const fairnessBoost = (neutrality: number): number =>
  1 + (MOST_BOOST * (neutrality - NEUTRAL)) / NEUTRAL;
