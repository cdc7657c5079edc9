import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PageRecord } from "../../../schemas/site-pages.ts";
import { evidenceOfPages } from "../../../src/domain/trust/page-evidence.ts";
import { DAY_MS } from "../../../src/ports/time.ts";

const NOW = Date.parse("2026-03-01T12:00:00Z");
const FAIR = { dark: 1, affiliate: 1, trackers: 1, ownership: 1 };

const pageOf = (
  i: number,
  { daysAgo = 0, ...parts }: Partial<typeof FAIR> & { daysAgo?: number },
): PageRecord => ({
  page: `https://shop.example/${i}`,
  seen_at: new Date(NOW - daysAgo * DAY_MS).toISOString(),
  text_hash: "",
  measures: { ...FAIR, ...parts, malicious: false, paid: false, parent: false },
  findings: [],
});
const part = fc.double({ min: 0, max: 1, noNaN: true });
const pages = fc
  .array(fc.record({ dark: part, affiliate: part, trackers: part, ownership: part, daysAgo: fc.nat(300) }), {
    minLength: 1,
    maxLength: 20,
  })
  .map((all) => all.map((each, i) => pageOf(i, each)));
function partsOf(of: readonly PageRecord[], at = NOW) {
  const { dark, affiliate, trackers, ownership } = evidenceOfPages(of, at);
  return { dark: dark!, affiliate: affiliate!, trackers: trackers!, ownership: ownership! };
}

describe("what pages show together", () => {
  it("is, of what tricks visitors, the worst page, and of the rest the mean", () => {
    const seen = [pageOf(0, {}), pageOf(1, { dark: 0.3, trackers: 0.5 }), pageOf(2, { affiliate: 0.45 })];
    expect(partsOf([...seen, pageOf(3, {})])).toEqual({
      dark: 0.3,
      affiliate: 0.45,
      trackers: 0.875,
      ownership: 1,
    });
  });

  it("is not made better by any number of clean pages", () => {
    fc.assert(
      fc.property(pages, fc.nat(100), (seen, count) => {
        const clean = Array.from({ length: count }, (_, i) => pageOf(1_000 + i, {}));
        const [before, after] = [partsOf(seen), partsOf([...clean, ...seen])];
        expect([after.dark, after.affiliate]).toEqual([before.dark, before.affiliate]);
      }),
    );
  });

  it("is the same in whatever order pages were seen", () => {
    fc.assert(
      fc.property(pages, (seen) => {
        const [one, other] = [partsOf(seen), partsOf(seen.toReversed())];
        for (const name of ["dark", "affiliate", "trackers", "ownership"] as const)
          expect(one[name]).toBeCloseTo(other[name], 2);
      }),
    );
  });

  it("counts a page for half after 90 days", () => {
    const old = pageOf(1, { dark: 0.2, trackers: 0, daysAgo: 90 });
    expect(partsOf([pageOf(0, {}), old])).toMatchObject({ dark: 0.6, trackers: 0.667 });
    expect(partsOf([old]).dark).toBe(0.6);
  });

  it("names the pages that take most from each part, the worst first, three at most", () => {
    const seen = [0.9, 0.2, 0.5, 0.4, 1].map((dark, i) => pageOf(i, { dark }));
    const { shown } = evidenceOfPages(seen, NOW);
    expect(shown?.dark?.map(({ page }) => page)).toEqual([1, 3, 2].map((i) => `https://shop.example/${i}`));
    expect(Object.keys(shown!)).toEqual(["dark"]);
  });
});
