/** Each server of a cluster is replaced under load: its clients leave it before it ends. */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, inject, it, onTestFinished } from "vitest";
import { z } from "zod";
import { systemClock } from "../../../src/adapters/clock/system-clock.ts";
import { openBroker } from "../../../src/adapters/nats/broker.ts";
import type { NatsBroker } from "../../../src/adapters/nats/nats-broker.ts";
import { defineService } from "../../../src/rpc/contract.ts";
import { Failure } from "../../../src/rpc/errors.ts";
import { attemptsOf } from "../../../src/transport/attempts.ts";
import { callBytes } from "../../../src/transport/client.ts";
import { serve } from "../../../src/transport/serve.ts";
import { type Cluster, startCluster } from "../../support/cluster.ts";

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster(inject("natsBinary"));
}, 60_000);
afterAll(() => cluster?.stop());

const PREFIX = "leaving";
const join = (name: string, setUp = false): Promise<NatsBroker> =>
  openBroker({
    url: cluster.url,
    prefix: PREFIX,
    name,
    clock: systemClock,
    tls: { ca: cluster.ca },
    setUp,
    replicas: 3,
  });

const echo = defineService({
  name: "echo",
  description: "",
  operations: {
    say: {
      summary: "",
      errors: [],
      example: "",
      method: "POST",
      makes: true,
      paths: ["/say"],
      auth: "none",
      body: z.object({ nth: z.int() }),
      reply: z.object({ nth: z.int() }),
    },
  },
});
const TOOK_MS = 30;
const MOST_FAILED = 100;

it("fails no request, write or read of a client that is told to leave, and none of a worker's", async () => {
  const front = await join("front", true);
  const workers = await Promise.all([join("worker 1"), join("worker 2")]);
  onTestFinished(async () => {
    await Promise.all([front, ...workers].map((each) => each.close()));
  });
  const log = { error: () => undefined, warn: () => undefined } as never;
  const done: number[] = [];
  for (const worker of workers) {
    const say = async ({ body: { nth } }: { body: { nth: number } }) => {
      await systemClock.sleep(TOOK_MS);
      done.push(nth);
      return { nth };
    };
    serve(worker.connection, PREFIX, echo, { say }, log, worker);
    worker.connectionState.failFast();
  }
  front.connectionState.failFast();
  const attempts = attemptsOf(front.connection, PREFIX, "echo");
  const context = {
    requestId: "",
    host: "",
    clientAddress: "",
    principal: undefined,
    allowances: [],
    timeoutMs: 5_000,
  };
  const failed: string[] = [];
  const over = new AbortController();
  const fails = (what: string): void => {
    // A connection that is closed fails without end.
    if (failed.push(what) === MOST_FAILED) over.abort();
  };
  let sent = 0;
  const call = async () => {
    while (!over.signal.aborted) {
      const body = JSON.stringify({ body: { nth: ++sent } });
      const reply = await callBytes(front.connection, `${PREFIX}.op.echo.say`, body, context, { attempts });
      if (reply instanceof Failure) fails(`${reply.code}: ${reply.detail}`);
    }
  };
  let written = 0;
  const write = async () => {
    const bucket = workers[0]!.buckets.sites;
    // Another one where the test is tried again.
    const key = randomUUID();
    for (let revision = 0; !over.signal.aborted; written++) {
      try {
        const next = await bucket.compareAndSet(key, String(written), revision);
        if (next === undefined) fails(`a write over ${revision} met another`);
        else revision = next;
        if ((await bucket.get(key))?.text() !== String(written)) fails("a write is not there");
      } catch (error) {
        fails(String(error));
      }
    }
  };
  const load = [...Array.from({ length: 4 }, call), write()];
  const servers = () => [front, ...workers].map(({ connection }) => connection.info!.server_name);
  await systemClock.sleep(500);
  for (const name of cluster.names) {
    await cluster.leave(name);
    expect(servers()).not.toContain(name);
    await cluster.restart(name);
  }
  await systemClock.sleep(500);
  over.abort();
  await Promise.all(load);
  process.stdout.write(`lame duck: ${failed.length} of ${sent} calls and ${written} writes failed\n`);
  expect(failed.slice(0, 3)).toEqual([]);
  expect(new Set(done).size).toBe(sent);
  expect(done).toHaveLength(sent);
}, 90_000);
