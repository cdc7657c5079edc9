/**
 * What every process measures, whatever its roles. One set a thread: those of dedicated threads are added up at a scrape
 * (app/processes/metrics.ts). Label values come from tables and unions of ours alone: nobody outside can add a series.
 */
import { Counter, Gauge, Histogram, Registry } from "prom-client";

/** Of this thread. */
export const instruments = new Registry();
const registers = [instruments];

/** Seconds; the last are beyond every deadline (30 s), so that what was late can be told from what was given up. */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 45, 60];

const counter = <L extends string>(name: string, help: string, labelNames: readonly L[]): Counter<L> =>
  new Counter({ name, help, labelNames, registers });

const histogram = <L extends string>(name: string, help: string, labelNames: readonly L[]): Histogram<L> =>
  new Histogram({ name, help, labelNames, buckets: SECONDS, registers });

/** `path` is the declared pattern. */
export const httpRequests = counter("bridge_http_requests_total", "HTTP requests answered by a front", [
  "method",
  "path",
  "status",
]);
export const httpSeconds = histogram("bridge_http_request_seconds", "Time to answer an HTTP request", [
  "method",
  "path",
]);
export const problems = counter("bridge_http_problems_total", "Problem documents sent, by their code", [
  "code",
]);
/** `outcome`: ok, failure (declared by the contract), fault (a bug, or what the operation needs is away). */
export const operationSeconds = histogram(
  "bridge_operation_seconds",
  "Time in which a worker answered an operation",
  ["service", "operation", "outcome"],
);
/** `why`: nobody (no worker took it), unanswered, or broke_off (a read whose worker could not finish it). */
export const repeatedRequests = counter(
  "bridge_repeated_requests_total",
  "Requests that a front sent again, or to a second worker",
  ["why"],
);
/** src/transport/concurrency.ts. */
export const concurrencyRefusals = counter(
  "bridge_concurrency_refused_total",
  "Calls refused because they would not have been answered in time",
  ["service", "operation"],
);
/** `outcome`: verified, partial, failed, deferred, dead_letter. */
export const visits = counter("bridge_visits_total", "Visits of the crawl that ended", ["outcome"]);
export const visitSeconds = histogram(
  "bridge_visit_seconds",
  "Time of a visit, waits of the politeness gate included",
  [],
);
/** `kind`: host or address. `outcome`: entered, refused, or failed (the broker did not answer). */
export const gateSeconds = histogram("bridge_gate_wait_seconds", "Waits at the politeness gate", [
  "kind",
  "outcome",
]);
/** `outcome`: found, none, or the reason of a failure. */
export const dnsSeconds = histogram("bridge_dns_seconds", "Look-ups in DNS, cached answers included", [
  "type",
  "outcome",
]);
/** `outcome`: 2xx to 5xx, or the reason of a failure. */
export const fetchSeconds = histogram("bridge_fetch_seconds", "Requests to sites", ["outcome"]);
/** `outcome`: ok, refused (away, busy or full) or failed. */
export const indexSeconds = histogram("bridge_index_seconds", "Reads and writes of the index", [
  "call",
  "outcome",
]);
/** `result`: hit or miss. */
export const cacheLookups = counter("bridge_cache_lookups_total", "Look-ups in caches", ["cache", "result"]);
export const poolFaults = counter("bridge_pool_faults_total", "Jobs that a pool of threads did not finish", [
  "pool",
  "fault",
]);
/** `outcome`: sent, refused (by the mail server, for good), again, or given_up. */
export const mails = counter("bridge_mails_total", "Attempts to send a mail", ["outcome"]);
export const brokerLosses = counter(
  "bridge_broker_losses_total",
  "Times that the broker's link was lost",
  [],
);

/** Set by the role that watches storage. */
export const storageUsed = new Gauge({
  name: "bridge_storage_used_ratio",
  help: "What a bucket or stream holds, of the nearer of its bounds (1: full). Every operators' role says the same",
  labelNames: ["stream"] as const,
  aggregator: "max",
  registers,
});

/**
 * `state`: current, behind (a server that is full, without JetStream or catching up), offline, or silent (streams whose leader does
 * not answer). Set by the role that watches storage.
 */
export const streamCopies = new Gauge({
  name: "bridge_stream_replicas",
  help: "Copies of all streams together, as their leaders see them. Every operators' role says the same",
  labelNames: ["state"] as const,
  aggregator: "max",
  registers,
});

/** What a pool says of itself at a scrape. */
export interface ThreadPoolState {
  readonly name: string;
  readonly running: number;
  readonly waiting: number;
}
const pools = new Set<ThreadPoolState>();

new Gauge({
  name: "bridge_pool_jobs",
  help: "Jobs of the pools of threads, running and waiting",
  labelNames: ["pool", "state"] as const,
  registers,
  collect() {
    this.reset();
    for (const { name: pool, running, waiting } of pools) {
      this.inc({ pool, state: "running" }, running);
      this.inc({ pool, state: "waiting" }, waiting);
    }
  },
});

/** Has a pool's jobs shown until it is closed. @returns what ends that */
export function watchPool(pool: ThreadPoolState): () => void {
  pools.add(pool);
  return () => void pools.delete(pool);
}

/** Seconds since `performance.now()` said `startedMs`. */
export const secondsSince = (startedMs: number): number => (performance.now() - startedMs) / 1_000;
