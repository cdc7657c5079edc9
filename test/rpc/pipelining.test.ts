/** How much of what one connection sends is taken up at once. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { MOST_PIPELINED } from "../../app/front/queue.ts";
import { services } from "../../app/services.ts";
import { defineService } from "../../src/rpc/contract.ts";
import { type Engine, startEngine } from "../support/engine.ts";
import { sendRaw } from "../support/raw-http.ts";

const counted = defineService({
  name: "counted",
  description: "",
  operations: {
    count: {
      method: "GET",
      paths: ["/count/{n}"],
      summary: "",
      auth: "none",
      params: z.object({ n: z.string() }),
      reply: z.object({ n: z.string(), underWay: z.int() }),
      errors: [],
      example: "/count/1",
    },
  },
});

let engine: Engine;
let underWay = 0;
beforeAll(async () => {
  engine = await startEngine([counted]);
  await engine.work(counted, {
    count: async ({ params: { n } }) => {
      underWay++;
      await new Promise((resolve) => setTimeout(resolve, 2));
      return { n, underWay: underWay-- };
    },
  });
});
afterAll(() => engine?.stop());

const pipeline = (count: number): string =>
  Array.from({ length: count }, (_, n) => `GET /count/${n} HTTP/1.1\r\nHost: a\r\n\r\n`).join("");

describe("pipelined requests of one connection", () => {
  it("are answered one at a time, in their order", async () => {
    const replies = await sendRaw(engine.url, pipeline(20), { replies: 20 });
    expect(replies.map(({ body }) => JSON.parse(body))).toEqual(
      Array.from({ length: 20 }, (_, n) => ({ n: String(n), underWay: 1 })),
    );
  });

  it("are answered up to a number, with which the connection ends", async () => {
    const replies = await sendRaw(engine.url, pipeline(3_000), { untilClosed: true });
    expect(replies).toHaveLength(MOST_PIPELINED + 1);
    expect(replies.map(({ headers }) => headers.connection).indexOf("close")).toBe(MOST_PIPELINED);
  });

  it("are taken up again when a client waits between them", async () => {
    for (let i = 0; i < 3; i++) {
      const replies = await sendRaw(engine.url, pipeline(MOST_PIPELINED), { replies: MOST_PIPELINED });
      expect(replies.every(({ status }) => status === 200)).toBe(true);
    }
  });
});

describe("a constant", () => {
  it("is answered where there is no worker, whatever a monitor adds to its address", async () => {
    const front = await startEngine(services.filter(({ name }) => name === "protocol"));
    try {
      const reply = await fetch(`${front.url}/api/bridge/ping?utm_source=x&cb=${Date.now()}`);
      expect([reply.status, await reply.json()]).toMatchObject([200, { status: "ok" }]);
    } finally {
      await front.stop();
    }
  });
});

describe("an address with characters that no address has", () => {
  it("is refused with what to do", async () => {
    const [reply] = await sendRaw(
      engine.url,
      Buffer.from("GET /count/1?domain=münchen.example HTTP/1.1\r\nHost: a\r\n\r\n"),
    );
    expect([reply?.status, JSON.parse(reply!.body)]).toMatchObject([
      400,
      { code: "invalid_url", detail: expect.stringContaining("Percent-encode") },
    ]);
  });
});
