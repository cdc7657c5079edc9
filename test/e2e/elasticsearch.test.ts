import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from "vitest";
import { reindex } from "../../app/cli/reindex.ts";
import { createHealth } from "../../app/processes/health.ts";
import { createMetrics } from "../../app/processes/metrics.ts";
import { startRoles } from "../../app/processes/start-roles.ts";
import { ROLES } from "../../app/roles.ts";
import { callTool, connectMcp } from "../support/mcp.ts";
import { startRegistry, type TestRegistry } from "../support/registry.ts";
import { type Relay, startRelay } from "../support/relay.ts";

describe("a registry whose index is in Elasticsearch", () => {
  let relay: Relay;
  let registry: TestRegistry;
  let hosts: string[];
  beforeAll(async () => {
    relay = await startRelay(inject("elasticsearchUrl"));
    registry = await startRegistry({
      world: { sites: 24, soundShare: 1, seed: 5 },
      config: { BRIDGE_ELASTICSEARCH_URL: relay.url, BRIDGE_LOG_LEVEL: "fatal" },
    });
    hosts = registry.world.hosts.map(({ host }) => host).sort();
  });
  afterAll(async () => {
    await registry?.stop();
    await relay?.close();
  });

  const listed = async (): Promise<string[]> => {
    const { body } = await registry.getJson("/api/discovery/registry?limit=100");
    return body.listings.map(({ domain }: { domain: string }) => domain).sort();
  };

  it("answers 503 and when to ask again while Elasticsearch is away, crawls on, and loses nothing", async () => {
    relay.set("cut");
    const crawled = registry.crawl();
    await expect
      .poll(() => registry.runtime.sites.count(), { timeout: 20_000, interval: 100 })
      .toBe(hosts.length);
    const { status, headers } = await registry.getJson("/api/bridge/search?q=anything");
    expect(status).toBe(503);
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
    for (const path of ["/.bridge", "/.well-known/bridge.json", "/api/bridge/ping", "/api/ring4/invariants"])
      expect([path, (await registry.getJson(path)).status]).toEqual([path, 200]);
    relay.set("open");
    await crawled;
    expect(await listed()).toEqual(hosts);
  });

  it("finds what was crawled", async () => {
    const site = registry.world.hosts[0]!;
    const { body } = await registry.getJson(`/api/bridge/search?q=${site.words.description}`);
    expect(body.results[0]?.siteId).toBe(site.host);
  });

  it("gives earlier pages while Elasticsearch is away, and peers by the beacon of one that has just begun", async () => {
    const [word, other] = registry.world.hosts.map(({ words }) => words.description);
    const before = await registry.getJson(`/api/bridge/search?q=${word}`);
    const client = await connectMcp(registry.url);
    const found = () => callTool(client, "search_sites", { query: word });
    const foundBefore = await found();
    expect(foundBefore).toMatchObject({ isError: false, staleSeconds: undefined });
    const peers = async () => (await registry.getJson("/.bridge")).body.peers.length;
    await expect.poll(peers, { timeout: 10_000 }).toBeGreaterThan(0);
    onTestFinished(() => relay.set("open"));
    relay.set("cut");
    const stale = await registry.getJson(`/api/bridge/search?q=${word}`);
    expect([stale.status, stale.body.results]).toEqual([200, before.body.results]);
    expect(stale.headers.get("cache-status")).toContain("stale-if-error");
    const foundEarlier = await found();
    expect(foundEarlier).toMatchObject({ data: foundBefore.data, staleSeconds: expect.any(Number) });
    expect(foundEarlier.text).toMatch(/^\(As it was \d+ s ago/);
    await client.close();
    expect((await registry.getJson(`/api/bridge/search?q=${other}+unasked`)).status).toBe(503);
    expect(await peers()).toBeGreaterThan(0);
    const second = await startRegistry({
      join: registry,
      roles: ["protocol"],
      config: { BRIDGE_ELASTICSEARCH_URL: relay.url },
    });
    expect((await second.getJson("/.bridge")).status).toBe(200);
    relay.set("open");
    await second.stop();
    await expect
      .poll(async () => (await registry.getJson(`/api/bridge/search?q=${other}+unasked`)).status, {
        timeout: 15_000,
      })
      .toBe(200);
  });

  it("says that the index does not answer when Elasticsearch stands still, and not that too much is asked", async () => {
    onTestFinished(() => relay.set("open"));
    relay.set("deaf");
    const asked = Array.from({ length: 24 }, async (_, i) => {
      await new Promise((resolve) => setTimeout(resolve, i * 250));
      const { status, body } = await registry.getJson(`/api/bridge/search?q=unasked${i}`);
      return [status, body.detail];
    });
    for (const [status, detail] of await Promise.all(asked)) {
      expect([503, 504]).toContain(status);
      expect(detail).not.toContain("More is asked");
    }
    relay.set("open");
    const again = async () => (await registry.getJson("/api/bridge/search?q=afterwards")).status;
    await expect.poll(again, { timeout: 15_000 }).toBe(200);
  });

  it("fills a new generation on `bridge reindex` and answers the same from it", async () => {
    const index = await registry.runtime.index();
    const before = { id: index.id, listed: await listed() };
    await reindex({ ...registry.config, BRIDGE_NATS_URL: inject("natsUrl") }, { patience: 60 });
    await expect.poll(() => index.id, { timeout: 5_000 }).not.toBe(before.id);
    expect(await listed()).toEqual(before.listed);
  });
});

describe("a registry that starts while Elasticsearch is away", () => {
  it("starts every role, says why it is not ready, and takes Elasticsearch up when it comes, however late", async () => {
    const relay = await startRelay(inject("elasticsearchUrl"));
    relay.set("cut");
    const health = createHealth();
    const registry = await startRegistry({
      world: { sites: 5, soundShare: 1, seed: 6 },
      config: { BRIDGE_ELASTICSEARCH_URL: relay.url, BRIDGE_LOG_LEVEL: "fatal" },
      roles: ROLES.filter((role) => role !== "search" && role !== "indexer"),
    });
    onTestFinished(async () => {
      await registry.stop();
      await relay.close();
    });
    const late = await startRoles(registry.runtime, ["search", "indexer"], createMetrics(), health);
    onTestFinished(async () => void (await Promise.all(late.map((role) => role.drain()))));
    health.started();
    const reasons = async () => (await health.readiness()).map(({ why }) => why);
    expect(await reasons()).toContain("Elasticsearch: it cannot be reached");
    expect((await registry.getJson("/api/bridge/search?q=anything")).status).toBe(503);
    await registry.crawl();
    relay.set("open");
    await expect
      .poll(reasons, { timeout: 15_000 })
      .toEqual([undefined, undefined, undefined, undefined, undefined]);
    await expect
      .poll(async () => (await registry.getJson("/api/discovery/registry?limit=9")).body.total, {
        timeout: 15_000,
      })
      .toBe(5);
  });
});
