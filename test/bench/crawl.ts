/** Visits a second of the whole machine (guard, robots, gate, broker, index) against the raw loop, in turns. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { addSeeds } from "../../app/cli/seed.ts";
import { worldConfig } from "../../app/cli/world.ts";
import { createMetrics } from "../../app/processes/metrics.ts";
import { type OpenedRuntime, openRuntime } from "../../app/processes/runtime.ts";
import { startRoles } from "../../app/processes/start-roles.ts";
import { ROLE_SPECS, ROLES } from "../../app/roles.ts";
import { ensureNatsServer } from "../../deploy/nats-server.ts";
import { startBrokerServer } from "../../src/adapters/nats/server.ts";
import { readConfig } from "../../src/runtime/config.ts";
import { type ForkedWorld, forkWorld } from "../../world/control.ts";
import type { BenchLine } from "./bench-line.ts";
import { cpuSeconds } from "./processes.ts";

const CONCURRENCY = 64;
const ROUNDS = 3;

/** Milliseconds that a visit may take where a core makes 60 of them a second. */
const WANTED_CPU_MS = 1_000 / 60;
/** Of the hosts, visited before processor time is counted: what starts, loads and compiles is then done. */
const WARM_SHARE = 0.2;

export interface CrawlFigures {
  visitsPerSecond: number;
  /** Milliseconds of processor time a visit, of all roles in one process and of the broker. Whatever else the machine does is none of it. */
  cpuMs: number;
}

/**
 * Every host of a world visited once by a registry with all roles and delays of 0.
 * @param look reads what the crawl left, before the broker ends
 */
export async function crawlOnce(
  world: ForkedWorld,
  concurrency: number,
  look: (runtime: OpenedRuntime, seconds: number) => Promise<void> = async () => undefined,
): Promise<CrawlFigures> {
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
    pagesPerVisit: 1,
    BRIDGE_CRAWL_CONCURRENCY: concurrency,
  };
  const runtime = await openRuntime(config, server.url, { ca: [world.ca] });
  await addSeeds(
    runtime,
    world.hosts.map(({ host }) => host),
  );
  // Reading modules is part of starting, which the bench `start` measures.
  await Promise.all(ROLES.map((role) => ROLE_SPECS[role].load()));
  const startedMs = performance.now();
  const roles = await startRoles(runtime, ROLES, createMetrics());
  const crawler = roles.find(({ role }) => role === "crawler")!.crawler!;
  const spentSeconds = (): number => cpuSeconds(process.pid) + cpuSeconds(server.pid);
  const isPast = async (visits: number): Promise<void> => {
    while (crawler.visits < visits) await runtime.clock.sleep(20);
  };
  await isPast(WARM_SHARE * world.hosts.length);
  const [warm, warmSeconds] = [crawler.visits, spentSeconds()];
  await isPast(world.hosts.length);
  const cpuMs = (1_000 * (spentSeconds() - warmSeconds)) / (crawler.visits - warm);
  const tookMs = performance.now() - startedMs;
  await Promise.all(roles.map((role) => role.drain()));
  await look(runtime, tookMs / 1_000);
  await runtime.close();
  await server.stop();
  rmSync(home, { recursive: true, force: true });
  return { visitsPerSecond: (world.hosts.length * 1_000) / tookMs, cpuMs };
}

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

/** Rounds in turns, each on a fresh world of the same seed, so that neither finds warm what the other paid for. */
export async function bench(hosts = 10_000, pageBytes = 0): Promise<BenchLine[]> {
  const { rawLoop } = await import("./raw-loop.ts");
  const onFreshWorld = async <T>(run: (world: ForkedWorld, concurrency: number) => Promise<T>) => {
    const world = await forkWorld({ sites: hosts, soundShare: 1, seed: 11, pageBytes });
    try {
      return await run(world, CONCURRENCY);
    } finally {
      await world.stop();
    }
  };
  const ours: CrawlFigures[] = [];
  const raw: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    raw.push(await onFreshWorld(rawLoop));
    ours.push(await onFreshWorld(crawlOnce));
  }
  const rate = median(ours.map(({ visitsPerSecond }) => visitsPerSecond));
  const cpuMs = median(ours.map((each) => each.cpuMs));
  return [
    {
      name: "crawl: processor time of a visit",
      value: Number(cpuMs.toFixed(1)),
      unit: "ms",
      baseline: Number(WANTED_CPU_MS.toFixed(1)),
      ratio: Number((cpuMs / WANTED_CPU_MS).toFixed(2)),
      conditions: "as below, all roles and the broker together; baseline: 60 a second and core",
    },
    {
      name: "crawl",
      value: Math.round(rate),
      unit: "visits/s",
      baseline: Math.round(median(raw)),
      ratio: Number((rate / median(raw)).toFixed(2)),
      conditions: `${hosts} hosts over HTTPS, one page each${pageBytes > 0 ? ` of ${pageBytes} bytes` : ""}, concurrency ${CONCURRENCY}, delays 0, all roles and the broker on; the sites and their DNS run on the same machine; median of ${ROUNDS}`,
    },
  ];
}
