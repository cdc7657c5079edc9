/** A crawler whose own name servers or network are gone: nothing of it is the sites' fault. */
import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:net";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { addSeeds } from "../../app/cli/seed.ts";
import { createHealth } from "../../app/processes/health.ts";
import { createMetrics } from "../../app/processes/metrics.ts";
import { startRoles } from "../../app/processes/start-roles.ts";
import { systemClock } from "../../src/adapters/clock/system-clock.ts";
import { createResolver } from "../../src/adapters/dns/client.ts";
import { hostKey } from "../../src/domain/names/domain-name.ts";
import { openOwnWay } from "../../src/egress/own-way.ts";
import { fetcherFor, loopbackAddress, serveHttp } from "../adapters/http/support.ts";
import { freePort } from "../support/ports.ts";
import { startRegistry, type TestRegistry } from "../support/registry.ts";

/** Passes DNS packets on between a port of ours and a server. */
async function forwardDns(port: number, target: { address: string; port: number }): Promise<Socket> {
  const socket = createSocket("udp4");
  socket.on("message", (query, from) => {
    const upstream = createSocket("udp4");
    upstream.on("message", (answer) => {
      socket.send(answer, from.port, from.address);
      upstream.close();
    });
    upstream.send(query, target.port, target.address);
  });
  socket.bind(port, "127.0.0.1");
  await once(socket, "listening");
  return socket;
}

describe("a crawler whose name servers do not answer", () => {
  let registry: TestRegistry;
  beforeAll(async () => {
    registry = await startRegistry({ world: { sites: 12, soundShare: 1 } });
    await registry.crawl();
  });
  afterAll(() => registry?.stop());

  const records = async () => {
    const { runtime, world } = registry;
    const found = await Promise.all(world.hosts.map(({ host }) => runtime.sites.get(hostKey(host))));
    return found.map((stored) => {
      const { siteId, visits, visits_ok, failures } = stored!.value;
      return { siteId, visits, visits_ok, failures };
    });
  };

  it("charges no site, says why it stands still, keeps every host, and goes on when they answer", async () => {
    const { runtime, world, config } = registry;
    const own = registry.roles.findIndex(({ role }) => role === "crawler");
    await registry.roles.splice(own, 1)[0]!.drain();
    const before = await records();
    const port = await freePort();
    const [server] = config.BRIDGE_DNS_SERVERS;
    const second = await startRegistry({
      join: registry,
      roles: [],
      config: { BRIDGE_DNS_SERVERS: [{ ...server!, port }] },
    });
    onTestFinished(() => second.stop());
    const health = createHealth();
    const invented = Array.from({ length: 6 }, (_, i) => `never-seen-${i}.test`);
    await addSeeds(runtime, invented);
    await Promise.all(
      world.hosts.map(({ host }) => runtime.frontier.bringForward(host, runtime.broker.now())),
    );
    const [crawler] = await startRoles(second.runtime, ["crawler"], createMetrics(), health);
    onTestFinished(() => crawler!.drain());
    health.started();
    const why = async () => (await health.readiness()).find(({ name }) => name === "crawler")?.why;
    await expect
      .poll(why, { timeout: 20_000 })
      .toMatch(/^no name server answers .*BRIDGE_DNS_SERVERS.*no site is charged$/);
    // What was under way then has ended, too.
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    expect(await records()).toEqual(before);
    expect(await crawler!.read()).toMatchObject({
      visits: 0,
      failed: 0,
      tokens: before.length + invented.length,
    });

    const forwarder = await forwardDns(port, server!);
    onTestFinished(() => void forwarder.close());
    await expect.poll(why, { timeout: 20_000 }).toBeUndefined();
    await expect
      .poll(
        async () => (await records()).filter(({ visits_ok }, i) => visits_ok > before[i]!.visits_ok).length,
        {
          timeout: 40_000,
          interval: 250,
        },
      )
      .toBe(before.length);
    expect((await records()).map(({ failures }) => failures)).toEqual(before.map(() => 0));
  });
});

describe("the way out of a process", () => {
  const closedPort = async (): Promise<{ address: string; port: number }> => {
    const server = createServer();
    const address = loopbackAddress();
    await new Promise<void>((resolve) => server.listen(0, address, resolve));
    const { port } = server.address() as { port: number };
    await new Promise((resolve) => server.close(resolve));
    return { address, port };
  };

  /** A way without name servers, and a fetcher of real requests whose answers it sees. */
  const setUp = async () => {
    const answering = await serveHttp((_, response) => void response.end("here"));
    const closed = await closedPort();
    const resolver = createResolver({ servers: [], validating: false, clock: systemClock });
    onTestFinished(() => resolver.close());
    const way = openOwnWay({ resolver, clock: systemClock });
    const fetcher = way.watching(
      fetcherFor({ "well.test": [answering.address], "closed.test": [closed.address] }),
    );
    const fail = async (host: string, wasWell = true): Promise<boolean> => {
      const beganMs = systemClock.monotonicMs();
      const result = await fetcher.fetch(`http://closed.test:${closed.port}/`);
      expect(result).toMatchObject({ ok: false, failure: "connect_failed" });
      return way.mayBeOurs({ host, cause: "network", wasWell, beganMs });
    };
    return { way, fail, answer: () => fetcher.fetch(`http://well.test:${answering.port}/`) };
  };
  const domains = (count: number, of = (i: number) => `site-${i}.example${i}.test`): string[] =>
    Array.from({ length: count }, (_, i) => of(i));

  it("is doubted when sites of eight domains fail that were well, and trusted again at the first answer", async () => {
    const { way, fail, answer } = await setUp();
    const ours: boolean[] = [];
    for (const host of domains(9)) ours.push(await fail(host));
    // The first two are charged; the next are visited a second time before they are.
    expect(ours).toEqual([false, false, true, true, true, true, true, true, true]);
    expect(way).toMatchObject({ cause: "network", trouble: expect.stringContaining("no site is charged") });
    await answer();
    expect([way.cause, way.trouble]).toEqual([undefined, undefined]);
    expect(await fail("site-0.example0.test")).toBe(false);
  });

  it("is not doubted for hosts that one owner lets fail, nor for hosts that never were well", async () => {
    const { way, fail } = await setUp();
    for (const host of domains(20, (i) => `s${i}.attacker.test`)) expect(await fail(host)).toBe(false);
    for (const host of domains(20)) expect(await fail(host, false)).toBe(false);
    expect(way.trouble).toBeUndefined();
  });

  it("is not doubted while any site answers during the visit", async () => {
    const { way, fail, answer } = await setUp();
    for (const host of domains(20)) {
      const failing = fail(host);
      await answer();
      expect(await failing).toBe(false);
    }
    expect(way.trouble).toBeUndefined();
  });

  it("charges a host that fails a second time while nothing else tells", async () => {
    const { fail } = await setUp();
    const [first, second, third] = domains(3);
    for (const host of [first!, second!]) await fail(host);
    expect([await fail(third!), await fail(third!)]).toEqual([true, false]);
  });
});
