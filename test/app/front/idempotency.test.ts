import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { createAccessControl } from "../../../app/front/access/access.ts";
import { type Idempotency, openIdempotency } from "../../../app/front/idempotency.ts";
import { readIdempotencyKey } from "../../../app/front/idempotency-key.ts";
import { services } from "../../../app/services.ts";
import type { NatsBroker } from "../../../src/adapters/nats/nats-broker.ts";
import { defineService, type Handlers } from "../../../src/rpc/contract.ts";
import { Failure, fail } from "../../../src/rpc/errors.ts";
import { openLimiter } from "../../../src/rpc/limits.ts";
import { type Engine, startEngine } from "../../support/engine.ts";
import { joinBroker } from "../../support/gate.ts";

const Thing = z.object({ name: z.string().max(200_000), how: z.string().default("done") });
const operation = { summary: "", errors: ["rate_limited", "not_found"], example: "" } as const;
const trial = defineService({
  name: "trial",
  description: "makes things",
  operations: {
    make: {
      ...operation,
      method: "POST",
      makes: true,
      made: (reply) => (reply as { secret: string }).secret !== "none",
      paths: ["/make"],
      auth: "account",
      status: 201,
      bodyLimitBytes: 256 * 1024,
      timeoutMs: 600,
      body: Thing,
      reply: z.object({ nth: z.int(), secret: z.string() }),
    },
    open: {
      ...operation,
      method: "POST",
      makes: true,
      paths: ["/open"],
      auth: "none",
      body: Thing,
      reply: z.object({ nth: z.int() }),
    },
    look: { ...operation, method: "POST", paths: ["/look"], auth: "none", body: Thing, reply: z.object({}) },
  },
});

let made = 0;
let held = Promise.withResolvers<void>();
const handlers: Handlers<typeof trial> = {
  make: async ({ body: { name, how } }) => {
    if (how === "limited") return fail("rate_limited", "Not now.");
    if (how === "nothing") return { nth: 0, secret: "none" };
    made += 1;
    if (how === "throws") throw new Error("broke off");
    if (how === "late") await new Promise((resolve) => setTimeout(resolve, 900));
    if (how === "held") await held.promise;
    return { nth: made, secret: how === "long" ? name : `secret of ${name}` };
  },
  open: async () => ({ nth: ++made }),
  look: async () => ({}),
};

let broker: NatsBroker;
let engine: Engine;
let second: Engine;
let later = 0;
/** Calls whose front dies before it stores what came of them. */
const dying = new Set<string>();
beforeAll(async () => {
  broker = await joinBroker();
  const limiter = openLimiter({ ...broker, secret: "secret", percent: 100 });
  const idempotency = openIdempotency({
    bucket: broker.buckets.idempotency,
    limiter,
    now: () => broker.now() + later,
    log: { warn: () => undefined } as never,
    secret: "of the registry",
  });
  const mortal: Idempotency = {
    begin: async (call) => {
      const begun = await idempotency.begin(call);
      return begun.kind === "claimed" && dying.delete(call.key)
        ? { kind: "claimed", claim: { ...begun.claim, settle: async () => undefined } }
        : begun;
    },
  };
  const access = createAccessControl(
    {
      account: {
        identify: async (token) => ({
          kind: "account",
          logInId: "l1",
          accountId: token.split("-")[0]!,
          tier: "free",
          generation: 0,
        }),
      },
    },
    limiter,
  );
  engine = await startEngine([trial], { access, idempotency: mortal });
  second = await startEngine([trial], { access, idempotency });
  await engine.work(trial, handlers);
  await second.work(trial, handlers);
});
afterAll(async () => {
  await engine?.stop();
  await second?.stop();
  await broker?.close();
});

interface Sent {
  how?: string;
  token?: string;
  path?: string;
  name?: string;
  at?: Engine;
}
async function send(
  key: string | undefined,
  { how, token = "ada-1", path = "/make", name = "cup", at = engine }: Sent = {},
) {
  const reply = await fetch(at.url + path, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      authorization: `Bearer ${token}`,
      ...(key !== undefined && { "idempotency-key": key }),
    },
    body: JSON.stringify(how ? { how, name } : { name }),
  });
  const body = (await reply.json()) as any;
  return { status: reply.status, body, code: body.code as string | undefined, headers: reply.headers };
}

describe("a request that is repeated with its Idempotency-Key", () => {
  it("is done once, and answered with the first reply through every front", async () => {
    const key = randomUUID();
    const first = await send(key);
    expect([first.status, first.headers.get("idempotency-replayed")]).toEqual([201, null]);
    for (const [again, at] of [
      [`"${key}"`, engine],
      [key, second],
    ] as const) {
      const { status, body, headers } = await send(again, { at });
      expect([status, body, headers.get("idempotency-replayed")]).toEqual([201, first.body, "true"]);
    }
  });

  it("is done anew with another key, for another account, at another operation, and without one", async () => {
    const key = randomUUID();
    const nths = [
      await send(key),
      await send(randomUUID()),
      await send(key, { token: "bob-1" }),
      await send(key, { path: "/open" }),
      await send(undefined),
      await send(undefined),
    ].map(({ body }) => body.nth);
    expect(new Set(nths).size).toBe(6);
  });

  it("is refused where the key stands for another request", async () => {
    const key = randomUUID();
    await send(key);
    expect(await send(key, { name: "jug" })).toMatchObject({ status: 422, code: "idempotency_conflict" });
  });

  it("waits for the first one, and never runs beside it", async () => {
    const key = randomUUID();
    const before = made;
    held = Promise.withResolvers();
    const first = send(key, { how: "held" });
    await expect.poll(() => made).toBe(before + 1);
    const meanwhile = await Promise.all([1, 2, 3, 4].map(() => send(key, { how: "held" })));
    for (const { status, code, headers } of meanwhile)
      expect([status, code, headers.get("retry-after")]).toEqual([409, "idempotency_in_progress", "1"]);
    held.resolve();
    expect((await first).status).toBe(201);
    expect([(await send(key, { how: "held" })).body, made]).toEqual([(await first).body, before + 1]);
  });

  it("of many at once is done by one", async () => {
    const key = randomUUID();
    const before = made;
    await Promise.all(Array.from({ length: 20 }, (_, i) => send(key, { at: i % 2 ? engine : second })));
    expect(made).toBe(before + 1);
  });

  it.each(["limited", "nothing"])("is done after a first one that made nothing (%s)", async (how) => {
    const key = randomUUID();
    await send(key, { how });
    expect((await send(key)).status).toBe(201);
  });

  it.each(["throws", "late"])("is not run again after one that broke off (%s)", async (how) => {
    const key = randomUUID();
    const before = made;
    expect((await send(key, { how })).status).toBeGreaterThanOrEqual(500);
    expect(await send(key, { how })).toMatchObject({ status: 409, code: "unknown_outcome" });
    expect(made).toBe(before + 1);
  });

  it("is not run again where the front died after the call: first under way, then of an unknown outcome", async () => {
    const key = randomUUID();
    dying.add(key);
    const { body } = await send(key);
    expect(await send(key)).toMatchObject({ status: 409, code: "idempotency_in_progress" });
    later = 10_000;
    const again = await send(key);
    later = 0;
    expect(again).toMatchObject({ status: 409, code: "unknown_outcome" });
    expect(made).toBe(body.nth);
  });

  it("is told that it was done where its reply was too long, or came under another credential", async () => {
    const [long, other] = [randomUUID(), randomUUID()];
    const before = made;
    // Longer than what is kept; under the limit of the body.
    const name = "x".repeat(70_000);
    for (const status of [201, 409]) expect((await send(long, { how: "long", name })).status).toBe(status);
    await send(other);
    expect(await send(other, { token: "ada-2" })).toMatchObject({ status: 409, code: "reply_not_kept" });
    expect((await send(other)).headers.get("idempotency-replayed")).toBe("true");
    expect(made).toBe(before + 2);
  });

  it("leaves nothing readable in the registry's store", async () => {
    const key = randomUUID();
    await send(key, { name: "Pandora's box" });
    const texts: string[] = [];
    for await (const name of broker.buckets.idempotency.keys()) {
      const entry = await broker.buckets.idempotency.get(name);
      texts.push(name, entry?.text() ?? "");
    }
    expect(texts.length).toBeGreaterThan(0);
    expect(texts.join()).not.toMatch(new RegExp(`Pandora|secret|${key}`));
  });

  it.each(["", "x".repeat(256), '"open', "a,b", "a b", "ä", '"a";b=c'])(
    "is refused with the key %j",
    async (key) => {
      expect(readIdempotencyKey(key)).toBeInstanceOf(Failure);
    },
  );

  it("is refused with a key that is none, and where only reads are done, keys are ignored", async () => {
    expect(await send("a,b")).toMatchObject({ status: 400, code: "invalid_idempotency_key" });
    expect((await send("a,b", { path: "/look" })).status).toBe(200);
  });
});

it("every operation that makes something by POST takes an Idempotency-Key, and no other does", () => {
  const posts = services.flatMap(({ operations }) =>
    Object.entries(operations).filter(([, { method }]) => method === "POST"),
  );
  const without = posts.filter(([, { makes }]) => !makes).map(([, { paths }]) => paths[0]);
  expect(without.toSorted()).toEqual([
    "/api/account/close",
    "/api/auth/email",
    "/api/auth/login",
    "/api/auth/passkeys/log-in",
    "/api/auth/password",
    "/api/auth/password/reset",
    "/api/bridge/screen",
    "/api/license/verify",
    "/api/notices/stop",
    "/api/registry/sites/{domain}/document",
    "/api/ring4/verify",
    "/api/v1/affiliate/scan-html",
    "/api/v1/affiliate/scan-url",
    "/api/v1/dark-pattern/audit",
    "/api/v1/dark-pattern/scan",
    "/api/v1/firewall/scan",
    "/api/v1/firewall/try",
    "/api/v1/gov/compliance-report",
    "/api/v1/keys/validate",
    "/api/v1/neural/analyze-url",
    "/api/v1/neural/classify",
    "/api/v1/neural/embeddings",
    "/api/v1/protocol/validate",
    "/ard/explore",
    "/ard/search",
  ]);
  const others = services.flatMap(({ operations }) => Object.values(operations));
  expect(others.filter(({ makes, method }) => makes && method !== "POST")).toEqual([]);
});

it("derives the seed of what is made from the registry's secret: the caller, the key and the store's records give it to nobody", async () => {
  const call = {
    key: "0123456789abcdef",
    operation: "keys.createKey",
    principal: undefined,
    credential: undefined,
    clientAddress: "192.0.2.77",
    input: { body: {} },
    resumes: true,
    timeoutMs: 1,
  };
  const seedUnder = async (secret: string, atMs: number): Promise<string> => {
    const open = openIdempotency({
      bucket: broker.buckets.idempotency,
      limiter: { refusal: async () => undefined },
      now: () => broker.now() + atMs,
      log: { warn: () => undefined } as never,
      secret,
    });
    const begun = await open.begin(call);
    if (begun.kind !== "claimed") throw new Error(begun.kind);
    return begun.claim.seed;
  };
  // The same record, asked for again after each attempt broke off.
  const first = await seedUnder("one", 0);
  expect(await seedUnder("one", 60_000)).toBe(first);
  expect(await seedUnder("another", 120_000)).not.toBe(first);
});
