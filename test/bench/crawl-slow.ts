/**
 * Visits a second by 1, 2, 4 and 8 crawler processes on one broker, and who spends the processors' time. Sites take 200 ms to
 * answer, so that crawlers wait and their number counts; `npm run bench -- crawl-slow 0`: at once, so that processors do.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { addSeeds } from "../../app/cli/seed.ts";
import { worldConfig } from "../../app/cli/world.ts";
import { openRuntime } from "../../app/processes/runtime.ts";
import { ensureNatsServer } from "../../deploy/nats-server.ts";
import { startBrokerServer } from "../../src/adapters/nats/server.ts";
import { readConfig } from "../../src/runtime/config.ts";
import { forkWorld } from "../../world/control.ts";
import type { BenchLine } from "./bench-line.ts";
import { cpuSeconds, type Program, startProgram } from "./processes.ts";

const WORKERS = [1, 2, 4, 8];
const LATENCY_MS = 200;
const CONCURRENCY = 8;
/** Enough hosts that each measurement lasts some ten seconds. */
const SECONDS = 8;
/** Of sites that answer at once, where processors are the limit. */
const QUICK_HOSTS = 1_500;

interface Measured {
  perSecond: number;
  /** Milliseconds of processor time a visit. */
  cpuMs: { crawlers: number; broker: number; sites: number };
}

const measure = async (workers: number, latencyMs: number, binary: string): Promise<Measured> => {
  const home = mkdtempSync(join(tmpdir(), "bridge-bench-"));
  const hosts = latencyMs > 0 ? workers * CONCURRENCY * SECONDS : QUICK_HOSTS;
  const world = await forkWorld({ sites: hosts, soundShare: 1, seed: 5, latencyMs });
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
  const used = (): number[] =>
    [programs.map(({ child }) => child.pid!), [server.pid], [world.pid]].map((pids) =>
      pids.reduce((sum, pid) => sum + cpuSeconds(pid), 0),
    );
  const usedBefore = used();
  const startedMs = performance.now();
  await addSeeds(
    runtime,
    world.hosts.map(({ host }) => host),
  );
  while ((await runtime.sites.count()) < hosts) await runtime.clock.sleep(50);
  const perSecond = (hosts * 1_000) / (performance.now() - startedMs);
  const [crawlers, broker, sites] = used().map(
    (seconds, i) => Math.round(((seconds - usedBefore[i]!) * 10_000) / hosts) / 10,
  );
  await Promise.all(programs.map((program) => program.stop()));
  await runtime.close();
  await server.stop();
  await world.stop();
  rmSync(home, { recursive: true, force: true });
  return { perSecond, cpuMs: { crawlers: crawlers!, broker: broker!, sites: sites! } };
};

/** @param latencyMs of the sites */
export const bench = async (latencyMs = LATENCY_MS): Promise<BenchLine[]> => {
  const binary = await ensureNatsServer(() => undefined);
  const lines: BenchLine[] = [];
  let one = 0;
  for (const workers of WORKERS) {
    const { perSecond, cpuMs } = await measure(workers, latencyMs, binary);
    if (workers === 1) one = perSecond;
    lines.push({
      name: `crawl-slow ${workers}`,
      value: Number(perSecond.toFixed(1)),
      unit: "visits/s",
      baseline: Number((one * workers).toFixed(1)),
      ratio: Number((perSecond / (one * workers)).toFixed(2)),
      conditions: `${workers} crawler processes of ${CONCURRENCY} visits each, sites answer in ${latencyMs} ms; baseline is one process times ${workers}; processor time a visit: crawlers ${cpuMs.crawlers} ms, broker ${cpuMs.broker} ms, sites and their DNS ${cpuMs.sites} ms, of ${cpus().length} processors; load average ${loadavg()[0]!.toFixed(1)}`,
    });
  }
  return lines;
};
