import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { z } from "zod";
import {
  defineService,
  type Handlers,
  operationSubject,
  type RequestContext,
} from "../../src/rpc/contract.ts";
import { Failure, fail } from "../../src/rpc/errors.ts";
import { callBytes, callOperation } from "../../src/transport/client.ts";
import { connectTo, type Engine, startEngine } from "../support/engine.ts";
import { expectProblem } from "../support/problems.ts";
import { request } from "../support/raw-http.ts";

const number = z.object({ n: z.int().min(0).max(9).default(3) });
const common = { method: "GET", auth: "none", summary: "", errors: [], example: "" } as const;

const trial = defineService({
  name: "trial",
  description: "",
  operations: {
    echo: { ...common, paths: ["/echo"], query: number, reply: z.object({ n: z.int(), by: z.string() }) },
    context: { ...common, paths: ["/context"], timeoutMs: 700, reply: z.looseObject({}) },
    never: { ...common, paths: ["/never"], timeoutMs: 250, reply: z.object({}) },
    held: { ...common, paths: ["/held"], timeoutMs: 20_000, waitsForSites: true, reply: z.object({}) },
    throws: { ...common, paths: ["/throws"], reply: z.object({}) },
    breaks: { ...common, paths: ["/breaks"], reply: z.object({ n: z.int() }) },
    page: { ...common, paths: ["/page"], contentType: "text/html", reply: z.string().max(40) },
    refuses: {
      ...common,
      paths: ["/refuses"],
      reply: z.object({}),
      errors: ["no_enabled_site", "rate_limited"],
      query: z.object({ how: z.enum(["missing", "limited"]) }),
    },
    item: {
      ...common,
      paths: ["/item/{id}"],
      params: z.object({ id: z.string().max(5) }),
      reply: z.string(),
    },
    create: {
      ...common,
      method: "POST",
      status: 201,
      paths: ["/create"],
      body: z.object({ name: z.string().max(8), size: z.int().default(1) }),
      bodyLimitBytes: 64,
      reply: z.object({ name: z.string(), size: z.int() }),
    },
  },
});
const absent = defineService({
  name: "absent",
  description: "",
  operations: { nobody: { ...common, paths: ["/nobody"], reply: z.object({}) } },
});

const { promise: released, resolve: release } = Promise.withResolvers<void>();
let seen: RequestContext | undefined;
const handlers = (by: string): Handlers<typeof trial> => ({
  echo: async ({ query: { n } }) => ({ n, by }),
  context: async (_, context) => {
    seen = context;
    return {};
  },
  never: () => new Promise(() => undefined),
  held: async () => {
    await released;
    return {};
  },
  throws: async () => {
    throw new Error("the secret reason");
  },
  breaks: async () => ({ n: 1.5 }),
  page: async () => "<p>hello</p>",
  refuses: async ({ query: { how } }) =>
    how === "missing"
      ? fail("no_enabled_site", "Not here.", { errors: [{ pointer: "/query/how", code: "x", message: "y" }] })
      : fail("rate_limited", "Slower.", { retryAfterSeconds: 7 }),
  item: async ({ params: { id } }) => id,
  create: async ({ body }) => body,
});

describe("the contract engine", () => {
  let engine: Engine;
  const get = (path: string, headers: string[] = []) => request(engine.url, `GET ${path}`, headers);
  beforeAll(async () => {
    engine = await startEngine([trial, absent]);
    await engine.work(trial, handlers("one"));
  });
  afterAll(() => engine?.stop());

  it("fills defaults in and turns the strings of a query into what the contract says", async () => {
    expect(JSON.parse((await get("/echo")).body)).toEqual({ n: 3, by: "one" });
    expect(JSON.parse((await get("/echo?n=7")).body)).toEqual({ n: 7, by: "one" });
  });

  it("decodes path parameters and holds them to their schema", async () => {
    expect(JSON.parse((await get("/item/a%2Fb")).body)).toBe("a/b");
    expect(expectProblem(await get("/item/abcdef"), "long id").errors?.[0]?.pointer).toBe("/params/id");
  });

  it("answers with the declared status and reads a body up to its limit", async () => {
    const json = ["Content-Type: application/json"];
    const made = await request(engine.url, "POST /create", json, '{"name":"a"}');
    expect([made.status, JSON.parse(made.body)]).toEqual([201, { name: "a", size: 1 }]);
    expect(made.headers.etag).toBeUndefined();
    const at = (bytes: number) => `{"name":"a"${" ".repeat(bytes - 12)}}`;
    expect((await request(engine.url, "POST /create", json, at(64))).status).toBe(201);
    expect((await request(engine.url, "POST /create", json, at(65))).status).toBe(413);
  });

  it("serves HTML as HTML, held to its contract", async () => {
    const page = await get("/page");
    expect([page.headers["content-type"], page.body]).toEqual(["text/html; charset=utf-8", "<p>hello</p>"]);
  });

  it("says unavailable after three seconds, at once from then on, and when to come back, while no worker runs", async () => {
    const startedMs = performance.now();
    expect((await get("/nobody")).status).toBe(503);
    const againMs = performance.now();
    expect(againMs - startedMs).toBeLessThan(4_500);
    const reply = await get("/nobody");
    expect(performance.now() - againMs).toBeLessThan(2_000);
    expect([reply.status, expectProblem(reply, "nobody").code]).toEqual([503, "unavailable"]);
    expect(Number(reply.headers["retry-after"])).toBeGreaterThan(0);
  });

  it("says timeout at the deadline of the operation when the worker never answers", async () => {
    const started = performance.now();
    const reply = await get("/never");
    const tookMs = performance.now() - started;
    expect([reply.status, expectProblem(reply, "never").code]).toEqual([504, "timeout"]);
    expect(tookMs).toBeGreaterThan(240);
    expect(tookMs).toBeLessThan(2_000);
  });

  it("keeps the reason of a thrown error in the log, under the request's id", async () => {
    const reply = await get("/throws");
    expect([reply.status, expectProblem(reply, "throws").code]).toEqual([500, "internal"]);
    expect(reply.body).not.toContain("secret");
    const line = engine.logged.find((text) => text.includes("the secret reason"));
    expect(line).toContain(reply.headers["x-request-id"]);
  });

  it("sends no reply that breaks its contract", async () => {
    const reply = await get("/breaks");
    expect([reply.status, expectProblem(reply, "breaks").code]).toEqual([500, "internal"]);
    expect(reply.body).not.toContain("1.5");
  });

  it("carries failures over the wire with their code, detail, faults and retry time", async () => {
    const missing = expectProblem(await get("/refuses?how=missing"), "missing");
    expect(missing).toMatchObject({
      status: 404,
      code: "no_enabled_site",
      detail: "Not here.",
      errors: [{ pointer: "/query/how", code: "x", message: "y" }],
    });
    const limited = await get("/refuses?how=limited");
    expect([limited.status, limited.headers["retry-after"]]).toEqual([429, "7"]);
  });

  it("tells the handler the request's id, deadline, host and client", async () => {
    const reply = await get("/context", ["Host: shop.example:81"]);
    expect(seen).toEqual({
      requestId: reply.headers["x-request-id"],
      timeoutMs: expect.toSatisfy((leftMs: number) => leftMs > 0 && leftMs <= 700),
      signal: expect.any(AbortSignal),
      host: "shop.example:81",
      clientAddress: "127.0.0.1",
      principal: undefined,
      allowances: [],
    });
  });

  it("gives the typed client what a browser gets, and its failures", async () => {
    const connection = await connectTo(inject("natsUrl"));
    expect(await callOperation(connection, engine.prefix, trial, "echo", { query: { n: 5 } })).toEqual({
      n: 5,
      by: "one",
    });
    const refused = await callOperation(connection, engine.prefix, trial, "echo", { query: { n: 10 } });
    expect(refused).toBeInstanceOf(Failure);
    expect((refused as Failure).errors?.[0]?.pointer).toBe("/query/n");
    await connection.close();
  });

  it("shares the requests among the workers that there are", async () => {
    const second = await engine.work(trial, handlers("two"));
    const by = new Set<string>();
    const giveUpAt = performance.now() + 5_000;
    while (by.size < 2 && performance.now() < giveUpAt) by.add(JSON.parse((await get("/echo")).body).by);
    expect([...by].sort()).toEqual(["one", "two"]);
    await second.leave();
  });

  it.each(["", "{", "null", "[]", '{"query":[]}', '{"query":{"n":"3"}}', "\u0000"])(
    "refuses at the worker what reaches it past the front: %j",
    async (payload) => {
      const connection = await connectTo(inject("natsUrl"));
      const subject = operationSubject(engine.prefix, "trial", "echo");
      const refused = await callBytes(connection, subject, payload, {
        requestId: "x",
        timeoutMs: 1_000,
        host: "",
        clientAddress: "",
        principal: undefined,
        allowances: [],
      });
      expect((refused as Failure).code).toBe("invalid_request");
      await connection.close();
    },
  );

  it("says unavailable at once to those beyond what one worker takes at a time", async () => {
    const connection = await connectTo(inject("natsUrl"));
    const refused: unknown[] = [];
    const asked = Array.from({ length: 1_100 }, async () => {
      const reply = await callOperation(connection, engine.prefix, trial, "held", {});
      if (reply instanceof Failure) refused.push(reply.code);
    });
    const giveUpAt = performance.now() + 5_000;
    while (refused.length < 1_100 - 1_024 && performance.now() < giveUpAt)
      await new Promise((resolve) => setTimeout(resolve, 5));
    release();
    await Promise.all(asked);
    expect(refused).toEqual(Array(1_100 - 1_024).fill("unavailable"));
    await connection.close();
  });

  it("frees the place of a handler that never ends, so that its worker can drain", async () => {
    const worker = await engine.work(absent, { nobody: async () => ({}) });
    const stuck = await engine.work(trial, handlers("stuck"));
    await Promise.all(Array.from({ length: 8 }, () => get("/never")));
    await Promise.all([worker.leave(), stuck.leave()]);
    expect((await get("/echo")).status).toBe(200);
  });
});
