/** A registry in parts behind the balancer, each of which can be replaced as an operator would: asked to end, and started again. */
import { fileURLToPath } from "node:url";
import { KeyRecord } from "../../../schemas/key.ts";
import { allRecords, openRecords } from "../../../src/stores/records.ts";
import type { WorldSettings } from "../../../world/control.ts";
import { type Balancer, startBalancer } from "../../support/balancer.ts";
import { freePort } from "../../support/ports.ts";
import { listedDomains } from "../account.ts";
import { type Joined, startJoined } from "../joined.ts";
import { type Program, pause, runBridge, until } from "../programs.ts";
import type { Load } from "./load.ts";

const MAIN = fileURLToPath(new URL("../../../app/main.ts", import.meta.url));
const LONG_DEADLINES = new URL("./long-deadlines.ts", import.meta.url).href;

/** A balancer that asks every second has seen by then that a front is there again. */
const SEEN_MS = 2_000;
const CRAWL_TIMEOUT_MS = 600_000;
const START_TIMEOUT_MS = 300_000;
/** Of the table's limits: all requests come from one address. */
const LIMITS_PERCENT = "1000000";

export interface Parts {
  joined: Joined;
  balancer: Balancer;
  fronts: Program[];
  workers: Program[];
  /** Domains that are listed. */
  domains: string[];
  /** Asks a front to end, waits until it has, starts it again at its address. @throws when it did not end well */
  replaceFront(at: number): Promise<void>;
  replaceWorker(at: number): Promise<void>;
  /** How often each key's owner that begins so is stored. */
  owners(prefix: string): Promise<Map<string, number>>;
  close(): Promise<void>;
}

export interface PartsOptions {
  natsUrl: string;
  haproxy: Parameters<typeof startBalancer>[0];
  sites: number;
  /** The roles of each worker; none: all. */
  workers: readonly (readonly string[])[];
  lameDuckMs: number;
  /** For a run that must not be disturbed by other work of the machine. */
  longDeadlines?: boolean;
  settings?: Record<string, string>;
  world?: Partial<WorldSettings>;
}

async function endWell(program: Program): Promise<void> {
  program.kill("SIGTERM");
  const { code, signal } = await program.ended;
  if (code !== 0) throw new Error(`it ended with ${code ?? signal}:\n${program.output}`);
}

/** Fronts, workers and a balancer over a synthetic web that has been crawled. */
export async function startParts(options: PartsOptions): Promise<Parts> {
  const { sites, lameDuckMs } = options;
  const joined = await startJoined(
    options.natsUrl,
    { sites, seed: 5, soundShare: 1, crawlDelaySeconds: 0, ...options.world },
    {
      BRIDGE_HOST_DELAY_MS: "0",
      BRIDGE_IP_DELAY_MS: "0",
      BRIDGE_LIMITS_PERCENT: LIMITS_PERCENT,
      BRIDGE_TRUSTED_PROXIES: "127.0.0.1",
      BRIDGE_LAME_DUCK_MS: String(lameDuckMs),
      ...options.settings,
    },
  );
  const ports = [await freePort(), await freePort()];
  const start = async (args: readonly string[], more: Record<string, string> = {}): Promise<Program> => {
    const command = options.longDeadlines ? ["--import", LONG_DEADLINES, MAIN] : [MAIN];
    const program = runBridge(args, { ...joined.environment, ...more }, command);
    await program.says(/^ready /m, START_TIMEOUT_MS);
    return program;
  };
  const startFront = (at: number) => start(["front"], { PORT: String(ports[at]) });
  const startWorker = (at: number) => start(["worker", ...options.workers[at]!]);
  // One first: it makes what the others share.
  const workers = [await startWorker(0)];
  const [fronts, others] = await Promise.all([
    Promise.all(ports.map((_, at) => startFront(at))),
    Promise.all(options.workers.slice(1).map((_, at) => startWorker(at + 1))),
  ]);
  workers.push(...others);
  const balancer = await startBalancer(options.haproxy, ports);
  await joined.seed();
  const wanted = 0.8 * sites;
  await until(
    `${wanted} of ${sites} sites to be listed`,
    async () => ((await listedDomains(balancer.url))?.length ?? 0) >= wanted,
    CRAWL_TIMEOUT_MS,
  );
  return {
    joined,
    balancer,
    fronts,
    workers,
    domains: (await listedDomains(balancer.url))!,
    replaceFront: async (at) => {
      await endWell(fronts[at]!);
      fronts[at] = await startFront(at);
      await pause(SEEN_MS);
    },
    replaceWorker: async (at) => {
      await endWell(workers[at]!);
      workers[at] = await startWorker(at);
    },
    owners: async (prefix) => {
      const counts = new Map<string, number>();
      const { keys, get } = openRecords(joined.inspector.broker.buckets.keys, KeyRecord);
      // Beside keys by their hashes, names of two parts: what signs tokens, and wallets.
      for (const key of await allRecords({ keys: () => keys("*"), get }))
        if (key.kind === "gateway" && key.owner.startsWith(prefix))
          counts.set(key.owner, (counts.get(key.owner) ?? 0) + 1);
      return counts;
    },
    close: async () => {
      await balancer.stop();
      for (const program of [...fronts, ...workers]) program.kill("SIGKILL");
      await Promise.all([...fronts, ...workers].map(({ ended }) => ended));
      await joined.close();
    },
  };
}

/** What the load was told that it made and is not there, or is there twice; what is there and nobody was told of. */
export async function wronglyMade(parts: Parts, load: Load, prefix: string): Promise<string[]> {
  const owners = await parts.owners(prefix);
  const told = new Set(load.made);
  return [
    ...load.made
      .filter((name) => owners.get(name) !== 1)
      .map((name) => `${name}: ${owners.get(name) ?? 0} times`),
    ...[...owners.keys()]
      .filter((name) => !told.has(name))
      .map((name) => `${name}: made, and answered as failed`),
  ];
}
