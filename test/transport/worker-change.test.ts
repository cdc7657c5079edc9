import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, inject, it } from "vitest";
import { z } from "zod";
import { startFront } from "../../app/front/front.ts";
import { createMetrics } from "../../app/processes/metrics.ts";
import { openRuntime } from "../../app/processes/runtime.ts";
import { startBrokerServer } from "../../src/adapters/nats/server.ts";
import { defineService, type Handlers } from "../../src/rpc/contract.ts";
import { readConfig } from "../../src/runtime/config.ts";
import { makeKey } from "../../src/stores/api-keys.ts";
import { type Engine, startEngine } from "../support/engine.ts";
import { freePort } from "../support/ports.ts";
import { expectProblem } from "../support/problems.ts";
import { type RawReply, request } from "../support/raw-http.ts";
import { startRelay } from "../support/relay.ts";

const slow = defineService({
  name: "slow",
  description: "",
  operations: {
    work: {
      method: "GET",
      paths: ["/work"],
      summary: "",
      auth: "none",
      query: z.object({ ms: z.int().min(0).max(5_000).default(5) }),
      reply: z.object({ done: z.boolean() }),
      errors: [],
      example: "",
    },
  },
});
const handlers: Handlers<typeof slow> = {
  work: async ({ query: { ms } }) => {
    await new Promise((resolve) => setTimeout(resolve, ms));
    return { done: true };
  },
};

/** Asks until the answer is as wished, at most 10 s. */
async function until(ask: () => Promise<RawReply>, wished: number): Promise<RawReply> {
  const giveUpAt = performance.now() + 10_000;
  for (;;) {
    const reply = await ask();
    if (reply.status === wished) return reply;
    if (performance.now() > giveUpAt) throw new Error(`still ${reply.status}: ${reply.body}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

describe("a change of workers", () => {
  let engine: Engine;
  afterEach(() => engine?.stop());

  it("loses no request when workers are replaced one after the other under load", async () => {
    engine = await startEngine([slow]);
    let workers = [await engine.work(slow, handlers), await engine.work(slow, handlers)];
    let stopped = false;
    const statuses = new Map<number, number>();
    const client = async (): Promise<void> => {
      while (!stopped) {
        const { status } = await fetch(`${engine.url}/work`);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    };
    const clients = Array.from({ length: 16 }, client);
    for (let turn = 0; turn < 6; turn++) {
      const [oldest, ...rest] = workers;
      workers = [...rest, await engine.work(slow, handlers)];
      await oldest!.leave();
    }
    stopped = true;
    await Promise.all(clients);
    expect([...statuses.keys()]).toEqual([200]);
    expect(statuses.get(200)).toBeGreaterThan(50);
  });

  it("finishes what is under way before it leaves", async () => {
    engine = await startEngine([slow]);
    const worker = await engine.work(slow, handlers);
    const reply = fetch(`${engine.url}/work?ms=300`);
    const giveUpAt = performance.now() + 5_000;
    while (worker.stats.get("work")!.requests === 0 && performance.now() < giveUpAt)
      await new Promise((resolve) => setTimeout(resolve, 5));
    await worker.leave();
    expect((await reply).status).toBe(200);
    expect((await fetch(`${engine.url}/work`)).status).toBe(503);
  });
});

describe("a broker that goes away", () => {
  it("makes the front unready, not dead, until it is back", async () => {
    const home = mkdtempSync(join(tmpdir(), "bridge-test-ready-"));
    const server = await startBrokerServer({ binary: inject("natsBinary"), folder: join(home, "nats") });
    const config = readConfig({
      BRIDGE_NATS_SETUP: "true",
      BRIDGE_HOME: home,
      PORT: String(await freePort()),
      BRIDGE_LOG_LEVEL: "silent",
    });
    const at = new URL(server.url);
    const relay = await startRelay(at.href.replace(/^nats/, "http"));
    at.host = new URL(relay.url).host;
    const runtime = await openRuntime(config, at.href);
    const front = await startFront(runtime, createMetrics());
    runtime.broker.connectionState.failFast();
    try {
      const ready = () => request(front.url, "GET /readyz");
      const withKey = [`X-BRIDGE-Key: ${makeKey("bridge_live_fre_")}`];
      const asked = () => request(front.url, "GET /api/v1/keys/usage", withKey);
      expect([(await ready()).status, (await asked()).status]).toEqual([200, 401]);
      relay.set("cut");
      const startedMs = performance.now();
      expectProblem(await until(ready, 503), "away");
      // Who asks cannot be known: that is no refusal of theirs, and no fault of the front.
      expect(expectProblem(await asked(), "a key that cannot be looked up").code).toBe("unavailable");
      expect(performance.now() - startedMs).toBeLessThan(3_000);
      expect((await request(front.url, "GET /healthz")).status).toBe(200);
      relay.set("open");
      await until(ready, 200);
    } finally {
      relay.set("open");
      await front.close();
      await runtime.close();
      await relay.close();
      await server.stop();
      rmSync(home, { recursive: true, force: true });
    }
  });

  it("is met again by who asks, and said at once where it stays away", async () => {
    const folder = mkdtempSync(join(tmpdir(), "bridge-test-away-"));
    const server = await startBrokerServer({ binary: inject("natsBinary"), folder });
    const engine = await startEngine([slow], { natsUrl: server.url });
    try {
      const worker = await engine.work(slow, handlers);
      const ask = () => request(engine.url, "GET /work");
      expect((await ask()).status).toBe(200);

      const waiting = request(engine.url, "GET /work?ms=1500");
      const giveUpAt = performance.now() + 5_000;
      while (worker.stats.get("work")!.requests < 2 && performance.now() < giveUpAt)
        await new Promise((resolve) => setTimeout(resolve, 5));
      process.kill(server.pid, "SIGKILL");
      // It is started again at once: the read waits for it a second, and may meet it.
      expect([200, 503]).toContain((await waiting).status);
      expect((await until(ask, 200)).body).toBe('{"done":true}');

      const late = request(engine.url, "GET /work?ms=5000");
      await new Promise((resolve) => setTimeout(resolve, 100));
      await server.stop();
      const stoppedMs = performance.now();
      const cut = await late;
      const away = await ask();
      for (const reply of [cut, away]) {
        expect([reply.status, expectProblem(reply, "waiting").code]).toEqual([503, "unavailable"]);
        expect(Number(reply.headers["retry-after"])).toBeGreaterThan(0);
      }
      expect(performance.now() - stoppedMs).toBeLessThan(3_000);
    } finally {
      await engine.stop();
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
