/**
 * A fleet of known hosts: what frontier and broker cost by their number, in time, memory and disk. Filled with what a crawl
 * leaves of real visits, through the functions that write it (fleet/samples.ts).
 * `npm run bench -- fleet [hosts…] [--engine=whole|token]`: all that a crawl leaves (default), or the frontier's tokens alone
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import PQueue from "p-queue";
import { type OpenedRuntime, openRuntime } from "../../app/processes/runtime.ts";
import { readStorage } from "../../src/adapters/nats/storage-use.ts";
import { DAY_MS } from "../../src/ports/time.ts";
import { readConfig } from "../../src/runtime/config.ts";
import { randomFrom } from "../../world/random.ts";
import type { BenchLine } from "./bench-line.ts";
import type { AuditCost } from "./fleet/audit-main.ts";
import { type FleetBroker, openFleetBroker, STORE_GIB } from "./fleet/broker.ts";
import { createWriter, type Depth, fleetHost, takeSamples } from "./fleet/samples.ts";
import { NODE_OPTIONS, residentMb, startProgram } from "./processes.ts";

const AT_ONCE = 256;
const FAULT_PAUSE_MS = 1_000;
/** Without a token for so long, all that were due are given out. */
const SILENT_MS = 30_000;
/** Writes that the broker did not answer in time. */
let faults = 0;
/** Hosts that are made due, given out and scheduled anew. */
const CLAIMED = 20_000;
/** Visits that a crawler has under way by default. */
const PLACES = 128;
const DAYS_AHEAD = 7;

const say = (text: string): void => void process.stderr.write(`${new Date().toISOString()} ${text}\n`);

const percentile = (values: number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? 0;

/** @returns hosts written a second */
async function fill(
  runtime: OpenedRuntime,
  hosts: number,
  write: (i: number, atMs: number) => Promise<void>,
): Promise<number> {
  const queue = new PQueue({ concurrency: AT_ONCE });
  const { next } = randomFrom("fleet");
  const startedMs = performance.now();
  const fromMs = runtime.broker.now() + DAY_MS;
  for (let i = 0; i < hosts; i++) {
    await queue.onSizeLessThan(4 * AT_ONCE);
    const atMs = fromMs + next() * DAYS_AHEAD * DAY_MS;
    void queue.add(() => retryFaults(runtime, () => write(i, atMs)));
    if (i % 100_000 === 0) say(`${i} of ${hosts} hosts`);
  }
  await queue.onIdle();
  return (hosts * 1_000) / (performance.now() - startedMs);
}

/** Again after a fault of the broker, as a crawler does: while it writes down its state, it may not answer for seconds. */
async function retryFaults({ broker, clock }: OpenedRuntime, action: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await action();
      return;
    } catch (error) {
      if (!broker.isFault(error)) throw error;
      faults++;
      await clock.sleep(FAULT_PAUSE_MS);
    }
  }
}

interface Claims {
  /** Random hosts brought forward, a second. */
  broughtPerSecond: number;
  /** Given out and scheduled anew, a second, by one crawler's places. */
  claimedPerSecond: number;
  /** Milliseconds from asking to the first token, while hosts are due. */
  firstMs: number[];
  /** Milliseconds to schedule the next visit. */
  nextMs: number[];
}

/** Makes random hosts due as hints do, then takes them as a crawler does, a visit of no length each. */
async function claim(runtime: OpenedRuntime, hosts: number): Promise<Claims> {
  const { frontier, broker } = runtime;
  const { next } = randomFrom("claims");
  const chosen = new Set<number>();
  while (chosen.size < Math.min(CLAIMED, hosts / 10)) chosen.add(Math.floor(next() * hosts));
  const queue = new PQueue({ concurrency: AT_ONCE });
  const broughtAt = performance.now();
  for (const i of chosen)
    void queue.add(() => retryFaults(runtime, () => frontier.bringForward(fleetHost(i), broker.now())));
  await queue.onIdle();
  const broughtPerSecond = (chosen.size * 1_000) / (performance.now() - broughtAt);
  const claims: Claims = { broughtPerSecond, claimedPerSecond: 0, firstMs: [], nextMs: [] };
  const underWay = new Set<Promise<void>>();
  const { signal } = new AbortController();
  const startedMs = performance.now();
  let lastTakenMs = startedMs;
  for (let taken = 0; taken < chosen.size && performance.now() - lastTakenMs < SILENT_MS; ) {
    while (underWay.size >= PLACES) await Promise.race(underWay);
    const askedMs = performance.now();
    let first = true;
    await retryFaults(runtime, () =>
      frontier.take(
        PLACES - underWay.size,
        (token) => {
          lastTakenMs = performance.now();
          if (first) claims.firstMs.push(lastTakenMs - askedMs);
          first = false;
          taken++;
          const takenMs = lastTakenMs;
          const atMs = broker.now() + DAYS_AHEAD * DAY_MS;
          const ended = retryFaults(runtime, () => token.next(atMs)).then(() => {
            claims.nextMs.push(performance.now() - takenMs);
            underWay.delete(ended);
          });
          underWay.add(ended);
        },
        signal,
      ),
    );
  }
  await Promise.all(underWay);
  claims.claimedPerSecond = (claims.nextMs.length * 1_000) / (lastTakenMs - startedMs);
  return claims;
}

async function auditCost({ home, server }: FleetBroker): Promise<AuditCost> {
  const file = join(import.meta.dirname, "fleet/audit-main.ts");
  const child = fork(file, [home, server.url], {
    execArgv: NODE_OPTIONS,
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const [cost] = (await Promise.race([
    once(child, "message"),
    once(child, "exit").then(([code]) => {
      throw new Error(`the audit ended with ${code}`);
    }),
  ])) as [AuditCost];
  return cost;
}

async function workerCost({ home, server }: FleetBroker) {
  const worker = await startProgram(["worker", "crawler"], {
    BRIDGE_HOME: home,
    BRIDGE_NATS_URL: server.url,
    // No web at all: nothing is due, and nothing may be asked.
    BRIDGE_HTTPS_PORT: "9",
    BRIDGE_DNS_SERVERS: "127.0.0.1:9",
  });
  const rssMb = residentMb(worker.pid);
  await worker.stop();
  return { readyMs: worker.readyMs, rssMb };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}

type Figure = [name: string, value: number, unit: string];

async function measure(
  broker: FleetBroker,
  hosts: number,
  depth: Depth,
  note: (...figure: Figure) => void,
): Promise<void> {
  const open = () =>
    openRuntime(
      readConfig({
        BRIDGE_HOME: broker.home,
        BRIDGE_NATS_SETUP: "true",
        BRIDGE_STORE_GIB: String(STORE_GIB / 2),
      }),
      broker.server.url,
    );
  const samples = depth === "whole" ? await takeSamples(broker.server.url, broker.home) : [];
  const emptyMb = broker.rssMb();
  const emptyBytes = broker.diskBytes();
  let runtime = await open();
  note("filled", await fill(runtime, hosts, createWriter(runtime, samples, depth)), "hosts/s");
  const filledMb = broker.rssMb();
  note("broker's memory when filled", filledMb, "MB");
  note("broker's memory a host when filled", ((filledMb - emptyMb) * 2 ** 20) / hosts, "bytes");
  const { use: streams } = await readStorage(runtime.broker.jsm, runtime.broker.prefix);
  for (const { stream, bytes } of streams.filter(({ bytes }) => bytes > hosts))
    note(`stream ${stream}`, bytes / hosts, "bytes a host");
  noteClaims(await claim(runtime, hosts), note);
  note("how many are known and due", await timed(() => runtime.frontier.lag()), "ms");
  await runtime.close();
  note("disk", (broker.diskBytes() - emptyBytes) / hosts, "bytes a host");
  for (const how of ["SIGTERM", "SIGKILL"] as const)
    note(`broker's start after ${how}`, await broker.restart(how), "ms");
  note("broker's memory after a start", broker.rssMb(), "MB");
  runtime = await open();
  const again = await claim(runtime, hosts);
  await runtime.close();
  note("due hosts given out and scheduled anew, after a start", again.claimedPerSecond, "hosts/s");
  const worker = await workerCost(broker);
  note("crawler's start", worker.readyMs, "ms");
  note("crawler's memory", worker.rssMb, "MB");
  const audit = await auditCost(broker);
  note("hourly audit", audit.tookMs, "ms");
  note("hourly audit, memory", audit.mostMb - audit.beforeMb, "MB more");
  note("broker's memory after an audit", broker.rssMb(), "MB");
  note("writes and reads that the broker did not answer in time", faults, "requests");
}

function noteClaims(claims: Claims, note: (...figure: Figure) => void): void {
  note("random hosts brought forward", claims.broughtPerSecond, "hosts/s");
  note("due hosts given out and scheduled anew", claims.claimedPerSecond, "hosts/s");
  note("asked for a due host, p99", percentile(claims.firstMs, 0.99), "ms");
  note("next visit scheduled, p99", percentile(claims.nextMs, 0.99), "ms");
}

/** @param depth "whole" or "token" */
export async function bench(sizes: number[], depth = "whole"): Promise<BenchLine[]> {
  if (depth !== "whole" && depth !== "token")
    throw new Error(`--engine=${depth}: whole, or token for the frontier's tokens alone`);
  const lines: BenchLine[] = [];
  const firsts = new Map<string, number>();
  for (const hosts of sizes.length > 0 ? sizes : [100_000]) {
    const broker = await openFleetBroker();
    const note = (name: string, value: number, unit: string): void => {
      const conditions = `${hosts} hosts, ${depth === "whole" ? "all that a crawl leaves of one" : "a frontier's token each"}; ${cpus().length} processors, load average ${loadavg()[0]!.toFixed(1)}; baseline: the same of the first size`;
      const baseline = firsts.get(name) ?? null;
      if (baseline === null) firsts.set(name, value);
      const ratio = baseline ? Math.round((value / baseline) * 100) / 100 : null;
      const line = { name: `fleet ${name}`, value: Math.round(value * 10) / 10, unit, conditions };
      lines.push({ ...line, baseline: baseline && Math.round(baseline * 10) / 10, ratio });
      say(JSON.stringify(lines.at(-1)));
    };
    faults = 0;
    try {
      await measure(broker, hosts, depth, note);
    } finally {
      await broker.close();
    }
  }
  return lines;
}
