import type { IncomingMessage, ServerResponse } from "node:http";
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from "vitest";
import { systemClock } from "../../src/adapters/clock/system-clock.ts";
import { openBroker } from "../../src/adapters/nats/broker.ts";
import type { NatsBroker } from "../../src/adapters/nats/nats-broker.ts";
import { addressGateKey, hostGateKey } from "../../src/egress/gate.ts";
import {
  createPolite,
  type Polite,
  type PoliteOptions,
  retryAfterMs,
  type Visit,
} from "../../src/egress/polite.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { Fetcher } from "../../src/ports/http.ts";
import { fetcherFor, loopbackAddress, serveHttp } from "../adapters/http/support.ts";
import { gateOn, joinBroker } from "../support/gate.ts";
import { startRelay } from "../support/relay.ts";

const TOLERANCE_MS = 5;

describe("Retry-After", () => {
  const now = Date.parse("2026-03-01T12:00:00Z");
  it.each([
    ["120", 120_000],
    [" 7 ", 7_000],
    ["0", 0],
    ["Sun, 01 Mar 2026 12:01:00 GMT", 60_000],
    ["Sun, 01 Mar 2026 11:00:00 GMT", 0],
    ["999999999", 86_400_000],
    ["Fri, 01 Jan 2100 00:00:00 GMT", 86_400_000],
    ["-5", 0],
    ["soon", 0],
    ["", 0],
    [undefined, 0],
  ])("%s means %d ms", (value, ms) => {
    expect(retryAfterMs(value, now)).toBe(ms);
  });
});

describe("a polite visit", () => {
  let here: NatsBroker;
  let there: NatsBroker;
  let nth = 0;
  beforeAll(async () => {
    here = await joinBroker();
    there = await joinBroker(here.prefix);
  });
  afterAll(() => Promise.all([here.close(), there.close()]));

  interface Seen {
    host: string;
    startMs: number;
    endMs: number;
  }
  type Answer = (request: IncomingMessage, response: ServerResponse) => void;

  /** Hosts of one address, and what their server saw. */
  const serverOf = async (count: number, answer: Answer = (_, response) => void response.end("ok")) => {
    const seen: Seen[] = [];
    const address = loopbackAddress();
    const server = await serveHttp((request, response) => {
      const entry = { host: request.headers.host ?? "", startMs: performance.now(), endMs: 0 };
      seen.push(entry);
      response.once("finish", () => {
        entry.endMs = performance.now();
      });
      answer(request, response);
    }, address);
    const hosts = Array.from({ length: count }, () => `polite-${++nth}.test`);
    const names = Object.fromEntries(hosts.map((host) => [host, [address]]));
    return {
      seen,
      hosts,
      names,
      address,
      url: (host: string, path = "/") => `http://${host}:${server.port}${path}`,
    };
  };
  const politeOn = (
    broker: NatsBroker,
    names: Record<string, string[]>,
    differing: Partial<PoliteOptions> = {},
  ): Polite =>
    createPolite({
      gate: gateOn(broker, `holder-${++nth}`, differing.leaseMs),
      leaseMs: 20_000,
      fetcher: fetcherFor(names),
      now: broker.now,
      clockErrorMs: broker.clockErrorMs,
      clock: systemClock,
      hostDelayMs: 0,
      ipDelayMs: 0,
      ...differing,
    });
  const open = async (polite: Polite, host: string, maxWaitMs = 5_000): Promise<Visit> => {
    const entry = await polite.open(host, maxWaitMs);
    if (!entry.ok) throw new Error("the host was not free");
    return entry.visit;
  };
  const gapsOf = (seen: Seen[]): number[] => seen.slice(1).map(({ startMs }, i) => startMs - seen[i]!.endMs);

  it("keeps the host's delay between its requests, and between visits", async () => {
    const { seen, hosts, names, url } = await serverOf(1);
    const host = hosts[0]!;
    for (const broker of [here, there]) {
      const visit = await open(politeOn(broker, names, { hostDelayMs: 80 }), host);
      for (let i = 0; i < 3; i++) expect(await visit.fetch(url(host))).toMatchObject({ status: 200 });
      await visit.close();
    }
    expect(seen).toHaveLength(6);
    expect(Math.min(...gapsOf(seen))).toBeGreaterThanOrEqual(80 - TOLERANCE_MS);
  });

  it("keeps the address's delay over many hosts and two processes, and none waits for ever", async () => {
    const { seen, hosts, names, url } = await serverOf(10);
    const polites = [here, there].map((broker) =>
      politeOn(broker, names, { hostDelayMs: 60, ipDelayMs: 20 }),
    );
    await Promise.all(
      hosts.map(async (host, i) => {
        const visit = await open(polites[i % 2]!, host, 20_000);
        for (let n = 0; n < 3; n++) expect(await visit.fetch(url(host))).toMatchObject({ ok: true });
        await visit.close();
      }),
    );
    expect(seen).toHaveLength(30);
    expect(Math.min(...gapsOf(seen))).toBeGreaterThanOrEqual(20 - TOLERANCE_MS);
  });

  it("is the only one to its host, anywhere", async () => {
    const { hosts, names } = await serverOf(1);
    const visit = await open(politeOn(here, names), hosts[0]!);
    expect(await politeOn(there, names).open(hosts[0]!, 100)).toMatchObject({ ok: false });
    await visit.close();
    await (await open(politeOn(there, names), hosts[0]!, 1_000)).close();
  });

  it("keeps a delay of its own where its caller has one, at the same gate", async () => {
    const { seen, hosts, names, url } = await serverOf(1);
    const host = hosts[0]!;
    const polite = politeOn(here, names, { hostDelayMs: 60_000 });
    const entry = await polite.open(host, 5_000, undefined, { hostDelayMs: 80 });
    if (!entry.ok) throw new Error("the host was not free");
    expect(await politeOn(there, names).open(host, 100)).toMatchObject({ ok: false });
    for (let i = 0; i < 3; i++) await entry.visit.fetch(url(host));
    await entry.visit.close();
    expect(seen).toHaveLength(3);
    expect(Math.min(...gapsOf(seen))).toBeGreaterThanOrEqual(80 - TOLERANCE_MS);
    const crawl = await open(polite, host);
    await crawl.fetch(url(host));
    await crawl.close();
    expect(Math.min(...gapsOf(seen))).toBeGreaterThanOrEqual(80 - TOLERANCE_MS);
    expect(await polite.open(host, 5_000, undefined, { hostDelayMs: 80 })).toMatchObject({ ok: false });
  });

  it("grows its pauses with the site's latency", async () => {
    const { seen, hosts, names, url } = await serverOf(1, (_, response) => {
      setTimeout(() => response.end("late"), 1_500);
    });
    const visit = await open(politeOn(here, names, { hostDelayMs: 200 }), hosts[0]!);
    await visit.fetch(url(hosts[0]!));
    await visit.fetch(url(hosts[0]!));
    await visit.close();
    expect(gapsOf(seen)[0]).toBeGreaterThanOrEqual(300 - TOLERANCE_MS);
  });

  it("waits as long as the site's robots.txt asks", async () => {
    const { seen, hosts, names, url } = await serverOf(1);
    const visit = await open(politeOn(here, names), hosts[0]!);
    await visit.fetch(url(hosts[0]!));
    visit.slowTo(150);
    for (let i = 0; i < 2; i++) await visit.fetch(url(hosts[0]!));
    await visit.close();
    expect(Math.min(...gapsOf(seen))).toBeGreaterThanOrEqual(150 - TOLERANCE_MS);
  });

  it("waits no longer than half a minute for it", async () => {
    const { hosts, names, url } = await serverOf(1);
    const polite = politeOn(here, names);
    const visit = await open(polite, hosts[0]!);
    await visit.fetch(url(hosts[0]!));
    visit.slowTo(86_400_000);
    await visit.close();
    const entry = await polite.open(hosts[0]!, 0);
    expect(entry.ok).toBe(false);
    if (!entry.ok) expect(entry.retryAt - here.now()).toBeLessThan(31_000);
  });

  it("obeys Retry-After of an answer that was good", async () => {
    const { seen, hosts, names, url } = await serverOf(
      1,
      (_, response) => void response.writeHead(200, { "retry-after": "1" }).end(),
    );
    const visit = await open(politeOn(here, names), hosts[0]!);
    await visit.fetch(url(hosts[0]!));
    await visit.fetch(url(hosts[0]!));
    await visit.close();
    expect(gapsOf(seen)[0]).toBeGreaterThanOrEqual(1_000 - TOLERANCE_MS);
  });

  it.each([
    [503, {}, 60_000],
    [429, {}, 60_000],
    [500, { "retry-after": "10" }, 60_000],
    [429, { "retry-after": "300" }, 300_000],
  ])("ends with %d %j: nobody asks the host again for %d ms", async (code, fields, ms) => {
    const { seen, hosts, names, url } = await serverOf(
      1,
      (_, response) => void response.writeHead(code, fields).end(),
    );
    const visit = await open(politeOn(here, names), hosts[0]!);
    expect(await visit.fetch(url(hosts[0]!))).toMatchObject({ status: code });
    expect(await visit.fetch(url(hosts[0]!))).toMatchObject({ failure: "not_admitted" });
    const endedAt = here.now();
    await visit.close();
    const entry = await politeOn(there, names).open(hosts[0]!, 5_000);
    expect(seen).toHaveLength(1);
    expect(entry.ok || entry.retryAt).toBeGreaterThanOrEqual(endedAt + ms - 1_000);
  });

  it("asks an address that served a thousand requests well more often", async () => {
    const { seen, hosts, names, address, url } = await serverOf(2);
    const trusted = { until: 0, holder: "", next: 0, backoffMs: 0, backoffAt: 0, streak: 1_000 };
    await here.buckets.gate.put(addressGateKey(address), JSON.stringify(trusted));
    const polite = politeOn(here, names, { ipDelayMs: 3_000 });
    for (const host of hosts) {
      const visit = await open(polite, host);
      await visit.fetch(url(host));
      await visit.close();
    }
    const [gap] = gapsOf(seen);
    expect(gap).toBeGreaterThanOrEqual(50 - TOLERANCE_MS);
    expect(gap).toBeLessThan(2_000);
  });

  it("takes the host that it is redirected to, or does not go there", async () => {
    const { seen, hosts, names, url } = await serverOf(2, (request, response) => {
      if (request.url === "/") response.writeHead(302, { location: url(hosts[1]!, "/there") }).end();
      else response.end("there");
    });
    const visit = await open(politeOn(here, names), hosts[0]!, 200);
    expect(await visit.fetch(url(hosts[0]!), { maxRedirects: 1 })).toMatchObject({ status: 200 });
    await visit.close();
    const other = await gateOn(there, "other").enter(hostGateKey(hosts[1]!), 1_000);
    const second = await open(politeOn(here, names), hosts[0]!, 200);
    expect(await second.fetch(url(hosts[0]!), { maxRedirects: 1 })).toMatchObject({
      failure: "not_admitted",
    });
    expect(second.retryAt).toBeDefined();
    await second.close();
    if (other.ok) await other.lease.release({ nextAt: 0 });
    expect(seen.filter(({ host }) => host.startsWith(hosts[1]!))).toHaveLength(1);
  });

  it("sends nothing more once it lost its lease", async () => {
    const { seen, hosts, names, url } = await serverOf(1);
    const visit = await open(politeOn(here, names), hosts[0]!);
    await visit.fetch(url(hosts[0]!));
    const key = hostGateKey(hosts[0]!);
    const stored = (await there.buckets.gate.get(key))!.json<object>();
    await there.buckets.gate.put(key, JSON.stringify({ ...stored, holder: "other" }));
    await visit.renew();
    expect(await visit.fetch(url(hosts[0]!))).toMatchObject({ failure: "not_admitted" });
    expect(visit.retryAt).toBeGreaterThan(here.now());
    await visit.close();
    expect(seen).toHaveLength(1);
  });

  const joinThrough = async (
    settings: Parameters<typeof startRelay>[1],
    clock: Clock = systemClock,
  ): Promise<NatsBroker> => {
    const relay = await startRelay(inject("natsUrl"), settings);
    const natsUrl = new URL(inject("natsUrl"));
    natsUrl.port = new URL(relay.url).port;
    const far = await openBroker({ url: natsUrl.href, prefix: here.prefix, name: "far", clock, setUp: true });
    onTestFinished(async () => {
      await far.close();
      await relay.close();
    });
    return far;
  };

  it("keeps its pauses although a process far from the broker knows its clock badly", async () => {
    const [lateMs, delayMs] = [100, 40];
    const { seen, hosts, names, url } = await serverOf(1);
    const [host] = hosts as [string];
    const far = await joinThrough({ lateMs });
    // Its clock is behind: what it takes for the end of a pause has passed for all others.
    expect(here.now() - far.now()).toBeGreaterThan(delayMs * 1.1);
    expect(Math.abs(here.now() - far.now())).toBeLessThan(far.clockErrorMs() + here.clockErrorMs());
    const delays = { hostDelayMs: delayMs, ipDelayMs: delayMs };
    const visit = await open(politeOn(far, names, delays), host);
    await visit.fetch(url(host));
    const closed = visit.close();
    const next = await open(politeOn(there, names, delays), host);
    await next.fetch(url(host));
    await Promise.all([closed, next.close()]);
    expect(gapsOf(seen)[0]).toBeGreaterThanOrEqual(delayMs - TOLERANCE_MS);
  });

  it.each([
    ["forward", 2],
    ["back", -2],
  ])(
    "keeps its pauses while the broker's clock was set %s and one process knows, another not",
    async (_, setSeconds) => {
      const delayMs = 300;
      const { seen, hosts, names, url } = await serverOf(1);
      const [host] = hosts as [string];
      let byMs = 0;
      const heard = (chunk: Buffer): Buffer => {
        const shifted = (_: string, at: string) =>
          `"ts":"${new Date(Date.parse(`${at}Z`) + byMs).toISOString().slice(0, "yyyy-mm-ddThh:mm:ss".length)}`;
        return Buffer.from(chunk.toString("latin1").replace(/"ts":"([-\dT:]{19})/g, shifted), "latin1");
      };
      // The next reading of the clock comes when the test says so.
      let readNow = () => {};
      const sleep: Clock["sleep"] = (ms, signal) =>
        ms < 10_000
          ? systemClock.sleep(ms, signal)
          : new Promise((resolve) => {
              readNow = resolve;
              signal?.addEventListener("abort", () => resolve());
            });
      const knowing = await joinThrough({ heard }, { ...systemClock, sleep });
      byMs = setSeconds * 1_000;
      readNow();
      await expect.poll(() => Math.abs(knowing.now() - here.now() - byMs)).toBeLessThan(500);

      const delays = { hostDelayMs: delayMs, ipDelayMs: delayMs };
      for (const broker of setSeconds > 0 ? [here, knowing] : [knowing, here]) {
        const visit = await open(politeOn(broker, names, delays), host);
        await visit.fetch(url(host));
        await visit.close();
      }
      expect(gapsOf(seen)[0]).toBeGreaterThanOrEqual(delayMs - TOLERANCE_MS);
    },
  );

  it("rests after a visit whose process died, as if that had sent until its lease ran out", async () => {
    const [leaseMs, hostDelayMs] = [400, 300];
    const { seen, hosts, names, url } = await serverOf(1);
    const [host] = hosts as [string];
    const openedMs = performance.now();
    await open(politeOn(here, names, { leaseMs }), host);
    const visit = await open(politeOn(there, names, { leaseMs, hostDelayMs }), host);
    await visit.fetch(url(host));
    await visit.close();
    expect(seen[0]!.startMs - openedMs).toBeGreaterThanOrEqual(leaseMs + hostDelayMs - TOLERANCE_MS);
  });

  it("does not send what it was admitted to send before its process stood still for a lease", async () => {
    const leaseMs = 20_000;
    const { seen, hosts, names, url } = await serverOf(1);
    const inner = fetcherFor(names);
    let stoodStillMs = 0;
    const fetcher: Fetcher = {
      ...inner,
      fetch: (address, options = {}) =>
        inner.fetch(address, {
          ...options,
          admit: async (hop) => {
            const admitted = await options.admit!(hop);
            stoodStillMs = leaseMs;
            return admitted;
          },
        }),
    };
    const now = () => here.now() + stoodStillMs;
    const visit = await open(politeOn(here, names, { leaseMs, fetcher, now }), hosts[0]!);
    expect(await visit.fetch(url(hosts[0]!))).toMatchObject({ ok: false, failure: "not_admitted" });
    expect(visit.interruption).toEqual({ kind: "overtaken" });
    await visit.close();
    expect(seen).toEqual([]);
  });

  it("gives up waiting when its caller does", async () => {
    const { seen, hosts, names, url } = await serverOf(1);
    const polite = politeOn(here, names, { hostDelayMs: 20_000 });
    const stopping = new AbortController();
    const entry = await polite.open(hosts[0]!, 1_000, stopping.signal);
    if (!entry.ok) throw new Error("the host was not free");
    await entry.visit.fetch(url(hosts[0]!));
    const waiting = entry.visit.fetch(url(hosts[0]!));
    stopping.abort();
    expect(await waiting).toMatchObject({ ok: false, failure: "aborted" });
    await entry.visit.close();
    expect(seen).toHaveLength(1);
  });
});
