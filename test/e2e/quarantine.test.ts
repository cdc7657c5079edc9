/** A site whose page hangs what reads it, among others: only it is the worse for it. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SiteRecord } from "../../schemas/site.ts";
import { hostKey } from "../../src/domain/names/domain-name.ts";
import { HOUR_MS } from "../../src/ports/time.ts";
import { startRegistry, type TestRegistry } from "../support/registry.ts";

/** Two seconds of processor time a try: minutes on a machine that is busy besides. */
const TIMEOUT_MS = 120_000;
const THREAD = new URL("../workers/crawler/hanging-page-thread.ts", import.meta.url).href;

let registry: TestRegistry;
let hostile: string;
let pings = 0;

const recordOf = async (host: string): Promise<SiteRecord> =>
  (await registry.runtime.sites.get(hostKey(host)))!.value;
async function listed(): Promise<string[]> {
  const { body } = await registry.getJson("/api/discovery/registry?limit=200");
  return body.listings.map(({ domain }: { domain: string }) => domain);
}

beforeAll(async () => {
  registry = await startRegistry({ world: { sites: 16, soundShare: 1, seed: 31 }, pageThread: THREAD });
  hostile = registry.world.hosts[0]!.host;
  await registry.world.set(hostile, { kind: "dark_pattern" });
  const asking = setInterval(async () => {
    const answered = await registry.getJson("/api/bridge/ping").catch(() => undefined);
    if (answered?.status === 200) pings++;
  }, 100);
  await registry.crawl().finally(() => clearInterval(asking));
}, TIMEOUT_MS);
afterAll(() => registry?.stop());

describe("a site whose page hangs the thread that reads it", () => {
  it("stops nobody: the others are listed, and requests were answered all the while", async () => {
    const others = registry.world.hosts.map(({ host }) => host).filter((host) => host !== hostile);
    expect(await listed()).toEqual(expect.arrayContaining(others));
    expect(await listed()).not.toContain(hostile);
    expect(pings).toBeGreaterThan(5);
  });

  it("is in quarantine, and every door says so", async () => {
    const record = await recordOf(hostile);
    expect(record.quarantine).toMatchObject({ strikes: 1, in_force: true });
    expect(Date.parse(record.quarantine!.until) - Date.parse(record.last_visit_at)).toBe(HOUR_MS);
    const { body } = await registry.getJson(`/api/discovery/provider/status?domain=${hostile}`);
    expect(body).toMatchObject({ trust_ring: 0, state: "partial" });
    expect(body.checks.manifest).toMatchObject({
      state: "fail",
      reason: "quarantined",
      detail: expect.stringMatching(/^A page ended the thread that read it: https:.*Not visited before 2/),
    });
  });

  it("is not visited before its time, however it is asked for", async () => {
    const before = (await registry.world.requests(hostile)).length;
    const { visits } = await recordOf(hostile);
    await registry.runtime.frontier.bringForward(hostile, registry.runtime.broker.now());
    await registry.settled();
    const { body } = await registry.postJson("/api/discovery/provider/verify-batch", { domains: [hostile] });
    expect(body.results[0]).toMatchObject({ domain: hostile, reason: "quarantined" });
    expect((await registry.world.requests(hostile)).length).toBe(before);
    expect((await recordOf(hostile)).visits).toBe(visits);
  });

  it(
    "is visited again once its time has come, and listed when it is well",
    async () => {
      await registry.world.set(hostile, { kind: "sound" });
      const stored = (await registry.runtime.sites.get(hostKey(hostile)))!;
      const quarantine = { ...stored.value.quarantine!, until: new Date(Date.now() - 1).toISOString() };
      await registry.runtime.sites.compareAndSet(
        hostKey(hostile),
        { ...stored.value, quarantine },
        stored.revision,
      );
      await registry.runtime.frontier.bringForward(hostile, registry.runtime.broker.now());
      await registry.settled();
      const record = await recordOf(hostile);
      expect(record).toMatchObject({ ring: 3, status: "enabled" });
      expect(record.quarantine).toBeUndefined();
    },
    TIMEOUT_MS,
  );
});
