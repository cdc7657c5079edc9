import { expect, it, onTestFinished } from "vitest";
import { createMetrics, serveAdmin } from "../../../app/processes/metrics.ts";

it("the operator's listener says that the process runs, whether it has its broker, and what it counts", async () => {
  let isUp = true;
  const metrics = createMetrics();
  metrics.watchRole("indexer", async () => ({ lag: 3 }));
  const { server, port } = await serveAdmin(metrics, { host: "127.0.0.1", port: 0, isReady: () => isUp });
  onTestFinished(() => void server.close());
  const ask = async (path: string, method = "GET") => {
    const reply = await fetch(`http://127.0.0.1:${port}${path}`, { method });
    return { status: reply.status, text: await reply.text() };
  };
  expect(await ask("/healthz")).toEqual({ status: 200, text: "ok\n" });
  expect(await ask("/readyz")).toEqual({ status: 200, text: "ready\n" });
  isUp = false;
  expect(await ask("/readyz")).toEqual({ status: 503, text: "the broker is away\n" });
  expect((await ask("/healthz")).status).toBe(200);
  expect((await ask("/metrics")).text).toContain('bridge_role_count{role="indexer",count="lag"} 3');
  expect((await ask("/")).status).toBe(404);
  expect((await ask("/metrics", "POST")).status).toBe(404);
});
