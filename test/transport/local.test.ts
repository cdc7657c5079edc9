/** A role that the process of its caller runs is called without the broker, and answers as any other. */
import type { NatsConnection } from "@nats-io/nats-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import type { NatsBroker } from "../../src/adapters/nats/nats-broker.ts";
import { cancelSubject, defineService, operationSubject, StoredReply } from "../../src/rpc/contract.ts";
import { Failure, fail } from "../../src/rpc/errors.ts";
import type { RunningService } from "../../src/rpc/serving.ts";
import { type CallOptions, callBytes } from "../../src/transport/client.ts";
import { MOST_LOCAL } from "../../src/transport/local.ts";
import { serve } from "../../src/transport/serve.ts";
import { joinBroker } from "../support/gate.ts";

const operation = {
  ...({ summary: "", example: "", auth: "none", method: "GET" } as const),
  errors: ["not_found"],
} as const;
const shared = z.object({ by: z.string(), text: z.string() });
const trial = defineService({
  name: "local",
  description: "",
  operations: {
    say: { ...operation, paths: ["/say"], query: z.object({ text: z.string() }), reply: shared },
    stored: { ...operation, paths: ["/stored"], reply: z.object({ n: z.int(), site: z.object({}) }) },
    refuse: { ...operation, paths: ["/refuse"], reply: shared },
    fault: { ...operation, paths: ["/fault"], reply: shared },
    wait: { ...operation, paths: ["/wait"], reply: shared },
  },
});

/** One process that is a front and a worker, and one that is a worker alone. */
let both: NatsBroker;
let other: NatsBroker;
beforeAll(async () => {
  both = await joinBroker();
  other = await joinBroker(both.prefix);
  for (const { connectionState } of [both, other]) connectionState.failFast();
});
afterAll(() => Promise.all([both, other].map((broker) => broker.close())));

const site = new TextEncoder().encode("{}");
let stopped: string[] = [];
const start = ({ connection }: NatsBroker, by: string): RunningService =>
  serve(
    connection,
    both.prefix,
    trial,
    {
      say: async ({ query }) => ({ by, text: query!.text }),
      stored: async () => new StoredReply({ n: 1 }, "site", site),
      refuse: async () => fail("not_found", "There is none.", { retryAfterSeconds: 7 }),
      fault: async () => {
        throw new Error("a bug");
      },
      wait: async (_, { signal }) => {
        await new Promise((resolve) => signal?.addEventListener("abort", resolve, { once: true }));
        stopped.push(by);
        return { by, text: "" };
      },
    },
    { error: () => undefined, warn: () => undefined, info: () => undefined } as never,
  );

async function call(
  from: NatsConnection,
  name: string,
  payload: string | Uint8Array = "{}",
  options: CallOptions = {},
  timeoutMs = 5_000,
) {
  const context = {
    requestId: "r",
    host: "",
    clientAddress: "",
    principal: undefined,
    allowances: [],
    timeoutMs,
  };
  const reply = await callBytes(
    from,
    operationSubject(both.prefix, "local", name),
    payload,
    context,
    options,
  );
  if (reply instanceof Failure) return { ...reply };
  return { tag: reply.tag, text: new TextDecoder().decode(reply.bytes) };
}
async function byOf(from: NatsConnection): Promise<string> {
  const reply = await call(from, "say", JSON.stringify({ query: { text: "" } }));
  return "text" in reply && reply.text !== undefined
    ? (JSON.parse(reply.text) as { by: string }).by
    : String(reply.code);
}

describe("a role of the caller's own process", () => {
  it("answers as over the broker: results, stored replies, failures, faults, large bytes, input that does not fit", async () => {
    const serving = start(both, "both");
    // Others ask by the broker, which knows of it then.
    await both.connection.flush();
    const text = "käse ".repeat(40_000);
    const requests: [string, (string | Uint8Array)?][] = [
      ["say", JSON.stringify({ query: { text: "hello" } })],
      ["say", new TextEncoder().encode(JSON.stringify({ query: { text } }))],
      ["say", JSON.stringify({ query: { text: 1 } })],
      ["say", "[]"],
      ["stored"],
      ["refuse"],
      ["fault"],
    ];
    for (const [name, payload] of requests) {
      const sent = both.connection.stats().outMsgs;
      const local = await call(both.connection, name, payload);
      expect(both.connection.stats().outMsgs, "messages to the broker").toBe(sent);
      expect(await call(other.connection, name, payload)).toEqual(local);
    }
    expect([...serving.stats.values()].reduce((sum, { requests: n }) => sum + n, 0)).toBe(
      2 * requests.length,
    );
    await serving.drain();
  });

  it("ends at the caller's deadline, and when the caller has gone", async () => {
    const serving = start(both, "both");
    stopped = [];
    const late = await call(both.connection, "wait", "{}", {}, 100);
    expect(late).toMatchObject({ code: "timeout" });
    const leaving = new AbortController();
    const cancelled = cancelSubject(both.prefix, "local");
    const gone = call(both.connection, "wait", "{}", { signal: leaving.signal, cancelled });
    setTimeout(() => leaving.abort(), 50);
    expect(await gone).toMatchObject({ code: "unavailable", brokeOff: true });
    while (stopped.length < 2) await new Promise((resolve) => setTimeout(resolve, 10));
    await serving.drain();
  });

  it("is called no more once it stops serving, and the next worker is", async () => {
    const serving = start(both, "both");
    const next = start(other, "other");
    await other.connection.flush();
    expect(await byOf(both.connection)).toBe("both");
    const draining = serving.drain();
    expect(await byOf(both.connection)).toBe("other");
    await draining;
    const again = start(both, "both again");
    expect(await byOf(both.connection)).toBe("both again");
    await again.drain();
    await next.drain();
    expect(await byOf(both.connection)).toBe("unavailable");
  });

  it("finishes what it was handed before it stopped", async () => {
    const serving = start(both, "both");
    const under = call(both.connection, "wait", "{}", {}, 300);
    let isDrained = false;
    const drained = serving.drain().then(() => {
      isDrained = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(isDrained).toBe(false);
    expect(await under).toMatchObject({ code: "timeout" });
    await drained;
  });

  it("leaves what is more than a few to all processes", async () => {
    const servings = [start(both, "both"), start(other, "other")];
    await other.connection.flush();
    stopped = [];
    const calls = 4 * MOST_LOCAL;
    await Promise.all(Array.from({ length: calls }, () => call(both.connection, "wait", "{}", {}, 500)));
    while (stopped.length < calls) await new Promise((resolve) => setTimeout(resolve, 10));
    const others = stopped.filter((by) => by === "other").length;
    expect(others).toBeGreaterThan(MOST_LOCAL / 2);
    expect(calls - others).toBeGreaterThanOrEqual(MOST_LOCAL);
    await Promise.all(servings.map((each) => each.drain()));
  });
});
