/** Replies that are odd and lawful, or odd and read by every browser. */
import { brotliCompressSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { FetchOptions, FetchResult } from "../../../src/ports/http.ts";
import { fetcherFor, serveHttp, serveRaw } from "./support.ts";

const textOf = (result: FetchResult): string =>
  result.ok ? Buffer.from(result.body).toString() : `${result.failure}: ${result.detail}`;

/** What the client makes of these bytes, after which the server ends the connection. */
async function replyOf(bytes: string | Buffer, options: FetchOptions = {}): Promise<FetchResult> {
  const server = await serveRaw((socket) => void socket.end(bytes));
  return fetcherFor({ "shop.test": [server.address] }).fetch(`http://shop.test:${server.port}/`, options);
}

async function coded(coding: string | string[], body: Buffer): Promise<FetchResult> {
  const server = await serveHttp((_request, response) => {
    response.setHeader("content-encoding", coding).end(body);
  });
  return fetcherFor({ "shop.test": [server.address] }).fetch(`http://shop.test:${server.port}/`);
}

const OK = "HTTP/1.1 200 OK\r\n";
const BODY = "content-length: 2\r\n\r\nok";

describe("a reply is read", () => {
  it.each([
    ["behind a 100 Continue that was not asked for", `HTTP/1.1 100 Continue\r\n\r\n${OK}${BODY}`],
    ["behind eight interim replies", `${"HTTP/1.1 100 Continue\r\n\r\n".repeat(8)}${OK}${BODY}`],
    [
      "with interim replies of several kinds",
      `HTTP/1.1 102 P\r\n\r\nHTTP/1.1 100 C\r\nx: y\r\n\r\n${OK}${BODY}`,
    ],
    ["with a folded length", `${OK}content-length:\r\n 2\r\n\r\nok`],
    ["with lines that end in LF alone", `HTTP/1.1 200 OK\ncontent-length: 2\n\nok`],
    ["with blanks after a chunk's size", `${OK}transfer-encoding: chunked\r\n\r\n2  \r\nok\r\n0\r\n\r\n`],
  ])("%s", async (_name, bytes) => {
    expect(textOf(await replyOf(bytes))).toBe("ok");
  });

  it("with a field folded over lines, which are one value with blanks between them", async () => {
    const reply = await replyOf(`${OK}x: default-src 'self';\r\n img-src *;\r\n\t\tx\r\n${BODY}`);
    expect(reply.ok && reply.headers.x).toBe("default-src 'self'; img-src *;  x");
  });

  it("on a connection that is used again, tolerantly each time", async () => {
    const server = await serveRaw(
      (socket) => void socket.write(`HTTP/1.1 100 C\r\n\r\n${OK}x: a\r\n b\r\n${BODY}`),
    );
    const fetcher = fetcherFor({ "shop.test": [server.address] });
    for (let i = 0; i < 3; i++)
      expect(textOf(await fetcher.fetch(`http://shop.test:${server.port}/${i}`))).toBe("ok");
    expect(server.connections()).toBe(1);
  });
});

describe("a reply that breaks HTTP is told in a sentence that says what to mend", () => {
  it.each([
    ["nine interim replies", `${"HTTP/1.1 100 Continue\r\n\r\n".repeat(9)}${OK}${BODY}`, /interim/],
    ["a field name with a blank", `${OK}x-a : 1\r\n${BODY}`, /not valid HTTP\/1\.1 \(Invalid header token\)/],
    ["a control character in a value", `${OK}x: a\u0001b\r\n${BODY}`, /control character in the field x/],
    ["no HTTP", "SSH-2.0-OpenSSH_9.9\r\n", /not valid HTTP\/1\.1/],
    ["nothing", "", /closed the connection before its reply was complete/],
    ["two lengths", `${OK}content-length: 1\r\n${BODY}`, /Content-Length/],
  ])("%s", async (_name, bytes, detail) => {
    const reply = await replyOf(bytes);
    expect(reply).toMatchObject({
      ok: false,
      failure: "protocol_error",
      detail: expect.stringMatching(detail),
    });
    expect(reply).toMatchObject({ detail: expect.not.stringMatching(/undefined|UND_ERR/) });
  });
});

describe("content codings", () => {
  const gzipped = gzipSync("hello");
  it.each<[string, string | string[], Buffer]>([
    ["in a list, the last applied undone first", "br, gzip", gzipSync(brotliCompressSync("hello"))],
    ["twice the same", "gzip, gzip", gzipSync(gzipped)],
    ["on two lines", ["gzip", "gzip"], gzipSync(gzipped)],
    ["beside identity, which is none", "gzip, identity", gzipped],
    ["identity alone", "identity", Buffer.from("hello")],
    ["what is no coding, as some servers write it", "none", Buffer.from("hello")],
    ["a charset in its place", "gzip, UTF-8", gzipped],
    ["gzip without its trailer", "gzip", gzipped.subarray(0, -8)],
    ["gzip with half of its trailer", "gzip", gzipped.subarray(0, -3)],
  ])("%s", async (_name, coding, body) => {
    expect(textOf(await coded(coding, body))).toBe("hello");
  });

  it.each<[string, string, Buffer, RegExp]>([
    [
      "gzip whose checksum is wrong",
      "gzip",
      Buffer.concat([gzipped.subarray(0, -8), Buffer.alloc(8)]),
      /data check/,
    ],
    ["gzip that ends within its data", "gzip", gzipped.subarray(0, -9), /unexpected end/],
    [
      "one that was not asked for",
      "zstd",
      gzipped,
      /coding zstd, which was not asked for: send gzip, br or none/,
    ],
    ["more than three", "gzip, gzip, gzip, gzip", gzipped, /coded 4 times/],
  ])("refused: %s", async (_name, coding, body, detail) => {
    expect(await coded(coding, body)).toMatchObject({
      failure: "protocol_error",
      detail: expect.stringMatching(detail),
    });
  });
});

describe("redirects", () => {
  it.each([
    ["UTF-8", Buffer.from("/größe?q=ü"), "/gr%C3%B6%C3%9Fe?q=%C3%BC"],
    ["other bytes, one by one", Buffer.from("/gr\xf6\xdfe", "latin1"), "/gr%F6%DFe"],
    ["a blank", Buffer.from("/a b"), "/a%20b"],
  ])("in %s are followed as browsers do", async (_name, location, asked) => {
    const server = await serveRaw((socket, head) => {
      const path = head.split(" ")[1] ?? "";
      if (path !== "/") socket.end(`${OK}content-length: ${path.length}\r\n\r\n${path}`);
      else
        socket.end(
          Buffer.concat([
            Buffer.from("HTTP/1.1 302 Found\r\nlocation: "),
            location,
            Buffer.from("\r\ncontent-length: 0\r\n\r\n"),
          ]),
        );
    });
    const fetcher = fetcherFor({ "shop.test": [server.address] });
    expect(textOf(await fetcher.fetch(`http://shop.test:${server.port}/`, { maxRedirects: 1 }))).toBe(asked);
  });
});

describe("a reply whose status alone is wanted stands", () => {
  it.each([
    ["though its body cannot be decoded", `${OK}content-encoding: gzip\r\n${BODY}`],
    ["though its coding was not asked for", `${OK}content-encoding: zstd\r\n${BODY}`],
    ["though its body ends early", `${OK}content-length: 10\r\n\r\nok`],
    ["though its body is too long", `${OK}content-length: 3000\r\n\r\n${"x".repeat(3_000)}`],
    ["though a chunk is broken", `${OK}transfer-encoding: chunked\r\n\r\nzz\r\n`],
  ])("%s", async (_name, bytes) => {
    const reply = await replyOf(bytes, { statusOnly: true, maxBodyBytes: 1_000 });
    expect(reply).toMatchObject({ ok: true, status: 200, body: new Uint8Array(0) });
  });

  it("though its body never ends", async () => {
    const server = await serveRaw((socket) => void socket.write(`${OK}content-length: 9\r\n\r\nx`));
    const fetcher = fetcherFor({ "shop.test": [server.address] });
    const options = { statusOnly: true, timeoutMs: 200 };
    expect(await fetcher.fetch(`http://shop.test:${server.port}/`, options)).toMatchObject({
      ok: true,
      status: 200,
    });
  });

  it("but not without a status", async () => {
    expect(await replyOf("", { statusOnly: true })).toMatchObject({ ok: false, failure: "protocol_error" });
  });
});
