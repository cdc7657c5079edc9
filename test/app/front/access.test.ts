import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import {
  type AccessControl,
  type Authenticators,
  createAccessControl,
} from "../../../app/front/access/access.ts";
import type { NatsBroker } from "../../../src/adapters/nats/nats-broker.ts";
import { defineService, type Handlers, type RequestContext } from "../../../src/rpc/contract.ts";
import { type Limit, openLimiter } from "../../../src/rpc/limits.ts";
import { type Engine, startEngine } from "../../support/engine.ts";
import { joinBroker } from "../../support/gate.ts";

const operation = { method: "POST", reply: z.object({ ok: z.boolean() }), errors: [] } as const;
const trial = defineService({
  name: "trial",
  description: "asks who is there",
  operations: {
    free: { ...operation, paths: ["/free"], summary: "free", auth: "key", example: "/free" },
    paid: { ...operation, paths: ["/paid"], summary: "paid", auth: "key", plan: "PRO", example: "/paid" },
    either: {
      ...operation,
      paths: ["/either"],
      summary: "either",
      auth: "key",
      authOptional: true,
      example: "/either",
    },
    open: {
      ...operation,
      paths: ["/open"],
      summary: "open",
      auth: "none",
      limits: { registrations_of_domains: 1 },
      example: "/open",
    },
    body: {
      ...operation,
      paths: ["/body"],
      summary: "body",
      auth: "key",
      body: z.object({ text: z.string() }),
      example: '/body {"text":"x"}',
    },
  },
});

const seen: RequestContext[] = [];
async function note(_: unknown, context: RequestContext) {
  seen.push(context);
  return { ok: true };
}
const handlers: Handlers<typeof trial> = { free: note, paid: note, either: note, open: note, body: note };

const limits: Limit[] = [
  { name: "minute", window: "minute", key: "t.minute", quota: 4 },
  { name: "day", window: "day", key: "t.day", quota: 1_000 },
];
const principal = (plan: "FREE" | "PRO", id: string) =>
  ({
    kind: "key",
    keyId: id,
    keyHash: id,
    usageId: id,
    plan,
    accountId: null,
    standing: "anonymous",
  }) as const;
const authenticators: Authenticators = {
  key: {
    identify: async (credential) =>
      credential === "free" || credential === "limited"
        ? principal("FREE", credential)
        : credential === "paid"
          ? principal("PRO", "paid")
          : undefined,
    limits: async ({ keyId }) => (keyId === "limited" ? limits : []),
  },
};

let broker: NatsBroker;
let fronts: Engine[];
let access: AccessControl;
beforeAll(async () => {
  broker = await joinBroker();
  access = createAccessControl(authenticators, openLimiter({ ...broker, secret: "secret", percent: 10 }));
  const options = () => ({
    access,
    corsOrigins: ["https://app.example"],
  });
  fronts = [await startEngine([trial], options()), await startEngine([trial], options())];
  for (const front of fronts) await front.work(trial, handlers);
});
afterAll(async () => {
  await Promise.all(fronts.map((front) => front.stop()));
  await broker.close();
});

async function ask(path: string, headers: Record<string, string> = {}, body?: string, front = 0) {
  const reply = await fetch(fronts[front]!.url + path, { method: "POST", headers, ...(body && { body }) });
  return { status: reply.status, headers: reply.headers, body: (await reply.json()) as any };
}
const as = (key: string) => ({ authorization: `Bearer ${key}` });

describe("access control of the front", () => {
  it("tells the worker who asks, and nothing of the credential", async () => {
    expect((await ask("/free", as("free"))).status).toBe(200);
    expect(seen.at(-1)?.principal).toEqual(principal("FREE", "free"));
    expect(JSON.stringify(seen.at(-1))).not.toMatch(/Bearer/);
  });

  it.each([
    ["no credential", {}],
    ["one that nobody has", as("nobody")],
    ["another scheme", { authorization: "Basic ZnJlZTpmcmVl" }],
    ["two that differ", { ...as("free"), "x-bridge-key": "paid" }],
    ["an endless one", as("x".repeat(10_000))],
  ])("refuses %s with 401 and the scheme that would do", async (_, headers) => {
    const { status, headers: replied, body } = await ask("/free", headers);
    expect([status, body.code, replied.get("www-authenticate")]).toEqual([
      401,
      "authentication_required",
      'Bearer realm="bridge"',
    ]);
  });

  it("lets nobody in where a credential is optional, but no wrong one", async () => {
    expect((await ask("/either")).status).toBe(200);
    expect(seen.at(-1)?.principal).toBeUndefined();
    expect((await ask("/either", as("nobody"))).status).toBe(401);
  });

  it("holds plans", async () => {
    expect((await ask("/paid", as("paid"))).status).toBe(200);
    const refused = await ask("/paid", as("free"));
    expect([refused.status, refused.body.code]).toEqual([403, "insufficient_plan"]);
  });

  it("asks who is there before it reads a body", async () => {
    const json = { "content-type": "application/json" };
    expect((await ask("/body", json, "{")).body.code).toBe("authentication_required");
    expect((await ask("/body", { ...json, ...as("free") }, "{")).body.code).toBe("invalid_json");
  });

  it("counts over all fronts, says what is left, and when there is more", async () => {
    const replies = [];
    for (let i = 0; i < 6; i++) replies.push(await ask("/free", as("limited"), undefined, i % 2));
    // A minute may end between two of them.
    const refused = replies.filter(({ status }) => status === 429);
    if (new Date().getUTCSeconds() > 2) expect(refused.length).toBe(2);
    expect(replies[0]!.headers.get("ratelimit-policy")).toBe('"minute";q=4;w=60, "day";q=1000;w=86400');
    expect(replies[0]!.headers.get("ratelimit")).toMatch(/^"minute";r=3;t=\d+, "day";r=999;t=\d+$/);
    for (const { body, headers } of refused) {
      expect(body.code).toBe("rate_limited");
      expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
    }
    // What the minute refused costs nothing of the day.
    expect(await broker.counters.read("day", "t.day")).toBe(6 - refused.length);
  });

  it("counts strangers by their network, over all fronts", async () => {
    const replies = [];
    for (let i = 0; i < 5; i++) replies.push(await ask("/open", {}, undefined, i % 2));
    const refused = replies.filter(({ status }) => status === 429);
    if (new Date().getUTCSeconds() > 2) expect(refused.length).toBe(2);
    expect(replies[0]!.headers.get("ratelimit-policy")).toBe(
      '"registrations-of-domains-network-minute";q=3;w=60, "registrations-of-domains-network-day";q=50;w=86400',
    );
    for (const { body, headers } of refused) {
      expect(body.code).toBe("rate_limited");
      expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
    }
    const from = (clientAddress: string) =>
      access.charge(undefined, {
        service: trial.name,
        name: "open",
        rows: [["registrations_of_domains", 1]],
        clientAddress,
      });
    // A network is a /16: its other addresses share what is left, and another network has its own.
    for (let i = 0; i < 3; i++) expect((await from(`198.51.${i}.1`)).ok).toBe(true);
    const another = await from("198.51.200.200");
    if (new Date().getUTCSeconds() > 2) expect(another.ok).toBe(false);
    expect((await from("203.0.113.1")).ok).toBe(true);
  });

  it("opens operations with credentials to the pages of configured origins alone", async () => {
    const from = (origin: string) => ask("/free", { ...as("free"), origin });
    expect((await from("https://app.example")).headers.get("access-control-allow-origin")).toBe(
      "https://app.example",
    );
    expect((await from("https://evil.example")).headers.get("access-control-allow-origin")).toBeNull();
    const preflight = await fetch(`${fronts[0]!.url}/free`, {
      method: "OPTIONS",
      headers: { origin: "https://evil.example", "access-control-request-method": "POST" },
    });
    expect(preflight.headers.get("access-control-allow-origin")).toBeNull();
  });
});
