import { describe, expect, it } from "vitest";
import { brokerDependency, indexDependency } from "../../../app/processes/dependencies.ts";
import { createHealth } from "../../../app/processes/health.ts";
import { createMetrics, serveAdmin } from "../../../app/processes/metrics.ts";
import { IndexUnavailable } from "../../../src/ports/index.ts";
import { forgetThread, watchThread } from "../../../src/threads/watchdog.ts";

const LIMITS = { cpuMs: 1_000, blockedMs: 1_000 };

async function openAdmin() {
  const state = { up: true, index: true };
  const metrics = createMetrics();
  const health = createHealth();
  metrics.watchBroker(state);
  health.dependsOn([
    brokerDependency({
      connectionState: state,
      buckets: { service: { get: async () => undefined } },
    } as never),
    indexDependency(async () => ({
      get: async () => {
        if (!state.index) throw new IndexUnavailable("the index does not answer");
        return undefined;
      },
    })),
  ]);
  const { server, port } = await serveAdmin(metrics, { host: "127.0.0.1", port: 0, health });
  const ask = async (path: string, method = "GET") => {
    const reply = await fetch(`http://127.0.0.1:${port}${path}`, { method });
    return { status: reply.status, text: await reply.text() };
  };
  return { state, metrics, health, ask, close: () => server.close() };
}

describe("the operators' listener", () => {
  it("says whether the process has started, whether it is ready, and which dependency keeps it", async ({
    onTestFinished,
  }) => {
    const { state, health, ask, close } = await openAdmin();
    onTestFinished(() => void close());
    expect(await ask("/startupz")).toEqual({ status: 503, text: "[-]process failed: starting\n" });
    expect((await ask("/readyz")).status).toBe(503);
    health.started();
    expect(await ask("/startupz")).toEqual({ status: 200, text: "started\n" });
    expect(await ask("/readyz")).toEqual({ status: 200, text: "ready\n" });
    expect(await ask("/readyz?verbose")).toEqual({
      status: 200,
      text: "[+]process ok\n[+]broker ok\n[+]index ok\nready\n",
    });
    state.up = false;
    state.index = false;
    expect(await ask("/readyz")).toEqual({
      status: 503,
      text: "[+]process ok\n[-]broker failed: the broker is away\n[-]index failed: the index does not answer\n",
    });
    expect((await ask("/healthz")).status).toBe(200);
    Object.assign(state, { up: true, index: true });
    health.draining();
    expect((await ask("/readyz")).text).toContain("[-]process failed: draining");
    expect((await ask("/startupz")).status).toBe(200);
  });

  it("says that the process is not alive where one of its threads makes no turn", async ({
    onTestFinished,
  }) => {
    const { ask, close } = await openAdmin();
    const pulse = watchThread("search", LIMITS);
    Atomics.add(pulse, 0, 1);
    onTestFinished(() => {
      forgetThread(pulse);
      close();
    });
    expect(await ask("/healthz")).toEqual({
      status: 503,
      text: "[+]event loop ok\n[-]thread search failed: no turn for 2 s\n",
    });
    const beating = setInterval(() => Atomics.add(pulse, 0, 1), 50);
    onTestFinished(() => clearInterval(beating));
    expect(await ask("/healthz")).toEqual({ status: 200, text: "ok\n" });
  });

  it("shows what the process counts, its link to the broker and its build", async ({ onTestFinished }) => {
    const { state, metrics, ask, close } = await openAdmin();
    onTestFinished(() => void close());
    metrics.watchRole("indexer", async () => ({ lag: 3 }));
    metrics.watchRole("crawler", async () => ({ tokens: 9, due: 2, inFlight: 1 }));
    state.up = false;
    const { text } = await ask("/metrics");
    for (const line of [
      'bridge_role_count{role="indexer",count="lag"} 3',
      "bridge_indexer_lag_records 3",
      'bridge_frontier_hosts{state="due"} 2',
      "bridge_broker_up 0",
      `bridge_build_info{version="1.2.0",node="${process.version}"} 1`,
    ])
      expect(text).toContain(line);
  });

  it("knows nothing else", async ({ onTestFinished }) => {
    const { ask, close } = await openAdmin();
    onTestFinished(() => void close());
    expect((await ask("/")).status).toBe(404);
    expect((await ask("/constructor")).status).toBe(404);
    expect((await ask("/metrics", "POST")).status).toBe(404);
  });
});
