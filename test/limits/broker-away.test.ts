/** A broker that cannot count lets nothing through: what would be charged is refused with 503. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { createAccessControl } from "../../app/front/access/access.ts";
import type { NatsBroker } from "../../src/adapters/nats/nats-broker.ts";
import { defineService } from "../../src/rpc/contract.ts";
import { openLimiter } from "../../src/rpc/limits.ts";
import { type Engine, startEngine } from "../support/engine.ts";
import { joinBroker } from "../support/gate.ts";

const trial = defineService({
  name: "trial",
  description: "costs something",
  operations: {
    costly: {
      method: "POST",
      paths: ["/costly"],
      summary: "costly",
      auth: "none",
      limits: { fetches: 2 },
      reply: z.object({ ok: z.boolean() }),
      errors: [],
      example: "/costly",
    },
  },
});

let broker: NatsBroker;
let front: Engine;
let asked = 0;
beforeAll(async () => {
  broker = await joinBroker();
  front = await startEngine([trial], {
    access: createAccessControl({}, openLimiter({ ...broker, secret: "secret", percent: 100 })),
  });
  await front.work(trial, {
    costly: async () => {
      asked += 1;
      return { ok: true };
    },
  });
});
afterAll(() => front?.stop());

describe("an operation that is charged", () => {
  it("is refused while nobody can count, and never reaches its worker", async () => {
    expect((await fetch(`${front.url}/costly`, { method: "POST" })).status).toBe(200);
    // The counters' connection is gone; the worker's stands.
    await broker.close();
    const reply = await fetch(`${front.url}/costly`, { method: "POST" });
    expect([reply.status, ((await reply.json()) as any).code]).toEqual([503, "unavailable"]);
    expect(asked).toBe(1);
  });
});
