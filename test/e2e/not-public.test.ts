/** Names that lead inside: no door says where, or what is there. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hostKey } from "../../src/domain/names/domain-name.ts";
import { enter } from "../support/agent.ts";
import { askModule } from "../support/gateway.ts";
import { makeLicense } from "../support/license.ts";
import { startRegistry, type TestRegistry } from "../support/registry.ts";
import { givenKey } from "../support/visitor.ts";

/** No text of ours has digits like these but as an address. */
const INSIDE = ["10.20.30.40"];
let registry: TestRegistry;
let host: string;
let key: string;

beforeAll(async () => {
  registry = await startRegistry({ world: { sites: 2, soundShare: 1, seed: 51, ttlSeconds: 0 } });
  host = registry.world.hosts[0]!.host;
  await registry.crawl();
  await registry.world.set(host, { addresses: INSIDE });
  key = await givenKey(registry, "BUSINESS");
});
afterAll(() => registry?.stop());

const tells = (reply: unknown) => INSIDE.filter((address) => JSON.stringify(reply).includes(address));

describe("a site whose name leads inside", () => {
  const page = () => `https://${host}:${registry.world.port}/`;
  const doors: [string, () => Promise<unknown>][] = [
    ["page-info", () => registry.getJson(`/api/bridge/page-info?siteId=${host}`)],
    ["provider/status", () => registry.getJson(`/api/discovery/provider/status?domain=${host}`)],
    ["verify-batch", () => registry.postJson("/api/discovery/provider/verify-batch", { domains: [host] })],
    ["ring4/status", () => registry.getJson(`/api/ring4/status/${host}`)],
    ["protocol/check", () => askModule(registry, "protocol", key, `check/${host}`)],
    ["gov/check", () => askModule(registry, "gov", key, `check/${host}`)],
    ["firewall", () => askModule(registry, "firewall", key, "scan", { url: page() })],
    ["neural", () => askModule(registry, "neural", key, "analyze-url", { url: page() })],
    ["affiliate", () => askModule(registry, "affiliate", key, "scan-url", { url: page() })],
  ];

  it.each(doors)("is asked for by %s, which tells no address", async (_, ask) => {
    const reply = (await ask()) as { status: number; body: unknown };
    expect(reply.status).toBeLessThan(503);
    expect(reply.status).not.toBe(500);
    expect(tells(reply.body)).toEqual([]);
  });

  it("is visited by a session, which tells no address", async () => {
    const license = await makeLicense(registry.runtime.broker, host);
    const agent = await enter(registry.url, license.key);
    const { result } = await agent.execute("navigate", "/");
    expect(result.error.message).toBe("refused_address: the address is not public");
    expect(tells(result)).toEqual([]);
  });

  it("is visited by the crawl, whose record tells no address", async () => {
    const hidden = await registry.world.add("private_address");
    await registry.world.set(hidden.host, { addresses: INSIDE });
    await registry.crawl([hidden.host]);
    const record = (await registry.runtime.sites.get(hostKey(hidden.host)))!.value;
    expect(record).toMatchObject({ reason: "address_refused", detail: "the address is not public" });
    const { body } = await registry.getJson(`/api/discovery/provider/status?domain=${hidden.host}`);
    expect(tells(body)).toEqual([]);
  });
});
