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

const CONCURRENCY = 64;
const ROUNDS = 3;

/**
 * Every host of a world visited once by a registry with all roles and delays of 0.
 * @param look reads what the crawl left, before the broker ends
 * @returns visits a second
 */
export async function crawlOnce(
  world: ForkedWorld,
  concurrency: number,
  look: (runtime: OpenedRuntime, seconds: number) => Promise<void> = async () => undefined,
): Promise<number> {
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
  while (crawler.visits < world.hosts.length) await runtime.clock.sleep(20);
  const tookMs = performance.now() - startedMs;
  await Promise.all(roles.map((role) => role.drain()));
  await look(runtime, tookMs / 1_000);
  await runtime.close();
  await server.stop();
  rmSync(home, { recursive: true, force: true });
  return (world.hosts.length * 1_000) / tookMs;
}

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

/** Rounds in turns, each on a fresh world of the same seed, so that neither finds warm what the other paid for. */
export async function bench(hosts = 10_000, pageBytes = 0): Promise<BenchLine[]> {
  const { rawLoop } = await import("./raw-loop.ts");
  const onFreshWorld = async (run: (world: ForkedWorld, concurrency: number) => Promise<number>) => {
    const world = await forkWorld({ sites: hosts, soundShare: 1, seed: 11, pageBytes });
    try {
      return await run(world, CONCURRENCY);
    } finally {
      await world.stop();
    }
  };
  const ours: number[] = [];
  const raw: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    raw.push(await onFreshWorld(rawLoop));
    ours.push(await onFreshWorld(crawlOnce));
  }
  return [
    {
      name: "crawl",
      value: Math.round(median(ours)),
      unit: "visits/s",
      baseline: Math.round(median(raw)),
      ratio: Number((median(ours) / median(raw)).toFixed(2)),
      conditions: `${hosts} hosts over HTTPS, one page each${pageBytes > 0 ? ` of ${pageBytes} bytes` : ""}, concurrency ${CONCURRENCY}, delays 0, all roles and the broker on; the sites and their DNS run on the same machine; median of ${ROUNDS}`,
    },
  ];
}
