import { Worker } from "node:worker_threads";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Engine, startEngine } from "../support/engine.ts";

const CONNECTIONS = 1_500;
/** Less than the second after which a client repeats a SYN that was dropped. */
const WITHIN_MS = 900;

/** Opens connections from a thread of its own, and counts those that the system has taken. */
const CLIENT = `
const { connect } = require("node:net");
const { workerData: { port, connections, taken } } = require("node:worker_threads");
for (let i = 0; i < connections; i++)
  connect({ host: "127.0.0.1", port }, () => {
    if (Atomics.add(taken, 0, 1) + 1 === connections) Atomics.notify(taken, 0);
  }).on("error", () => {});
`;

let engine: Engine;
beforeAll(async () => {
  engine = await startEngine([]);
});
afterAll(() => engine?.stop());

describe("connections that come while the event loop is busy", () => {
  it("wait in the listener's queue: none is dropped, to be tried again after a second or more", async () => {
    const taken = new Int32Array(new SharedArrayBuffer(4));
    const port = Number(new URL(engine.url).port);
    const client = new Worker(CLIENT, { eval: true, workerData: { port, connections: CONNECTIONS, taken } });
    await new Promise((resolve) => client.once("online", resolve));
    const until = performance.now() + WITHIN_MS;
    // Blocks this thread, whose event loop would take them from the queue.
    for (let now = performance.now(); now < until; now = performance.now()) {
      const count = Atomics.load(taken, 0);
      if (count === CONNECTIONS) break;
      Atomics.wait(taken, 0, count, 10);
    }
    expect(Atomics.load(taken, 0)).toBe(CONNECTIONS);
    await client.terminate();
  });
});
