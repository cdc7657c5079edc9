/** The TypeScript SDK on a real registry: access that is asked for, tools, and a purchase over a network that breaks. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Bridge, ConflictError, ConnectionError, PermissionError } from "../../sdk/typescript/src/index.ts";
import { makeLicense } from "../support/license.ts";
import { createOwner } from "../support/owner.ts";
import { startRegistry, type TestRegistry } from "../support/registry.ts";
import { givenOpenedSite } from "../support/visitor.ts";

let registry: TestRegistry;
let shop: string;
let key: string;
beforeAll(async () => {
  registry = await startRegistry({ world: { sites: 4, soundShare: 0.5, kinds: { shop: 1 }, seed: 11 } });
  await registry.crawl();
  shop = registry.world.hosts.find(({ kind }) => kind === "shop")!.host;
  key = (await makeLicense(registry.runtime.broker, shop, { permissions: { fillForms: true } })).key;
});
afterAll(() => registry?.stop());

const failure = (call: Promise<unknown>): Promise<any> =>
  call.then(
    () => expect.unreachable("it did not fail"),
    (error) => error,
  );

/** A way to the registry on which replies of actions get lost: as many in a row as `losing` says, after they were done. */
const breakingWay = async (losing: { replies: number }) => {
  const lost: string[] = [];
  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const { connection: _, host: __, ...headers } = request.headers as Record<string, string>;
    const body = Buffer.concat(parts);
    const reply = await fetch(registry.url + request.url, {
      method: request.method!,
      headers,
      ...(body.length > 0 && { body }),
    });
    const text = await reply.text();
    if (request.url === "/api/bridge/execute" && losing.replies > 0) {
      losing.replies--;
      lost.push(body.toString());
      return request.socket.destroy();
    }
    response.writeHead(reply.status, { "content-type": reply.headers.get("content-type") ?? "text/plain" });
    response.end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    lost,
    close: () => server.close(),
  };
};

const buyer = { name: "Ada Lovelace", email: "ada@agent.example", terms: true };
/** A session before the checkout, and the total. */
const atCheckout = async (bridge: Bridge) => {
  const session = await bridge.open(shop, { purpose: "tea" });
  await session.navigate("/");
  await session.do("click", { target: ".products a" });
  await session.do("submit-buy", { quantity: 1 });
  await session.do("click", { target: "#to-checkout" });
  const { confirm } = (await session.do("submit-checkout", buyer, { dryRun: true })) as any;
  return { session, confirmTotal: confirm.confirm_total as string };
};
const orderNumber = (title: unknown): number => Number(/^Order (\d+)/.exec(String(title))?.[1]);

describe("a purchase", () => {
  it("is made once, however often the reply to each step gets lost", async () => {
    const losing = { replies: 0 };
    const way = await breakingWay(losing);
    const bridge = new Bridge({ registry: way.url, wallet: { [shop]: key }, random: () => 0 });
    const session = await bridge.open(shop);
    const lossy = async <Reply>(work: () => Promise<Reply>): Promise<Reply> => {
      losing.replies = 2;
      return work();
    };
    await lossy(() => session.navigate("/"));
    await lossy(() => session.do("click", { target: ".products a" }));
    await lossy(() => session.do("submit-buy", { quantity: 1 }));
    await lossy(() => session.do("click", { target: "#to-checkout" }));
    const { confirm } = (await lossy(() => session.do("submit-checkout", buyer, { dryRun: true }))) as any;
    const order = await lossy(() =>
      session.do("submit-checkout", buyer, { confirmTotal: confirm.confirm_total }),
    );
    expect(way.lost).toHaveLength(12);
    way.close();
    // The next order of the shop has the next number.
    const direct = await atCheckout(new Bridge({ registry: registry.url, wallet: { [shop]: key } }));
    const next = await direct.session.do("submit-checkout", buyer, { confirmTotal: direct.confirmTotal });
    expect(orderNumber(next.title)).toBe(orderNumber(order.title) + 1);
  });

  it("of which no reply came is taken up later under its key, by whoever has it", async () => {
    const losing = { replies: 0 };
    const way = await breakingWay(losing);
    const bridge = new Bridge({ registry: way.url, wallet: { [shop]: key }, random: () => 0 });
    const { session, confirmTotal } = await atCheckout(bridge);
    losing.replies = 4;
    const options = { confirmTotal, idempotencyKey: "tea-1" };
    expect(await failure(session.do("submit-checkout", buyer, options))).toBeInstanceOf(ConnectionError);
    const order = await session.do("submit-checkout", buyer, options);
    way.close();
    const direct = await atCheckout(new Bridge({ registry: registry.url, wallet: { [shop]: key } }));
    const next = await direct.session.do("submit-checkout", buyer, { confirmTotal: direct.confirmTotal });
    expect(orderNumber(next.title)).toBe(orderNumber(order.title) + 1);
  });

  it("at another total than was told, or without one, or above the most, is refused", async () => {
    const { session, confirmTotal } = await atCheckout(
      new Bridge({ registry: registry.url, wallet: { [shop]: key } }),
    );
    const buy = (options: object) => failure(session.do("submit-checkout", buyer, options));
    expect(await buy({})).toMatchObject({ code: "confirmation_required", status: 409 });
    expect(await buy({ confirmTotal: "0.01 EUR" })).toBeInstanceOf(ConflictError);
    const above = await buy({ confirmTotal, maxTotal: "0.01 EUR" });
    expect([403, 409]).toContain(above.status);
  });
});

describe("access", () => {
  it("is asked for, approved, collected into the account's wallet, and opens the site by the agent's token", async () => {
    const [owner, user] = [createOwner(registry), createOwner(registry)];
    const siteId = await givenOpenedSite(registry, await owner.accountId(), "request");
    const agent = await user.agent("tea buyer");
    const site = new Bridge({ registry: registry.url, token: agent.token });
    const missing = await failure(site.open(siteId));
    expect(missing).toBeInstanceOf(PermissionError);
    expect(missing.code).toBe("license_missing");
    const asked = await site.requestAccess(siteId, {
      purpose: "buy tea",
      permissions: ["readContent", "navigate"],
    });
    expect(asked).toMatchObject({ state: "pending", domain: siteId });
    expect((await site.requestAccess(siteId, { purpose: "buy tea" })).request_id).toBe(asked.request_id);
    await owner.send("POST", `/api/account/access-requests/${asked.request_id}/approve`, {});
    expect((await site.accessRequest(asked.request_id)).state).toBe("approved");
    expect(await site.collect(asked.request_id)).toMatchObject({ state: "collected" });
    const session = await site.open(siteId, { permissions: ["navigate"] });
    expect(session.id).toEqual(expect.any(String));
    expect(session.permissions).toMatchObject({ navigate: true, readContent: false, fillForms: false });
  });
});

describe("tools", () => {
  it("lead a model from a search to an action, with every page marked as a stranger's words", async () => {
    const tools = new Bridge({ registry: registry.url, wallet: { [shop]: key } }).tools("anthropic");
    const call = async (name: string, args: Record<string, unknown>) => {
      const { isError, value, text } = await tools.call(name, args);
      expect(isError, text).toBe(false);
      expect(text.length).toBeLessThanOrEqual(6_001);
      return value as any;
    };
    const { sites } = await call("search_sites", { query: "kettle", min_ring: 3 });
    expect(sites.map(({ domain }: { domain: string }) => domain)).toContain(shop);
    expect(await call("site_verdict", { domain: shop })).toMatchObject({ state: "enabled", ring: 3 });
    expect(await call("read_page", { domain: shop })).toMatchObject({ untrusted: true, status: 200 });
    const { session } = await call("open_session", { domain: shop });
    const act = (action: string, args: object = {}, more: object = {}) =>
      call("do_action", { session, action, args, ...more });
    await act("navigate", { target: "/" });
    const { actions, untrusted } = await call("list_actions", { session });
    expect(untrusted).toBe(true);
    expect(actions.find(({ name }: { name: string }) => name === "submit-search")).toMatchObject({
      effect: "read",
      executable: true,
      input_schema: { type: "object" },
    });
    await act("click", { target: ".products a" });
    await act("submit-buy", { quantity: 1 });
    await act("click", { target: "#to-checkout" });
    const refused = await tools.call("do_action", { session, action: "submit-checkout", args: buyer });
    expect(refused).toMatchObject({ isError: true, value: { code: "confirmation_required" } });
    const told = await act("submit-checkout", buyer, { dry_run: true });
    const bought = await act("submit-checkout", buyer, told.result.confirm);
    expect(bought.result.title).toMatch(/^Order \d+/);
  });
});
