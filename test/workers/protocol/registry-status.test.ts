/** What the registry says of itself: how far its crawl is, and by what rules it goes. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CensusDay } from "../../../schemas/census.ts";
import { blockKey } from "../../../src/stores/block-list.ts";
import { openWitnessesSaid, SAID, WITNESS_FAULTS } from "../../../src/stores/witnesses.ts";
import { createCensus, createStatus } from "../../../workers/protocol/registry-status.ts";
import { startRegistry, type TestRegistry } from "../../support/registry.ts";

let registry: TestRegistry;
beforeAll(async () => {
  registry = await startRegistry({
    world: { sites: 4, soundShare: 1 },
    config: {
      BRIDGE_USER_AGENT: "TestBot/2 (+https://registry.tests-of-ours.net/bot; ops@tests-of-ours.net)",
      pagesPerVisit: 2,
    },
  });
  await registry.crawl();
});
afterAll(() => registry?.stop());

const status = async () => (await registry.getJson("/api/registry/status")).body;

describe("the status of the registry", () => {
  it("counts hosts, and names the newest visits as their verdicts say them", async () => {
    const { crawl, recent } = await status();
    expect(crawl).toEqual({ hosts: registry.world.hosts.length, due: 0, in_progress: 0 });
    expect(recent.length).toBeGreaterThanOrEqual(4);
    const { domain, state, reason, ring, next_visit_at } = recent[0];
    const { body: verdict } = await registry.getJson(`/api/registry/sites/${domain}`);
    expect({ state, reason, ring, next_visit_at }).toEqual({
      state: verdict.state,
      reason: verdict.reason,
      ring: verdict.trust.ring,
      next_visit_at: verdict.next_visit_at,
    });
  });

  it("counts the visits of today by what they found", async () => {
    const verified = async () =>
      (await status()).visits.by_reason.find(({ reason }: { reason: string }) => reason === "verified");
    await expect.poll(async () => (await verified())?.visits, { timeout: 10_000 }).toBe(4);
    const { by_hour } = (await status()).visits;
    expect(by_hour.reduce((sum: number, { listed }: { listed: number }) => sum + listed, 0)).toBe(4);
  });

  it("names no host that was never verified, and none that is blocked", async () => {
    const { host } = await registry.world.add("no_txt");
    await registry.crawl([host]);
    const blocked = (await status()).recent[0].domain;
    const block = { v: 1, host: blocked, at: new Date().toISOString(), why: "test", by: "operator" } as const;
    await registry.runtime.blocks.put(blockKey(blocked), block);
    await expect
      .poll(async () => (await status()).recent.map(({ domain }: { domain: string }) => domain), {
        // The status is read once a second.
        timeout: 10_000,
      })
      .not.toContain(blocked);
    const names = (await status()).recent.map(({ domain }: { domain: string }) => domain);
    expect(names).not.toContain(host);
  });

  it("says how many entries the log has, and how far each witness vouches for it", async () => {
    const { size } = await (await registry.runtime.transparency()).head();
    const word = {
      name: "ada",
      key: "k",
      size: 2,
      line: "l",
      at: "2026-11-27T12:00:00Z",
      failures: 0,
      ask_at: 0,
    };
    const other = { ...word, name: "eve", size: 0, line: null, at: null, fault: "fork" as const };
    const words = [{ ...word, fault: null }, other];
    const said = { v: 1 as const, asked_at: 0, words, reached: null };
    await openWitnessesSaid(registry.runtime.broker.buckets.log).put(SAID, said);
    const shown = [
      { name: "ada", size: 2, at: word.at, fault: null },
      { name: "eve", size: 0, at: null, fault: "fork" },
    ];
    await expect
      .poll(async () => (await status()).log, { timeout: 10_000 })
      .toEqual({ size, witnesses: shown });
    const page = await fetch(`${registry.url}/status`, { headers: { accept: "text/html" } });
    const text = await page.text();
    expect(text).toContain("ada cosigned 2 entries");
    expect(text).toContain(`eve cosigned nothing yet · ${WITNESS_FAULTS.fork}`);
  });

  it("is read once a second however many ask, and again after a reading that failed", async () => {
    let now = 10_000;
    let reads = 0;
    let fails = true;
    const read = createStatus({
      sites: { newest: async () => [] },
      blocks: { get: async () => undefined },
      counters: { list: async () => [] },
      heads: { get: async () => undefined },
      witnesses: { get: async () => undefined },
      frontier: {
        lag: async () => {
          reads += 1;
          if (fails) throw new Error("away");
          return { tokens: 1, due: 0, inFlight: 0, redelivered: 0 };
        },
      },
      now: () => now,
    });
    await expect(read()).rejects.toThrow("away");
    fails = false;
    await Promise.all([read(), read(), read()]);
    expect(reads).toBe(2);
    now += 999;
    await read();
    expect(reads).toBe(2);
    now += 1;
    await read();
    expect(reads).toBe(3);
  });
});

describe("the rules of the registry", () => {
  it("are those of its settings and of the tables that rank and score", async () => {
    const { body } = await registry.getJson("/api/registry/about");
    expect(body.contacts).toEqual(["https://registry.tests-of-ours.net/bot", "mailto:ops@tests-of-ours.net"]);
    expect(body.crawler).toMatchObject({ robots_token: "TestBot", pages_per_visit: 2, host_delay_ms: 0 });
    const sumOf = (parts: { points: number }[]) => parts.reduce((sum, { points }) => sum + points, 0);
    expect([sumOf(body.trust), sumOf(body.neutrality)]).toEqual([100, 100]);
    expect(body.ranking.trust).toEqual({ least: expect.closeTo(0.96, 2), most: 1 });
  });
});

describe("the census", () => {
  it("counts a host once a day however often it is visited, and is a table for who asks for one", async () => {
    const { host } = await registry.world.add("no_txt");
    const hosts = async (): Promise<number> => {
      const { newest } = await createCensus(registry.runtime.broker)();
      const [today] = JSON.parse(Buffer.from(newest(1)).toString()) as CensusDay[];
      return today?.hosts ?? 0;
    };
    const before = await hosts();
    await registry.crawl([host]);
    // The first visit of a host with a document of our own format reads that alone.
    for (let looks = 1; looks <= 2; looks++) {
      await registry.runtime.frontier.bringForward(host, Date.now());
      await registry.settled();
      await expect.poll(async () => (await status()).agent_web.looks, { timeout: 20_000 }).toBe(looks);
    }
    expect(await hosts()).toBe(before + 1);
    const csv = await fetch(`${registry.url}/api/registry/census`, { headers: { accept: "text/csv" } });
    expect(csv.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect((await csv.text()).split("\r\n")[0]).toMatch(/^day,hosts,closed,found,/);
    const asked = await fetch(`${registry.url}/api/registry/census?format=csv&days=1`);
    expect(asked.headers.get("content-disposition")).toBe('attachment; filename="census.csv"');
    const json = await fetch(`${registry.url}/api/registry/census`, {
      headers: { accept: "text/csv;q=0.1, application/json" },
    });
    expect(((await json.json()) as { frame: string }).frame).toContain("no sample of the web");
  });
});
