import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Agent, enter } from "../support/agent.ts";
import { makeLicense } from "../support/license.ts";
import { startRegistry, type TestRegistry } from "../support/registry.ts";

let registry: TestRegistry;
let shop: string;
let license: Awaited<ReturnType<typeof makeLicense>>;

beforeAll(async () => {
  registry = await startRegistry({ world: { sites: 4, soundShare: 0.5, kinds: { shop: 1 }, seed: 11 } });
  await registry.crawl();
  shop = registry.world.hosts.find(({ kind }) => kind === "shop")!.host;
  license = await makeLicense(registry.runtime.broker, shop, { permissions: { fillForms: true } });
});
afterAll(() => registry?.stop());

const opened = (): Promise<Agent> => enter(registry.url, license.key);

describe("buying from a shop with nothing but the protocol's operations", () => {
  it("goes from the home page to the order's confirmation, step by step", async () => {
    const agent = await opened();
    expect(agent.permissions).toMatchObject({ readContent: true, fillForms: true, automatedLogin: false });

    const home = await agent.execute("navigate", "/");
    expect(home.result).toMatchObject({ status: 200, url: expect.stringContaining(shop) });

    await agent.execute("fill", "#search input[name=q]", "kettle");
    const found = await agent.execute("submit", "#search");
    expect(found.result).toMatchObject({ title: expect.stringMatching(/^1 found/) });
    expect(found.result.url).toMatch(/\/search\?q=kettle$/);

    const product = await agent.execute("click", ".products a");
    expect(product.result.url).toMatch(/\/product\//);
    const price = (await agent.execute("read", "#price")).result.elements[0].text as string;

    expect((await agent.execute("select", "#size", "Small")).result.field).toMatchObject({ selected: ["s"] });
    expect((await agent.execute("fill", "[name=quantity]", "2")).result.field).toMatchObject({ value: "2" });
    const basket = await agent.execute("click", "#buy button[type=submit]");
    expect(basket.result).toMatchObject({ status: 200, redirects: [expect.stringMatching(/\/basket$/)] });
    const total = `${(Number.parseFloat(price) * 2).toFixed(2)} EUR`;
    expect((await agent.execute("read", "#total")).result.elements[0].text).toBe(total);

    await agent.execute("click", "#to-checkout");
    await agent.execute("fill", "[name=name]", "Ada Lovelace");
    await agent.execute("fill", "[name=email]", "ada@example.test");
    await agent.execute("fill", "[name=note]", "Zwei Sätze.\nDanke & bitte");
    await agent.execute("check", "[name=terms]");
    await agent.execute("check", "[name=delivery][value=shop]");
    const unconfirmed = await agent.execute("submit", "#checkout");
    expect(unconfirmed).toMatchObject({ status: 409, code: "confirmation_required" });
    const order = await agent.execute("submit", "#checkout", undefined, undefined, { confirm_total: total });
    expect(order).toMatchObject({ status: 200, success: true });
    expect(order.result.title).toMatch(/^Order \d+/);

    const thanks = await agent.execute("read", "#thanks, #total, #entries");
    const [said, paid, sent] = thanks.result.elements.map(({ text }: { text: string }) => text);
    expect(said).toBe("Thank you, Ada Lovelace.");
    expect(paid).toBe(total);
    expect(JSON.parse(sent)).toEqual([
      ["name", "Ada Lovelace"],
      ["email", "ada@example.test"],
      ["delivery", "shop"],
      ["country", "AT"],
      ["note", "Zwei Sätze.\r\nDanke & bitte"],
      ["terms", "yes"],
      ["pay", "invoice"],
    ]);
  });

  it("finds the same steps among the listed actions, and does them by name", async () => {
    const agent = await opened();
    const { body } = await agent.actions();
    expect(body).toMatchObject({ type: "actions_list", siteId: shop });
    const search = body.actions.find(({ name }: { name: string }) => name === "submit-search");
    expect(search).toMatchObject({
      source: "page",
      category: "form",
      parameters: [{ name: "q", type: "search", required: true }],
      permissions_required: ["fillForms"],
    });
    expect(body.actions.some(({ source }: { source: string }) => source === "declared")).toBe(true);
    await agent.execute("navigate", "/");
    const found = await agent.execute("submit-search", undefined, undefined, { q: "lamp" });
    expect(found.result.url).toMatch(/q=lamp$/);
    expect((await agent.execute("open-basket")).result.url).toMatch(/\/basket$/);
  });
});
