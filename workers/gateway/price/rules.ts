/**
 * What a price was, and whether a reduction is one: Directive 98/6/EC article 6a (the lowest price of the 30 days before
 * the reduction), and the announced percentage counted from that price (CJEU C-330/23, Aldi Süd).
 */

import type { PriceVerdict } from "../../../schemas/price.ts";

const DAY_S = 86_400;
/** Days before a reduction whose lowest price counts (article 6a(2)). */
export const PRIOR_DAYS = 30;
/** Observations further apart than this leave a gap: nobody knows what the price was. */
const LONGEST_GAP_DAYS = 7;
/** Least share of the 30 days that must be covered for a prior price. */
export const LEAST_COVERAGE = 0.8;
/** Points kept of one series: of 32 series so many are some 1.8 MB at most. */
export const MAX_POINTS = 1_500;
/** An announced percentage may be rounded to whole numbers. */
const ROUNDING = 0.5;

/** One observation: seconds since the epoch, price in minor units. */
export type Point = readonly [atSeconds: number, priceMinor: number];

/** A time through which the price was the same. */
export interface PriceStep {
  priceMinor: number;
  fromSeconds: number;
  /** The last observation of it. */
  toSeconds: number;
  observations: number;
}

export interface DiscountClaim {
  /** Announced reduction in percent. */
  percent?: number | undefined;
  /** Announced earlier price, minor units. */
  wasMinor?: number | undefined;
}

export interface Assessment {
  verdict: PriceVerdict;
  /** When the price that is assessed was first seen: the reduction's application. */
  sinceSeconds: number;
  priceMinor: number;
  priorMinor: number | undefined;
  /** From the prior price, in percent; negative when the price is above it. */
  actualPercent: number | undefined;
  announcedPercent: number | undefined;
  /** Share of the 30 days before that is known. */
  coverage: number;
}

/** Points joined to steps. A gap begins a new step even at the same price. */
export function priceSteps(points: readonly Point[]): PriceStep[] {
  const steps: PriceStep[] = [];
  for (const [at, priceMinor] of points) {
    const last = steps.at(-1);
    if (last?.priceMinor === priceMinor && at - last.toSeconds <= LONGEST_GAP_DAYS * DAY_S) {
      last.toSeconds = at;
      last.observations++;
    } else steps.push({ priceMinor, fromSeconds: at, toSeconds: at, observations: 1 });
  }
  return steps;
}

/**
 * Judges the latest price of a series as a reduction, against what is announced, if anything is.
 * @returns undefined for a series without observations
 */
export function assess(points: readonly Point[], claim: DiscountClaim = {}): Assessment | undefined {
  const priceMinor = points.at(-1)?.[1];
  if (priceMinor === undefined) return undefined;
  const changed = points.findLastIndex(([, price]) => price !== priceMinor);
  const sinceSeconds = points[changed + 1]![0];
  const from = sinceSeconds - PRIOR_DAYS * DAY_S;
  const priorMinor = lowestWithin(points, from, sinceSeconds);
  const coverage = coverageOf(points, from, sinceSeconds);
  const announcedPercent = announcedOf(claim, priceMinor);
  const actualPercent = priorMinor ? (1 - priceMinor / priorMinor) * 100 : undefined;
  const base = { sinceSeconds, priceMinor, priorMinor, actualPercent, announcedPercent, coverage };
  // One price below or at today's shows that there is no reduction, however little else is known.
  if (actualPercent !== undefined && actualPercent <= 0) return { ...base, verdict: "no_reduction" };
  if (actualPercent === undefined || coverage < LEAST_COVERAGE)
    return { ...base, verdict: "insufficient_history" };
  const isOverstated = announcedPercent !== undefined && announcedPercent > actualPercent + ROUNDING;
  return { ...base, verdict: isOverstated ? "overstated" : "genuine" };
}

/** The lowest price that was in force within a time, also when it was set before; undefined when none is known. */
export function lowestWithin(
  points: readonly Point[],
  fromSeconds: number,
  toSeconds: number,
): number | undefined {
  const within = points.filter(([at]) => at >= fromSeconds && at < toSeconds);
  const before = points.findLast(([at]) => at < fromSeconds);
  const holds = before && fromSeconds - before[0] <= LONGEST_GAP_DAYS * DAY_S ? [before] : [];
  const prices = [...holds, ...within].map(([, price]) => price);
  return prices.length === 0 ? undefined : Math.min(...prices);
}

/** Share of a time, 0 to 1, that lies between observations no further apart than the longest gap. */
export function coverageOf(points: readonly Point[], fromSeconds: number, toSeconds: number): number {
  let covered = 0;
  for (let i = 1; i < points.length; i++) {
    const [before, after] = [points[i - 1]![0], points[i]![0]];
    if (after - before > LONGEST_GAP_DAYS * DAY_S) continue;
    covered += Math.max(0, Math.min(after, toSeconds) - Math.max(before, fromSeconds));
  }
  return toSeconds > fromSeconds ? covered / (toSeconds - fromSeconds) : 0;
}

/** What is announced as a percentage: said so, or what the announced earlier price amounts to. */
const announcedOf = ({ percent, wasMinor }: DiscountClaim, priceMinor: number): number | undefined =>
  percent ?? (wasMinor === undefined || wasMinor === 0 ? undefined : (1 - priceMinor / wasMinor) * 100);
