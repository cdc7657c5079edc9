import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { NamedRole } from "../../app/processes/announce-role.ts";
import { createHealth } from "../../app/processes/health.ts";
import { createMetrics } from "../../app/processes/metrics.ts";
import { startRoles } from "../../app/processes/start-roles.ts";
import { startRegistry, type TestRegistry } from "../support/registry.ts";

const PATHS = [
  "/api/bridge/search?q=anything",
  "/api/discovery/search?q=anything",
  "/api/discovery/registry?limit=5",
  "/api/registry/discover?intent=anything",
];

describe("an index that does not hold the store's sites yet", () => {
  let registry: TestRegistry;
  let later: NamedRole[] = [];
  beforeAll(async () => {
    registry = await startRegistry({ world: { sites: 6 }, roles: ["crawler", "search", "protocol"] });
    await registry.crawl();
  });
  afterAll(async () => {
    await Promise.all(later.map((role) => role.drain()));
    await registry?.stop();
  });

  it("is not searched as if it were whole: every door says 503, why, and when to ask again", async () => {
    for (const path of PATHS) {
      const { status, body, headers } = await registry.getJson(path);
      expect([path, status, body.code]).toEqual([path, 503, "index_not_filled"]);
      expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
      expect(body.detail).toContain("bridge status");
    }
  });

  it("keeps its process from being ready, which says how far it is, until the indexer has caught up", async () => {
    const health = createHealth();
    const { runtime } = registry;
    later = await startRoles(runtime, ["search"], createMetrics(), health);
    health.started();
    const why = async () => (await health.readiness()).find(({ name }) => name === "filled index")?.why;
    expect(await why()).toMatch(/being filled \(0 sites so far\)/);
    later.push(...(await startRoles(runtime, ["indexer"], createMetrics(), health)));
    await expect.poll(why, { timeout: 10_000 }).toBeUndefined();
    for (const path of PATHS) expect([path, (await registry.getJson(path)).status]).toEqual([path, 200]);
    expect((await registry.getJson(PATHS[2]!)).body.total).toBe(6);
  });
});

describe("a registry that knows no site yet", () => {
  it("answers searches with none, since its index holds all there are", async () => {
    const registry = await startRegistry({ world: { sites: 1 } });
    const { status, body } = await registry.getJson(PATHS[0]!);
    await registry.stop();
    expect([status, body.total]).toEqual([200, 0]);
  });
});
