import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PriceSource, Series } from "../../../../schemas/price.ts";
import { judgePoints } from "../../../../workers/gateway/price/belief.ts";
import { medianOf, outlierTest } from "../../../../workers/gateway/price/robust.ts";
import { REGISTRY, seriesOf, source } from "./attested.ts";

const HOUR = 3_600;
const DAY = 24 * HOUR;
const NOW = 20_000 * DAY;
const believed = (series: Series) =>
  judgePoints(series)
    .filter((one) => one.believed)
    .map(({ point }) => point[1]);
/** A price told by each of some sources, an hour apart. */
const toldBy = (price: number, ...by: PriceSource[]) =>
  by.map((one, i) => [NOW + i * HOUR, price, one] as const);

describe("what is believed of a price", () => {
  it("is what the registry saw, and what three established accounts from three networks told at the time", () => {
    expect(believed(seriesOf([[NOW, 100, REGISTRY]]))).toEqual([100]);
    expect(believed(seriesOf(toldBy(100, source("a"), source("b"), source("c"))))).toEqual([100, 100, 100]);
  });

  it.each<[string, PriceSource[]]>([
    ["two", [source("a"), source("b")]],
    ["one account from three networks", ["x", "y", "z"].map((network) => source("a", { network }))],
    ["three accounts of one network", ["a", "b", "c"].map((who) => source(who, { network: "x" }))],
    ["any number of new accounts", ["a", "b", "c", "d", "e"].map((who) => source(who, { standing: "new" }))],
    ["any number of keys", ["a", "b", "c", "d", "e"].map((who) => source(who, { standing: "anonymous" }))],
    ["those who tell it late", ["a", "b", "c"].map((who) => source(who, { late: true }))],
  ])("is not what %s tell", (_, by) => {
    expect(believed(seriesOf(toldBy(100, ...by)))).toEqual([]);
  });

  it("is not what was told on different days, or different prices", () => {
    const [a, b, c] = [source("a"), source("b"), source("c")];
    expect(
      believed(
        seriesOf([
          [NOW, 100, a],
          [NOW + 2 * DAY, 100, b],
          [NOW + 4 * DAY, 100, c],
        ]),
      ),
    ).toEqual([]);
    expect(
      believed(
        seriesOf([
          [NOW, 100, a],
          [NOW + HOUR, 101, b],
          [NOW + 2 * HOUR, 102, c],
        ]),
      ),
    ).toEqual([]);
  });

  it("is never what the registry's own look at the time speaks against", () => {
    const all = [...toldBy(1, source("a"), source("b"), source("c")), [NOW + HOUR, 8_000, REGISTRY] as const];
    expect(believed(seriesOf(all))).toEqual([8_000]);
  });

  it("is for a day what the registry fetched last, whatever callers agree on, and then theirs", () => {
    const [a, b, c] = [source("a"), source("b"), source("c")];
    const fetchedBefore = (hours: number) =>
      seriesOf([[NOW - hours * HOUR, 8_000, REGISTRY], ...toldBy(7_000, a, b, c)]);
    expect(believed(fetchedBefore(20))).toEqual([8_000]);
    expect(believed(fetchedBefore(30))).toEqual([8_000, 7_000, 7_000, 7_000]);
    expect(believed(seriesOf([[NOW - 20 * HOUR, 7_000, REGISTRY], ...toldBy(7_000, a, b, c)]))).toEqual(
      Array(4).fill(7_000),
    );
  });

  it("calls a claim far from what is believed an outlier, and a reduction none", () => {
    const days = Array.from({ length: 30 }, (_, i) => [NOW + i * DAY, 8_000, REGISTRY] as const);
    const claims = [100, 6_000, 800_000].map(
      (price, i) => [NOW + i * DAY + 60, price, source("x", { standing: "anonymous" })] as const,
    );
    const judged = judgePoints(seriesOf([...days, ...claims]));
    expect(judged.filter(({ outlier }) => outlier).map(({ point }) => point[1])).toEqual([100, 800_000]);
  });

  it("gives each network one voice where nothing is believed, however much it tells", () => {
    const anonymous = (name: string) => source(name, { standing: "anonymous" });
    const loud = Array.from({ length: 200 }, (_, i) => [NOW + i, 100, anonymous("loud")] as const);
    const others = ["a", "b", "c"].map(
      (name, i) => [NOW + i * HOUR + 7, 8_000 + i, anonymous(name)] as const,
    );
    const judged = judgePoints(seriesOf([...loud, ...others]));
    expect(new Set(judged.filter(({ outlier }) => outlier).map(({ point }) => point[1]))).toEqual(
      new Set([100]),
    );
  });
});

describe("robust statistics", () => {
  it("find the median that sorting finds", () => {
    fc.assert(
      fc.property(fc.array(fc.integer(), { minLength: 1, maxLength: 200 }), (values) => {
        expect(medianOf(values)).toBe(values.toSorted((a, b) => a - b)[(values.length - 1) >> 1]);
      }),
    );
  });

  it("are moved past the others' range by no minority", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 900, max: 1_100 }), { minLength: 5, maxLength: 50 }),
        fc.array(fc.integer({ min: 1, max: 1e9 }), { maxLength: 50 }),
        (honest, lies) => {
          const isOutlier = outlierTest([...honest, ...lies.slice(0, Math.floor((honest.length - 1) / 2))]);
          expect(honest.some(isOutlier)).toBe(false);
        },
      ),
    );
  });

  it("take time that grows as the numbers do", () => {
    const timeOf = (count: number): number => {
      const values = Array.from({ length: count }, (_, i) => (i * 7_919) % count);
      medianOf(values);
      const { user } = process.cpuUsage();
      for (let i = 0; i < 10; i++) medianOf(values);
      return process.cpuUsage().user - user;
    };
    timeOf(10_000);
    // Sixteen times the numbers: a quadratic one would take 256 times as long.
    expect(timeOf(320_000)).toBeLessThan(64 * Math.max(1_000, timeOf(20_000)));
  });
});
