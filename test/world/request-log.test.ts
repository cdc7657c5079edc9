import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { Agent } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { getFromWorld } from "../../world/client.ts";
import { judgePoliteness, type RequestEntry, RequestLog } from "../../world/request-log.ts";
import { startWorld, type World } from "../../world/world.ts";

const rules = { hostDelayMs: 100, ipDelayMs: 20 };

const entry = (startMs: number, more: Partial<RequestEntry> = {}): RequestEntry => ({
  startMs,
  endMs: startMs + 10,
  host: "a.test",
  ip: "127.1.0.1",
  path: "/",
  status: 200,
  agent: "test",
  page: true,
  allowed: true,
  crawlDelayMs: 0,
  ...more,
});

describe("the judge", () => {
  it("finds nothing in an empty or a polite log", () => {
    expect(judgePoliteness([], rules)).toMatchObject({ requests: 0, minHostGapMs: null, worst: [] });
    const polite = judgePoliteness([entry(0), entry(110), entry(230)], rules);
    expect(polite).toMatchObject({
      requests: 3,
      hosts: 1,
      hostGapViolations: 0,
      ipGapViolations: 0,
      overlappingHost: 0,
      robotsViolations: 0,
      minHostGapMs: 100,
      minIpGapMs: 100,
      worst: [],
    });
  });

  it("measures a gap from the end of the request before, not from its start", () => {
    const found = judgePoliteness([entry(0, { endMs: 50 }), entry(110)], rules);
    expect(found).toMatchObject({ hostGapViolations: 1, minHostGapMs: 60, overlappingHost: 0 });
    expect(found.worst).toEqual([expect.objectContaining({ kind: "host_gap", gapMs: 60 })]);
  });

  it("forgives what clocks and queues explain", () => {
    expect(judgePoliteness([entry(0), entry(107)], rules).hostGapViolations).toBe(0);
    expect(judgePoliteness([entry(0), entry(107)], { ...rules, toleranceMs: 1 }).hostGapViolations).toBe(1);
  });

  it("finds two hosts too close together on one address", () => {
    const found = judgePoliteness([entry(0), entry(20, { host: "b.test" })], rules);
    expect(found).toMatchObject({ hostGapViolations: 0, ipGapViolations: 1, minIpGapMs: 10 });
  });

  it("finds requests that overlap, also one that has not ended", () => {
    const found = judgePoliteness([entry(0, { endMs: null }), entry(500), entry(900)], rules);
    expect(found).toMatchObject({ overlappingHost: 2, hostGapViolations: 2, overlappingIp: 2 });
  });

  it("remembers the longest of the earlier ones", () => {
    const log = [
      entry(0, { endMs: 1_000 }),
      entry(10, { host: "b.test", ip: "127.2.0.1" }),
      entry(200),
      entry(900),
    ];
    expect(judgePoliteness(log, rules).overlappingHost).toBe(2);
  });

  it("finds what comparing every pair of requests finds", () => {
    const visits = fc.array(
      fc.record({ startMs: fc.nat(2_000), tookMs: fc.nat(300), host: fc.constantFrom("a.test", "b.test") }),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(visits, (list) => {
        const log = list
          .map(({ startMs, tookMs, host }) => entry(startMs, { endMs: startMs + tookMs, host }))
          .sort((a, b) => a.startMs - b.startMs);
        const offends = (
          later: RequestEntry,
          i: number,
          same: (other: RequestEntry) => boolean,
          delayMs: number,
        ): boolean =>
          log.slice(0, i).some((other) => same(other) && later.startMs - other.endMs! < delayMs - 5);
        const hostGaps = log.filter((later, i) =>
          offends(later, i, (other) => other.host === later.host, 100),
        );
        const ipGaps = log.filter((later, i) => offends(later, i, () => true, 20));
        const found = judgePoliteness(log, rules);
        expect([found.hostGapViolations, found.ipGapViolations]).toEqual([hostGaps.length, ipGaps.length]);
      }),
    );
  });

  it("does not depend on the order of the entries", () => {
    const log = [entry(0), entry(50), entry(400), entry(410, { host: "b.test" })];
    expect(judgePoliteness([...log].reverse(), rules)).toEqual(judgePoliteness(log, rules));
  });

  it("holds robots rules against pages alone", () => {
    const closed = { allowed: false, crawlDelayMs: 1_000 };
    const found = judgePoliteness(
      [entry(0, { ...closed, page: false }), entry(500, { ...closed, page: false })],
      rules,
    );
    expect(found).toMatchObject({ robotsViolations: 0, crawlDelayViolations: 0 });
    const pages = judgePoliteness([entry(0, closed), entry(500, closed)], rules);
    expect(pages).toMatchObject({ robotsViolations: 2, crawlDelayViolations: 1 });
    expect(pages.worst[0]!.kind).toBe("robots");
  });

  it("takes a very long crawl-delay as its cap", () => {
    const slow = { crawlDelayMs: 3_600_000 };
    expect(judgePoliteness([entry(0, slow), entry(61_000, slow)], rules).crawlDelayViolations).toBe(0);
  });

  it("shows ten of many", () => {
    const log = Array.from({ length: 50 }, (_, i) => entry(i * 30));
    const found = judgePoliteness(log, rules);
    expect(found.hostGapViolations).toBe(49);
    expect(found.worst.length).toBe(10);
  });
});

describe("the log", () => {
  it("is bounded, and says what it forgot", () => {
    const log = new RequestLog({ max: 100 });
    for (let i = 0; i < 250; i++) log.end(log.begin(entry(i * 1_000)), i * 1_000 + 1, 200);
    expect(log.entries.length).toBeLessThanOrEqual(100);
    const found = log.judge(rules);
    expect(found.requests + found.dropped).toBe(250);
  });
});

describe("a visited world", () => {
  let world: World;
  afterEach(() => world.stop());

  it("finds the violations that were planted, and no others", async () => {
    world = await startWorld({ seed: 1, sites: 3, soundShare: 1 });
    const [polite, rude, nosy] = world.hosts as [
      (typeof world.hosts)[0],
      (typeof world.hosts)[0],
      (typeof world.hosts)[0],
    ];
    for (const path of ["/robots.txt", "/.well-known/bridge.json", "/"]) {
      await getFromWorld(world, polite, path);
      await delay(60);
    }
    expect(world.judge({ hostDelayMs: 55, ipDelayMs: 55 })).toMatchObject({
      requests: 3,
      hostGapViolations: 0,
      ipGapViolations: 0,
      robotsViolations: 0,
    });
    await getFromWorld(world, rude, "/.bridge");
    await getFromWorld(world, rude, "/agent-bridge.json");
    world.set(nosy.host, { robots: "disallow_some" });
    await getFromWorld(world, nosy, "/internal/ledger?page=2");
    const found = world.judge({ hostDelayMs: 55, ipDelayMs: 55 });
    expect(found).toMatchObject({ requests: 6, hosts: 3, hostGapViolations: 1, robotsViolations: 1 });
    expect(found.worst.map(({ kind, host }) => `${kind} ${host}`)).toEqual(
      expect.arrayContaining([`robots ${nosy.host}`, `host_gap ${rude.host}`]),
    );
  });

  it("sees requests in flight at once, with their address, agent and status", async () => {
    world = await startWorld({ seed: 1, sites: 1, soundShare: 1, latencyMs: 80 });
    const site = world.hosts[0]!;
    await Promise.all([getFromWorld(world, site, "/"), getFromWorld(world, site, "/nothing-here")]);
    expect(world.judge({ hostDelayMs: 0, ipDelayMs: 0 }).overlappingHost).toBe(1);
    expect(world.requests(site.host)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ path: "/", status: 200, ip: site.address, agent: "test" }),
        expect.objectContaining({ path: "/nothing-here", status: 404 }),
      ]),
    );
    for (const { startMs, endMs } of world.requests()) expect(endMs! - startMs).toBeGreaterThan(70);
  });

  it("counts handshakes that were broken off and connections that were cut", async () => {
    world = await startWorld({ seed: 1, sites: 1, soundShare: 1 });
    const site = world.hosts[0]!;
    world.set(site.host, { tls: "wrong_name" });
    await expect(getFromWorld(world, site, "/")).rejects.toThrow();
    world.set(site.host, { tls: "right", reset: true });
    await expect(getFromWorld(world, site, "/")).rejects.toThrow();
    await delay(20);
    expect(world.requests().map(({ path, status }) => [path, status])).toContainEqual(["/", 0]);
  });

  it("writes itself to a file", async () => {
    const directory = mkdtempSync(join(tmpdir(), "bridge-log-"));
    const log = join(directory, "requests.jsonl");
    world = await startWorld({ seed: 1, sites: 1, soundShare: 1, log });
    const agent = new Agent({ keepAlive: true });
    await getFromWorld(world, world.hosts[0]!, "/", { agent });
    await getFromWorld(world, world.hosts[0]!, "/about", { agent });
    agent.destroy();
    await world.stop();
    const lines = readFileSync(log, "utf8").trim().split("\n");
    expect(lines.map((line) => (JSON.parse(line) as RequestEntry).path)).toEqual(["/", "/about"]);
    rmSync(directory, { recursive: true });
  });
});
