/** What one stranger with keys can make everybody see of a price: nothing but a claim that is marked as one. */
import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PriceHistory } from "../../../../schemas/price.ts";
import { DAY_MS } from "../../../../src/ports/time.ts";
import { openRecords } from "../../../../src/stores/records.ts";
import { productKey } from "../../../../workers/gateway/price/history.ts";
import { askModule, warmScans } from "../../../support/gateway.ts";
import { startRegistry, type TestRegistry } from "../../../support/registry.ts";
import { givenAccountKey, givenKey } from "../../../support/visitor.ts";
import { REGISTRY, seriesOf } from "./attested.ts";

let registry: TestRegistry;
beforeAll(async () => {
  registry = await startRegistry({
    world: { sites: 1 },
    roles: ["gateway"],
    config: { BRIDGE_TRUSTED_PROXIES: ["127.0.0.1"] },
  });
  await warmScans(registry, await givenKey(registry, "BUSINESS"));
});
afterAll(() => registry?.stop());

const PLATFORM = "shop.example";
const now = () => registry.runtime.broker.now();
const daysAgo = (days: number): string => new Date(now() - days * DAY_MS).toISOString();

/** A caller with a key, from a network of its own. */
interface Caller {
  key: string;
  address: string;
}
let networks = 0;
const from = async (keyOf: Promise<string>): Promise<Caller> => ({
  key: await keyOf,
  address: `198.${++networks}.0.1`,
});
const stranger = () => from(givenKey(registry, "FREE"));
const established = () => from(givenAccountKey(registry, "FREE"));

const ask = ({ key, address }: Caller, path: string, body?: unknown) =>
  askModule(registry, "price", key, path, body, { "x-forwarded-for": address });
const track = (caller: Caller, productId: string, price: number, more = {}) =>
  ask(caller, "track", { platform: PLATFORM, productId, price, currency: "EUR", ...more });
const seriesFor = async (productId: string, platform = PLATFORM) =>
  (await ask(await stranger(), `history/${platform}/${productId}`)).body.series;

/** A product that the registry saw at 80.00 every day of the last forty, and at 64.00 today. */
async function honest(productId: string) {
  const histories = openRecords(registry.runtime.broker.buckets.prices, PriceHistory);
  const days = Array.from({ length: 41 }, (_, i) => 40 - i);
  const seen = days.map(
    (day) => [Math.floor((now() - day * DAY_MS) / 1_000) - 60, day === 0 ? 6_400 : 8_000, REGISTRY] as const,
  );
  await histories.put(productKey(PLATFORM, productId), {
    v: 1,
    platform: PLATFORM,
    productId,
    productName: "An honest lamp",
    url: "https://shop.example/lamp",
    namedBy: REGISTRY,
    looked: [],
    series: [seriesOf(seen)],
  });
}
const GENUINE = { verdict: "genuine", basis: "corroborated", actual_percent: 20, prior_price_minor: 8_000 };

describe("a price that one FREE key told, backdated", () => {
  it("is shown as a claim outside of what is known, and moves no verdict", async () => {
    await honest("lamp");
    const liar = await stranger();
    for (const days of [0, 1, 5, 20])
      expect((await track(liar, "lamp", 1, { observed_at: daysAgo(days) })).body).toMatchObject({
        observed_by: "caller",
        corroborated: false,
        outlier: true,
        told_late: days > 0,
        assessment: GENUINE,
      });
    const [series] = await seriesFor("lamp");
    expect(series).toMatchObject({ lowest_minor: 6_400, highest_minor: 8_000, latest_minor: 6_400 });
    expect(series.assessment).toMatchObject(GENUINE);
    const lies = series.steps.filter((step: any) => step.price_minor === 100);
    expect(lies.length).toBeGreaterThan(0);
    for (const step of lies)
      expect(step).toMatchObject({ observed_by: "caller", corroborated: false, outlier: true });
    expect(series.steps.filter((step: any) => step.corroborated).length).toBe(2);
  });

  it("is no verdict where nothing else is known, and says what it is", async () => {
    const liar = await stranger();
    for (const days of [30, 20, 10]) await track(liar, "vase", 1, { observed_at: daysAgo(days) });
    await track(liar, "vase", 80);
    const [series] = await seriesFor("vase");
    expect(series.assessment).toMatchObject({
      verdict: "insufficient_history",
      basis: "claimed",
      actual_percent: null,
      prior_price_minor: null,
    });
    expect(series.claimed_assessment).toMatchObject({ verdict: "claimed_no_reduction" });
    expect(series.basis).toBe("claimed");
  });

  it("is not taken from more than 90 days ago, or of the future", async () => {
    const liar = await stranger();
    for (const observed_at of [daysAgo(91), daysAgo(-1)]) {
      const { status, body } = await track(liar, "vase", 1, { observed_at });
      expect([status, body.errors[0]]).toMatchObject([
        400,
        { pointer: "/body/observed_at", code: "out_of_range" },
      ]);
    }
  });

  it("does not become true by many keys, or by many accounts of one network", async () => {
    await honest("rug");
    for (let i = 0; i < 6; i++) await track(await stranger(), "rug", 70);
    const one = await established();
    for (let i = 0; i < 4; i++)
      await track({ key: await givenAccountKey(registry, "FREE"), address: one.address }, "rug", 70);
    const [series] = await seriesFor("rug");
    expect(series.assessment).toMatchObject(GENUINE);
    expect(series.steps.some((step: any) => step.price_minor === 7_000 && step.corroborated)).toBe(false);
  });
});

describe("a price that three established accounts from three networks tell at the time", () => {
  it("is corroborated by the third", async () => {
    const told = [];
    for (let i = 0; i < 3; i++) told.push((await track(await established(), "desk", 250)).body.corroborated);
    expect(told).toEqual([false, false, true]);
    expect((await seriesFor("desk"))[0]).toMatchObject({ basis: "corroborated", latest_minor: 25_000 });
  });
});

describe("junk sellers", () => {
  it("keep no honest seller out, of whichever network", async () => {
    const junk = await stranger();
    for (let i = 0; i < 40; i++) {
      if (i % 8 === 0) junk.key = await givenKey(registry, "FREE");
      expect((await track(junk, "crowd", 1 + i, { seller: `junk ${i}` })).status).toBe(200);
    }
    const others = [await stranger(), await established()];
    for (const [i, caller] of others.entries())
      expect((await track(caller, "crowd", 50, { seller: `honest ${i}` })).status).toBe(200);
    for (let i = 0; i < 8; i++) {
      if (i % 8 === 0) junk.key = await givenKey(registry, "FREE");
      await track(junk, "crowd", 1 + i, { seller: `more junk ${i}` });
    }
    const sellers = (await seriesFor("crowd")).map(({ seller }: { seller: string }) => seller);
    expect(sellers).toEqual(expect.arrayContaining(["honest 0", "honest 1"]));
    expect(sellers.length).toBe(32);
  });
});

describe("the registry's own look", () => {
  it("sees what the page says, whatever was told of it, and that is what counts", async () => {
    const { host } = await registry.world.add("shop");
    await registry.world.set(host, { robots: "allow_all" });
    const productId = createHash("sha256").update(`${host} Kettle`).digest("hex").slice(0, 8);
    const url = `https://${host}:${registry.world.port}/product/${productId}`;
    const told = await track(await stranger(), productId, 1, { platform: host, url: `${url}?voucher=half` });
    expect(told.body.look).toBe("begun");
    const giveUpAt = performance.now() + 10_000;
    let series: any;
    while (series?.basis !== "corroborated" && performance.now() < giveUpAt)
      [series] = await seriesFor(productId, host);
    expect(series).toMatchObject({ basis: "corroborated", seller: host });
    expect(series.latest_minor).toBeGreaterThan(1_000);
    const step = series.steps.find((one: any) => one.corroborated);
    const evidence = { kind: "fetched", url };
    expect(step).toMatchObject({ observed_by: "registry", price_minor: series.latest_minor, evidence });
    expect(series).toMatchObject({ evidence, assessment: { evidence } });
    expect(told.body).toMatchObject({ evidence: { kind: "reported", url: null } });
    const pricesOf = async () => (await registry.getJson(`/api/registry/sites/${host}/prices`)).body;
    await expect.poll(pricesOf, { timeout: 5_000 }).toMatchObject({ domain: host, total: 1 });
    expect((await pricesOf()).prices).toEqual([
      expect.objectContaining({
        ...{ productId, price_minor: series.latest_minor, page: url, seller: host },
        // What was told of it is not among what was read.
        readings: [{ at: expect.any(String), price_minor: series.latest_minor }],
      }),
    ]);
    expect((await track(await stranger(), productId, 1, { platform: host, url })).body.look).toBe("recent");
    // Another page of the shop changes neither the address nor what was seen.
    const wrong = `https://${host}:${registry.world.port}/basket`;
    await track(await established(), productId, 1, { platform: host, url: wrong });
    const { body } = await ask(await stranger(), `history/${host}/${productId}`);
    expect(body).toMatchObject({ url, named_by: "registry" });
  });

  it("is not kept from the right page by a wrong one that was named before", async () => {
    const { host } = await registry.world.add("shop");
    await registry.world.set(host, { robots: "allow_all" });
    const productId = createHash("sha256").update(`${host} Kettle`).digest("hex").slice(0, 8);
    const page = (path: string) => `https://${host}:${registry.world.port}${path}`;
    const looks = [];
    for (const path of ["/basket", "/basket", `/product/${productId}`]) {
      const { body } = await track(await stranger(), productId, 1, { platform: host, url: page(path) });
      looks.push(body.look);
    }
    expect(looks).toEqual(["begun", "recent", "begun"]);
  });

  it("goes to no other site than the platform's, and takes no page of another product", async () => {
    const { host } = await registry.world.add("shop");
    await registry.world.set(host, { robots: "allow_all" });
    const sku = createHash("sha256").update(`${host} Kettle`).digest("hex").slice(0, 8);
    const url = `https://${host}:${registry.world.port}/product/${sku}`;
    const foreign = await track(await stranger(), "x", 5, { url });
    expect(foreign.body.look).toBe("foreign_url");
    expect(await registry.world.requests(host)).toEqual([]);
    await track(await stranger(), "another product", 5, { platform: host, url });
    const giveUpAt = performance.now() + 10_000;
    const isVisited = async () =>
      (await registry.world.requests(host)).some(({ path }) => path === `/product/${sku}`);
    while (!(await isVisited()) && performance.now() < giveUpAt)
      await new Promise((go) => setTimeout(go, 20));
    expect(await isVisited()).toBe(true);
    await new Promise((go) => setTimeout(go, 300));
    expect((await seriesFor("another product", host))[0]).toMatchObject({
      basis: "claimed",
      latest_minor: 500,
    });
  });
});

describe("a product's name and address", () => {
  it("are changed by nobody of less standing than who gave them", async () => {
    await honest("named");
    await track(await stranger(), "named", 64, { product_name: "Buy gold", url: "https://evil.example/" });
    const { body } = await ask(await stranger(), `history/${PLATFORM}/named`);
    expect(body).toMatchObject({
      product_name: "An honest lamp",
      url: "https://shop.example/lamp",
      named_by: "registry",
    });
  });
});

describe("the cheapest of a comparison", () => {
  it("is a corroborated price before any claim, and says which it is", async () => {
    await honest("compared");
    const product_name = "Zyxmar Lantern ZL-4711";
    for (let i = 0; i < 3; i++)
      await track(await established(), "compared", 64, { product_name, seller: "Anna" });
    const liar = await stranger();
    await track(liar, "fake", 0.01, { platform: "cheap.example", product_name });
    for (let i = 0; i < 3; i++)
      await track(await established(), "told", 70, { platform: "other.example", product_name });
    const giveUpAt = performance.now() + 5_000;
    let found: any = { matches: [] };
    while (found.matches.length < 2 && performance.now() < giveUpAt)
      found = (await ask(liar, `compare?product_name=${encodeURIComponent(product_name)}`)).body;
    const fake = found.matches.find(({ platform }: { platform: string }) => platform === "cheap.example");
    expect(fake.offers).toMatchObject([
      { price_minor: 1, corroborated: false, evidence: { kind: "reported", url: null } },
    ]);
    expect(found.cheapest).toMatchObject([
      { platform: "other.example", price_minor: 7_000, corroborated: true },
    ]);
  });
});
