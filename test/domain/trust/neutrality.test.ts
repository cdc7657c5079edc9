import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  fairnessBoost,
  type NeutralityEvidence,
  neutralityReasons,
  neutralityScore,
} from "../../../src/domain/trust/neutrality.ts";

const seen = { pages: 10, ageDays: 0, domainVerified: true };
const best = { dark: 1, affiliate: 1, trackers: 1, ownership: 1, honesty: 1, declared: 1, ...seen };
const share = fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: undefined });
const evidence: fc.Arbitrary<NeutralityEvidence> = fc
  .record({
    dark: share,
    affiliate: share,
    trackers: share,
    ownership: share,
    honesty: share,
    declared: share,
    pages: fc.nat(100),
    ageDays: fc.nat(1_000),
    domainVerified: fc.boolean(),
  })
  .map((parts) => parts as NeutralityEvidence);

describe("neutralityScore", () => {
  it("is 50 where nothing is known", () => {
    expect(neutralityScore(seen)).toBe(50);
    expect(neutralityScore({ ...best, pages: 0 })).toBe(50);
  });

  it("runs from 0 to 100 by what was measured", () => {
    expect(neutralityScore(best)).toBe(100);
    const worst = { dark: 0, affiliate: 0, trackers: 0, ownership: 0, honesty: 0, declared: 0 };
    expect(neutralityScore({ ...worst, ...seen })).toBe(0);
    expect(neutralityScore({ ...best, dark: 0 })).toBe(70);
    expect(neutralityScore({ ...best, trackers: 0 })).toBe(85);
  });

  it("gives what a site says of itself at most 5 points", () => {
    expect(neutralityScore({ ...best, declared: 0 })).toBe(95);
  });

  it("takes 35 points for a contradicted declaration", () => {
    expect(neutralityScore({ ...best, contradictions: { confirmed: 1, daysSinceLast: 0 } })).toBe(65);
  });

  it("holds a site at 25 for 90 days after the second", () => {
    expect(neutralityScore({ ...best, contradictions: { confirmed: 2, daysSinceLast: 89 } })).toBe(25);
    expect(neutralityScore({ ...best, contradictions: { confirmed: 2, daysSinceLast: 90 } })).toBe(65);
  });

  it("holds an unverified domain at 60", () => {
    expect(neutralityScore({ ...best, domainVerified: false })).toBe(60);
  });

  it("moves back to 50 with few pages and with age", () => {
    expect(neutralityScore({ ...best, pages: 5 })).toBe(75);
    expect(neutralityScore({ ...best, ageDays: 90 })).toBe(75);
    expect(neutralityScore({ ...best, ageDays: 180 })).toBe(62.5);
  });

  it("is what its reasons add up to", () => {
    fc.assert(
      fc.property(evidence, fc.nat(3), (site, confirmed) => {
        const judged = { ...site, contradictions: { confirmed, daysSinceLast: 10 } };
        const sum = neutralityReasons(judged).reduce((all, { points }) => all + points, 50);
        expect(Math.abs(neutralityScore(judged) - sum)).toBeLessThanOrEqual(0.05 + 1e-9);
      }),
    );
    expect(neutralityReasons(seen)).toEqual([]);
    expect(neutralityReasons({ ...seen, trackers: 0.2 })).toEqual([{ reason: "trackers", points: -4.5 }]);
    expect(neutralityReasons({ ...best, domainVerified: false }).at(-1)).toEqual({
      reason: "unverified_domain",
      points: -40,
    });
  });

  it("stays in its range, and never rises by a worse part", () => {
    const part = fc.constantFrom("dark", "affiliate", "trackers", "ownership", "honesty", "declared");
    fc.assert(
      fc.property(evidence, part, (site, name) => {
        const score = neutralityScore(site);
        expect(score).toBeGreaterThanOrEqual(0);
        expect(score).toBeLessThanOrEqual(site.domainVerified ? 100 : 60);
        expect(neutralityScore({ ...site, [name]: 0 })).toBeLessThanOrEqual(score);
      }),
    );
  });
});

describe("fairnessBoost", () => {
  it("moves a score by at most four in a hundred", () => {
    expect([0, 25, 50, 100].map(fairnessBoost)).toEqual([0.96, 0.98, 1, 1.04]);
  });
});
