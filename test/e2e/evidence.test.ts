import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SitePages } from "../../schemas/site-pages.ts";
import { hostKey } from "../../src/domain/names/domain-name.ts";
import { pagesKey } from "../../src/stores/contents.ts";
import type { SiteKind } from "../../world/kinds.ts";
import { startRegistry, type TestRegistry } from "../support/registry.ts";

describe("what the crawl sees on pages", () => {
  let registry: TestRegistry;
  beforeAll(async () => {
    registry = await startRegistry({ world: { sites: 12, soundShare: 1, seed: 9 } });
    await registry.crawl();
  });
  afterAll(() => registry?.stop());

  const listingOf = async (host: string) => (await registry.runtime.index()).get(host);
  const recordOf = async (host: string) => (await registry.runtime.sites.get(hostKey(host)))!.value;
  const darkPagesOf = async (host: string) =>
    (await registry.runtime.broker.buckets.contents.get(pagesKey(host)))!
      .json<SitePages>()
      .pages.filter(({ measures }) => measures.dark < 0.5);
  const become = async (host: string, kind: SiteKind) => {
    await registry.world.set(host, { kind });
    await visit(host);
  };
  const visit = async (host: string) => {
    const { visits } = await recordOf(host);
    await registry.runtime.frontier.bringForward(host, registry.runtime.broker.now());
    await expect.poll(async () => (await recordOf(host)).visits, { timeout: 20_000 }).toBeGreaterThan(visits);
    await registry.settled();
  };
  /** A site that declares neither commission nor partners. */
  const independent = async (skip: number): Promise<string> => {
    for (const { host } of registry.world.hosts.slice(skip))
      if ((await recordOf(host)).commission_rate === 0) return host;
    throw new Error("no site of the world is independent");
  };

  it("costs a site with dark patterns its neutrality, beside what the same site had without them", async () => {
    const host = await independent(0);
    const clean = (await listingOf(host))!;
    expect((await recordOf(host)).evidence?.dark).toBe(1);
    await become(host, "dark_pattern");
    const dark = (await listingOf(host))!;
    expect((await recordOf(host)).evidence!.dark).toBeLessThan(0.7);
    expect(dark.neutrality_score).toBeLessThan(clean.neutrality_score);
    expect(dark.status).toBe("enabled");
  });

  it("holds paid links against a site that declares no commission, once two visits found them", async () => {
    const host = await independent(4);
    const clean = (await listingOf(host))!;
    await become(host, "affiliate");
    expect((await recordOf(host)).evidence?.contradictions).toBeUndefined();
    const doubted = (await listingOf(host))!;
    await visit(host);
    expect((await recordOf(host)).evidence?.contradictions?.confirmed).toBe(1);
    const confirmed = (await listingOf(host))!;
    expect(doubted.neutrality_score).toBeLessThan(clean.neutrality_score);
    expect(confirmed.neutrality_score).toBeLessThan(doubted.neutrality_score);
  });

  it("gathers pages from visit to visit, and tells of the one that decides", async () => {
    const host = await independent(6);
    await become(host, "one_trap");
    // Which unseen pages a visit reads is chance.
    for (let visits = 0; visits < 20 && (await darkPagesOf(host)).length === 0; visits++) await visit(host);
    for (let visits = 0; visits < 20 && (await recordOf(host)).evidence!.pages < 12; visits++)
      await visit(host);
    const { evidence } = await recordOf(host);
    expect(evidence).toMatchObject({ trackers: 1, ownership: 1, affiliate: 1 });
    expect(evidence!.pages).toBeGreaterThanOrEqual(12);
    expect(await darkPagesOf(host)).toHaveLength(1);
    const shown = (await listingOf(host))!;
    expect(shown.neutrality_score).toBeLessThanOrEqual(40);
    const [dark] = shown.neutrality_reasons!;
    expect(dark).toMatchObject({
      reason: "dark",
      max_points: 15,
      page: expect.stringMatching(/\/sale$/),
      excerpt: expect.stringMatching(/\S/),
      fix: expect.stringMatching(/\S/),
    });
    await registry.world.set(host, { saleConduct: ["presses"] });
    await visit(host);
    expect((await listingOf(host))!.neutrality_score).toBeGreaterThan(shown.neutrality_score);
  });

  it("takes a site whose page attacks machines out of the directory once two visits found it, until it is clean", async () => {
    const host = await independent(8);
    await become(host, "injection");
    expect(await recordOf(host)).toMatchObject({
      ...{ status: "enabled", reason: "verified" },
      checks: expect.arrayContaining([
        expect.objectContaining({ name: "pages", outcome: "warn", reason: "malicious_page" }),
      ]),
    });
    await visit(host);
    expect(await recordOf(host)).toMatchObject({ ring: 3, status: "partial", reason: "malicious_page" });
    const listed = async () =>
      (await registry.getJson("/api/discovery/registry?limit=200")).body.listings.map(
        ({ domain }: { domain: string }) => domain,
      );
    expect(await listed()).not.toContain(host);
    await become(host, "sound");
    expect(await recordOf(host)).toMatchObject({ status: "enabled", reason: "verified" });
    await expect.poll(listed, { timeout: 10_000 }).toContain(host);
  });
});
