/** What is refused of a request's body, and when. */
import { connect } from "node:net";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { createAccessControl } from "../../app/front/access/access.ts";
import { defineService } from "../../src/rpc/contract.ts";
import { openLimiter } from "../../src/rpc/limits.ts";
import { type Engine, startEngine } from "../support/engine.ts";
import { joinBroker } from "../support/gate.ts";
import { request, sendRaw } from "../support/raw-http.ts";

const MIB = 1024 * 1024;
const pages = defineService({
  name: "pages",
  description: "",
  operations: {
    read: {
      method: "POST",
      paths: ["/read"],
      summary: "",
      auth: "none",
      limits: { fetches: 2 },
      bodyLimitBytes: MIB,
      query: z.object({ depth: z.int().default(3) }),
      body: z.object({ html: z.string(), note: z.string().default("none") }),
      reply: z.object({ length: z.int(), depth: z.int(), note: z.string() }),
      errors: [],
      example: '/read {"html":"x"}',
    },
    keep: {
      method: "POST",
      paths: ["/keep"],
      summary: "",
      auth: "none",
      bodyLimitBytes: MIB,
      body: z.object({ html: z.string() }),
      reply: z.object({}),
      errors: [],
      example: '/keep {"html":"x"}',
    },
  },
});

let engine: Engine;
let asked = 0;
beforeAll(async () => {
  const broker = await joinBroker();
  // A tenth: few calls a minute.
  const limiter = openLimiter({ ...broker, secret: "secret", percent: 10 });
  engine = await startEngine([pages], {
    access: createAccessControl({}, limiter),
    trustedProxies: ["127.0.0.1"],
  });
  await engine.work(pages, {
    read: async ({ body: { html, note }, query: { depth } }) => {
      asked++;
      return { length: html.length, note, depth };
    },
    keep: async () => ({}),
  });
});
afterAll(() => engine?.stop());

const json = "Content-Type: application/json";
const from = (address: string) => `X-Forwarded-For: ${address}`;
const post = (address: string, body: string | Uint8Array, headers: string[] = []) =>
  request(engine.url, "POST /read", [json, from(address), ...headers], body);

describe("a body", () => {
  it("of a page is read", async () => {
    const { status, body } = await post("100.64.1.1", JSON.stringify({ html: "é\n".repeat(200_000) }));
    expect([status, JSON.parse(body).length]).toEqual([200, 400_000]);
  });

  it("of a page means to its worker what a small one does", async () => {
    for (const length of [10, 300_000]) {
      const sent = ` {"html" : "\\u00e9${"x".repeat(length - 1)}"} `;
      const { status, body } = await post("100.64.1.5", sent);
      expect([status, JSON.parse(body)]).toEqual([200, { length, depth: 3, note: "none" }]);
    }
  });

  it("that is longer than its operation takes is refused with the limit", async () => {
    const { status, body } = await post("100.64.1.6", `{"html":"${"x".repeat(MIB)}"}`);
    expect([status, JSON.parse(body)]).toMatchObject([
      413,
      {
        code: "body_too_large",
        detail: "The body is longer than the 1048576 bytes that this operation takes.",
      },
    ]);
  });

  it("of more values than any operation has is refused before one of them is made", async () => {
    const names = Array.from({ length: 90_000 }, (_, i) => `"k${i}":1`).join(",");
    const { status, body } = await post("100.64.1.2", `{${names}}`);
    expect([status, JSON.parse(body)]).toMatchObject([
      400,
      { code: "invalid_json", detail: "The body cannot be read: too many values." },
    ]);
  });

  it("that is compressed is refused as what it is", async () => {
    const sent = gzipSync('{"html":"x"}');
    const { status, body } = await post("100.64.1.3", sent, ["Content-Encoding: gzip"]);
    expect([status, JSON.parse(body).code]).toEqual([415, "unsupported_media_type"]);
  });

  it("that is large is not waited for where its sender's quota is used up", async () => {
    const before = asked;
    let refused = 0;
    for (let i = 0; i < 60 && refused === 0; i++)
      if ((await post("100.64.1.4", '{"html":"x"}')).status === 429) refused++;
    expect(refused).toBe(1);
    expect(asked).toBeGreaterThan(before);
    const head = `POST /read HTTP/1.1\r\nHost: a\r\n${json}\r\n${from("100.64.1.4")}\r\nContent-Length: 500000\r\n\r\n`;
    const [reply] = await sendRaw(engine.url, head);
    expect(reply?.status).toBe(429);
    expect(reply?.headers["retry-after"]).toBeDefined();
  });

  it("to an address that is none is not waited for", async () => {
    const head = `POST /nowhere HTTP/1.1\r\nHost: a\r\n${json}\r\nContent-Length: 500000\r\n\r\n`;
    expect((await sendRaw(engine.url, head))[0]?.status).toBe(404);
  });

  it("is one too many where others of the same address are under way", async () => {
    const sent = { url: engine.url, bytes: MIB - 1, address: "100.64.2.1" };
    const open = await Promise.all(Array.from({ length: 16 }, () => announce(sent)));
    expect(open.filter(({ told }) => told !== "")).toEqual([]);
    const next = await announce(sent);
    expect(next.told).toContain(" 429 ");
    const other = await announce({ ...sent, address: "100.65.2.1" });
    expect(other.told).toBe("");
    for (const { end } of [...open, next, other]) end();
  });
});

/** Announces a body and sends none of it. @returns the status line, "" where it is waited for */
async function announce({ url, bytes, address }: { url: string; bytes: number; address: string }) {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let told = "";
  socket.on("data", (chunk) => {
    told += chunk.toString("latin1").split("\r\n", 1)[0];
  });
  socket.on("error", () => undefined);
  socket.write(
    `POST /keep HTTP/1.1\r\nHost: a\r\n${json}\r\n${from(address)}\r\nContent-Length: ${bytes}\r\n\r\n`,
  );
  await new Promise((resolve) => setTimeout(resolve, 300));
  return { told, end: () => socket.destroy() };
}
