import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type TrustEvidence, trustScore, wilsonLowerBound } from "../../../src/domain/trust/ring.ts";
import { DAY_MS } from "../../../src/ports/time.ts";

const NOW_MS = Date.UTC(2026, 5, 15);
const daysAgo = (days: number): number => NOW_MS - days * DAY_MS;
const well: TrustEvidence = {
  ring: 4,
  dnssec: "secure",
  verifiedSince: daysAgo(90),
  visits: 10_000,
  visitsOk: 10_000,
  findings: 0,
};

const evidence: fc.Arbitrary<TrustEvidence> = fc.record({
  ring: fc.constantFrom(0, 1, 2, 3, 4),
  dnssec: fc.constantFrom("secure", "insecure", "bogus", "unknown"),
  verifiedSince: fc.option(fc.integer({ min: daysAgo(1_000), max: daysAgo(-10) })),
  visits: fc.nat(1_000),
  visitsOk: fc.nat(1_000),
  findings: fc.nat(20),
});

describe("trustScore", () => {
  it("gives 100 to a site that has everything", () => {
    expect(trustScore(well, NOW_MS)).toEqual({
      score: 100,
      parts: { signature: 50, dnssec: 10, age: 20, uptime: 15, findings: 5 },
    });
  });

  it("passes 80 at ring 4 by age and uptime, without DNSSEC", () => {
    const steady = { ...well, dnssec: "insecure" as const, visits: 60, visitsOk: 60 };
    expect(trustScore({ ...steady, verifiedSince: daysAgo(60) }, NOW_MS).score).toBeGreaterThan(80);
    expect(trustScore({ ...steady, verifiedSince: daysAgo(7) }, NOW_MS).score).toBeLessThan(80);
  });

  it("never passes 80 below ring 4 without DNSSEC", () => {
    expect(trustScore({ ...well, ring: 3, dnssec: "unknown" }, NOW_MS).score).toBe(75);
  });

  it("gives little to a site seen once", () => {
    const fresh = {
      ...well,
      ring: 3,
      dnssec: "unknown",
      verifiedSince: NOW_MS,
      visits: 1,
      visitsOk: 1,
    } as const;
    expect(trustScore(fresh, NOW_MS).parts).toEqual({
      signature: 35,
      dnssec: 0,
      age: 0,
      uptime: 3.1,
      findings: 5,
    });
  });

  it("stays between 0 and 100 and is the sum of its parts", () => {
    fc.assert(
      fc.property(evidence, (site) => {
        const { score, parts } = trustScore(site, NOW_MS);
        expect(score).toBeGreaterThanOrEqual(0);
        expect(score).toBeLessThanOrEqual(100);
        expect(Object.values(parts).reduce((sum, part) => sum + part)).toBeCloseTo(score, 9);
      }),
    );
  });

  it("never falls by a higher ring, a longer time or one more good visit", () => {
    fc.assert(
      fc.property(evidence, (site) => {
        const { score } = trustScore(site, NOW_MS);
        const visitsOk = Math.min(site.visits, site.visitsOk);
        const more = { ...site, visits: site.visits + 1, visitsOk: visitsOk + 1 };
        expect(trustScore({ ...site, ring: 4 }, NOW_MS).score).toBeGreaterThanOrEqual(score);
        expect(trustScore(site, NOW_MS + DAY_MS).score).toBeGreaterThanOrEqual(score);
        expect(trustScore(more, NOW_MS).score).toBeGreaterThanOrEqual(score);
      }),
    );
  });
});

describe("wilsonLowerBound", () => {
  it("gives the known values", () => {
    expect(wilsonLowerBound(0, 0)).toBe(0);
    expect(wilsonLowerBound(1, 1)).toBeCloseTo(0.2065, 3);
    expect(wilsonLowerBound(8, 10)).toBeCloseTo(0.4902, 3);
    expect(wilsonLowerBound(100, 100)).toBeCloseTo(0.963, 3);
    expect(wilsonLowerBound(0, 10)).toBeCloseTo(0, 9);
  });
});
