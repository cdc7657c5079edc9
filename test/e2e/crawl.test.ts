import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startRegistry, type TestRegistry } from "../support/registry.ts";

describe("a crawl of a small synthetic web", () => {
  let registry: TestRegistry;
  beforeAll(async () => {
    registry = await startRegistry({ world: { sites: 60, soundShare: 0.5, seed: 3 } });
    await registry.crawl();
  });
  afterAll(() => registry?.stop());

  it("finds a site by a word of its description, first", async () => {
    for (const site of registry.world.hosts.filter(({ kind }) => kind === "sound").slice(0, 5)) {
      const { status, body } = await registry.getJson(`/api/bridge/search?q=${site.words.description}`);
      expect(status).toBe(200);
      expect(body.results[0]?.siteId).toBe(site.host);
    }
  });

  it("gives every steady site the ring, status and reason that a correct registry gives", async () => {
    const wrong: unknown[] = [];
    for (const { host, kind, expected, steady } of registry.world.hosts) {
      if (!steady) continue;
      const record = (await registry.runtime.sites.get(host.replaceAll(".", "/")))?.value;
      const seen = record && { ring: record.ring, status: record.status, reason: record.reason };
      if (JSON.stringify(seen) !== JSON.stringify(expected))
        wrong.push({ host, kind, expected, seen, detail: record?.detail });
    }
    expect(wrong).toEqual([]);
  });

  it("lists enabled sites alone, each once", async () => {
    const { body } = await registry.getJson("/api/discovery/registry?limit=200");
    const domains = body.listings.map(({ domain }: { domain: string }) => domain);
    expect(new Set(domains).size).toBe(domains.length);
    expect(body.listings.every(({ status }: { status: string }) => status === "enabled")).toBe(true);
    expect(body.total).toBe(domains.length);
  });

  it("never visits a host twice at once or out of turn", async () => {
    const judgement = await registry.world.log({ hostDelayMs: 0, ipDelayMs: 0 });
    expect(judgement.overlappingHost).toBe(0);
    expect(judgement.robotsViolations).toBe(0);
  });
});
