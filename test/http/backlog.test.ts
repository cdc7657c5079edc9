import { createServer } from "node:http";
import { Worker } from "node:worker_threads";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listenAt } from "../../app/front/listeners.ts";
import { type Engine, startEngine } from "../support/engine.ts";
import { request } from "../support/raw-http.ts";

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

  it("are taken several at a turn: nobody waits for as many turns as there are others", async () => {
    const [TURN_MS, CLIENTS] = [25, 300];
    const started = performance.now();
    let turning = true;
    const turn = () => {
      const until = performance.now() + TURN_MS;
      while (performance.now() < until);
      if (turning) setImmediate(turn);
    };
    setImmediate(turn);
    const replies = await Promise.all(
      Array.from({ length: CLIENTS }, () => request(engine.url, "GET /nowhere")),
    ).finally(() => {
      turning = false;
    });
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 404));
    // One a turn would be seven and a half seconds.
    expect(performance.now() - started).toBeLessThan((TURN_MS * CLIENTS) / 2);
  });

  it("are answered by whichever listener took them, until the last has closed", async () => {
    const other = await startEngine([]);
    const agents = await Promise.all(Array.from({ length: 60 }, () => request(other.url, "GET /nowhere")));
    expect(agents.every(({ status }) => status === 404)).toBe(true);
    await other.stop();
    await expect(request(other.url, "GET /nowhere")).rejects.toThrow();
  });

  it("are no other program's: a port that is used is refused", async () => {
    const { port } = new URL(engine.url);
    const server = createServer();
    await expect(listenAt(server, { host: "127.0.0.1", port: Number(port) })).rejects.toMatchObject({
      code: "EADDRINUSE",
    });
  });
});
