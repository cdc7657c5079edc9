/** What a front and its workers do with more than they can answer: real work for a processor, one piece at a time. */
import { pbkdf2 } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { headers as natsHeaders } from "@nats-io/nats-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { z } from "zod";
import type { AccessLogEntry } from "../../app/processes/access-log.ts";
import { KeyedMutex } from "../../src/concurrency/keyed-mutex.ts";
import { defineService, operationSubject, WIRE } from "../../src/rpc/contract.ts";
import { fail } from "../../src/rpc/errors.ts";
import { beat, newPulse, readPulse } from "../../src/threads/watchdog.ts";
import { connectTo, type Engine, startEngine, type TestWorker } from "../support/engine.ts";
import { expectProblem } from "../support/problems.ts";
import { request } from "../support/raw-http.ts";

const common = { method: "GET", auth: "none", summary: "", errors: [], example: "" } as const;
const reply = z.object({ n: z.int() });
const query = z.object({ n: z.int().default(0) });
const rounds = z.object({ rounds: z.int().default(16_000) });
const work = defineService({
  name: "work",
  description: "",
  operations: {
    hash: { ...common, paths: ["/hash"], query: rounds, timeoutMs: 2_000, reply },
    turn: { ...common, paths: ["/turn"], query: rounds, timeoutMs: 10_000, reply },
    page: { ...common, paths: ["/page"], query, reply, staleIfErrorSeconds: 60 },
    list: {
      ...common,
      paths: ["/list", "/list/{of}"],
      params: z.object({ of: z.string().optional() }),
      query: query.extend(rounds.shape),
      timeoutMs: 2_000,
      staleIfErrorSeconds: 60,
      reply,
    },
    own: { ...common, paths: ["/own"], query, reply },
    share: { ...common, paths: ["/share"], errors: ["unavailable"], reply },
    read: { ...common, paths: ["/read"], timeoutMs: 400, reply },
    make: { ...common, method: "POST", makes: true, paths: ["/make"], timeoutMs: 400, reply },
  },
});

/** Some milliseconds of one processor. */
const hash = promisify(pbkdf2);
const oneAtATime = new KeyedMutex();
const spend = (rounds: number) => oneAtATime.run("", () => hash("word", "salt", rounds, 32, "sha256"));
const heard: string[] = [];
/** Calls of `share` under way, and how many may be. */
const held: (() => void)[] = [];
const SHARE = 2;
async function until(isSo: () => boolean): Promise<void> {
  const giveUpAt = performance.now() + 5_000;
  while (!isSo() && performance.now() < giveUpAt) await sleep(5);
}

describe("more than can be answered", () => {
  let engine: Engine;
  let worker: TestWorker;
  let begun = 0;
  const answered: AccessLogEntry[] = [];
  const get = (path: string, from = "100.64.0.1") =>
    request(engine.url, `GET ${path}`, [`X-Forwarded-For: ${from}`]);
  const start = () =>
    engine.work(work, {
      hash: async ({ query: { rounds } }) => {
        begun++;
        await spend(rounds);
        return { n: 1 };
      },
      turn: async ({ query: { rounds } }) => {
        await spend(rounds);
        return { n: 1 };
      },
      page: async ({ query: { n } }) => ({ n }),
      list: async ({ query: { n, rounds } }) => {
        await spend(rounds);
        return { n };
      },
      own: async ({ query: { n } }) => ({ n }),
      share: async (_, { clientAddress }) => {
        heard.push(`share of ${clientAddress}`);
        const most = { retryAfterSeconds: 2, callerOverloaded: true };
        if (held.length === SHARE) return fail("unavailable", "Too much of yours waits.", most);
        await new Promise<void>((resolve) => held.push(resolve));
        return { n: 1 };
      },
      read: async (_, { signal }) => {
        await sleep(10_000, undefined, { signal }).catch(() => heard.push("read was stopped"));
        return { n: 1 };
      },
      make: async (_, { signal }) => {
        heard.push(signal === undefined ? "make ends what it began" : "make may be stopped");
        return { n: 1 };
      },
    });
  beforeAll(async () => {
    engine = await startEngine([work], {
      trustedProxies: ["127.0.0.1"],
      onAnswered: (one) => void answered.push(one),
    });
    worker = await start();
  });
  afterAll(() => engine?.stop());

  it("is refused, with the time to come back, while what is admitted is answered within its deadline", async () => {
    const flood = await Promise.all(
      Array.from({ length: 300 }, (_, i) => get("/hash?rounds=64000", `100.${80 + (i % 8)}.0.1`)),
    );
    const statuses = new Set(flood.map(({ status }) => status));
    expect(statuses).toEqual(new Set([200, 503]));
    for (const refused of flood.filter(({ status }) => status === 503)) {
      expect(expectProblem(refused, "refused").code).toBe("unavailable");
      expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
    }
  });

  it("of one caller is refused where it comes in, once the worker refused more of this caller's; others come through", async () => {
    const [flooder, neighbor] = ["100.70.0.1", "100.70.0.2"];
    let refused = 0;
    const first = Array.from({ length: 10 }, async () => {
      const answer = await get("/share", flooder);
      if (answer.status === 503) refused++;
      return answer;
    });
    // By the worker, or by the front, if a refusal came back before the last was sent.
    await until(() => refused === 10 - SHARE);
    await get("/share", flooder);
    heard.length = 0;
    const later = await Promise.all(Array.from({ length: 10 }, () => get("/share", flooder)));
    expect(later.map(({ status }) => status)).toEqual(Array(10).fill(503));
    for (const each of later) {
      expect(expectProblem(each, "refused").detail).toContain("Too much of yours");
      expect(each.headers["retry-after"]).toBe("2");
    }
    await get("/share", neighbor);
    expect(heard).toEqual([`share of ${neighbor}`]);
    heard.length = 0;
    for (const answer of held.splice(0)) answer();
    const statuses = (await Promise.all(first)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(SHARE);
  });

  /** Keeps the queue of one operation full for as long as `work` takes. */
  const whileFlooded = async <T>(path: (i: number) => string, work: () => Promise<T>): Promise<T> => {
    const flood = Array.from({ length: 300 }, (_, i) => get(path(i), `100.${80 + (i % 8)}.0.1`));
    await until(() => answered.some(({ status }) => status === 503));
    const result = await work();
    await Promise.all(flood);
    return result;
  };

  it.each([
    ["without parameters, before it is routed", "/list"],
    ["with parameters, before it is read", "/list/tea"],
  ])("is refused at a path %s: under its own id, counted, with every usual header field", async (_, path) => {
    answered.length = 0;
    const replies = await Promise.all(
      Array.from({ length: 300 }, (_, i) =>
        request(engine.url, `GET ${path}?rounds=64000&n=${1_000 + i}`, [
          `X-Forwarded-For: 100.${80 + (i % 8)}.0.1`,
          `X-Request-Id: mine.${i}`,
        ]),
      ),
    );
    // Of those that came when the queue was full.
    const refused = replies.findLast(({ status }) => status === 503)!;
    const id = refused.headers["x-request-id"]!;
    expect(id).toMatch(/^mine\.\d+$/);
    expect(JSON.parse(refused.body)).toMatchObject({
      type: "/docs#error-unavailable",
      status: 503,
      code: "unavailable",
      request_id: id,
      instance: `#${id}`,
    });
    expect(refused.headers["content-type"]).toBe("application/problem+json");
    const usual = await get("/page?n=1");
    for (const name of Object.keys(usual.headers).filter((name) => name !== "etag"))
      expect(refused.headers, name).toHaveProperty(name);
    expect(answered.filter(({ status }) => status === 503)).toHaveLength(
      replies.filter(({ status }) => status === 503).length,
    );
    expect(answered.find(({ requestId }) => requestId === id)).toMatchObject({
      method: "GET",
      path: path === "/list" ? "/list" : "/list/:of",
      problem: "unavailable",
      principal: "none",
      bytes: Buffer.byteLength(refused.body),
    });
  });

  it("is answered by an earlier reply where there is one, also when all others are refused", async () => {
    const known = "/list?rounds=1000&n=7";
    expect((await get(known)).status).toBe(200);
    answered.length = 0;
    const again = await whileFlooded(
      (i) => `/list?rounds=64000&n=${3_000 + i}`,
      () => Promise.all(Array.from({ length: 20 }, () => get(known, "100.80.0.1"))),
    );
    expect(new Set(again.map(({ status }) => status))).toEqual(new Set([200]));
    expect(again.filter(({ headers }) => headers["cache-status"] !== undefined).length).toBeGreaterThan(0);
  });

  it("is no hang to the watchdog, however much of it comes in one turn: whatever is taken up beats", async () => {
    const pulse = newPulse();
    beat(pulse);
    const before = readPulse(pulse).beats;
    await Promise.all(Array.from({ length: 50 }, (_, i) => get(`/page?n=${100 + i}`)));
    // The connection, the request and the worker's message of each.
    expect(readPulse(pulse).beats - before).toBeGreaterThanOrEqual(150);
  });

  it("of one network leaves another its share", async () => {
    // Of a deadline that a busy machine keeps: they are answered before most of what came first.
    let done = 0;
    const flood = Array.from({ length: 150 }, async () => {
      await get("/turn?rounds=16000", "100.64.0.1");
      done++;
    });
    await sleep(50);
    const others = await Promise.all(
      ["100.70.0.1", "100.71.0.1"].map((from) => get("/turn?rounds=16000", from)),
    );
    expect(done).toBeLessThan(flood.length / 2);
    expect(others.map(({ status }) => status)).toEqual([200, 200]);
    await Promise.all(flood);
  });

  it("that came too late is not begun", async () => {
    const connection = await connectTo(inject("natsUrl"));
    const before = begun;
    const clock = { now: () => 10_000, clockErrorMs: () => 1 };
    const late = await engine.work(work, { hash: async () => ({ n: ++begun }) } as never, clock);
    await worker.leave();
    const ask = (sentAt: number) => {
      const headers = natsHeaders();
      headers.set(WIRE.sentAt, String(sentAt));
      return connection.request(operationSubject(engine.prefix, "work", "hash"), "{}", {
        headers,
        timeout: 2_000,
      });
    };
    expect((await ask(-500)).headers?.get(WIRE.error)).toBe("unavailable");
    expect(begun).toBe(before);
    expect((await ask(9_500)).headers?.get(WIRE.error)).toBeUndefined();
    expect(begun).toBe(before + 1);
    worker = await start();
    await late.leave();
    await connection.close();
  });

  it("is stopped at its deadline, and when its caller has gone away; what makes something is not", async () => {
    expect((await get("/read")).status).toBe(504);
    // Of a read that stays unanswered a second worker is asked too, which here is the same.
    await until(() => heard.includes("read was stopped"));
    await sleep(100);
    heard.length = 0;
    const leaving = new AbortController();
    const gone = fetch(`${engine.url}/read`, { signal: leaving.signal }).catch(() => "gone");
    await sleep(50);
    const left = performance.now();
    leaving.abort();
    expect(await gone).toBe("gone");
    await until(() => heard.length === 1);
    expect(performance.now() - left).toBeLessThan(300);
    await request(engine.url, "POST /make");
    expect(heard).toEqual(["read was stopped", "make ends what it began"]);
  });

  it("gets an earlier reply, marked so, where that is the same for everybody", async () => {
    for (const path of ["/page?n=1", "/own?n=1"]) expect((await get(path)).status).toBe(200);
    await worker.leave();
    const stale = await get("/page?n=1");
    expect([stale.status, JSON.parse(stale.body)]).toEqual([200, { n: 1 }]);
    expect(Number(stale.headers.age)).toBeGreaterThanOrEqual(0);
    expect(stale.headers["cache-status"]).toMatch(/^bridge; hit; ttl=-\d+; detail=stale-if-error$/);
    expect(stale.headers["cache-control"]).toBe("no-cache");
    expect((await get("/page?n=2")).status).toBe(503);
    expect((await get("/own?n=1")).status).toBe(503);
    worker = await start();
    const fresh = await get("/page?n=1");
    expect([fresh.status, fresh.headers.age]).toEqual([200, undefined]);
  });
});
