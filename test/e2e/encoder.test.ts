import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { ensureEncoder, type InstalledEncoder } from "../../deploy/encoder.ts";
import { cosine } from "../../src/domain/search/embeddings/static-vectors.ts";
import { startRegistry, type TestRegistry } from "../support/registry.ts";

describe("a registry with the sentence encoder", () => {
  let registry: TestRegistry;
  let installed: InstalledEncoder;
  beforeAll(async () => {
    installed = await ensureEncoder(() => undefined);
    registry = await startRegistry({
      threads: true,
      world: { sites: 5, soundShare: 1, seed: 5 },
      config: { BRIDGE_SEARCH_MEANING: "encoder" },
    });
    await registry.crawl();
  }, 300_000);
  afterAll(() => registry?.stop());

  const counts = () => registry.roles.find(({ role }) => role === "indexer")!.read();
  const encoded = async () => {
    const hosts = registry.world.hosts.map(({ host }) => host);
    return (await registry.runtime.index()).encodedVectors(hosts);
  };
  /** Until every record was looked at by the encoder. */
  const settled = () =>
    vi.waitFor(async () => expect(await counts()).toMatchObject({ to_encode: 0, lag: 0 }), {
      timeout: 30_000,
      interval: 100,
    });

  it("encodes each site with its listing or behind it, and again only when its text changed", async () => {
    await settled();
    expect(await counts()).toMatchObject({ encoded: 5, encoder: 1 });
    const before = await encoded();
    expect(before).toHaveLength(5);
    for (const { encoded: mark } of before) expect(mark.startsWith(`${installed.name} `)).toBe(true);
    // Another visit: other records, the same texts.
    await registry.crawl();
    await settled();
    expect(await counts()).toMatchObject({ encoded: 5 });
    expect(await encoded()).toEqual(before);
  });

  it("finds sites by it over HTTP, and says so in its status", async () => {
    const { host, words } = registry.world.hosts[0]!;
    const { status, body } = await registry.getJson(
      `/api/bridge/search?q=${encodeURIComponent(words.description)}`,
    );
    expect(status).toBe(200);
    expect(body.results.map(({ siteId }: { siteId: string }) => siteId)).toContain(host);
    const ask = { for: "query", waitMs: 5_000 } as const;
    const [one, other, unlike] = await Promise.all([
      registry.runtime.encoder()!.encode("bicycle repair", ask),
      registry.runtime.encoder()!.encode("Reparatur von Fahrrädern", { ...ask, foreign: true }),
      registry.runtime.encoder()!.encode("Blumen für jeden Anlass", { ...ask, foreign: true }),
    ]);
    expect(cosine(one!, other!)).toBeGreaterThan(0.4);
    expect(cosine(one!, unlike!)).toBeLessThan(0.15);
  });
});
