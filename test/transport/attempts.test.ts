/** What a front does about workers that go away or stand still. */
import type { NatsConnection } from "@nats-io/nats-core";
import { connect } from "@nats-io/transport-node";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { z } from "zod";
import { systemClock } from "../../src/adapters/clock/system-clock.ts";
import type { NatsBroker } from "../../src/adapters/nats/nats-broker.ts";
import { defineService, operationSubject } from "../../src/rpc/contract.ts";
import { Failure } from "../../src/rpc/errors.ts";
import type { RunningService } from "../../src/rpc/serving.ts";
import { attemptsOf } from "../../src/transport/attempts.ts";
import { callBytes } from "../../src/transport/client.ts";
import { serve } from "../../src/transport/serve.ts";
import { joinBroker } from "../support/gate.ts";

const operation = {
  summary: "",
  errors: [],
  example: "",
  auth: "none",
  reply: z.object({ done: z.boolean() }),
} as const;
const trial = defineService({
  name: "trial",
  description: "",
  operations: {
    read: { ...operation, method: "GET", paths: ["/read"] },
    make: { ...operation, method: "POST", makes: true, paths: ["/make"] },
  },
});
const DEADLINE_MS = 1_000;
const UNANSWERED_MS = 0.2 * DEADLINE_MS;

let front: NatsBroker;
let worker: NatsBroker;
beforeAll(async () => {
  front = await joinBroker();
  worker = await joinBroker(front.prefix);
  for (const { connectionState } of [front, worker]) connectionState.failFast();
});
afterAll(() => Promise.all([front, worker].map((broker) => broker.close())));

let made = 0;
/** What a read waits for. */
let delayed: Promise<void> | undefined;
const start = (): RunningService =>
  serve(
    worker.connection,
    front.prefix,
    trial,
    { read: async () => ({ done: (await delayed) === undefined }), make: async () => ({ done: ++made > 0 }) },
    { error: () => undefined, warn: () => undefined } as never,
  );

/** One call as a front makes it. @returns the failure's code; undefined where it was answered, and how long it took */
async function call(name: "read" | "make", timeoutMs = DEADLINE_MS) {
  const context = {
    requestId: "",
    host: "",
    clientAddress: "",
    principal: undefined,
    allowances: [],
    timeoutMs,
  };
  const startedMs = performance.now();
  const attempts = attemptsOf(front.connection, front.prefix, "trial");
  const subject = operationSubject(front.prefix, "trial", name);
  const options = { attempts, isRead: name === "read" };
  const reply = await callBytes(front.connection, subject, "{}", context, options);
  return { code: reply instanceof Failure ? reply.code : undefined, tookMs: performance.now() - startedMs };
}

/** A member of the queue group that takes requests and does nothing, as a process that was stopped looks to a broker. */
async function standStill(): Promise<{ connection: NatsConnection; taken: () => number }> {
  const { user, pass, servers } = addressOf(inject("natsUrl"));
  const connection = await connect({ servers, user, pass });
  let taken = 0;
  for (const name of ["read", "make"] as const)
    connection.subscribe(operationSubject(front.prefix, "trial", name), {
      queue: "bridge",
      callback: () => void taken++,
    });
  await connection.flush();
  return { connection, taken: () => taken };
}
function addressOf(text: string) {
  const { username, password, host } = new URL(text);
  return { servers: host, user: username, pass: password };
}

describe("a front", () => {
  it("waits for a worker of a role that has none at the moment", async () => {
    const waiting = [call("read"), call("make")];
    await systemClock.sleep(300);
    const serving = start();
    expect((await Promise.all(waiting)).map(({ code }) => code)).toEqual([undefined, undefined]);
    await serving.drain();
  });

  it("asks again for a read whose answer was lost with its connection", async () => {
    const serving = start();
    delayed = systemClock.sleep(150);
    const asked = Promise.all(Array.from({ length: 10 }, () => call("read", 4_000)));
    await systemClock.sleep(50);
    await front.connection.reconnect();
    expect((await asked).map(({ code }) => code)).toEqual(Array.from({ length: 10 }, () => undefined));
    delayed = undefined;
    await serving.drain();
  });

  it("asks a second worker for what the first leaves unanswered, and then only those that say that they are there", async () => {
    const serving = start();
    const still = await standStill();
    const first = await Promise.all(Array.from({ length: 40 }, () => call("read")));
    expect(first.map(({ code }) => code)).toEqual(first.map(() => undefined));
    const late = first.filter(({ tookMs }) => tookMs >= UNANSWERED_MS).length;
    expect(late).toBeGreaterThan(0);
    expect(still.taken()).toBeGreaterThan(0);
    expect(late).toBeGreaterThanOrEqual(still.taken());
    const taken = still.taken();
    const madeBefore = made;
    const later = await Promise.all([...Array.from({ length: 20 }, () => call("make")), call("read")]);
    expect(later.map(({ code }) => code)).toEqual(later.map(() => undefined));
    expect(made - madeBefore).toBe(20);
    expect(still.taken()).toBe(taken);
    await still.connection.close();
    await serving.drain();
  });
});
