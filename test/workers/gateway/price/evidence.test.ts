import { describe, expect, it } from "vitest";
import type { PriceSource } from "../../../../schemas/price.ts";
import { judgePoints } from "../../../../workers/gateway/price/belief.ts";
import { assessmentsOf, shownSeries } from "../../../../workers/gateway/price/showing.ts";
import { fetchedFrom } from "../../../../workers/gateway/price/sources.ts";
import { REGISTRY, seriesOf, source } from "./attested.ts";

const DAY = 86_400;
const TODAY = 20_000 * DAY;
const PAGE = "https://shop.example/lamp";
const FETCHED: PriceSource = { ...REGISTRY, page: PAGE };
const WITNESSES = ["a", "b", "c"].map((name) => source(name));
/** Fetched every five days at 100.00, today at 80.00. */
const fetched = [40, 35, 30, 25, 20, 15, 10, 5, 0].map(
  (days) => [TODAY - days * DAY, days === 0 ? 8_000 : 10_000, FETCHED] as const,
);
/** What three established accounts agree on, so many days ago. */
const agreed = (days: number, price: number) =>
  WITNESSES.map((one, i) => [TODAY - days * DAY + i * 60, price, one] as const);

describe("the evidence for a price", () => {
  it("is what the registry fetched, with its page and time, or what callers report", () => {
    const series = seriesOf([...fetched, [TODAY + 60, 100, source("x", { standing: "anonymous" })]]);
    const shown = shownSeries(series, 0, {});
    const own = { kind: "fetched", at: new Date(TODAY * 1_000).toISOString(), url: PAGE };
    expect([shown.latest_minor, shown.evidence]).toEqual([8_000, own]);
    expect(shown.assessment).toMatchObject({ verdict: "genuine", evidence: own });
    expect(
      shown.steps.map(({ price_minor, evidence }) => [price_minor, evidence.kind, evidence.url]),
    ).toEqual([
      [10_000, "fetched", PAGE],
      [8_000, "fetched", PAGE],
      [100, "reported", null],
    ]);
  });

  it("that was fetched decides alone where it is enough, and with what callers agree on where it is not", () => {
    const assessed = (told: Parameters<typeof seriesOf>[0]) => {
      const { verdict, prior_price_minor, evidence } = assessmentsOf(judgePoints(seriesOf(told))).assessment;
      return [verdict, prior_price_minor, evidence.kind];
    };
    expect(assessed([...fetched, ...agreed(18, 7_000)])).toEqual(["genuine", 10_000, "fetched"]);
    const once = fetched.slice(-1);
    const weekly = [34, 28, 22, 16, 10, 4].flatMap((days) => agreed(days, 9_000));
    expect(assessed(once)).toEqual(["insufficient_history", null, "fetched"]);
    expect(assessed([...once, ...weekly])).toEqual(["genuine", 9_000, "reported"]);
  });

  it("remembers four pages of a series, so that strangers who name more push nothing out", () => {
    const sources = ["1", "2", "3", "4"].map((path) => fetchedFrom([], `${PAGE}/${path}`));
    expect(fetchedFrom(sources, `${PAGE}/4`)).toEqual(sources[3]);
    expect(fetchedFrom(sources, `${PAGE}/5`)).toEqual(REGISTRY);
    expect(fetchedFrom([], `${PAGE}/${"x".repeat(300)}`)).toEqual(REGISTRY);
  });
});
