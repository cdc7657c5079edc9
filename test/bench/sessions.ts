/** A thousand agents' sessions at once on one worker process: its memory, and how long a `read` takes over HTTP. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import PQueue from "p-queue";
import { worldConfig } from "../../app/cli/world.ts";
import { openRuntime } from "../../app/processes/runtime.ts";
import { ensureNatsServer } from "../../deploy/nats-server.ts";
import { startBrokerServer } from "../../src/adapters/nats/server.ts";
import { readConfig } from "../../src/runtime/config.ts";
import { forkWorld } from "../../world/control.ts";
import { type Agent, enter } from "../support/agent.ts";
import { makeLicense } from "../support/license.ts";
import { freePort } from "../support/ports.ts";
import type { BenchLine } from "./bench-line.ts";
import { residentMb, startProgram } from "./processes.ts";

const SITES = 50;
const READS_A_SECOND = 100;
const SECONDS = 15;

/** Asks at a steady rate whatever the answers take, so that slow ones do not hide those behind them. */
async function steadyReads(agents: readonly Agent[]): Promise<number[]> {
  const took: number[] = [];
  const underWay: Promise<void>[] = [];
  const startedMs = performance.now();
  for (let i = 0; i < READS_A_SECOND * SECONDS; i++) {
    const dueMs = startedMs + (i * 1_000) / READS_A_SECOND;
    const waitMs = dueMs - performance.now();
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
    const agent = agents[(i * 37) % agents.length]!;
    underWay.push(
      agent.execute("read").then(({ success }) => {
        if (!success) throw new Error("a read failed");
        took.push(performance.now() - dueMs);
      }),
    );
  }
  await Promise.all(underWay);
  return took.sort((a, b) => a - b);
}

async function open(url: string, key: string): Promise<Agent> {
  const agent = await enter(url, key);
  const { success, result } = await agent.execute("navigate", "/");
  if (!success) throw new Error(`navigate failed: ${JSON.stringify(result)}`);
  return agent;
}

export async function bench(sessions = 1_000): Promise<BenchLine[]> {
  const home = mkdtempSync(join(tmpdir(), "bridge-bench-"));
  const server = await startBrokerServer({
    binary: await ensureNatsServer(() => undefined),
    folder: join(home, "nats"),
  });
  const world = await forkWorld({ sites: SITES, soundShare: 0, kinds: { shop: 1 }, seed: 5 });
  const url = `http://127.0.0.1:${await freePort()}`;
  const environment = {
    BRIDGE_HOME: home,
    PORT: new URL(url).port,
    BRIDGE_NATS_URL: server.url,
    BRIDGE_NATS_SETUP: "true",
    BRIDGE_DNS_SERVERS: `${world.dns.address}:${world.dns.port}`,
    BRIDGE_EGRESS_ALLOW: `${world.network}:${world.port}`,
    BRIDGE_HTTPS_PORT: String(world.port),
    BRIDGE_HOST_DELAY_MS: "0",
    BRIDGE_IP_DELAY_MS: "0",
    NODE_EXTRA_CA_CERTS: world.caFile,
  };
  const worker = await startProgram(["worker", "session"], environment);
  const front = await startProgram(["front"], environment);
  const runtime = await openRuntime(
    worldConfig(readConfig({ BRIDGE_HOME: home, BRIDGE_NATS_SETUP: "true" }), world),
    server.url,
  );
  try {
    const before = residentMb(worker.pid);
    const keys = await Promise.all(
      world.hosts.map(({ host }) => makeLicense(runtime.broker, host, { permissions: { fillForms: true } })),
    );
    const queue = new PQueue({ concurrency: 16 });
    const agents = await queue.addAll(
      Array.from({ length: sessions }, (_, i) => () => open(url, keys[i % keys.length]!.key)),
    );
    await steadyReads(agents.slice(0, 100));
    const opened = residentMb(worker.pid);
    const took = await steadyReads(agents);
    const rss = Math.max(opened, residentMb(worker.pid));
    const [frontMb, brokerMb] = [front.pid, server.pid].map(residentMb);
    const at = (share: number): number => Number(took[Math.floor(took.length * share)]!.toFixed(1));
    const conditions = `${sessions} sessions on ${SITES} sites, ${READS_A_SECOND} reads a second for ${SECONDS} s over HTTP, each of a whole page`;
    return [
      {
        name: "sessions memory",
        value: rss,
        unit: "MB",
        baseline: 300,
        ratio: Number((rss / 300).toFixed(2)),
        conditions: `the worker process with ${sessions} sessions open and read, ${before} MB before the first; not counted: the front ${frontMb} MB, the broker ${brokerMb} MB; ratio to the 300 MB allowed`,
      },
      { name: "sessions read p50", value: at(0.5), unit: "ms", baseline: null, ratio: null, conditions },
      {
        name: "sessions read p99",
        value: at(0.99),
        unit: "ms",
        baseline: 50,
        ratio: Number((at(0.99) / 50).toFixed(2)),
        conditions: `${conditions}; ratio to the 50 ms allowed`,
      },
    ];
  } finally {
    await runtime.close();
    await front.stop();
    await worker.stop();
    await world.stop();
    await server.stop();
    rmSync(home, { recursive: true, force: true });
  }
}
