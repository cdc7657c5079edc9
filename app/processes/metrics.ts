/** Prometheus metrics and probes on a separate listener, by default on loopback, never on the public one. */
import { createServer, type Server } from "node:http";
import {
  AggregatorRegistry,
  collectDefaultMetrics,
  Gauge,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from "prom-client";
import { VERSIONS } from "../../schemas/common.ts";
import { httpRequests, httpSeconds, instruments, problems } from "../../src/telemetry/instruments.ts";
import type { AccessLogEntry } from "./access-log.ts";
import { type DependencyHealth, type Health, isWell, renderFindings } from "./health.ts";

/** What `getMetricsAsJSON` gives, which crosses threads. */
export type MetricsOfThread = MetricObjectWithValues<MetricValue<string>>[];

export interface Metrics {
  /** Counts one HTTP response. */
  answered(answered: Pick<AccessLogEntry, "method" | "path" | "status" | "tookMs" | "problem">): void;
  /** Adds a role's counts, which are read at each scrape, and whether it does its work. */
  watchRole(role: string, read: Counts, trouble?: () => string | undefined): void;
  /** Adds a dedicated thread's instruments, which are asked for at each scrape. Undefined: it did not answer in time. */
  watchThread(ask: () => Promise<MetricsOfThread | undefined>): void;
  /** Shows whether the broker's link is up. */
  watchBroker(state: { readonly up: boolean }): void;
  text(): Promise<string>;
}

/** Methods that are told apart; strangers may send any. */
const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

type Counts = () => Promise<Record<string, number>>;

interface WatchedRole {
  read: Counts;
  trouble: (() => string | undefined) | undefined;
}

const FRONTIER_STATES = [
  ["known", "tokens"],
  ["due", "due"],
  ["in_flight", "inFlight"],
] as const;

/** What Node says of the process: once, since its watch on the collector never ends and would keep whatever it reports to. */
const processMetrics = new Registry();
let isProcessWatched = false;

export interface AdminOptions {
  host: string;
  port: number;
  health: Health;
}

const TEXT = { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" };

type Probe = (health: Health) => Promise<DependencyHealth[]>;
const PROBES: Record<string, { said: string; ask: Probe }> = {
  "/startupz": { said: "started\n", ask: (health) => health.startup() },
  "/healthz": { said: "ok\n", ask: (health) => health.liveness() },
  "/readyz": { said: "ready\n", ask: (health) => health.readiness() },
};

export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  watchProcess();
  new Gauge({
    name: "bridge_build_info",
    help: "1; the labels say what runs here",
    labelNames: ["version", "node"] as const,
    registers,
  }).set({ version: VERSIONS.bridge, node: process.version }, 1);
  const roles = new Map<string, WatchedRole>();
  const readRoles = watchRoles(registers, roles);
  const threads: (() => Promise<MetricsOfThread | undefined>)[] = [];
  const ofThreads = async (): Promise<Registry> => {
    const asked = await Promise.all([instruments.getMetricsAsJSON(), ...threads.map((ask) => ask())]);
    const known = asked.filter((each) => each !== undefined);
    return AggregatorRegistry.aggregate(known as never);
  };
  return {
    answered: ({ method, path, status, tookMs, problem }) => {
      const labels = { method: METHODS.has(method) && status !== 405 ? method : "other", path };
      httpRequests.inc({ ...labels, status: String(status) });
      httpSeconds.observe(labels, tookMs / 1_000);
      if (problem !== undefined) problems.inc({ code: problem });
    },
    watchRole: (role, read, trouble) => void roles.set(role, { read, trouble }),
    watchThread: (ask) => void threads.push(ask),
    watchBroker: (state) =>
      void new Gauge({
        name: "bridge_broker_up",
        help: "1 while the process is connected to its broker",
        registers,
        collect() {
          this.set(state.up ? 1 : 0);
        },
      }),
    text: async () => {
      await readRoles();
      const parts = [processMetrics, registry, await ofThreads()].map((each) => each.metrics());
      return (await Promise.all(parts)).map((part) => `${part.trimEnd()}\n`).join("");
    },
  };
}

function watchProcess(): void {
  if (!isProcessWatched) collectDefaultMetrics({ register: processMetrics });
  isProcessWatched = true;
}

/** The counts of each role, and those among them that are metrics of their own. @returns what reads them, once a scrape */
function watchRoles(registers: Registry[], roles: ReadonlyMap<string, WatchedRole>): () => Promise<void> {
  const frontier = new Gauge({
    name: "bridge_frontier_hosts",
    help: "Hosts of the frontier by state; each has one token. Every crawler says the same",
    labelNames: ["state"] as const,
    registers,
  });
  // Without labels it is there from the start, as 0: only where there is an indexer.
  let lag: Gauge | undefined;
  const lagOf = (value: number): void => {
    lag ??= new Gauge({
      name: "bridge_indexer_lag_records",
      help: "Site records that are not in the index yet. Every indexer of one index says the same",
      registers,
    });
    lag.set(value);
  };
  const all = new Gauge({
    name: "bridge_role_count",
    help: "What each role of this process counts",
    labelNames: ["role", "count"] as const,
    registers,
  });
  const troubled = new Gauge({
    name: "bridge_role_troubled",
    help: "1 while a role of this process does not do its work although it runs: /readyz says why",
    labelNames: ["role"] as const,
    registers,
  });
  return async () => {
    all.reset();
    for (const [role, { read, trouble }] of roles) {
      if (trouble) troubled.set({ role }, trouble() === undefined ? 0 : 1);
      const counts: Record<string, number> = await read().catch(() => ({}));
      for (const [count, value] of Object.entries(counts)) all.set({ role, count }, value);
      if (role === "crawler")
        for (const [state, count] of FRONTIER_STATES) frontier.set({ state }, counts[count] ?? Number.NaN);
      if (role === "indexer") lagOf(counts.lag ?? Number.NaN);
    }
  };
}

/**
 * Serves /metrics, /startupz (the process has started), /healthz (its threads turn) and /readyz (what it depends on
 * answers) for operators and orchestrators; `?verbose` lists each finding, as every failure does. If the port is in use,
 * as with several processes on one machine, it takes a free one.
 * @returns the server and its port
 */
export async function serveAdmin(
  metrics: Metrics,
  { host, port, health }: AdminOptions,
): Promise<{ server: Server; port: number }> {
  const server = createServer((request, response) => {
    const target = request.method === "GET" ? (request.url ?? "") : "";
    answerAdmin(metrics, health, target).then(
      ([status, type, text]) => response.writeHead(status, type).end(text),
      () => response.writeHead(500).end(),
    );
  });
  const listen = (wanted: number) =>
    new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(wanted, host, () => {
        server.off("error", reject);
        resolve();
      });
    });
  await listen(port).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EADDRINUSE") throw error;
    return listen(0);
  });
  const address = server.address();
  return { server, port: typeof address === "object" && address ? address.port : 0 };
}

/** The text of a reply on the admin listener. */
async function answerAdmin(
  metrics: Metrics,
  health: Health,
  url: string,
): Promise<[status: number, type: Record<string, string>, text: string]> {
  const [path, query] = url.split("?", 2);
  if (path === "/metrics")
    return [200, { "content-type": "text/plain; version=0.0.4; charset=utf-8" }, await metrics.text()];
  const probe = Object.hasOwn(PROBES, path!) ? PROBES[path!] : undefined;
  if (!probe) return [404, TEXT, "Only GET /metrics, /startupz, /healthz and /readyz exist here.\n"];
  const findings = await probe.ask(health);
  const isVerbose = new URLSearchParams(query).has("verbose");
  if (!isWell(findings)) return [503, TEXT, renderFindings(findings)];
  return [200, TEXT, isVerbose ? renderFindings(findings) + probe.said : probe.said];
}
