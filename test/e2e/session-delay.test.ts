import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Agent, enter } from "../support/agent.ts";
import { makeLicense } from "../support/license.ts";
import { startRegistry, type TestRegistry } from "../support/registry.ts";

const SESSION_DELAY_MS = 60;

describe("an agent's session on a site that a crawl would ask once a minute", () => {
  let registry: TestRegistry;
  let shop: string;
  let agent: Agent;
  beforeAll(async () => {
    registry = await startRegistry({
      world: { sites: 1, soundShare: 0, kinds: { shop: 1 }, seed: 11 },
      config: { BRIDGE_HOST_DELAY_MS: 60_000, BRIDGE_IP_DELAY_MS: SESSION_DELAY_MS },
      roles: ["session"],
    });
    shop = registry.world.hosts[0]!.host;
    const { key } = await makeLicense(registry.runtime.broker, shop, { permissions: { fillForms: true } });
    agent = await enter(registry.url, key);
  });
  afterAll(() => registry?.stop());

  it("goes on at the sessions' pace, one request at a time", async () => {
    expect((await agent.execute("navigate", "/")).success).toBe(true);
    expect((await agent.execute("click", ".products a")).success).toBe(true);
    expect((await agent.execute("submit", "#buy")).result.url).toMatch(/\/basket$/);
    const judgement = await registry.world.log({ hostDelayMs: SESSION_DELAY_MS, ipDelayMs: 0 });
    expect(judgement).toMatchObject({ hostGapViolations: 0, overlappingHost: 0 });
    expect(judgement.requests).toBeGreaterThanOrEqual(5);
  });

  it("waits out the crawl's pause after a page that was read for nobody's session", async () => {
    expect((await registry.getJson(`/api/bridge/page-info?siteId=${shop}`)).status).toBe(200);
    const { success, result } = await agent.execute("navigate", "/");
    expect([success, result.error.code]).toEqual([false, "site_busy"]);
    expect(result.error.retry_after_seconds).toBeGreaterThan(50);
  });
});
