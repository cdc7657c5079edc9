import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SiteRecord } from "../../../schemas/site.ts";
import { hostKey } from "../../../src/domain/names/domain-name.ts";
import type { SiteChange, SiteSpec } from "../../../world/world.ts";
import { startRegistry, type TestRegistry } from "../../support/registry.ts";

const DOCUMENT = "/.well-known/bridge.json";
const VISIT_TIMEOUT_MS = 20_000;

/** Crawls all sites, none of which asks for a delay (what comes of one is tested elsewhere). */
async function crawlQuickly({ world, crawl }: TestRegistry): Promise<void> {
  await Promise.all(world.hosts.map(({ host }) => world.set(host, { robots: "disallow_some" })));
  await crawl();
}

describe("a site that changes between visits", () => {
  let registry: TestRegistry;
  const left: SiteSpec[] = [];
  beforeAll(async () => {
    registry = await startRegistry({ world: { sites: 24, soundShare: 1, seed: 21 } });
    await crawlQuickly(registry);
    left.push(...registry.world.hosts);
  });
  afterAll(() => registry?.stop());

  /** A sound site that no other test has changed. */
  const aSite = (): SiteSpec => left.pop()!;
  const recordOf = async (host: string): Promise<SiteRecord> =>
    (await registry.runtime.sites.get(hostKey(host)))!.value;
  /** Has the host visited once more, now. @returns its record after that */
  const revisit = async (host: string): Promise<SiteRecord> => {
    const { runtime } = registry;
    const { visits } = await recordOf(host);
    const giveUpAt = performance.now() + VISIT_TIMEOUT_MS;
    await runtime.frontier.bringForward(host, runtime.broker.now());
    for (;;) {
      const record = await recordOf(host);
      if (record.visits > visits) return record;
      if (performance.now() > giveUpAt) throw new Error(`${host} was not visited`);
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  };
  const change = async (host: string, knobs: SiteChange): Promise<SiteRecord> => {
    await registry.world.set(host, knobs);
    return revisit(host);
  };
  /** Revision of what is kept of a site beside its record. */
  const contentRevision = async (host: string): Promise<number> =>
    (await registry.runtime.broker.buckets.contents.get(hostKey(host)))!.revision;
  const documentStatuses = async (host: string): Promise<number[]> =>
    (await registry.world.requests(host)).filter(({ path }) => path === DOCUMENT).map(({ status }) => status);
  const isListed = async (host: string): Promise<boolean> => {
    const { body } = await registry.getJson("/api/discovery/registry?limit=200");
    return body.listings.some(({ domain }: { domain: string }) => domain === host);
  };
  const listedIs = async (host: string, wanted: boolean): Promise<void> => {
    const giveUpAt = performance.now() + VISIT_TIMEOUT_MS;
    while ((await isListed(host)) !== wanted) {
      if (performance.now() > giveUpAt) throw new Error(`${host} is ${wanted ? "not " : ""}listed`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };

  it("is asked with its entity tag, and nothing is written twice when nothing changed", async () => {
    const { host } = aSite();
    // Two visits read all pages that there are.
    const before = await revisit(host);
    const revision = await contentRevision(host);
    const after = await revisit(host);
    expect(await documentStatuses(host)).toEqual([200, 304, 304]);
    expect(after).toMatchObject({
      status: "enabled",
      visits: before.visits + 1,
      document_sha256: before.document_sha256,
      content_sha256: before.content_sha256,
      interval_seconds: before.interval_seconds * 1.5,
    });
    expect(await contentRevision(host)).toBe(revision);
  });

  it("has its new text kept when only its pages changed", async () => {
    const { host } = aSite();
    const before = await recordOf(host);
    const revision = await contentRevision(host);
    const after = await change(host, { pages: "affiliate" });
    expect(await documentStatuses(host)).toEqual([200, 304]);
    expect(after.document_sha256).toBe(before.document_sha256);
    expect(after.content_sha256).not.toBe(before.content_sha256);
    expect(await contentRevision(host)).toBeGreaterThan(revision);
    expect((await registry.runtime.contents.get(host))?.text).toContain("Our best picks this week");
  });

  it("is found by its new words once it signed a new edition", async () => {
    const { host } = aSite();
    const after = await change(host, { serial: 8, edition: 2 });
    expect(after).toMatchObject({ status: "enabled", serial: 8, failures: 0 });
    expect(after.description).toContain("edition 2");
  });

  it("loses its place at once when its serial is lowered, and has it back with a higher one", async () => {
    const { host } = aSite();
    expect(await change(host, { serial: 3, edition: 2 })).toMatchObject({
      status: "stale",
      reason: "serial_lowered",
      serial: 7,
    });
    await listedIs(host, false);
    const back = await change(host, { serial: 9, edition: 3 });
    expect(back).toMatchObject({ status: "enabled", serial: 9, failures: 0 });
    expect(back.verified_since).toBe(back.verified_at);
    await listedIs(host, true);
  });

  it.each([
    ["expired", "manifest_expired"],
    ["forged", "signature_invalid"],
    ["tampered", "document_mismatch"],
    ["wrong_domain", "domain_mismatch"],
  ] as const)("goes stale at once when its document is %s", async (document, reason) => {
    const { host } = aSite();
    expect(await change(host, { document })).toMatchObject({ ring: 0, status: "stale", reason });
    await listedIs(host, false);
  });

  it.each([
    [{ reset: true }],
    [{ gone: true }],
    [{ document: "missing" }],
    [{ document: "garbage" }],
    [{ document: "huge" }],
    [{ document: "redirect_private" }],
    [{ busyRequests: 9, busyStatus: 503 }],
  ] as [SiteChange][])("keeps its place for now when %j", async (knobs) => {
    const { host } = aSite();
    const after = await change(host, knobs);
    expect(after).toMatchObject({ ring: 3, status: "enabled", reason: "verified", failures: 1 });
    expect(await isListed(host)).toBe(true);
    expect(Date.parse(after.next_visit_at) - Date.parse(after.last_visit_at)).toBeLessThanOrEqual(3_600_000);
  });

  it("goes stale at once without a signature, and its record keeps what this version does not know", async () => {
    const { host } = aSite();
    const record = await recordOf(host);
    await registry.runtime.sites.put(hostKey(host), { ...record, member_of_a_later_version: [1] });
    expect(await change(host, { document: "unsigned" })).toMatchObject({
      ring: 2,
      status: "stale",
      reason: "unsigned",
      member_of_a_later_version: [1],
    });
  });
});

describe("a web that lies", () => {
  let registry: TestRegistry;
  beforeAll(async () => {
    registry = await startRegistry({
      world: {
        sites: 12,
        soundShare: 0.25,
        seed: 4,
        kinds: { trap: 1, lying_beacon: 1, page_redirect_private: 1 },
      },
      config: { pagesPerVisit: 5 },
    });
    await crawlQuickly(registry);
  });
  afterAll(() => registry?.stop());

  it("costs no more than the pages a visit may read", async () => {
    for (const { host, kind } of registry.world.hosts) {
      const { visits, reason } = (await registry.runtime.sites.get(hostKey(host)))!.value;
      expect({ kind, reason }).toEqual({ kind, reason: "verified" });
      const pages = (await registry.world.requests(host)).filter(({ page }) => page);
      expect(pages.length).toBeLessThanOrEqual(5 * visits);
      expect(new Set(pages.map(({ path }) => path)).size * visits).toBeGreaterThanOrEqual(pages.length);
    }
  });

  it("is never asked for what robots.txt closes", async () => {
    const judgement = await registry.world.log({ hostDelayMs: 0, ipDelayMs: 0 });
    expect(judgement).toMatchObject({ robotsViolations: 0, overlappingHost: 0 });
  });
});
