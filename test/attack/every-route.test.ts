/** The most that strangers can send to any one address, on many connections at once: nobody else waits for longer than a moment. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startRegistry, type TestRegistry } from "../support/registry.ts";
import { watchTurns } from "../support/turns.ts";
import { createVisitor, type Visitor } from "../support/visitor.ts";
import { loadThread } from "./route-load.ts";
import { ROUTES } from "./routes.ts";

const CONNECTIONS = 32;
/** Of one request, on each connection. A body that is refused ends its connection. */
const PIPELINED = 3;
/** Of all connections, at most: large bodies are sent less often. */
const MOST_BYTES = 24 * 1024 * 1024;
/** Of the processor's time, in one turn of the event loop that answers everybody. */
const MOST_TURN_MS = 50;
const MOST_TIMES = 8;

let registry: TestRegistry;
let visitor: Visitor;
const load = loadThread();
beforeAll(async () => {
  registry = await startRegistry({
    world: { sites: 4, soundShare: 1 },
    // What one address may ask for is other tests' matter: here it asks for all that it likes.
    config: { BRIDGE_LIMITS_PERCENT: 100_000 },
  });
  await registry.crawl();
  visitor = createVisitor(registry);
});
afterAll(async () => {
  await load.stop();
  await registry?.stop();
});

/** One request, pipelined. */
function pipelined(request: (last: boolean) => Buffer): Buffer {
  const each = request(false).length;
  const times = Math.max(1, Math.min(PIPELINED, Math.floor(MOST_BYTES / CONNECTIONS / each)));
  return Buffer.concat(Array.from({ length: times }, (_, i) => request(i === times - 1)));
}

describe(`no turn of the event loop takes ${MOST_TURN_MS} ms while 32 connections send`, () => {
  it.each(ROUTES)("$name", async ({ requests }) => {
    const port = Number(new URL(registry.url).port);
    const asked = await requests(visitor).catch(() => {
      // An earlier address was where its account ends, or its keys.
      visitor = createVisitor(registry);
      return requests(visitor);
    });
    const payloads = asked.map(pipelined);
    // Code is loaded and compiled, documents are made.
    await load.run({ port, payloads, connections: payloads.length });
    const turnsMs: number[] = [];
    // A turn of the sender's making comes each time; one that a busy machine lengthens does not.
    while (turnsMs.length < MOST_TIMES && turnsMs.every((ms) => ms >= MOST_TURN_MS)) {
      const longest = watchTurns();
      const answers = await load.run({ port, payloads, connections: CONNECTIONS });
      turnsMs.push(longest());
      expect(answers.statuses, JSON.stringify(answers)).not.toHaveProperty("500");
    }
    expect(Math.min(...turnsMs), `longest turns of each time: ${turnsMs}`).toBeLessThan(MOST_TURN_MS);
  });
});
