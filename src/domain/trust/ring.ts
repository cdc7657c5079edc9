/**
 * The trust score of a site: 0 to 100, computed only from the registry's own observations, never from a site's claims.
 * The rings (0 discovered, 1 document, 2 TXT record, 3 signed, 4 registered with proof) come from manifest.ts and
 * registration; the score adds how long and how reliably the site has kept its ring.
 */

import { DAY_MS } from "../../ports/time.ts";

/** Maximum points per part, 100 in total. At ring 4 all parts except `dnssec` reach 90, so 80 does not require DNSSEC. */
export const POINTS = { signature: 35, proof: 15, dnssec: 10, age: 20, uptime: 15, findings: 5 } as const;
/** The most of each part of `trust_reasons`: proof counts with the signature. */
export const MOST_TRUST_POINTS = {
  signature: POINTS.signature + POINTS.proof,
  dnssec: POINTS.dnssec,
  age: POINTS.age,
  uptime: POINTS.uptime,
  findings: POINTS.findings,
} as const;
/** Days of uninterrupted verification for the full points of `age`. */
const FULL_AGE_DAYS = 90;
/** 95 % two-sided: a few successful visits are not yet a good uptime. */
const WILSON_Z = 1.96;

export interface TrustEvidence {
  ring: 0 | 1 | 2 | 3 | 4;
  dnssec: "secure" | "insecure" | "bogus" | "unknown";
  /** Start of the uninterrupted time at ring 3 or above, milliseconds since the epoch; null below ring 3. */
  verifiedSince: number | null;
  /** Conclusive visits, and the successful ones among them. */
  visits: number;
  visitsOk: number;
  /** Open findings of the page scan: each costs one of five points. */
  findings: number;
}

/** Each part rounded to 0.1 point; `score` is exactly their sum. */
export interface TrustScore {
  score: number;
  parts: {
    /** 0, 35 at ring 3, 50 at ring 4. */
    signature: number;
    /** 10 if DNSSEC validated the TXT record's answer. */
    dnssec: number;
    /** 0 to 20, linear in the time verified up to 90 days. */
    age: number;
    /** 0 to 15, by the lower Wilson bound of visitsOk / visits. */
    uptime: number;
    /** 5 minus one per finding; 0 at ring 0. */
    findings: number;
  };
}

/**
 * Above 80 at ring 4 is the specification's "fully verified surface": about seven weeks of successful visits, or one
 * week with DNSSEC.
 */
export function trustScore(site: TrustEvidence, nowMs: number): TrustScore {
  const verifiedDays = site.verifiedSince === null ? 0 : (nowMs - site.verifiedSince) / DAY_MS;
  const parts = {
    signature: (site.ring >= 3 ? POINTS.signature : 0) + (site.ring === 4 ? POINTS.proof : 0),
    dnssec: site.dnssec === "secure" ? POINTS.dnssec : 0,
    age: toTenths(POINTS.age * clamp(verifiedDays / FULL_AGE_DAYS, 0, 1)),
    uptime: toTenths(POINTS.uptime * wilsonLowerBound(site.visitsOk, site.visits)),
    // Of a site of which nothing was read, there is nothing to praise.
    findings: site.ring === 0 ? 0 : clamp(POINTS.findings - site.findings, 0, POINTS.findings),
  };
  const sum = parts.signature + parts.dnssec + parts.age + parts.uptime + parts.findings;
  return { score: toTenths(sum), parts };
}

const toTenths = (value: number): number => Math.round(value * 10) / 10;

const clamp = (value: number, least: number, most: number): number => Math.min(most, Math.max(least, value));

/** Lower bound of the Wilson score interval of `successes / trials`: 0 to 1, and 0 without trials. */
export function wilsonLowerBound(successes: number, trials: number): number {
  if (trials <= 0) return 0;
  const share = clamp(successes / trials, 0, 1);
  const zz = WILSON_Z ** 2;
  const margin = WILSON_Z * Math.sqrt((share * (1 - share) + zz / (4 * trials)) / trials);
  return clamp((share + zz / (2 * trials) - margin) / (1 + zz / trials), 0, 1);
}
