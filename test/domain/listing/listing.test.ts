import { describe, expect, it } from "vitest";
import type { ReportKind } from "../../../schemas/bounty.ts";
import type { MeasuredEvidence, SiteRecord } from "../../../schemas/site.ts";
import { listingOf, neutralityOf } from "../../../src/domain/listing/listing.ts";
import { DAY_MS } from "../../../src/ports/time.ts";
import { siteRecord } from "../../support/site-record.ts";

const NOW = Date.parse("2026-03-01T12:00:00Z");
const daysAgo = (days: number): string => new Date(NOW - days * DAY_MS).toISOString();

function listed(evidence: Partial<MeasuredEvidence>, more: Partial<SiteRecord> = {}) {
  const measured = { pages: 10, measured_at: daysAgo(0), ...evidence };
  return listingOf(siteRecord("shop.example", NOW, { evidence: measured, ...more }));
}

describe("a listing's neutrality", () => {
  it("follows from what visits measured, and says so", () => {
    const { neutrality_score, fairness_boost, neutrality_reasons } = listed({ dark: 1, trackers: 0 });
    expect(neutrality_score).toBe(57.5);
    expect(fairness_boost).toBeCloseTo(1.006, 12);
    expect(neutrality_reasons).toEqual([
      { reason: "dark", points: 15, max_points: 15 },
      { reason: "trackers", points: -7.5, max_points: 7.5, fix: expect.stringMatching(/consent/) },
    ]);
  });

  it("names the page that moves each part most, what stands there, and what to do", () => {
    const page = "https://shop.example/sale";
    const fix = "State the real end of the offer with date and time zone, and end it then.";
    const found = { page, seen_at: daysAgo(1), rule: "fake-urgency/clock", severity: "high" as const, fix };
    const shown = { dark: [{ ...found, excerpt: "Ends in 04:59", selector: "#clock" }] };
    const record = siteRecord("shop.example", NOW, {
      evidence: { dark: 0.7, pages: 10, measured_at: daysAgo(0), shown },
    });
    expect(listingOf(record).neutrality_reasons).toEqual([
      { reason: "dark", points: 6, max_points: 15, page, excerpt: "Ends in 04:59", fix },
    ]);
    expect(neutralityOf(record, NOW)).toMatchObject({
      score: 56,
      confidence: 1,
      pages: 10,
      parts: [
        { name: "dark", evidence: [{ page, selector: "#clock", excerpt: "Ends in 04:59" }], fix },
        ...Array.from({ length: 5 }, () => ({ points: 0, evidence: [], fix: null })),
      ],
    });
  });

  it("is 50 where nothing was measured, whatever the site says of itself", () => {
    const says = { is_independent: true, commission_rate: 0, evidence: undefined } as Partial<SiteRecord>;
    expect(listed({}, says)).toMatchObject({ neutrality_score: 50, neutrality_reasons: [] });
  });

  it("gives declarations 2.5 points at most, and takes them with the rest when two visits found them false", () => {
    const says = { is_independent: true, commission_rate: 0 };
    expect(listed({}, says).neutrality_score).toBe(52.5);
    expect(listed({}, { is_independent: false, commission_rate: 30 }).neutrality_score).toBe(47.5);
    const contradictions = { confirmed: 1, last_at: daysAgo(1) };
    expect(listed({ contradictions }, says).neutrality_score).toBe(32.5);
    const again = { confirmed: 2, last_at: daysAgo(1) };
    expect(listed({ dark: 1, contradictions: again }, says).neutrality_score).toBe(25);
  });

  it("loses to a confirmed report the part that it is about, less and less as it ages", () => {
    const report = (kind: ReportKind, days: number) => ({
      reportId: "0198a2c0-0000-7000-8000-000000000001",
      kind,
      url: "https://shop.example/cart",
      host: "shop.example",
      reason: "Seen.",
      rules: [],
      confirmedBy: "operator" as const,
      first_seen: daysAgo(days),
      last_seen: daysAgo(days),
    });
    const reported = (kind: ReportKind, days = 0) => listed({ dark: 1 }, { reported: [report(kind, days)] });
    const before = listed({ dark: 1 });
    expect(reported("dark_pattern")).toMatchObject({
      neutrality_score: 35,
      neutrality_reasons: [
        { reason: "dark", points: -15, page: "https://shop.example/cart", excerpt: "Seen." },
      ],
    });
    expect(reported("dark_pattern", 90).neutrality_score).toBe(49);
    expect(reported("affiliate_fraud").neutrality_score).toBe(before.neutrality_score - 10);
    expect(reported("scam").neutrality_score).toBe(before.neutrality_score - 7.5);
    const { trust_reasons } = before;
    expect(reported("malware")).toMatchObject({
      neutrality_score: before.neutrality_score,
      trust_reasons: { findings: trust_reasons.findings - 1 },
    });
    const { conduct, ...scores } = before;
    expect(reported("other")).toMatchObject(scores);
    expect([conduct?.level, reported("other").conduct?.level]).toEqual(["clear", "remarks"]);
  });

  it("fades with the age of what was measured", () => {
    expect(listed({ dark: 1, measured_at: daysAgo(90) }).neutrality_score).toBe(57.5);
  });

  it("is 60 at most for a domain that is not verified", () => {
    const all = { dark: 1, affiliate: 1, trackers: 1, ownership: 1, honesty: 1 };
    expect(listed(all).neutrality_score).toBe(97.5);
    const open = listed(all, { ring: 1, status: "partial" });
    expect(open.neutrality_score).toBe(60);
    expect(open.neutrality_reasons).toContainEqual({
      reason: "unverified_domain",
      points: -37.5,
      max_points: 0,
    });
  });
});
