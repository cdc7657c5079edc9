import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PriceHistory, PriceSource } from "../../../../schemas/price.ts";
import { MAX_SERIES, withPoint, withRoom } from "../../../../workers/gateway/price/places.ts";
import { MAX_POINTS } from "../../../../workers/gateway/price/rules.ts";
import { REGISTRY, seriesOf, source } from "./attested.ts";

const anonymous = (name: string, more: Partial<PriceSource> = {}) =>
  source(name, { standing: "anonymous", ...more });
const historyOf = (...series: PriceHistory["series"]): PriceHistory => ({
  v: 1,
  platform: "shop.example",
  productId: "lamp",
  productName: null,
  url: null,
  looked: [],
  series,
});
const junkOf = (count: number, by: (i: number) => PriceSource) =>
  Array.from({ length: count }, (_, i) => seriesOf([[1_000 + i, 1, by(i)]], `junk ${i}`));
const sellersOf = (history: PriceHistory | undefined) => history?.series.map(({ seller }) => seller) ?? [];

describe("places of a product's sellers", () => {
  it("go to a newcomer before another network's second", () => {
    const full = historyOf(...junkOf(MAX_SERIES, () => anonymous("junk")));
    expect(sellersOf(withRoom(full, anonymous("honest")))).not.toContain("junk 0");
    expect(sellersOf(withRoom(full, anonymous("honest"))).length).toBe(MAX_SERIES - 1);
  });

  it("of a network are its own to lose: its next series takes the place of its own", () => {
    const honest = seriesOf([[1, 100, anonymous("honest")]], "honest");
    const full = historyOf(honest, ...junkOf(MAX_SERIES - 1, () => anonymous("junk")));
    expect(sellersOf(withRoom(full, anonymous("junk")))).toContain("honest");
  });

  it("are not lost by what is better attested, however many come", () => {
    const kept = [
      seriesOf([[1, 100, REGISTRY]], "seen"),
      seriesOf([[2, 100, source("a")]], "told by an account"),
    ];
    let history = historyOf(...kept);
    for (let i = 0; i < 200; i++) {
      const room = withRoom(history, anonymous(`stranger ${i}`))!;
      const junk = seriesOf([[1_000 + i, 1, anonymous(`stranger ${i}`)]], `junk ${i}`);
      history = { ...room, series: [...room.series, junk] };
    }
    expect(sellersOf(history)).toEqual(expect.arrayContaining(["seen", "told by an account"]));
    expect(history.series.length).toBe(MAX_SERIES);
  });

  it("are found for what the registry saw, whatever is there", () => {
    const full = historyOf(...junkOf(MAX_SERIES, (i) => source(`account ${i}`)));
    expect(withRoom(full, REGISTRY)?.series.length).toBe(MAX_SERIES - 1);
    expect(withRoom(full, anonymous("late"))).toBeUndefined();
  });
});

describe("points of a series", () => {
  const empty: Pick<PriceHistory["series"][number], "points" | "sources"> = { points: [], sources: [] };

  it("are the same in whatever order they were told", () => {
    const told = fc
      .array(fc.tuple(fc.nat(90), fc.integer({ min: 1, max: 5 })), { maxLength: 40 })
      .map((pairs) => [...new Map(pairs).entries()]);
    fc.assert(
      fc.property(told, fc.infiniteStream(fc.nat()), (points, random) => {
        const by = source("a");
        const order = points.map((point) => [random.next().value as number, point] as const);
        const shuffled = order.sort(([a], [b]) => a - b).map(([, point]) => point);
        const kept = shuffled.reduce((series, point) => withPoint(series, point, by), empty);
        const sorted = points.toSorted(([a], [b]) => a - b);
        expect(kept.points.map(([at, price]) => [at, price])).toEqual(sorted);
      }),
    );
  });

  it("are replaced by their own source alone: nobody writes over what another told", () => {
    const first = withPoint(empty, [100, 8_000], source("a"));
    expect(withPoint(first, [100, 8_100], source("a")).points).toEqual([[100, 8_100, 0]]);
    expect(withPoint(first, [100, 1], anonymous("x")).points).toEqual([
      [100, 8_000, 0],
      [100, 1, 1],
    ]);
  });

  it("give way where their own network tells most: a flood keeps nobody else's out", () => {
    let series = withPoint(withPoint(empty, [1, 8_000], source("a")), [2, 8_000], anonymous("b"));
    series = withPoint(series, [3, 8_000], REGISTRY);
    for (let i = 0; i < MAX_POINTS + 200; i++) series = withPoint(series, [10 + i, 1], anonymous("flood"));
    expect(series.points.length).toBe(MAX_POINTS);
    expect(series.points.slice(0, 3).map(([at]) => at)).toEqual([1, 2, 3]);
  });

  it("of more sources than are kept lose the least attested, and the record stays small", () => {
    let series = withPoint(withPoint(empty, [1, 8_000], source("a")), [2, 8_000], REGISTRY);
    for (let i = 0; i < 500; i++) series = withPoint(series, [10 + i, 1e14], anonymous(`stranger ${i}`));
    expect(series.sources.map(({ who }) => who)).toEqual(expect.arrayContaining(["a", "registry"]));
    expect(series.sources.length).toBeLessThanOrEqual(64);
  });
});
