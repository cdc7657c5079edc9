import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PriceHistory } from "../../../../schemas/price.ts";
import { DAY_MS } from "../../../../src/ports/time.ts";
import { openRecords } from "../../../../src/stores/records.ts";
import { productKey } from "../../../../workers/gateway/price/history.ts";
import { askModule } from "../../../support/gateway.ts";
import { startRegistry, type TestRegistry } from "../../../support/registry.ts";
import { givenKey } from "../../../support/visitor.ts";
import { REGISTRY, seriesOf } from "./attested.ts";

let registry: TestRegistry;
let key: string;
beforeAll(async () => {
  registry = await startRegistry({ world: { sites: 1 }, roles: ["gateway"] });
  key = await givenKey(registry, "BUSINESS");
});
afterAll(() => registry?.stop());

const ask = (path: string, body?: unknown) => askModule(registry, "price", key, path, body);
const daysAgo = (days: number): string =>
  new Date(registry.runtime.broker.now() - days * DAY_MS).toISOString();
const track = (productId: string, price: number, days: number, more = {}) =>
  ask("track", {
    platform: "shop.example",
    productId,
    price,
    currency: "EUR",
    observed_at: daysAgo(days),
    ...more,
  });

/** Writes what the registry's own looks would have written, so many days ago. */
async function seenByRegistry(
  productId: string,
  prices: readonly (readonly [daysAgo: number, price: number])[],
) {
  const { broker } = registry.runtime;
  const history: PriceHistory = {
    v: 1,
    platform: "shop.example",
    productId,
    productName: null,
    url: null,
    looked: [],
    series: [
      seriesOf(
        prices.map(([days, price]) => [
          Math.floor((broker.now() - days * DAY_MS) / 1_000),
          Math.round(price * 100),
          REGISTRY,
        ]),
      ),
    ],
  };
  const histories = openRecords(broker.buckets.prices, PriceHistory);
  await histories.put(productKey("shop.example", productId), history);
}

describe("the Price Time Machine", () => {
  it("tells a fake discount from a genuine one, by what the registry saw", async () => {
    await seenByRegistry("lamp", [
      ...[40, 35, 30].map((days) => [days, 80] as const),
      ...[25, 20, 15, 10, 5].map((days) => [days, 100] as const),
      [1, 79],
    ]);
    const { body } = await ask("history/shop.example/lamp?announced_was=100");
    expect(body.series[0].assessment).toMatchObject({
      verdict: "overstated",
      basis: "corroborated",
      prior_price_minor: 8_000,
      actual_percent: 1.25,
      announced_percent: 21,
    });
    expect(body.series[0].claimed_assessment).toBeNull();
    expect(body.series[0].steps.map((step: { price_minor: number }) => step.price_minor)).toEqual([
      8_000, 10_000, 7_900,
    ]);
  });

  it("loses no observation of many that come at once", async () => {
    const told = await Promise.all(Array.from({ length: 5 }, (_, i) => track("rush", 10 + i, i + 1)));
    expect(told.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    const { body } = await ask("history/shop.example/rush");
    expect(body.series[0].steps.length).toBe(5);
  });

  it("keeps sellers, regions and currencies apart", async () => {
    await track("radio", 50, 2, { seller: "Anna" });
    await track("radio", 60, 2, { seller: "Ben", region: "AT" });
    expect((await ask("history/shop.example/radio")).body.series.length).toBe(2);
    expect(
      (await ask("history/shop.example/radio?region=AT")).body.series.map((one: any) => one.seller),
    ).toEqual(["Ben"]);
  });

  it("finds the same product at other shops by its name, and the cheapest", async () => {
    const offers = [
      ["one.example", "Sony Cyber-shot DSC-W120 Digital Camera - Silver", 129.9],
      ["two.example", "Sony DSCW120 Cybershot 7.2 MP camera silver", 119],
      ["three.example", "Canon PowerShot A590 IS Digital Camera", 99],
      ["four.example", "Garden hose 20 m", 19],
    ] as const;
    for (const [platform, product_name, price] of offers)
      await ask("track", { platform, productId: "1", price, currency: "EUR", product_name });
    const giveUpAt = performance.now() + 5_000;
    let found = { matches: [] as any[], cheapest: [] as any[] };
    while (found.matches.length < 2 && performance.now() < giveUpAt)
      found = (await ask(`compare?product_name=${encodeURIComponent("Sony DSC-W120 silver")}`)).body;
    expect(
      found.matches
        .slice(0, 2)
        .map(({ platform }) => platform)
        .sort(),
    ).toEqual(["one.example", "two.example"]);
    expect(found.matches.find(({ platform }) => platform === "three.example")?.same_product ?? false).toBe(
      false,
    );
    expect(found.cheapest).toMatchObject([{ platform: "two.example", price_minor: 11_900 }]);
  });

  it.each([
    ["more digits than the currency has", { price: 1.234 }, "/body/price"],
    ["a currency that nobody knows", { currency: "XYZ" }, "/body/currency"],
    ["a time to come", { observed_at: "2999-01-01T00:00:00Z" }, "/body/observed_at"],
    ["a time too long ago", { observed_at: "1999-01-01T00:00:00Z" }, "/body/observed_at"],
  ])("refuses %s", async (_, wrong, pointer) => {
    const body = { platform: "shop.example", productId: "x", price: 1, currency: "EUR", ...wrong };
    const reply = await ask("track", body);
    expect([reply.status, reply.body.errors?.[0]?.pointer]).toEqual([400, pointer]);
  });

  it("says so where it knows nothing", async () => {
    expect((await ask("history/shop.example/nothing")).body.code).toBe("not_found");
    expect((await ask("compare?product_name=unheard-of")).body.matches).toEqual([]);
  });
});
