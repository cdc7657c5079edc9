import type { NatsConnection } from "@nats-io/nats-core";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { z } from "zod";
import { defineService, operationSubject, type RequestContext, StoredReply } from "../../src/rpc/contract.ts";
import { Failure } from "../../src/rpc/errors.ts";
import { callBytes, ReplyCache } from "../../src/transport/client.ts";
import { connectTo, type Engine, startEngine } from "../support/engine.ts";
import { request } from "../support/raw-http.ts";

const shelf = defineService({
  name: "shelf",
  description: "",
  operations: {
    list: {
      method: "GET",
      auth: "none",
      summary: "",
      errors: [],
      example: "",
      paths: ["/list"],
      reply: z.object({ asked: z.string(), books: z.array(z.string()) }),
    },
  },
});

const asker = (host: string): RequestContext => ({
  requestId: "x",
  timeoutMs: 2_000,
  host,
  clientAddress: "",
  principal: undefined,
  allowances: [],
});

describe("a page that the front has already", () => {
  let engine: Engine;
  let connection: NatsConnection;
  let stored = Buffer.from('["one","two"]');
  /** Bytes of each reply that passed the broker. */
  const passed: number[] = [];
  beforeAll(async () => {
    engine = await startEngine([shelf]);
    await engine.work(shelf, {
      list: async (_, { host }) => new StoredReply({ asked: host.replace(/:\d+$/, "") }, "books", stored),
    });
    connection = await connectTo(inject("natsUrl"));
  });
  beforeEach(() => {
    stored = Buffer.from('["one","two"]');
    passed.length = 0;
  });
  afterAll(async () => {
    await connection?.close();
    await engine?.stop();
  });

  const ask = async (known: ReplyCache, host = "a.test"): Promise<string> => {
    const subject = operationSubject(engine.prefix, "shelf", "list");
    const probe: NatsConnection = Object.create(connection, {
      request: {
        value: async (...args: Parameters<NatsConnection["request"]>) => {
          const message = await connection.request(...args);
          passed.push(message.data.length);
          return message;
        },
      },
    });
    const reply = await callBytes(probe, subject, "{}", asker(host), { replyCache: known });
    if (reply instanceof Failure) throw new Error(reply.detail);
    return new TextDecoder().decode(reply.bytes);
  };

  it("comes through the broker once, then as its tag alone", async () => {
    const known = new ReplyCache(10_000);
    const pages = [await ask(known), await ask(known), await ask(known)];
    expect(new Set(pages)).toEqual(new Set(['{"asked":"a.test","books":["one","two"]}']));
    expect(passed).toEqual([pages[0]!.length, 0, 0]);
  });

  it("is the new one as soon as it changed", async () => {
    const known = new ReplyCache(10_000);
    await ask(known);
    stored = Buffer.from('["three"]');
    expect(JSON.parse(await ask(known)).books).toEqual(["three"]);
    stored = Buffer.from('["one","two"]');
    expect(JSON.parse(await ask(known)).books).toEqual(["one", "two"]);
    expect(passed.every((bytes) => bytes > 0)).toBe(true);
  });

  it("is never what another caller was answered", async () => {
    const known = new ReplyCache(10_000);
    for (const host of ["a.test", "b.test", "b.test", "a.test"])
      expect(JSON.parse(await ask(known, host)).asked).toBe(host);
    expect(passed.filter((bytes) => bytes === 0)).toHaveLength(1);
  });

  it("is let go when there is no room, and then asked for whole", async () => {
    const known = new ReplyCache(60);
    expect(await ask(known)).toBe(await ask(known));
    expect(passed.every((bytes) => bytes > 0)).toBe(true);
  });

  it("has the same bytes and entity tag over HTTP", async () => {
    const [first, second] = [await request(engine.url, "GET /list"), await request(engine.url, "GET /list")];
    expect([second.status, second.body, second.headers.etag]).toEqual([200, first.body, first.headers.etag]);
    const theirs = [`If-None-Match: ${first.headers.etag}`];
    expect((await request(engine.url, "GET /list", theirs)).status).toBe(304);
  });
});
