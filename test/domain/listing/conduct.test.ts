/** The headline of a site: who it is and how it treats its visitors, as two things. */
import { describe, expect, it } from "vitest";
import { conductOf, crawlFindings, headlineOf } from "../../../src/domain/listing/conduct.ts";
import { siteRecord } from "../../support/site-record.ts";

const AT = "2026-01-31T12:00:00.000Z";
const read = (pages: number, confirmed = 0) => ({
  reason: "verified" as const,
  evidence: { pages, measured_at: AT, ...(confirmed > 0 && { contradictions: { confirmed, last_at: AT } }) },
});
const found = (...severities: ("low" | "medium" | "high" | "critical")[]) =>
  severities.map((severity) => ({ severity }));

describe("a site's headline", () => {
  it("is good where the identity is verified and pages were read without a finding", () => {
    const conduct = conductOf(read(4), [], 73.6);
    expect(conduct.level).toBe("clear");
    expect(headlineOf("enabled", conduct)).toMatchObject({
      tone: "good",
      text: "Identity verified; nothing found against it on 4 pages.",
      badge: "Identity verified",
    });
  });

  it.each([
    [
      "a critical finding",
      read(10),
      found("critical", "low"),
      90,
      "poor conduct: 2 findings, 1 of them high or critical",
    ],
    ["a high finding alone", read(10), found("high"), 90, "poor conduct: 1 finding, 1 of them high"],
    [
      "a declaration that its pages refute",
      read(10, 1),
      [],
      70,
      "poor conduct: its pages refute what it declares",
    ],
    ["a poor score", read(10), [], 39.9, "poor conduct"],
    [
      "a page that attacks machines",
      { ...read(1), reason: "malicious_page" as const },
      [],
      50,
      "poor conduct",
    ],
  ])("is bad whoever the site is, for %s", (_, record, findings, score, says) => {
    const headline = headlineOf("enabled", conductOf(record, findings, score));
    expect([headline.tone, headline.text, headline.badge]).toEqual([
      "bad",
      `Identity verified; ${says}.`,
      "Identity verified · poor conduct",
    ]);
    expect(headline.identity.tone).toBe("good");
  });

  it("warns of lesser findings", () => {
    expect(headlineOf("enabled", conductOf(read(3), found("medium", "low"), 60))).toMatchObject({
      tone: "warn",
      text: "Identity verified; conduct with remarks: 2 findings.",
    });
  });

  it("never praises what was not looked at", () => {
    const unread = conductOf({ reason: "verified" }, [], 50);
    for (const conduct of [unread, undefined]) {
      const headline = headlineOf("enabled", conduct);
      expect(headline.tone).toBe("soft");
      expect(headline.text).toContain("conduct not known");
    }
    expect(headlineOf("unknown", unread).text).toBe("Never visited.");
    expect(headlineOf("disabled", unread).tone).toBe("bad");
  });
});

describe("a host or name in another script", () => {
  const told = (host: string, more: object) =>
    crawlFindings(siteRecord(host, Date.parse(AT), more)).map(({ rule, severity }) => [rule, severity]);

  it("that looks like a brand's is as grave where the brand's own host is verified", () => {
    const apple = "xn--80ak6aa92e.com";
    expect(told(apple, { resembles: "apple.com" })).toEqual([["confusable-host", "high"]]);
    expect(told("shop.test", { name: "Аррӏе", resembles: "apple.com" })).toEqual([
      ["confusable-name", "high"],
    ]);
  });

  it("that looks like a verified host is told once, as what it is", () => {
    expect(told("shop.test", { name: "Оѕсаг", resembles: "oscar.com" })).toEqual([
      ["confusable-name", "medium"],
    ]);
    expect(told("xn--80ag5am3h.test", { name: "Tea", resembles: "oscar.test" })).toEqual([
      ["confusable-host", "medium"],
    ]);
  });
});
