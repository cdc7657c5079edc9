/** Visits a second on sites that take 200 ms to answer, by 1, 2, 4 and 8 crawler processes on one broker. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { addSeeds } from "../../app/cli/seed.ts";
import { worldConfig } from "../../app/cli/world.ts";
import { openRuntime } from "../../app/processes/runtime.ts";
import { ensureNatsServer } from "../../deploy/nats-server.ts";
import { startBrokerServer } from "../../src/adapters/nats/server.ts";
import { readConfig } from "../../src/runtime/config.ts";
import { forkWorld } from "../world/control.ts";
import type { BenchLine } from "./bench-line.ts";
import { type Program, startProgram } from "./processes.ts";

const WORKERS = [1, 2, 4, 8];
const LATENCY_MS = 200;
const CONCURRENCY = 8;
/** Enough hosts that each measurement lasts some ten seconds. */
const SECONDS = 8;

const measure = async (workers: number, binary: string): Promise<number> => {
  const home = mkdtempSync(join(tmpdir(), "bridge-bench-"));
  const hosts = workers * CONCURRENCY * SECONDS;
  const world = await forkWorld({ sites: hosts, soundShare: 1, seed: 5, latencyMs: LATENCY_MS });
  const server = await startBrokerServer({ binary, folder: join(home, "nats") });
  const ca = join(home, "ca.pem");
  writeFileSync(ca, world.ca);
  const config = { ...worldConfig(readConfig({ BRIDGE_NATS_SETUP: "true" }), world), BRIDGE_HOME: home };
  const runtime = await openRuntime(config, server.url, { ca: [world.ca] });
  const environment = {
    NODE_EXTRA_CA_CERTS: ca,
    BRIDGE_HOME: home,
    BRIDGE_NATS_URL: server.url,
    BRIDGE_NATS_SETUP: "true",
    BRIDGE_DNS_SERVERS: `${world.dns.address}:${world.dns.port}`,
    BRIDGE_EGRESS_ALLOW: config.BRIDGE_EGRESS_ALLOW,
    BRIDGE_HTTPS_PORT: String(world.port),
    BRIDGE_HOST_DELAY_MS: "0",
    BRIDGE_IP_DELAY_MS: "0",
    BRIDGE_PAGES_PER_VISIT: "1",
    BRIDGE_CRAWL_CONCURRENCY: String(CONCURRENCY),
  };
  const programs: Program[] = [];
  for (let i = 0; i < workers; i++) programs.push(await startProgram(["worker", "crawler"], environment));
  const startedMs = performance.now();
  await addSeeds(
    runtime,
    world.hosts.map(({ host }) => host),
  );
  while ((await runtime.sites.count()) < hosts) await runtime.clock.sleep(50);
  const perSecond = (hosts * 1_000) / (performance.now() - startedMs);
  await Promise.all(programs.map((program) => program.stop()));
  await runtime.close();
  await server.stop();
  await world.stop();
  rmSync(home, { recursive: true, force: true });
  return perSecond;
};

export const bench = async (): Promise<BenchLine[]> => {
  const binary = await ensureNatsServer(() => undefined);
  const lines: BenchLine[] = [];
  let one = 0;
  for (const workers of WORKERS) {
    const perSecond = await measure(workers, binary);
    if (workers === 1) one = perSecond;
    lines.push({
      name: `crawl-slow ${workers}`,
      value: Number(perSecond.toFixed(1)),
      unit: "visits/s",
      baseline: Number((one * workers).toFixed(1)),
      ratio: Number((perSecond / (one * workers)).toFixed(2)),
      conditions: `${workers} crawler processes of ${CONCURRENCY} visits each, sites answer in ${LATENCY_MS} ms; baseline is one process times ${workers}`,
    });
  }
  return lines;
};
