import { once } from "node:events";
import { Agent, request } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "../../../src/adapters/clock/system-clock.ts";
import { hostKey } from "../../../src/domain/names/domain-name.ts";
import { openRecords } from "../../../src/stores/records.ts";
import { openNewTable } from "../../../workers/gossip/new-table.ts";
import { BUCKET_SIZE, Holder, NEW_BUCKETS_PER_SOURCE } from "../../../workers/gossip/tables.ts";
import { openTriedTable } from "../../../workers/gossip/tried-table.ts";
import { hostsOf } from "../../support/frontier-hosts.ts";
import { startRegistry, type TestRegistry } from "../../support/registry.ts";
import { until } from "../provider/receiver.ts";

const REPORTS = 300;
const NAMES = 10;

let registry: TestRegistry;
beforeAll(async () => {
  registry = await startRegistry({ world: { sites: 24, seed: 31, soundShare: 1 } });
  await registry.crawl();
});
afterAll(() => registry?.stop());

/** All reports of a flood come from one /16. */
async function flood(): Promise<Set<number>> {
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  const statuses = new Set<number>();
  const send = async (i: number): Promise<void> => {
    const sent = request(`${registry.url}/api/registry/report`, {
      method: "POST",
      agent,
      localAddress: `127.230.${i % 16}.1`,
      headers: { "content-type": "application/json" },
    });
    const peers = Array.from({ length: NAMES }, (_, n) => ({ domain: `flood-${i}-${n}.test` }));
    sent.end(JSON.stringify({ trust_ring: 4, score: 100, gossip_peers: peers }));
    const [reply] = await once(sent, "response");
    statuses.add(reply.statusCode);
    reply.resume();
    await once(reply, "end");
  };
  for (let from = 0; from < REPORTS; from += 50)
    await Promise.all(Array.from({ length: 50 }, (_, i) => send(from + i)));
  agent.destroy();
  return statuses;
}

const rankings = async (): Promise<unknown[]> =>
  Promise.all(
    ["book", "studio", registry.world.hosts[0]!.words.description].map(async (word) =>
      (await registry.getJson(`/api/discovery/search?q=${word}&limit=100`)).body.results.map(
        ({ siteId }: { siteId: string }) => siteId,
      ),
    ),
  );

async function slotsOf(filter: string): Promise<string[]> {
  const keys: string[] = [];
  const slots = openRecords(registry.runtime.broker.buckets.gossip_places, Holder);
  for await (const key of slots.keys(filter)) keys.push(key);
  return keys;
}

describe("three thousand invented domains from one network", () => {
  it("verify nothing, list nothing, change no ranking, and leave no more than the network's allowance", async () => {
    const before = await rankings();
    const startedMs = performance.now();
    expect(await flood()).toEqual(new Set([200]));
    const allowed = 50 + Math.ceil((performance.now() - startedMs) / 10_000) + 1;
    const slots = await slotsOf("new.>");
    expect(slots.length).toBeLessThanOrEqual(allowed);
    await registry.settled();
    expect(await rankings()).toEqual(before);
    const { body } = await registry.getJson("/api/discovery/registry?limit=200");
    expect(body.total).toBe(24);
    const hosts = [...(await hostsOf(registry.runtime.frontier)).keys()];
    expect(hosts.filter((host) => host.startsWith("flood-"))).toEqual([]);
    for await (const key of registry.runtime.sites.keys()) expect(key).not.toContain("flood-");
  });
});

describe("a group that no allowance holds", () => {
  it("holds its 64 buckets and no more, and never more tokens than places", async () => {
    const { broker, identity, sites } = registry.runtime;
    const deps = {
      slots: openRecords(broker.buckets.gossip_places, Holder),
      // Nobody probes here: every name that was taken still waits.
      frontier: { has: async () => true },
      sites,
      secret: identity.secret,
      now: broker.now,
    };
    const before = new Set(await slotsOf("new.>"));
    const table = openNewTable(deps);
    let taken = 0;
    for (let from = 0; from < 6_000; from += 100)
      await Promise.all(
        Array.from({ length: 100 }, async (_, i) => {
          if (await table.take(`without-end-${from + i}.example`, "one group")) taken++;
        }),
      );
    const slots = (await slotsOf("new.>")).filter((key) => !before.has(key));
    expect(new Set(slots.map((key) => key.split(".")[1])).size).toBeLessThanOrEqual(NEW_BUCKETS_PER_SOURCE);
    expect(taken).toBe(slots.length);
    expect(taken).toBeLessThanOrEqual(NEW_BUCKETS_PER_SOURCE * BUCKET_SIZE);
  });
});

describe("what beacons name", () => {
  it("puts verified sites that take part into the tried table, where reports are answered from first", async () => {
    const tried = (await slotsOf("tried.>")).length;
    expect(tried).toBeGreaterThan(0);
    const gossip = registry.roles.find(({ role }) => role === "gossip")!;
    expect((await gossip.read()).tried).toBe(tried);
    // A process that starts later reads what is there.
    const { broker, frontier, sites, resolver, identity, log } = registry.runtime;
    const bucket = broker.buckets.gossip_places;
    const { secret } = identity;
    const other = await openTriedTable({
      bucket,
      frontier,
      sites,
      resolver,
      secret,
      clock: systemClock,
      now: broker.now,
      log,
    });
    await until(() => (other.size === tried ? true : undefined));
    other.stop();
    for (const key of await slotsOf("tried.>")) {
      const holder = (await registry.runtime.broker.buckets.gossip_places.get(key))!.json<Holder>();
      expect((await registry.runtime.sites.get(hostKey(holder.host)))?.value.status).toBe("enabled");
    }
  });
});
