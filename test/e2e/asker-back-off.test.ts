/** What a site answers to a page that a stranger chose keeps that stranger from that page, and nobody from the site. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hostKey } from "../../src/domain/names/domain-name.ts";
import { hostGateKey } from "../../src/egress/gate.ts";
import { type Agent, enter } from "../support/agent.ts";
import { makeLicense } from "../support/license.ts";
import { startRegistry, type TestRegistry } from "../support/registry.ts";

let registry: TestRegistry;
let shop: string;
let limiting: string;
let down: string;
let agent: Agent;
beforeAll(async () => {
  registry = await startRegistry({
    world: { sites: 3, soundShare: 1 },
    // Strangers of several networks come through one proxy.
    config: { BRIDGE_TRUSTED_PROXIES: ["127.0.0.1"] },
    roles: ["crawler", "gossip", "session", "provider", "indexer", "search"],
  });
  [shop, limiting, down] = registry.world.hosts.map(({ host }) => host) as [string, string, string];
  await registry.crawl();
  agent = await enter(registry.url, (await makeLicense(registry.runtime.broker, shop)).key);
});
afterAll(() => registry?.stop());

const originOf = (host: string): string => `https://${host}:${registry.config.BRIDGE_HTTPS_PORT}`;
async function read(host: string, path: string, from = "198.51.100.1") {
  const url = encodeURIComponent(originOf(host) + path);
  const reply = await fetch(`${registry.url}/api/bridge/page-info?siteId=${host}&url=${url}`, {
    headers: { "x-forwarded-for": from },
  });
  return { status: reply.status, body: (await reply.json()) as any };
}
const gateOf = async (host: string) =>
  (await registry.runtime.broker.buckets.gate.get(hostGateKey(host)))!.json<{
    next: number;
    backoffMs: number;
  }>();
const visitsOf = async (host: string): Promise<number> =>
  (await registry.runtime.sites.get(hostKey(host)))?.value.visits ?? Number.NaN;

describe("ten anonymous reads of a page that answers 500", () => {
  it("leave the site's status, its sessions, other strangers, search and the crawl as they were", async () => {
    for (let i = 0; i < 10; i++) await read(shop, `/error/500/${i}`);
    const { backoffMs, next } = await gateOf(shop);
    expect(backoffMs).toBe(0);
    expect(next).toBeLessThanOrEqual(registry.runtime.broker.now());

    const status = await registry.getJson(`/api/discovery/provider/status?domain=${shop}`);
    expect([status.status, status.body.state]).toEqual([200, "enabled"]);
    expect((await agent.execute("navigate", "/")).success).toBe(true);
    expect((await read(shop, "/", "203.0.113.1")).status).toBe(200);
    expect((await registry.getJson(`/api/bridge/search?q=${shop.split(".")[0]}`)).status).toBe(200);
    await registry.runtime.frontier.bringForward(shop, registry.runtime.broker.now());
    await registry.settled();
    expect(await visitsOf(shop)).toBeGreaterThanOrEqual(2);
  });

  it("keep their asker from that page at once, and after five of them from the site", async () => {
    expect((await read(shop, "/error/500/again", "192.0.2.1")).body.status).toBe(500);
    // The reply is remembered for a minute: what is asked is another query of the same path.
    const again = await read(shop, "/error/500/again?x", "192.0.2.2");
    expect([again.status, again.body.code]).toEqual([503, "unavailable"]);
    expect((await read(shop, "/", "192.0.2.1")).status).toBe(200);
    for (let i = 0; i < 4; i++) await read(shop, `/error/503/${i}`, "192.0.2.1");
    expect((await read(shop, "/about", "192.0.2.1")).status).toBe(503);
    expect((await read(shop, "/about", "203.0.114.1")).status).toBe(200);
  });

  it("also in a session keep the session's license from that page alone", async () => {
    await agent.execute("navigate", "/error/500/session");
    const again = await agent.execute("navigate", "/error/500/session");
    expect([again.success, again.result.error.code]).toEqual([false, "site_busy"]);
    expect((await agent.execute("navigate", "/")).success).toBe(true);
  });
});

describe("a stranger's page that answers 429", () => {
  it.each([
    ["and asks for an hour's pause", "/error/429"],
    ["without Retry-After", "/error/429/bare"],
  ])("%s keeps the stranger from it, and no licensed agent from the site", async (_name, path) => {
    const license = await makeLicense(registry.runtime.broker, limiting);
    const owners = await enter(registry.url, license.key);
    for (let i = 0; i < 3; i++) {
      await read(limiting, `${path}/${i}`, `198.51.${100 + i}.9`);
      expect((await owners.execute("navigate", "/")).success).toBe(true);
    }
    expect((await read(limiting, `${path}/0?again`, "198.51.100.9")).status).toBe(503);
    expect((await read(limiting, "/", "203.0.113.9")).status).toBe(200);
    const { next, backoffMs } = await gateOf(limiting);
    expect(backoffMs).toBe(0);
    expect(next).toBeLessThanOrEqual(registry.runtime.broker.now());
  });
});

describe("a site that is down for the crawl's own requests", () => {
  it("rests as ever, for everybody", async () => {
    await registry.world.set(down, { failEvery: 1 });
    await registry.runtime.frontier.bringForward(down, registry.runtime.broker.now());
    await registry.settled();
    expect((await gateOf(down)).backoffMs).toBeGreaterThanOrEqual(60_000);
    expect((await read(down, "/contact", "203.0.113.77")).status).toBe(503);
  });
});
