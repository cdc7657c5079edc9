/** Prometheus metrics on a separate listener, by default on loopback, never on the public one. */
import { createServer, type Server } from "node:http";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

export interface Metrics {
  /** Counts one HTTP response: declared path, status, milliseconds. */
  answered(path: string, status: number, tookMs: number): void;
  /** Adds a role's counts, which are read at each scrape. */
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
  /** Whether this process is ready to work. */
  isReady: () => boolean;
}

const TEXT = { "content-type": "text/plain; charset=utf-8" };

/**
 * Serves /metrics, /healthz (the process runs) and /readyz (the broker is connected) for operators and orchestrators.
 * If the port is in use, as with several processes on one machine, it takes a free one.
 * @returns the server and its port
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
    else response.writeHead(404, TEXT).end("Only GET /metrics, /healthz and /readyz exist here.\n");
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
