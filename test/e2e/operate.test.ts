import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { addSeeds } from "../../app/cli/seed.ts";
import { hostKey } from "../../src/domain/names/domain-name.ts";
import { DAY_MS } from "../../src/ports/time.ts";
import { hostBlock } from "../../src/stores/block-list.ts";
import { openRecords } from "../../src/stores/records.ts";
import { audit } from "../../workers/crawler/audit.ts";
import { DeadLetter } from "../../workers/crawler/contract.ts";
import { until } from "../faults/programs.ts";
import { hostsOf } from "../support/frontier-hosts.ts";
import { createOperator, type TestOperator } from "../support/operator.ts";
import { startRegistry, type TestRegistry } from "../support/registry.ts";

describe("an operator", () => {
  let registry: TestRegistry;
  let operator: TestOperator;
  let hosts: string[];
  beforeAll(async () => {
    // Half of the web is left out at first.
    registry = await startRegistry({ world: { sites: 16, soundShare: 1, seed: 9 } });
    operator = createOperator({ ...registry.config, BRIDGE_NATS_URL: inject("natsUrl") });
    hosts = registry.world.hosts.map(({ host }) => host);
  });
  afterAll(() => registry?.stop());

  const record = async (host: string) => (await registry.runtime.sites.get(hostKey(host)))?.value;
  const isListed = async (host: string) => {
    const { body } = await registry.getJson("/api/discovery/registry?limit=100");
    return body.listings.some(({ domain }: { domain: string }) => domain === host);
  };
  const report = (host: string) => registry.postJson("/api/registry/report", { domain: host });

  it("sees a reported site listed within five seconds", async () => {
    const [host] = hosts;
    const startedMs = performance.now();
    expect((await report(host!)).status).toBe(200);
    await until("the reported site", () => isListed(host!), 5_000);
    console.info(`a reported site was listed after ${Math.round(performance.now() - startedMs)} ms`);
  });

  it("finds a visit that fails five times among the dead letters, and can have it made again", async () => {
    const { runtime } = registry;
    const { broker, frontier } = runtime;
    const host = hosts[1]!;
    const letters = openRecords(broker.buckets.dead_letters, DeadLetter);
    // Beacons may have named it before.
    await registry.settled();
    await broker.buckets.sites.put(hostKey(host), "this is no record");
    await addSeeds(runtime, [host], undefined, true);
    await until("a dead letter", async () => (await letters.get(hostKey(host))) !== undefined);
    expect((await letters.get(hostKey(host)))?.value).toMatchObject({
      host,
      deliveries: 5,
      error: expect.stringContaining("is not valid JSON"),
    });
    await until("the next schedule", async () => (await hostsOf(frontier)).get(host) === "sched");
    const scheduled = await broker.jsm.streams.getMessage(`${broker.prefix}_FRONTIER`, {
      last_by_subj: `${broker.prefix}.f.${hostKey(host)}.sched`,
    });
    const inMs = Date.parse(scheduled!.header.get("Nats-Schedule").slice("@at ".length)) - broker.now();
    expect(inMs).toBeGreaterThan(DAY_MS - 60_000);
    expect(inMs).toBeLessThanOrEqual(DAY_MS);

    expect(await operator.call("listDeadLetters", { query: { limit: 50 } })).toMatchObject({
      total: 1,
      letters: [{ domain: host }],
    });
    await broker.buckets.sites.remove(hostKey(host));
    await operator.call("retryVisit", { params: { domain: host } });
    await until("the visit", async () => (await record(host))?.status === "enabled");
    expect(await letters.get(hostKey(host))).toBeUndefined();
  });

  it("gets a token back for a host that lost its own", async () => {
    const { runtime } = registry;
    const { broker, frontier } = runtime;
    const host = hosts[0]!;
    await until("the host's next schedule", async () => (await hostsOf(frontier)).get(host) === "sched");
    await broker.jsm.streams.purge(`${broker.prefix}_FRONTIER`, {
      filter: `${broker.prefix}.f.${hostKey(host)}.*`,
    });
    expect(await frontier.has(host)).toBe(false);
    const visits = (await record(host))!.visits;
    const found = await audit(runtime);
    expect(found.reissued).toEqual([host]);
    await until("another visit", async () => (await record(host))!.visits === visits + 1);
    expect((await audit(runtime)).reissued).toEqual([]);
  });

  it("sees the token of a blocked host dropped by the audit, with all that is known of it", async () => {
    const { runtime } = registry;
    const host = hosts[2]!;
    await registry.crawl([host]);
    await runtime.blocks.put(hostKey(host), { v: 1, host, at: new Date().toISOString(), why: "test" });
    await until("every crawler to know", async () => {
      await audit(runtime);
      return !(await runtime.frontier.has(host));
    });
    expect(await record(host)).toBeUndefined();
    expect(await runtime.contents.get(host)).toBeUndefined();
  });

  it("bars a host from everything, until it is let in again", async () => {
    const { runtime } = registry;
    const host = hosts[3]!;
    await registry.crawl([host]);
    expect(await isListed(host)).toBe(true);
    await operator.block(host, "test");
    await until(
      "the host to be gone",
      async () => !(await isListed(host)) && !(await runtime.frontier.has(host)),
    );
    expect(await record(host)).toBeUndefined();
    expect(await runtime.contents.get(host)).toBeUndefined();
    expect((await report(host)).status).toBe(200);
    expect(await addSeeds(runtime, [host])).toMatchObject({ blocked: [host], added: [] });
    expect(await runtime.frontier.has(host)).toBe(false);

    await operator.unblock(host);
    expect(await addSeeds(runtime, [host])).toMatchObject({ blocked: [], added: [host] });
    await until("the host to be listed again", () => isListed(host));
  });

  it("blocks a domain with all below it, visited or not, and can lift that", async () => {
    const { runtime } = registry;
    const parent = hosts[14]!;
    const wide = `*.${parent}`;
    await registry.crawl([parent]);
    expect(await isListed(parent)).toBe(true);
    await operator.block(wide, "phishing");
    await until(
      "the domain to be gone",
      async () => !(await isListed(parent)) && !(await runtime.frontier.has(parent)),
    );
    const below = `a.b.${parent}`;
    expect(await addSeeds(runtime, [parent, below])).toMatchObject({ blocked: [parent, below] });
    for (const host of [parent, below])
      expect((await registry.getJson(`/api/registry/sites/${host}`)).body.state).toBe("blocked");
    expect(await hostBlock(runtime.blocks, `not${parent}`)).toBeUndefined();
    await operator.unblock(wide);
    expect(await addSeeds(runtime, [parent])).toMatchObject({ added: [parent] });
    await until("the domain to be listed again", () => isListed(parent));
  });

  it("blocks a network, from which nothing is fetched by any role, and can lift that", async () => {
    const { runtime } = registry;
    const [host, neighbor] = [hosts[10]!, hosts[11]!];
    await registry.crawl([host, neighbor]);
    const { address } = (await record(host))!;
    expect(await isListed(host)).toBe(true);
    await operator.block(address!, "bulletproof hosting");
    await until(
      "the site to be gone",
      async () => !(await isListed(host)) && !(await runtime.frontier.has(host)),
    );
    expect(await record(host)).toBeUndefined();
    expect(await runtime.fetcher.fetch(`https://${host}:${runtime.config.BRIDGE_HTTPS_PORT}/`)).toMatchObject(
      {
        ok: false,
        failure: "refused_address",
      },
    );
    expect(await isListed(neighbor)).toBe(true);
    await operator.unblock(`${address}/32`);
    await until("the network to be lifted", async () => !runtime.blockedNetworks.has(address!));
    expect(await addSeeds(runtime, [host])).toMatchObject({ added: [host] });
    await until("the site to be listed again", () => isListed(host));
  });

  it("can block a host that is just being visited", async () => {
    const { runtime, world } = registry;
    const host = hosts[4]!;
    await world.set(host, { latencyMs: 800 });
    await registry.settled();
    await world.clearLog();
    await addSeeds(runtime, [host], undefined, true);
    await until("a visit under way", async () => (await world.requests(host)).length > 0);
    const blocked = operator.block(host, "test");
    await until("the block", async () => (await runtime.blocks.get(hostKey(host))) !== undefined);
    expect((await hostsOf(runtime.frontier)).get(host)).toBe("due");
    await blocked;
    await until("the host to be gone", async () => !(await runtime.frontier.has(host)), 10_000);
    await registry.settled();
    expect(await record(host)).toBeUndefined();
    expect(await isListed(host)).toBe(false);
  });
});
