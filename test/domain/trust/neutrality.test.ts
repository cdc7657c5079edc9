import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type NeutralityEvidence, neutralityFrom } from "../../../src/domain/trust/neutrality.ts";

const seen = { pages: 10, ageDays: 0, domainVerified: true };
const best = { dark: 1, affiliate: 1, trackers: 1, ownership: 1, honesty: 1, declared: 1, ...seen };
const neutralityScore = (site: NeutralityEvidence): number => neutralityFrom(site).score;
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
    expect(neutralityScore({ ...best, affiliate: 0 })).toBe(80);
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

  it("holds a site at 49 by a page of grade D, and at 40 by a worse one, however little was seen", () => {
    expect(neutralityScore({ ...best, dark: 0.6 })).toBe(88);
    expect(neutralityScore({ ...best, dark: 0.59 })).toBe(49);
    expect(neutralityScore({ ...best, dark: 0.49 })).toBe(40);
    expect(neutralityScore({ ...best, dark: 0, pages: 1 })).toBe(40);
    expect(neutralityFrom({ ...best, dark: 0.4 })).toMatchObject({
      boost: 0.992,
      cap: { reason: "grade_e", most: 40 },
    });
    expect(neutralityFrom({ ...best, dark: 0, domainVerified: false }).cap?.reason).toBe("grade_e");
  });

  it("forgets the grade as the page ages", () => {
    expect(neutralityFrom({ ...best, dark: 0.3, ageDays: 180 }).cap).toBeNull();
  });

  it("moves back to 50 with few pages and with age", () => {
    expect(neutralityScore({ ...best, pages: 5 })).toBe(75);
    expect(neutralityScore({ ...best, ageDays: 90 })).toBe(75);
    expect(neutralityScore({ ...best, ageDays: 180 })).toBe(62.5);
  });

  it("is what its parts and its cap add up to", () => {
    fc.assert(
      fc.property(evidence, fc.nat(3), (site, confirmed) => {
        const { score, parts, cap } = neutralityFrom({
          ...site,
          contradictions: { confirmed, daysSinceLast: 10 },
        });
        const sum = parts.reduce((all, { points }) => all + points, 50 + (cap?.points ?? 0));
        expect(Math.abs(score - sum)).toBeLessThanOrEqual(0.05 + 1e-9);
        for (const { points, max_points } of parts) expect(Math.abs(points)).toBeLessThanOrEqual(max_points);
      }),
    );
  });

  it("names of every part its value, its points, where it was seen and what to do", () => {
    const seenAt = "2026-03-01T00:00:00.000Z";
    const page = "https://shop.example/offers";
    const one = { page, seen_at: seenAt, rule: "x", severity: "high" as const, selector: "#a" };
    const shown = { dark: [{ ...one, excerpt: "Only 2 left", fix: "Show the true stock, or none." }] };
    const { confidence, pages, parts, cap } = neutralityFrom({ ...seen, dark: 0.9, trackers: 0.2, shown });
    expect({ confidence, pages, cap }).toEqual({ confidence: 1, pages: 10, cap: null });
    expect(parts.map(({ name }) => name)).toEqual([
      ...["dark", "affiliate", "trackers", "ownership", "honesty", "declared"],
    ]);
    expect(parts[0]).toEqual({
      name: "dark",
      value: 0.9,
      points: 12,
      max_points: 15,
      evidence: [{ page, selector: "#a", excerpt: "Only 2 left", seen_at: seenAt }],
      fix: "Show the true stock, or none.",
    });
    expect(parts[1]).toMatchObject({ value: 0.5, points: 0, evidence: [], fix: null });
    expect(parts[2]).toMatchObject({ points: -4.5, max_points: 7.5, fix: expect.stringMatching(/consent/) });
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

describe("the boost", () => {
  it("moves a score by at most four in a hundred", () => {
    const worst = { dark: 0, affiliate: 0, trackers: 0, ownership: 0, honesty: 0, declared: 0, ...seen };
    expect([worst, seen, best].map((site) => neutralityFrom(site).boost)).toEqual([0.96, 1, 1.04]);
  });
});
