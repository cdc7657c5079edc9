/** Prometheus metrics, served on a listener of their own, on loopback by default: never on the public one. */
import { createServer, type Server } from "node:http";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

export interface Metrics {
  /** Counts one HTTP answer: the declared path, its status, milliseconds. */
  answered(path: string, status: number, tookMs: number): void;
  /** Shows a role's counts, read when metrics are read. */
  watchRole(role: string, read: () => Promise<Record<string, number>>): void;
  text(): Promise<string>;
}

export const createMetrics = (): Metrics => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const labelNames = ["path", "status"] as const;
  const requests = new Counter({
    name: "bridge_http_requests_total",
    help: "Requests answered",
    labelNames,
    registers: [registry],
  });
  const seconds = new Histogram({
    name: "bridge_http_request_seconds",
    help: "Time to answer",
    labelNames: ["path"] as const,
    buckets: [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5],
    registers: [registry],
  });
  const roles = new Map<string, () => Promise<Record<string, number>>>();
  new Gauge({
    name: "bridge_role_count",
    help: "What each role of this process counts",
    labelNames: ["role", "count"] as const,
    registers: [registry],
    async collect() {
      this.reset();
      for (const [role, read] of roles) {
        const counts = await read().catch(() => ({}));
        for (const [count, value] of Object.entries(counts)) this.set({ role, count }, value);
      }
    },
  });
  return {
    answered: (path, status, tookMs) => {
      requests.inc({ path, status: String(status) });
      seconds.observe({ path }, tookMs / 1_000);
    },
    watchRole: (role, read) => void roles.set(role, read),
    text: () => registry.metrics(),
  };
};

export interface AdminOptions {
  host: string;
  port: number;
  /** Whether this process has what it needs to do its work. */
  isReady: () => boolean;
}

const TEXT = { "content-type": "text/plain; charset=utf-8" };

/**
 * Listens for the operator and the machinery that watches this process: /metrics, /healthz (it runs) and /readyz (it has
 * its broker). A port that is taken (several processes on one machine) gives way to a free one.
 * @returns the server and the port it got
 */
export const serveAdmin = async (
  metrics: Metrics,
  { host, port, isReady }: AdminOptions,
): Promise<{ server: Server; port: number }> => {
  const server = createServer((request, response) => {
    const target = request.method === "GET" ? request.url : undefined;
    if (target === "/metrics")
      metrics.text().then(
        (text) => response.writeHead(200, { "content-type": "text/plain; version=0.0.4" }).end(text),
        () => response.writeHead(500).end(),
      );
    else if (target === "/healthz") response.writeHead(200, TEXT).end("ok\n");
    else if (target === "/readyz")
      response.writeHead(isReady() ? 200 : 503, TEXT).end(isReady() ? "ready\n" : "the broker is away\n");
    else response.writeHead(404, TEXT).end("Only GET /metrics, /healthz and /readyz are here.\n");
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
};
