/** A request's id and trace: taken from the caller, given back, in the worker, in problems, in logs and in the access log. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { type AccessLogEntry, openAccessLog } from "../../app/processes/access-log.ts";
import { defineService } from "../../src/rpc/contract.ts";
import { type Engine, startEngine } from "../support/engine.ts";
import { request } from "../support/raw-http.ts";

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const TRACE_ID = "4bf92f3577b34da6a3ce929d0e0e4736";
const TRACEPARENT = `00-${TRACE_ID}-00f067aa0ba902b7-01`;

const common = { auth: "none", summary: "", errors: [], example: "" } as const;
const trial = defineService({
  name: "trial",
  description: "",
  operations: {
    throws: {
      ...common,
      method: "POST",
      paths: ["/throws/{id}"],
      params: z.object({ id: z.string() }),
      body: z.object({ text: z.string() }),
      reply: z.object({}),
    },
    id: { ...common, method: "GET", paths: ["/id"], reply: z.object({ id: z.string() }) },
  },
});

let engine: Engine;
const answered: AccessLogEntry[] = [];
const lines: string[] = [];
const log = openAccessLog(100, (line) => lines.push(line))!;
beforeAll(async () => {
  engine = await startEngine([trial], {
    onAnswered: (each) => {
      answered.push(each);
      log.note(each);
    },
  });
  await engine.work(trial, {
    throws: async ({ body: { text } }) => {
      throw new Error(`cannot read ${text}`);
    },
    id: async (_, { requestId }) => ({ id: requestId }),
  });
});
afterAll(() => engine.stop());

const send = (line: string, headers: string[] = [], body = "") => request(engine.url, line, headers, body);
const json = (text: string) => [["Content-Type: application/json"], JSON.stringify({ text })] as const;

describe("a request's id", () => {
  it.each(["a", "abc-DEF_1.2", "x".repeat(64), "019c2f5e-7a1b-7c3d-8e4f-0123456789ab"])(
    "is the caller's own: %s",
    async (id) => {
      const reply = await send("GET /id", [`X-Request-Id: ${id}`]);
      expect(reply.headers["x-request-id"]).toBe(id);
      expect(JSON.parse(reply.body)).toEqual({ id });
    },
  );

  it.each(["", "a b", "x".repeat(65), "a\u00e4", "{}", "a,b"])("is a new one in place of %j", async (id) => {
    const reply = await send("GET /id", [`X-Request-Id: ${id}`]);
    expect(reply.headers["x-request-id"]).toMatch(UUID_V7);
  });

  it("stands in problems, which name it by a URI reference", async () => {
    const own = JSON.parse((await send("GET /nowhere", ["X-Request-Id: mine-1"])).body);
    expect(own).toMatchObject({ code: "unknown_path", instance: "#mine-1", request_id: "mine-1" });
    const made = JSON.parse((await send("GET /nowhere")).body);
    expect(made.instance).toBe(`urn:uuid:${made.request_id}`);
  });

  it("and its trace stand in the lines that the worker logs for it, without what the caller sent in secret", async () => {
    const [headers, body] = json("password=planted-secret and ada@shop.example");
    const sent = [
      ...headers,
      "X-Request-Id: mine-2",
      `traceparent: ${TRACEPARENT}`,
      "Authorization: Bearer planted",
    ];
    const reply = await send("POST /throws/planted-id?", sent, body);
    expect(JSON.parse(reply.body)).toMatchObject({ code: "internal", request_id: "mine-2" });
    const line = engine.logged.find((each) => each.includes("mine-2"))!;
    expect(JSON.parse(line)).toMatchObject({
      request_id: "mine-2",
      trace_id: TRACE_ID,
      msg: "operation failed",
    });
    expect(line).toContain("cannot read password=[redacted]");
    expect(engine.logged.join("")).not.toMatch(/planted|ada@/);
  });
});

describe("a request's trace", () => {
  it("is the caller's where it is one, and goes back with the reply", async () => {
    const reply = await send("GET /id", [`traceparent: ${TRACEPARENT}`]);
    expect(reply.headers.traceparent).toBe(TRACEPARENT);
  });

  it.each([
    "",
    "x",
    `00-${"0".repeat(32)}-00f067aa0ba902b7-01`,
    `00-${TRACE_ID}-${"0".repeat(16)}-01`,
    `ff-${TRACE_ID}-00f067aa0ba902b7-01`,
    TRACEPARENT.toUpperCase(),
    `${TRACEPARENT}-x`,
  ])("is a new one in place of %j", async (given) => {
    const reply = await send("GET /id", [`traceparent: ${given}`]);
    expect(reply.headers.traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
    expect(reply.headers.traceparent).not.toContain(TRACE_ID);
  });
});

describe("the access log", () => {
  it("has a line for each request: pattern and ids, and nothing else that the caller wrote", async () => {
    lines.length = 0;
    const [headers, body] = json("x");
    const ids = ["X-Request-Id: mine-3", `traceparent: ${TRACEPARENT}`];
    await send("POST /throws/planted?api_key=planted", [...headers, ...ids, "Cookie: a=planted"], body);
    await expect.poll(() => lines.length).toBe(1);
    const { ms, bytes, time, ...line } = JSON.parse(lines[0]!);
    expect(line).toEqual({
      level: 30,
      method: "POST",
      path: "/throws/:id",
      status: 400,
      principal: "none",
      problem: "unknown_parameter",
      request_id: "mine-3",
      trace_id: TRACE_ID,
      msg: "request",
    });
    expect(ms).toBeGreaterThan(0);
    expect(bytes).toBeGreaterThan(100);
    expect(Date.parse(time)).toBeGreaterThan(0);
    expect(lines[0]).not.toContain("planted");
  });

  it("notes a share of requests, all faults of the registry among them, or nothing", () => {
    const noted: string[] = [];
    const sampled = openAccessLog(1, (line) => noted.push(line))!;
    const one = answered[0]!;
    for (let i = 0; i < 2_000; i++) sampled.note({ ...one, status: 200 });
    expect(noted.length).toBeLessThan(200);
    noted.length = 0;
    for (let i = 0; i < 20; i++) sampled.note({ ...one, status: 503 });
    expect(noted).toHaveLength(20);
    expect(openAccessLog(0)).toBeUndefined();
  });
});
