/** Domains a second through the provider API, streamed in batches of fifty, and the time of one batch alone. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { worldConfig } from "../../app/cli/world.ts";
import { startFront } from "../../app/front/front.ts";
import { createMetrics } from "../../app/processes/metrics.ts";
import { type OpenedRuntime, openRuntime } from "../../app/processes/runtime.ts";
import { startRoles } from "../../app/processes/start-roles.ts";
import { ensureNatsServer } from "../../deploy/nats-server.ts";
import { startBrokerServer } from "../../src/adapters/nats/server.ts";
import { openLooks } from "../../src/crawl/look.ts";
import { readConfig } from "../../src/runtime/config.ts";
import { visitJournal } from "../../src/threads/visit-journal.ts";
import { MAX_BATCH } from "../../workers/provider/contract.ts";
import { createProber } from "../../workers/provider/prober.ts";
import { type ForkedWorld, forkWorld } from "../../world/control.ts";
import { freePort } from "../support/ports.ts";
import type { BenchLine } from "./bench-line.ts";

/** Batches under way at once: as many as keep the verifier busy. */
const STREAMS = 4;

/** The verifier alone, without front, wire and batches, as many domains under way. @returns domains a second */
const measureAlone = async (runtime: OpenedRuntime, hosts: string[]): Promise<number> => {
  const { polite, sites, config, resolver, broker } = runtime;
  const prober = createProber({
    polite,
    sites,
    looks: openLooks(broker.buckets.looks),
    resolver,
    addressPauseMs: config.BRIDGE_IP_DELAY_MS,
    onLost: () => undefined,
    readPage: async () => undefined,
    journal: visitJournal,
    onHung: () => undefined,
    timeoutMs: 60_000,
    leaseMs: config.BRIDGE_LEASE_MS,
    pauseMs: config.BRIDGE_HOST_DELAY_MS,
    clock: runtime.clock,
    onSeen: () => undefined,
    visit: {
      resolver,
      robotsToken: "BridgeBot",
      httpsPort: config.BRIDGE_HTTPS_PORT,
      now: broker.now,
    },
  });
  const count = hosts.length;
  const startedMs = performance.now();
  await Promise.all(
    Array.from({ length: STREAMS * MAX_BATCH }, async () => {
      for (let host = hosts.pop(); host; host = hosts.pop()) await prober.probe(host, false);
    }),
  );
  return (count * 1_000) / (performance.now() - startedMs);
};

interface Measured {
  perSecond: number;
  verifier: number;
  /** Milliseconds of one batch of fifty alone, the median of five. */
  aloneMs: number;
  unfinished: number;
}

/** A registry with the provider role and its front alone. @returns what `use` made of its address */
const withProvider = async <T>(
  world: ForkedWorld,
  use: (url: string, runtime: OpenedRuntime) => Promise<T>,
): Promise<T> => {
  const home = mkdtempSync(join(tmpdir(), "bridge-bench-"));
  const server = await startBrokerServer({
    binary: await ensureNatsServer(() => undefined),
    folder: join(home, "nats"),
  });
  const config = {
    ...worldConfig(readConfig({ BRIDGE_NATS_SETUP: "true" }), world),
    BRIDGE_HOME: home,
    BRIDGE_HOST_DELAY_MS: 0,
    BRIDGE_IP_DELAY_MS: 0,
    BRIDGE_LOG_LEVEL: "error" as const,
    PORT: await freePort(),
  };
  const runtime = await openRuntime(config, server.url, { ca: [world.ca] });
  const metrics = createMetrics();
  const roles = await startRoles(runtime, ["provider"], metrics);
  const front = await startFront(runtime, metrics);
  try {
    return await use(front.url, runtime);
  } finally {
    await front.close();
    await Promise.all(roles.map((role) => role.drain()));
    await runtime.close();
    await server.stop();
    rmSync(home, { recursive: true, force: true });
  }
};

const verify = async (url: string, domains: string[]): Promise<Record<string, number>> => {
  const reply = await fetch(`${url}/api/discovery/provider/verify-batch`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ domains }),
  });
  return ((await reply.json()) as { summary: Record<string, number> }).summary;
};

const measure = async (world: ForkedWorld, url: string, runtime: OpenedRuntime): Promise<Measured> => {
  const hosts = world.hosts.map(({ host }) => host);
  const others = hosts.splice(0, Math.min(2_000, (hosts.length - 5 * MAX_BATCH) / 2));
  const alone: number[] = [];
  for (let round = 0; round < 5; round++) {
    const startedMs = performance.now();
    await verify(url, hosts.splice(0, MAX_BATCH));
    alone.push(performance.now() - startedMs);
  }
  const count = hosts.length;
  let enabled = 0;
  const startedMs = performance.now();
  await Promise.all(
    Array.from({ length: STREAMS }, async () => {
      while (hosts.length > 0) {
        const summary = await verify(url, hosts.splice(0, MAX_BATCH));
        enabled += summary.enabled ?? 0;
      }
    }),
  );
  const perSecond = (count * 1_000) / (performance.now() - startedMs);
  const verifier = await measureAlone(runtime, others);
  return { perSecond, verifier, aloneMs: alone.toSorted((a, b) => a - b)[2]!, unfinished: count - enabled };
};

export const bench = async (domains = 10_000): Promise<BenchLine[]> => {
  const world = await forkWorld({
    sites: domains + 5 * MAX_BATCH + Math.min(2_000, domains),
    soundShare: 1,
    seed: 17,
  });
  try {
    const ours = await withProvider(world, (url, runtime) => measure(world, url, runtime));
    const conditions = `HTTPS sites and their DNS on the same machine, front, broker and provider role in turn on it, ${STREAMS} batches of ${MAX_BATCH} under way; ${ours.unfinished} not verified`;
    return [
      {
        name: "provider stream",
        value: Math.round(ours.perSecond),
        unit: "domains/s",
        baseline: Math.round(ours.verifier),
        ratio: Number((ours.perSecond / ours.verifier).toFixed(2)),
        conditions: `${domains} domains, against the verifier alone; ${conditions}`,
      },
      {
        name: "provider batch",
        value: Math.round(ours.aloneMs),
        unit: "ms a batch of 50",
        baseline: 1_000,
        ratio: Number((ours.aloneMs / 1_000).toFixed(2)),
        conditions: "one batch at a time, hosts not seen before; median of 5; wanted: under 1,000 ms",
      },
    ];
  } finally {
    await world.stop();
  }
};
