import { readFileSync } from "node:fs";
import type { Socket } from "node:net";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { systemClock } from "../../../src/adapters/clock/system-clock.ts";
import { createFetcher } from "../../../src/adapters/http/fetcher.ts";
import { parseAllowances } from "../../../src/domain/names/address.ts";
import type { DnsAnswer, Resolver } from "../../../src/ports/dns.ts";
import type { FetchOptions, FetchResult } from "../../../src/ports/http.ts";
import { dataFile } from "../../support/data.ts";
import {
  admission,
  authorityPem,
  fetcherFor,
  loopbackAddress,
  resolverOf,
  serveHttp,
  serveHttps,
  serveRaw,
} from "./support.ts";

const outcome = (result: FetchResult): number | string => (result.ok ? result.status : result.failure);
const textOf = (result: FetchResult): string => (result.ok ? Buffer.from(result.body).toString() : "");

describe("addresses that are refused", () => {
  it.each([
    "http://127.0.0.1/",
    "http://127.1/",
    "http://0x7f.1/",
    "http://0177.0.0.1/",
    "http://2130706433/",
    "http://2130706433./",
    "http://0x7f000001/",
    "http://１２７。0。0。1/",
    "http://%31%32%37.0.0.1/",
    "http://0/",
    "http://10.0.0.1/",
    "http://169.254.169.254/latest/meta-data/",
    "http://[::1]/",
    "http://[::]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[::ffff:7f00:1]/",
    "http://[::127.0.0.1]/",
    "http://[64:ff9b::127.0.0.1]/",
    "http://[2002:7f00:1::]/",
    "http://[fe80::1]/",
    "http://[fd00::1]/",
    "https://[ff02::1]/",
  ])("%s, without a look-up or the gate", async (url) => {
    const resolver = resolverOf({});
    const fetcher = fetcherFor({}, { allow: [], resolver });
    expect(outcome(await fetcher.fetch(url))).toBe("refused_address");
    expect(resolver.asked).toEqual([]);
  });

  it("a name with one private address among public ones", async () => {
    const fetcher = fetcherFor({ "mixed.test": ["93.184.216.34", "10.0.0.1"] }, { allow: [] });
    expect(outcome(await fetcher.fetch("http://mixed.test/"))).toBe("refused_address");
  });

  it.each(["", "localhost", "127.1", "fe80::1%lo", "[::1]", "::ffff:127.0.0.1"])(
    "a name whose address is %j",
    async (address) => {
      const fetcher = fetcherFor({ "odd.test": [address] });
      expect(outcome(await fetcher.fetch("http://odd.test/"))).toBe("refused_address");
    },
  );

  it("a name that answers differently the second time: each request trusts only its own answer", async () => {
    const server = await serveHttp((_request, response) => void response.end("inside"));
    const parsed = parseAllowances(`${server.address}/32:${server.port}`);
    const resolver = resolverOf({ "rebind.test": [[server.address], ["127.0.0.1"], [server.address]] });
    const fetcher = fetcherFor({}, { resolver, allow: parsed.ok ? parsed.allowances : [] });
    const url = `http://rebind.test:${server.port}/`;
    expect(outcome(await fetcher.fetch(url))).toBe(200);
    expect(resolver.asked.length).toBe(1);
    // Although the connection of the first request is still open.
    expect(outcome(await fetcher.fetch(url))).toBe("refused_address");
    expect(outcome(await fetcher.fetch(url))).toBe(200);
  });
});

describe("URLs that are refused", () => {
  it.each([
    ["not a url", "invalid_url"],
    ["", "invalid_url"],
    ["//shop.test/", "invalid_url"],
    [`http://shop.test/${"x".repeat(9_000)}`, "invalid_url"],
    [`http://${"a".repeat(64)}.test/`, "invalid_url"],
    ["http://sh!op.test/", "invalid_url"],
    ["http://a..b.test/", "invalid_url"],
    ["ftp://shop.test/", "refused_scheme"],
    ["file:///etc/passwd", "refused_scheme"],
    ["javascript:alert(1)", "refused_scheme"],
    ["data:text/html,x", "refused_scheme"],
    ["http://user@shop.test/", "refused_credentials"],
    ["http://user:pass@shop.test/", "refused_credentials"],
    ["http://:pass@shop.test/", "refused_credentials"],
    ["http://shop.test:22/", "refused_port"],
    ["http://shop.test:8080/", "refused_port"],
    ["https://shop.test:0/", "refused_port"],
  ])("%j: %s", async (url, failure) => {
    const resolver = resolverOf({});
    const fetcher = fetcherFor({}, { allow: [], resolver });
    expect(outcome(await fetcher.fetch(url))).toBe(failure);
    expect(resolver.asked).toEqual([]);
  });

  it("an allowed port at an address that the allowance does not name", async () => {
    const parsed = parseAllowances("127.0.0.0/8:8443");
    const allow = parsed.ok ? parsed.allowances : [];
    const fetcher = fetcherFor({ "shop.test": ["93.184.216.34"] }, { allow });
    expect(outcome(await fetcher.fetch("http://shop.test:8443/"))).toBe("refused_port");
    expect(outcome(await fetcher.fetch("http://127.0.0.1:80/"))).toBe("refused_address");
  });

  it.each([
    "Host",
    "Transfer-Encoding",
    "Content-Length",
    "User-Agent",
    "Connection",
    "bad name",
    "x\r\ny",
    "",
  ])("the request field %j", async (name) => {
    const fetcher = fetcherFor({ "shop.test": [loopbackAddress()] });
    const result = await fetcher.fetch("http://shop.test/", { headers: { [name]: "x" } });
    expect(outcome(result)).toBe("protocol_error");
  });

  it("a field value that would begin another line", async () => {
    const fetcher = fetcherFor({ "shop.test": [loopbackAddress()] });
    const headers = { "x-a": "1\r\nhost: other.test" };
    expect(outcome(await fetcher.fetch("http://shop.test/", { headers }))).toBe("protocol_error");
  });
});

describe("name servers that fail", () => {
  const answering = (answer: DnsAnswer<string>): Resolver => ({
    ...resolverOf({}),
    addresses: async () => answer,
  });
  const ttlSeconds = 1;
  it.each<[string, DnsAnswer<string>]>([
    ["dns_none", { outcome: "none", nxdomain: true, ttlSeconds, dnssec: "insecure" }],
    ["dns_none", { outcome: "found", records: [], ttlSeconds, dnssec: "insecure" }],
    ["dns_failed", { outcome: "failed", reason: "servfail", detail: "broken" }],
    ["dns_failed", { outcome: "found", records: ["93.184.216.34"], ttlSeconds, dnssec: "bogus" }],
  ])("give %s", async (failure, answer) => {
    const fetcher = fetcherFor({}, { resolver: answering(answer) });
    expect(outcome(await fetcher.fetch("http://shop.test/"))).toBe(failure);
  });

  it("or hang: the time is up all the same", async () => {
    const resolver: Resolver = { ...resolverOf({}), addresses: () => new Promise(() => undefined) };
    const fetcher = fetcherFor({}, { resolver });
    expect(outcome(await fetcher.fetch("http://shop.test/", { timeoutMs: 30 }))).toBe("timeout");
  });
});

describe("redirects", () => {
  const redirecting = (location: string, status = 302) =>
    serveHttp((request, response) => {
      if (request.url === "/end") response.end(JSON.stringify(request.headers));
      else response.writeHead(status, { location }).end("moved");
    });

  it("come back as they are unless following is asked for", async () => {
    const server = await redirecting("/end");
    const fetcher = fetcherFor({ "shop.test": [server.address] });
    const result = await fetcher.fetch(`http://shop.test:${server.port}/`);
    expect(result).toMatchObject({ ok: true, status: 302, headers: { location: "/end" } });
  });

  it.each([301, 302, 303, 307, 308])("are followed for %i, each hop through the gate", async (status) => {
    const server = await redirecting("/end", status);
    const fetcher = fetcherFor({ "shop.test": [server.address] });
    const hops: string[] = [];
    const result = await fetcher.fetch(`http://shop.test:${server.port}/`, {
      maxRedirects: 3,
      admit: async ({ url }) => {
        hops.push(url.pathname);
        return admission();
      },
    });
    expect(result).toMatchObject({ ok: true, status: 200 });
    expect(String(result.url)).toBe(`http://shop.test:${server.port}/end`);
    expect(hops).toEqual(["/", "/end"]);
  });

  it("of a POST are never followed", async () => {
    const server = await redirecting("/end", 307);
    const fetcher = fetcherFor({ "shop.test": [server.address] });
    const options: FetchOptions = { method: "POST", body: "x", maxRedirects: 3 };
    expect(outcome(await fetcher.fetch(`http://shop.test:${server.port}/`, options))).toBe(307);
  });

  it("end after five, whatever was asked for", async () => {
    let served = 0;
    const server = await serveHttp((_request, response) => {
      response.writeHead(302, { location: `/${++served}` }).end();
    });
    const fetcher = fetcherFor({ "shop.test": [server.address] });
    const result = await fetcher.fetch(`http://shop.test:${server.port}/`, { maxRedirects: 100 });
    expect(outcome(result)).toBe("too_many_redirects");
    expect(served).toBe(6);
  });

  it.each([
    ["http://10.0.0.1/", "refused_address"],
    ["http://[::1]/", "refused_address"],
    ["//169.254.169.254/latest", "refused_address"],
    ["http://inside.test/", "refused_address"],
    ["http://gone.test/", "dns_none"],
    ["file:///etc/passwd", "refused_scheme"],
    ["javascript:alert(1)", "refused_scheme"],
    ["http://user:pass@shop.test/", "refused_credentials"],
    ["http://[", "invalid_url"],
  ])("to %s end in %s", async (location, failure) => {
    const server = await redirecting(location);
    const fetcher = fetcherFor({ "shop.test": [server.address], "inside.test": ["10.0.0.1"] });
    const result = await fetcher.fetch(`http://shop.test:${server.port}/`, { maxRedirects: 3 });
    expect(outcome(result)).toBe(failure);
  });

  it("to a port that no allowance names end in refused_port", async () => {
    const server = await redirecting("http://shop.test:22/");
    const parsed = parseAllowances(`127.0.0.0/8:${server.port}`);
    const allow = parsed.ok ? parsed.allowances : [];
    const fetcher = fetcherFor({ "shop.test": [server.address] }, { allow });
    const result = await fetcher.fetch(`http://shop.test:${server.port}/`, { maxRedirects: 1 });
    expect(outcome(result)).toBe("refused_port");
  });

  it("from https to http are refused", async () => {
    const server = await serveHttps(["shop.test"], (_request, response) => {
      response.writeHead(301, { location: "http://shop.test/" }).end();
    });
    const fetcher = fetcherFor({ "shop.test": [server.address] }, { ca: [authorityPem] });
    const result = await fetcher.fetch(`https://shop.test:${server.port}/`, { maxRedirects: 3 });
    expect(outcome(result)).toBe("redirect_refused");
  });

  it("that the caller does not want are refused", async () => {
    const server = await redirecting("/end");
    const fetcher = fetcherFor({ "shop.test": [server.address] });
    const asked: string[] = [];
    const result = await fetcher.fetch(`http://shop.test:${server.port}/`, {
      maxRedirects: 3,
      allowRedirect: (from, to) => {
        asked.push(`${from.pathname} → ${to.pathname}`);
        return false;
      },
    });
    expect(outcome(result)).toBe("redirect_refused");
    expect(asked).toEqual(["/ → /end"]);
  });

  it("to another origin do not carry credentials along", async () => {
    const server: { port: number; address: string } = await serveHttp((request, response) => {
      if (request.url === "/end") response.end(JSON.stringify(request.headers));
      else response.writeHead(302, { location: `http://other.test:${server.port}/end` }).end();
    });
    const fetcher = fetcherFor({ "shop.test": [server.address], "other.test": [server.address] });
    const headers = { Authorization: "Bearer x", Cookie: "a=b", "x-kept": "1" };
    const result = await fetcher.fetch(`http://shop.test:${server.port}/`, { maxRedirects: 1, headers });
    const seen = JSON.parse(textOf(result));
    expect(seen).toMatchObject({ "x-kept": "1" });
    expect(seen.authorization).toBeUndefined();
    expect(seen.cookie).toBeUndefined();
  });
});

describe("bodies", () => {
  const gzipBomb = gzipSync(Buffer.alloc(50_000_000));

  it.each([
    ["gzip", gzipSync],
    ["x-gzip", gzipSync],
    ["br", brotliCompressSync],
  ])("coded with %s are decoded", async (coding, compress) => {
    const server = await serveHttp((_request, response) => {
      response.writeHead(200, { "content-encoding": coding }).end(compress("hello"));
    });
    const fetcher = fetcherFor({ "shop.test": [server.address] });
    expect(textOf(await fetcher.fetch(`http://shop.test:${server.port}/`))).toBe("hello");
  });

  it("that decode to more than the limit end there", async () => {
    const server = await serveHttp((_request, response) => {
      response.writeHead(200, { "content-encoding": "gzip" }).end(gzipBomb);
    });
    const fetcher = fetcherFor({ "shop.test": [server.address] });
    const url = `http://shop.test:${server.port}/`;
    const options = { maxBodyBytes: 100_000 };
    expect(outcome(await fetcher.fetch(url, options))).toBe("body_too_large");
    const cut = await fetcher.fetch(url, { ...options, truncate: true });
    expect(cut).toMatchObject({ ok: true, truncated: true });
    expect(cut.ok && cut.body.length).toBe(100_000);
  });

  it.each([
    ["gzip", Buffer.from("not gzip")],
    ["gzip", gzipSync("hello, hello").subarray(0, 20)],
    ["br", Buffer.from("not brotli at all")],
    ["zstd", Buffer.from("x")],
  ])("with a broken %s coding are a protocol error", async (coding, body) => {
    const server = await serveHttp((_request, response) => {
      response.writeHead(200, { "content-encoding": coding }).end(body);
    });
    const fetcher = fetcherFor({ "shop.test": [server.address] });
    expect(outcome(await fetcher.fetch(`http://shop.test:${server.port}/`))).toBe("protocol_error");
  });

  it("over the limit are a failure, or cut at it when asked", async () => {
    const server = await serveHttp((request, response) => {
      if (request.url === "/announced") response.setHeader("content-length", 1_001);
      response.end("x".repeat(1_001));
    });
    const fetcher = fetcherFor({ "shop.test": [server.address] });
    for (const path of ["announced", "chunked"]) {
      const url = `http://shop.test:${server.port}/${path}`;
      expect(outcome(await fetcher.fetch(url, { maxBodyBytes: 1_000 }))).toBe("body_too_large");
      const cut = await fetcher.fetch(url, { maxBodyBytes: 1_000, truncate: true });
      expect(cut).toMatchObject({ ok: true, truncated: true });
      expect(cut.ok && cut.body.length).toBe(1_000);
      const whole = await fetcher.fetch(url, { maxBodyBytes: 1_001, truncate: true });
      expect(whole).toMatchObject({ ok: true, truncated: false });
    }
  });

  it("cut off inside a coding give what can be decoded", async () => {
    const noise = Buffer.from(Array.from({ length: 60_000 }, (_, i) => (i * i * 31 + (i >> 3) * 17) & 255));
    for (const [coding, coded] of [
      ["gzip", gzipSync(noise)],
      ["br", brotliCompressSync(noise)],
    ] as const) {
      const server = await serveHttp((_request, response) => {
        response.writeHead(200, { "content-encoding": coding }).end(coded);
      });
      const maxBodyBytes = Math.floor(coded.length / 2);
      const fetcher = fetcherFor({ "shop.test": [server.address] });
      const url = `http://shop.test:${server.port}/`;
      const cut = await fetcher.fetch(url, { maxBodyBytes, truncate: true });
      expect(cut).toMatchObject({ ok: true, truncated: true });
      const got = cut.ok ? Buffer.from(cut.body) : Buffer.alloc(0);
      expect(got.length).toBeGreaterThan(0);
      expect(got.equals(noise.subarray(0, got.length))).toBe(true);
    }
  });

  it("without end stop at the limit", async () => {
    const server = await serveHttp((_request, response) => {
      const more = () => {
        while (response.write("x".repeat(16_384)));
      };
      response.on("drain", more);
      more();
    });
    const fetcher = fetcherFor({ "shop.test": [server.address] });
    expect(outcome(await fetcher.fetch(`http://shop.test:${server.port}/`))).toBe("body_too_large");
  });

  it("that come a byte at a time end when the time is up", async () => {
    const server = await serveHttp((_request, response) => {
      const timer = setInterval(() => response.write("x"), 5);
      response.on("close", () => clearInterval(timer));
    });
    const fetcher = fetcherFor({ "shop.test": [server.address] });
    const result = await fetcher.fetch(`http://shop.test:${server.port}/`, { timeoutMs: 100 });
    expect(outcome(result)).toBe("timeout");
    expect(result.tookMs).toBeGreaterThanOrEqual(99);
    expect(result.tookMs).toBeLessThan(1_000);
  });
});

const OK = "HTTP/1.1 200 OK\r\n";

/** Writes `first`, then the same bytes again and again until the peer goes. */
function pour(socket: Socket, bytes: string, first = ""): void {
  socket.write(first);
  const more = () => {
    while (!socket.destroyed && socket.write(bytes));
  };
  socket.on("drain", more);
  more();
}

describe("replies that break the protocol", () => {
  const cases: [string, string, (socket: Socket) => void][] = [
    ["a body shorter than announced", "protocol_error", (s) => s.end(`${OK}content-length: 10\r\n\r\nhello`)],
    [
      "a reset in the body",
      "protocol_error",
      (s) => s.write(`${OK}content-length: 9\r\n\r\nx`, () => s.resetAndDestroy()),
    ],
    ["a reset before any reply", "protocol_error", (s) => s.resetAndDestroy()],
    ["an end before any reply", "protocol_error", (s) => s.end()],
    ["an end inside the head", "protocol_error", (s) => s.end(`${OK}content-le`)],
    ["no HTTP at all", "protocol_error", (s) => s.end("SSH-2.0-OpenSSH_9.9\r\n")],
    ["HTTP/0.9", "protocol_error", (s) => s.end("<html>hello</html>")],
    ["two lengths", "protocol_error", (s) => s.end(`${OK}content-length: 1\r\ncontent-length: 2\r\n\r\nxx`)],
    ["a negative length", "protocol_error", (s) => s.end(`${OK}content-length: -1\r\n\r\nx`)],
    [
      "a length beside chunks",
      "protocol_error",
      (s) => s.end(`${OK}content-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`),
    ],
    [
      "a chunk size that is no number",
      "protocol_error",
      (s) => s.end(`${OK}transfer-encoding: chunked\r\n\r\nzz\r\n`),
    ],
    [
      "a chunk size beyond 64 bits",
      "protocol_error",
      (s) => s.end(`${OK}transfer-encoding: chunked\r\n\r\nffffffffffffffffff\r\n`),
    ],
    [
      "chunks that end early",
      "protocol_error",
      (s) => s.end(`${OK}transfer-encoding: chunked\r\n\r\n5\r\nhe`),
    ],
    ["a field name with a blank", "protocol_error", (s) => s.end(`${OK}content-length : 1\r\n\r\nx`)],
    ["a NUL in a field", "protocol_error", (s) => s.end(`${OK}x: a\u0000b\r\ncontent-length: 1\r\n\r\nx`)],
    [
      "an upgrade nobody asked for",
      "protocol_error",
      (s) => s.write("HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n"),
    ],
    ["interim replies without end", "protocol_error", (s) => pour(s, "HTTP/1.1 103 Early Hints\r\n\r\n")],
    ["one field without end", "headers_too_large", (s) => pour(s, "y".repeat(4_096), `${OK}x: `)],
    ["fields without end", "headers_too_large", (s) => pour(s, `x: ${"y".repeat(100)}\r\n`, OK)],
    [
      "fields over 32 KiB",
      "headers_too_large",
      (s) => s.end(`${OK}x: ${"y".repeat(33_000)}\r\ncontent-length: 0\r\n\r\n`),
    ],
    ["a status text without end", "headers_too_large", (s) => pour(s, "y".repeat(4_096), "HTTP/1.1 200 ")],
    ["blanks without end before a value", "headers_too_large", (s) => pour(s, " ".repeat(4_096), `${OK}x:`)],
    [
      "a chunk extension without end",
      "protocol_error",
      (s) => pour(s, "y".repeat(4_096), `${OK}transfer-encoding: chunked\r\n\r\n1;`),
    ],
    [
      "one-byte chunks with long extensions",
      "protocol_error",
      (s) => pour(s, `1;${"y".repeat(100)}\r\nx\r\n`, `${OK}transfer-encoding: chunked\r\n\r\n`),
    ],
    [
      "trailers without end",
      "headers_too_large",
      (s) => pour(s, `x: ${"y".repeat(100)}\r\n`, `${OK}transfer-encoding: chunked\r\n\r\n0\r\n`),
    ],
    ["nothing, for ever", "timeout", () => undefined],
    [
      "a head a byte at a time",
      "timeout",
      (s) => {
        const timer = setInterval(() => s.write("x"), 5);
        s.write(`${OK}x: `);
        s.on("close", () => clearInterval(timer));
      },
    ],
  ];

  it.each(cases)("%s: %s", async (_name, failure, reply) => {
    const server = await serveRaw(reply);
    const fetcher = fetcherFor({ "shop.test": [server.address] });
    const url = `http://shop.test:${server.port}/`;
    const timeoutMs = failure === "timeout" ? 100 : 5_000;
    const result = await fetcher.fetch(url, { timeoutMs, maxBodyBytes: 65_536 });
    expect(result.ok ? "ok" : result.failure, JSON.stringify(result)).toBe(failure);
  });

  it("one after the other on one connection: bytes after a reply never become the next reply", async () => {
    const server = await serveRaw((socket) => {
      socket.write(`${OK}content-length: 2\r\n\r\nokHTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nevil`);
    });
    const fetcher = fetcherFor({ "shop.test": [server.address] });
    for (let i = 0; i < 5; i++) {
      expect(textOf(await fetcher.fetch(`http://shop.test:${server.port}/`))).not.toBe("evil");
    }
  });

  it("does not make one host wait for another one's slowness", async () => {
    const slow = await serveRaw(() => undefined);
    const quick = await serveHttp((_request, response) => void response.end("ok"));
    const fetcher = fetcherFor({ "slow.test": [slow.address], "quick.test": [quick.address] });
    const pending = fetcher.fetch(`http://slow.test:${slow.port}/`, { timeoutMs: 300 });
    expect(outcome(await fetcher.fetch(`http://quick.test:${quick.port}/`, { timeoutMs: 200 }))).toBe(200);
    expect(outcome(await pending)).toBe("timeout");
  });
});

const urlVectors = dataFile("vectors/url-wpt.json");
describe.skipIf(urlVectors === undefined)("the web platform's URL tests (vectors/url-wpt.json)", () => {
  type Case = { input: string; base: string | null };
  const all: unknown[] = urlVectors === undefined ? [] : JSON.parse(readFileSync(urlVectors, "utf8"));
  const cases = all.filter((entry): entry is Case => typeof entry === "object" && entry !== null);

  it(`none of ${cases.length} throws, hangs or leaves for an address that is not public`, async () => {
    const left: string[] = [];
    const fetcher = createFetcher({
      // Every name is at the metadata service, so whatever passes the parser must still be refused.
      resolver: {
        ...resolverOf({}),
        addresses: async () => ({
          outcome: "found",
          records: ["169.254.169.254"],
          ttlSeconds: 1,
          dnssec: "insecure",
        }),
      },
      clock: systemClock,
      userAgent: "BridgeTest/1.0",
      allow: [],
    });
    const failures = new Set<string>();
    for (const { input, base } of cases) {
      const url = URL.parse(input, base ?? undefined)?.href ?? input;
      for (const text of [input, url]) {
        const result = await fetcher.fetch(text, {
          timeoutMs: 1_000,
          admit: async (hop) => {
            left.push(hop.address);
            return undefined;
          },
        });
        failures.add(result.ok ? "ok" : result.failure);
      }
    }
    await fetcher.close();
    // Literals that are public may come as far as the gate, which admits none.
    expect(left.filter((address) => !/^\d+\.\d+\.\d+\.\d+$|^2/.test(address))).toEqual([]);
    expect([...failures].sort()).toEqual(
      expect.arrayContaining([
        "invalid_url",
        "refused_address",
        "refused_credentials",
        "refused_port",
        "refused_scheme",
      ]),
    );
    expect(failures).not.toContain("ok");
    expect(failures).not.toContain("timeout");
  });
});
