import { METHODS } from "node:http";
import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { defineService, type Handlers } from "../../src/rpc/contract.ts";
import { type Engine, startEngine } from "../support/engine.ts";
import { expectProblem, expectRefused } from "../support/problems.ts";
import { parseReplies, request, sendRaw } from "../support/raw-http.ts";

const small = defineService({
  name: "small",
  description: "",
  operations: {
    get: {
      method: "GET",
      paths: ["/get"],
      summary: "",
      auth: "none",
      query: z.object({ ms: z.int().min(0).max(1_000).default(0) }),
      reply: z.object({ ms: z.int() }),
      errors: [],
      example: "",
    },
    named: {
      method: "GET",
      paths: ["/named/{name}", "/all/{rest}"],
      summary: "",
      auth: "none",
      params: z.object({ name: z.string().optional(), rest: z.string().optional() }),
      reply: z.object({}),
      errors: [],
      example: "",
    },
    post: {
      method: "POST",
      paths: ["/post"],
      summary: "",
      auth: "none",
      body: z.object({ a: z.int() }),
      reply: z.object({ a: z.int() }),
      errors: [],
      example: "",
    },
  },
});

const handlers: Handlers<typeof small> = {
  get: async ({ query: { ms } }) => {
    await new Promise((resolve) => setTimeout(resolve, ms));
    return { ms };
  },
  named: async () => ({}),
  post: async ({ body }) => body,
};

const REQUEST_TIMEOUT_MS = 300;
let engine: Engine;
beforeAll(async () => {
  engine = await startEngine([small], { requestTimeoutMs: REQUEST_TIMEOUT_MS });
  await engine.work(small, handlers);
});
afterAll(() => engine?.stop());

describe("bytes that are no HTTP", () => {
  const HOST = "Host: a.example\r\n";
  const cases: [what: string, bytes: string, status: number, code: string][] = [
    ["noise", "\u0000\u0001\u0002\u0003\r\n\r\n", 400, "invalid_request"],
    [
      "a TLS greeting",
      "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003",
      400,
      "invalid_request",
    ],
    ["a method that is none", `BREW /get HTTP/1.1\r\n${HOST}\r\n`, 400, "invalid_request"],
    ["a version that is none", `GET /get HTTP/9.9\r\n${HOST}\r\n`, 400, "invalid_request"],
    ["HTTP/2 without an upgrade", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400, "invalid_request"],
    ["a blank in the target", `GET /get get HTTP/1.1\r\n${HOST}\r\n`, 400, "invalid_request"],
    ["a field without a colon", `GET /get HTTP/1.1\r\n${HOST}nonsense\r\n\r\n`, 400, "invalid_request"],
    ["a NUL in a field", `GET /get HTTP/1.1\r\n${HOST}X-A: a\u0000b\r\n\r\n`, 400, "invalid_request"],
    ["a bare line feed in a field", `GET /get HTTP/1.1\r\n${HOST}X-A: a\nb\r\n\r\n`, 400, "invalid_request"],
    [
      "a length beside chunks",
      `POST /post HTTP/1.1\r\n${HOST}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      400,
      "invalid_request",
    ],
    [
      "two lengths",
      `POST /post HTTP/1.1\r\n${HOST}Content-Length: 5\r\nContent-Length: 6\r\n\r\n`,
      400,
      "invalid_request",
    ],
    ["a negative length", `POST /post HTTP/1.1\r\n${HOST}Content-Length: -1\r\n\r\n`, 400, "invalid_request"],
    [
      "a chunk size that is none",
      `POST /post HTTP/1.1\r\n${HOST}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`,
      400,
      "invalid_request",
    ],
    [
      "a header of 70,000 bytes",
      `GET /get HTTP/1.1\r\n${HOST}X-A: ${"a".repeat(70_000)}\r\n\r\n`,
      431,
      "headers_too_large",
    ],
    [
      "a target of 70,000 bytes",
      `GET /get?q=${"a".repeat(70_000)} HTTP/1.1\r\n${HOST}\r\n`,
      431,
      "headers_too_large",
    ],
    [
      "a tunnel",
      "CONNECT shop.example:443 HTTP/1.1\r\nHost: shop.example:443\r\n\r\n",
      405,
      "method_not_allowed",
    ],
  ];
  it.each(cases)("are refused with a problem document: %s", async (what, bytes, status, code) => {
    const [reply] = await sendRaw(engine.url, bytes, { untilClosed: true });
    expect([reply?.status, expectProblem(reply!, what).code]).toEqual([status, code]);
    expect(reply!.headers.connection).toBe("close");
  });

  it("are refused after the requests before them on the connection are answered, in order", async () => {
    const get = (ms: number) => `GET /get?ms=${ms} HTTP/1.1\r\nHost: a.example\r\n\r\n`;
    const replies = await sendRaw(engine.url, `${get(80)}${get(0)}\u0001garbage\r\n\r\n`, {
      untilClosed: true,
    });
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 400]);
    expect(replies.slice(0, 2).map(({ body }) => body)).toEqual(['{"ms":80}', '{"ms":0}']);
    expectProblem(replies[2]!, "garbage");
  });

  it("do not keep a connection open that the client never closes", async () => {
    const other = await startEngine([small]);
    let open = 0;
    other.app.server.on("connection", (taken: Socket) => {
      open++;
      taken.once("close", () => open--);
    });
    const { hostname, port } = new URL(other.url);
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    socket.on("error", () => undefined);
    socket.write("\u0001\r\n\r\n");
    await new Promise((resolve) => socket.once("data", resolve));
    expect(open).toBe(1);
    await expect.poll(() => open, { timeout: 5_000 }).toBe(0);
    socket.destroy();
    await other.stop();
  });
});

describe("a request that comes slowly", () => {
  const slowly = async (start: string, drip: string): Promise<{ status: number; tookMs: number }> => {
    const { hostname, port } = new URL(engine.url);
    const startedMs = performance.now();
    return new Promise((resolve, reject) => {
      let received = Buffer.alloc(0);
      const socket = connect(Number(port), hostname, () => socket.write(start));
      const timer = setInterval(() => socket.write(drip), 20);
      socket.on("data", (chunk) => {
        received = Buffer.concat([received, chunk]);
      });
      socket.on("error", () => undefined);
      socket.on("close", () => {
        clearInterval(timer);
        const [reply] = parseReplies(received);
        if (reply) {
          expectProblem(reply, "slow");
          resolve({ status: reply.status, tookMs: performance.now() - startedMs });
        } else reject(new Error("closed without a reply"));
      });
    });
  };

  it.each([
    ["its header fields", "GET /get HTTP/1.1\r\nHost: a.example\r\n", "X-A: b\r\n"],
    [
      "its body",
      "POST /post HTTP/1.1\r\nHost: a.example\r\nContent-Type: application/json\r\nContent-Length: 9000\r\n\r\n",
      " ",
    ],
    ["its request line", "GET /get?q=", "a"],
  ])("is ended with 408 at the time limit: %s", async (_, start, drip) => {
    const { status, tookMs } = await slowly(start, drip);
    expect(status).toBe(408);
    expect(tookMs).toBeLessThan(REQUEST_TIMEOUT_MS * 10);
  });
});

describe("the Host field", () => {
  it.each([
    ["none", "GET /get HTTP/1.1\r\n\r\n"],
    ["two", "GET /get HTTP/1.1\r\nHost: a.example\r\nHost: a.example\r\n\r\n"],
    ["an empty one", "GET /get HTTP/1.1\r\nHost: \r\n\r\n"],
    ["credentials in it", "GET /get HTTP/1.1\r\nHost: user@a.example\r\n\r\n"],
    ["a path in it", "GET /get HTTP/1.1\r\nHost: a.example/b\r\n\r\n"],
    ["a blank in it", "GET /get HTTP/1.1\r\nHost: a.example b.example\r\n\r\n"],
    ["a list in it", "GET /get HTTP/1.1\r\nHost: a.example, b.example\r\n\r\n"],
    ["letters beyond ASCII", "GET /get HTTP/1.1\r\nHost: b\u00fccher.example\r\n\r\n"],
    ["a control character", "GET /get HTTP/1.1\r\nHost: a\u0001.example\r\n\r\n"],
    ["300 characters", `GET /get HTTP/1.1\r\nHost: ${"a".repeat(300)}\r\n\r\n`],
    ["a port that is none", "GET /get HTTP/1.1\r\nHost: a.example:http\r\n\r\n"],
    ["half an IP literal", "GET /get HTTP/1.1\r\nHost: [::1\r\n\r\n"],
  ])("is refused: %s", async (what, bytes) => {
    const [reply] = await sendRaw(engine.url, bytes);
    expect([reply?.status, expectProblem(reply!, what).code]).toEqual([400, "invalid_request"]);
  });

  it.each(["a.example", "A.example:8080", "a.example.", "127.0.0.1", "[::1]:80", "localhost", "a_b.example"])(
    "may be %s",
    async (host) => {
      expect((await request(engine.url, "GET /get", [`Host: ${host}`])).status).toBe(200);
    },
  );

  it("may be missing in HTTP/1.0", async () => {
    const [reply] = await sendRaw(engine.url, "GET /get HTTP/1.0\r\n\r\n", { untilClosed: true });
    expect(reply?.status).toBe(200);
  });
});

describe("the request target", () => {
  it.each([
    ["/get?ms=%zz", 400, "invalid_url"],
    ["/get?ms=1&x=%", 400, "invalid_url"],
    ["/get?x=%ff", 400, "invalid_url"],
    ["/get?x=%c0%80", 400, "invalid_url"],
    ["/get?x=%ed%a0%80", 400, "invalid_url"],
    ["/%zz", 400, "invalid_url"],
    ["/nowhere", 404, "unknown_path"],
    ["/get/", 404, "unknown_path"],
    ["/GET", 404, "unknown_path"],
    ["/get%00", 404, "unknown_path"],
    ["//get", 404, "unknown_path"],
    ["/../get", 404, "unknown_path"],
    [`/${"a/".repeat(5_000)}`, 404, "unknown_path"],
  ])("%.30s is refused", async (target, status, code) => {
    const reply = await request(engine.url, `GET ${target}`);
    expect([reply.status, expectProblem(reply, target).code]).toEqual([status, code]);
  });

  it("may be absolute (RFC 9112 section 3.2.2)", async () => {
    expect((await request(engine.url, "GET http://a.example/get")).status).toBe(200);
  });
});

describe("the body", () => {
  const post = (body: string | Uint8Array, type = "application/json", more: string[] = []) =>
    request(engine.url, "POST /post", [...(type ? [`Content-Type: ${type}`] : []), ...more], body);

  it.each(["application/json", "application/json; charset=utf-8", "Application/JSON"])(
    "is read as %s",
    async (type) => {
      expect((await post('{"a":1}', type)).status).toBe(200);
    },
  );

  it.each([
    "text/plain",
    "text/json",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "nonsense",
    "",
  ])("is not read as %s", async (type) => {
    const reply = await post('{"a":1}', type);
    expect([reply.status, expectProblem(reply, type).code]).toEqual([415, "unsupported_media_type"]);
  });

  it.each([
    ["nothing", ""],
    ["half a text", '{"a":'],
    ["two texts", '{"a":1}{"a":1}'],
    ["a comment", '{"a":1/**/}'],
    ["a name twice", '{"a":1,"a":2}'],
    ["a prototype", '{"a":1,"__proto__":{"b":1}}'],
    ["a lone surrogate", '{"a":1,"b":"\\ud800"}'],
    ["a byte order mark", '\ufeff{"a":1}'],
    ["depth", `{"a":1,"b":${"[".repeat(2_000)}${"]".repeat(2_000)}}`],
    ["a number that doubles do not hold", '{"a":1,"b":9007199254740993}'],
  ])("has to be JSON of one meaning: not %s", async (what, body) => {
    const reply = await post(body, "application/json", body === "" ? ["Content-Length: 0"] : []);
    expect([reply.status, expectProblem(reply, what).code]).toEqual([400, "invalid_json"]);
  });

  it("has to be UTF-8", async () => {
    const reply = await post(Buffer.from('{"a":1,"b":"\xff"}', "latin1"));
    expect([reply.status, expectProblem(reply, "latin1").code]).toEqual([400, "invalid_json"]);
  });

  it.each(["[]", "null", '"a"', "1", "true", '["a"]', "{}"])(
    "has to be the object that is asked for: not %s",
    async (body) => {
      expect(expectProblem(await post(body), body).code).toBe("invalid_request");
    },
  );

  it("has to be there", async () => {
    const reply = await request(engine.url, "POST /post");
    expect([reply.status, expectProblem(reply, "none").errors?.[0]?.pointer]).toEqual([400, "/body"]);
  });

  it.each([64 * 1024 + 1, 10_000_000])("of %d bytes is refused before it is read", async (bytes) => {
    const reply = await post(Buffer.alloc(bytes, " "));
    expect([reply.status, expectProblem(reply, "large").code]).toEqual([413, "body_too_large"]);
  });

  it("of chunks without end is refused at the limit", async () => {
    const head =
      "POST /post HTTP/1.1\r\nHost: a.example\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
    const chunk = `1000\r\n${" ".repeat(4_096)}\r\n`;
    const [reply] = await sendRaw(engine.url, head + chunk.repeat(100));
    expect([reply?.status, expectProblem(reply!, "chunks").code]).toEqual([413, "body_too_large"]);
  });
});

describe("the method", () => {
  it.each(["POST", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND", "QUERY"])(
    "%s is refused where GET is served",
    async (method) => {
      const reply = await request(engine.url, `${method} /get`, ["Content-Type: application/json"], "{}");
      expect([reply.status, expectProblem(reply, method).code]).toEqual([405, "method_not_allowed"]);
      expect(reply.headers.allow).toBe("GET, HEAD, OPTIONS");
    },
  );

  it.each(METHODS.filter((method) => !["CONNECT", "GET", "HEAD", "OPTIONS"].includes(method)))(
    "%s is refused at every address that a path's names give, before its body is read",
    async (method) => {
      for (const path of ["/named/a%20b?x=1", "/all/a/b", "/all/"]) {
        const reply = await request(engine.url, `${method} ${path}`, ["Content-Type: text/odd"], "{");
        expect([reply.status, reply.headers.allow], path).toEqual([405, "GET, HEAD, OPTIONS"]);
      }
    },
  );

  it.each(["GET", "HEAD", "PUT"])("%s is refused where POST is served", async (method) => {
    const reply = await request(engine.url, `${method} /post`);
    expect([reply.status, reply.headers.allow]).toEqual([405, "POST, OPTIONS"]);
  });

  it.each(["GET", "PUT", "OPTIONS", "PROPFIND"])("%s at an unknown address is 404", async (method) => {
    for (const path of ["/nowhere", "/named/a/b"])
      expectRefused(await request(engine.url, `${method} ${path}`, ["Origin: https://b.example"]), method);
  });

  it("HEAD gives the header fields of GET and no body", async () => {
    const [head, get] = [await request(engine.url, "HEAD /get"), await request(engine.url, "GET /get")];
    expect([head.status, head.body]).toEqual([200, ""]);
    for (const name of ["content-type", "content-length", "etag"])
      expect(head.headers[name]).toBe(get.headers[name]);
  });

  it("an expectation that is not known changes nothing", async () => {
    expect((await request(engine.url, "GET /get", ["Expect: miracles"])).status).toBe(200);
    const asked = ["Expect: 100-continue", "Content-Type: application/json"];
    expect((await request(engine.url, "POST /post", asked, '{"a":2}')).body).toBe('{"a":2}');
  });
});

describe("header fields that steer some servers", () => {
  it.each([
    "Accept-Version: 9",
    "X-HTTP-Method-Override: DELETE",
    "X-Forwarded-Host: evil.example",
    "Accept: text/xml",
  ])("change nothing: %s", async (field) => {
    expect((await request(engine.url, "GET /get", [field])).body).toBe('{"ms":0}');
  });
});

describe("a browser on another site", () => {
  it("is allowed what the path serves", async () => {
    const reply = await request(engine.url, "OPTIONS /post", [
      "Origin: https://b.example",
      "Access-Control-Request-Method: POST",
      "Access-Control-Request-Headers: content-type",
    ]);
    expect(reply.status).toBe(204);
    expect(reply.headers["access-control-allow-origin"]).toBe("*");
    expect(reply.headers["access-control-allow-methods"]).toBe("POST, OPTIONS");
    expect(reply.headers["access-control-allow-headers"]).toContain("content-type");
    expect(reply.headers["access-control-allow-credentials"]).toBeUndefined();
  });

  it.each(["/get", "/get?ms=x", "/nowhere"])("can read the reply of %s, its id too", async (path) => {
    const { headers } = await request(engine.url, `GET ${path}`, ["Origin: https://b.example"]);
    expect(headers["access-control-allow-origin"]).toBe("*");
    expect(headers["access-control-expose-headers"]).toContain("x-request-id");
  });
});

describe("a front that closes", () => {
  it("answers what was asked before, and the next request of a connection, which ends with that", async () => {
    const closing = await startEngine([small]);
    await closing.work(small, handlers);
    const { hostname, port } = new URL(closing.url);
    const socket = connect(Number(port), hostname);
    let received = Buffer.alloc(0);
    socket.on("data", (chunk) => {
      received = Buffer.concat([received, chunk]);
    });
    const ended = new Promise((resolve) => socket.on("close", resolve));
    const get = (ms: number) => `GET /get?ms=${ms} HTTP/1.1\r\nHost: a.example\r\n\r\n`;
    socket.write(get(300));
    await new Promise((resolve) => closing.app.server.once("request", resolve));
    const stopped = closing.stop();
    const giveUpAt = performance.now() + 5_000;
    while (closing.app.server.listening && performance.now() < giveUpAt)
      await new Promise((resolve) => setTimeout(resolve, 5));
    socket.write(get(0));
    await Promise.all([ended, stopped]);
    const [first, second] = parseReplies(received);
    expect([first?.status, second?.status]).toEqual([200, 200]);
    expect(second!.headers.connection).toBe("close");
  });
});
