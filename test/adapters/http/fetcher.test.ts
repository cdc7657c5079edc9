import { once } from "node:events";
import { createServer as createTcpServer } from "node:net";
import { networkInterfaces } from "node:os";
import { describe, expect, it, onTestFinished } from "vitest";
import { systemClock } from "../../../src/adapters/clock/system-clock.ts";
import { parseAllowances } from "../../../src/domain/names/address.ts";
import type { FetchResult, HopEnded, HopPermit } from "../../../src/ports/http.ts";
import { admission, authorityPem, fetcherFor, loopbackAddress, serveHttp, serveHttps } from "./support.ts";

const outcome = (result: FetchResult): number | string => (result.ok ? result.status : result.failure);
const textOf = (result: FetchResult): string => (result.ok ? Buffer.from(result.body).toString() : "");

describe("a request that may leave", () => {
  it("answers status, lower-case joined headers, body, URL and address", async () => {
    const server = await serveHttp((request, response) => {
      response.setHeader("X-Thing", ["a", "b"]);
      response.writeHead(404).end(`${request.headers.host} ${request.url} ${request.headers["user-agent"]}`);
    });
    const fetcher = fetcherFor({ "shop.test": [server.address] });
    const result = await fetcher.fetch(`http://Shop.test.:${server.port}/a%20b?c=d#e`);
    expect(result).toMatchObject({ ok: true, status: 404, truncated: false, address: server.address });
    expect(result.ok && result.headers["x-thing"]).toBe("a, b");
    expect(String(result.url)).toBe(`http://shop.test:${server.port}/a%20b?c=d`);
    expect(textOf(result)).toBe(
      `shop.test:${server.port} /a%20b?c=d BridgeTest/1.0 (+https://registry.example/crawler)`,
    );
  });

  it("posts a body and reads the reply", async () => {
    const server = await serveHttp((request, response) => {
      request.setEncoding("utf8");
      let got = "";
      request.on("data", (text: string) => {
        got += text;
      });
      request.on("end", () => response.end(`${request.method} ${request.headers["content-type"]} ${got}`));
    });
    const fetcher = fetcherFor({ "hook.test": [server.address] });
    const url = `http://hook.test:${server.port}/`;
    const headers = { "Content-Type": "application/json" };
    for (const body of ['{"é":1}', new TextEncoder().encode('{"é":1}')]) {
      const result = await fetcher.fetch(url, { method: "POST", headers, body });
      expect(textOf(result)).toBe('POST application/json {"é":1}');
    }
  });

  it("takes a HEAD reply for what it is: no body, whatever length it announces", async () => {
    const server = await serveHttp((_request, response) => {
      response.writeHead(200, { "content-length": "99999999", "content-encoding": "gzip" }).end();
    });
    const fetcher = fetcherFor({ "shop.test": [server.address] });
    const result = await fetcher.fetch(`http://shop.test:${server.port}/`, { method: "HEAD" });
    expect(result).toMatchObject({ ok: true, status: 200 });
    expect(result.ok && result.body.length).toBe(0);
  });

  it("uses one connection and one handshake for the requests of one visit", async () => {
    const server = await serveHttps(["shop.test"], (_request, response) => void response.end("ok"));
    const fetcher = fetcherFor({ "shop.test": [server.address] }, { ca: [authorityPem] });
    for (const path of ["robots.txt", "page", "beacon"]) {
      expect(outcome(await fetcher.fetch(`https://shop.test:${server.port}/${path}`))).toBe(200);
    }
    expect(server.connections()).toBe(1);
  });

  it("keeps to the kept connection when the name's addresses come in another order", async () => {
    const handler = (_: unknown, response: { end: (text: string) => void }) => response.end("ok");
    const one = await serveHttp(handler);
    const fetcher = fetcherFor({
      "shop.test": [
        [one.address, "127.1.1.1"],
        ["127.1.1.1", one.address],
      ],
    });
    await fetcher.fetch(`http://shop.test:${one.port}/`);
    expect(await fetcher.fetch(`http://shop.test:${one.port}/`)).toMatchObject({ address: one.address });
    expect(one.connections()).toBe(1);
  });

  it("never shares a connection between hosts of one address", async () => {
    const server = await serveHttp((request, response) => void response.end(request.headers.host));
    const fetcher = fetcherFor({ "a.test": [server.address], "b.test": [server.address] });
    expect(textOf(await fetcher.fetch(`http://a.test:${server.port}/`))).toBe(`a.test:${server.port}`);
    expect(textOf(await fetcher.fetch(`http://b.test:${server.port}/`))).toBe(`b.test:${server.port}`);
    expect(server.connections()).toBe(2);
  });

  it("follows the name when it moves, though the old connection is still there", async () => {
    const old = await serveHttp((_request, response) => void response.end("old"));
    const address = loopbackAddress();
    const moved = createTcpServer((socket) => {
      socket.on("error", () => undefined);
      socket.end("HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nnew");
    });
    moved.listen(old.port, address);
    await once(moved, "listening");
    onTestFinished(() => void moved.close());
    const fetcher = fetcherFor({ "shop.test": [[old.address], [address]] });
    expect(textOf(await fetcher.fetch(`http://shop.test:${old.port}/`))).toBe("old");
    expect(textOf(await fetcher.fetch(`http://shop.test:${old.port}/`))).toBe("new");
  });

  it("sends a GET again when the kept connection has ended, and a POST always on a new one", async () => {
    let served = 0;
    const server = await serveHttp((request, response) => {
      served++;
      if (served === 2) request.socket.destroy();
      else response.end(String(served));
    });
    const fetcher = fetcherFor({ "shop.test": [server.address] });
    const url = `http://shop.test:${server.port}/`;
    expect(textOf(await fetcher.fetch(url))).toBe("1");
    expect(textOf(await fetcher.fetch(url))).toBe("3");
    expect(server.connections()).toBe(2);
    expect(textOf(await fetcher.fetch(url, { method: "POST", body: "x" }))).toBe("4");
    expect(server.connections()).toBe(3);
  });

  it("opens no more connections than allowed and closes the longest unused for the next", async () => {
    let open = 0;
    let most = 0;
    const server = await serveHttp((request, response) => {
      const { socket } = request;
      most = Math.max(most, ++open);
      socket.once("close", () => open--);
      setTimeout(() => response.end("ok"), 5);
    });
    const names = Array.from({ length: 12 }, (_, i) => `h${i}.test`);
    const fetcher = fetcherFor(Object.fromEntries(names.map((name) => [name, [server.address]])), {
      maxConnections: 3,
    });
    const results = await Promise.all(names.map((name) => fetcher.fetch(`http://${name}:${server.port}/`)));
    expect(results.map(outcome)).toEqual(names.map(() => 200));
    expect(most).toBeLessThanOrEqual(3);
  });

  it("lets requests wait for a connection until their time is up, and turns away those beyond sixteen a place", async () => {
    const server = await serveHttp(() => undefined);
    const names = Array.from({ length: 19 }, (_, i) => `h${i}.test`);
    const fetcher = fetcherFor(Object.fromEntries(names.map((name) => [name, [server.address]])), {
      maxConnections: 1,
    });
    const results = await Promise.all(
      names.map((name) => fetcher.fetch(`http://${name}:${server.port}/`, { timeoutMs: 150 })),
    );
    const failures = results.map(outcome).toSorted();
    expect(failures).toEqual([...Array(2).fill("connect_failed"), ...Array(17).fill("timeout")]);
    // A place that is freed by one deadline is taken by the next in line, whose deadline is as near; those turned away never.
    expect(server.connections()).toBeLessThanOrEqual(17);
  });

  it("checks the certificate for the name asked for", async () => {
    const ca = [authorityPem];
    const server = await serveHttps(["shop.test"], (_request, response) => void response.end("ok"));
    const names = { "shop.test": [server.address], "other.test": [server.address] };
    const trusting = fetcherFor(names, { ca });
    expect(outcome(await trusting.fetch(`https://shop.test:${server.port}/`))).toBe(200);
    expect(outcome(await trusting.fetch(`https://other.test:${server.port}/`))).toBe("tls_failed");
    expect(outcome(await fetcherFor(names).fetch(`https://shop.test:${server.port}/`))).toBe("tls_failed");
    expect(outcome(await trusting.fetch(`https://${server.address}:${server.port}/`))).toBe("tls_failed");
  });

  it("refuses an expired certificate, and takes one for an address literal", async () => {
    const ca = [authorityPem];
    const address = loopbackAddress();
    const expired = await serveHttps(["old.test"], (_request, response) => void response.end("ok"), {
      expired: true,
    });
    const literal = await serveHttps([address], (_request, response) => void response.end("ok"), { address });
    const fetcher = fetcherFor({ "old.test": [expired.address] }, { ca });
    expect(outcome(await fetcher.fetch(`https://old.test:${expired.port}/`))).toBe("tls_failed");
    expect(outcome(await fetcher.fetch(`https://${address}:${literal.port}/`))).toBe(200);
  });
});

const hasIpv6 = Object.values(networkInterfaces()).some((entries) =>
  entries?.some(({ address }) => address === "::1"),
);

describe("connecting", () => {
  it.skipIf(!hasIpv6)("reaches IPv6 addresses, in whatever form the name server wrote them", async () => {
    const server = await serveHttp((request, response) => void response.end(request.headers.host), "::1");
    const parsed = parseAllowances("::1/128:*");
    const allow = parsed.ok ? parsed.allowances : [];
    const fetcher = fetcherFor({ "six.test": ["0:0:0:0:0:0:0:1"] }, { allow });
    expect(textOf(await fetcher.fetch(`http://six.test:${server.port}/`))).toBe(`six.test:${server.port}`);
    expect(textOf(await fetcher.fetch(`http://[0::1]:${server.port}/`))).toBe(`[::1]:${server.port}`);
  });

  it("tries the second address, after asking the gate again, and no third", async () => {
    const server = await serveHttp((_request, response) => void response.end("ok"));
    const [dead, alsoDead] = [loopbackAddress(), loopbackAddress()];
    const seen: string[] = [];
    const ended: HopEnded[] = [];
    const admit = async ({ address }: { address: string }) => {
      seen.push(address);
      return admission((end) => void ended.push(end));
    };
    const fetcher = fetcherFor({
      "half.test": [dead, server.address],
      "dead.test": [dead, alsoDead, server.address],
    });
    expect(await fetcher.fetch(`http://half.test:${server.port}/`, { admit })).toMatchObject({
      ok: true,
      address: server.address,
    });
    expect(seen).toEqual([dead, server.address]);
    expect(ended).toMatchObject([{ failure: "connect_failed" }, { status: 200 }]);
    expect(await fetcher.fetch(`http://dead.test:${server.port}/`, { admit })).toMatchObject({
      ok: false,
      failure: "connect_failed",
      address: alsoDead,
    });
    expect(seen.length).toBe(4);
  });

  it("gives up on a TLS handshake that never goes on", async () => {
    const silent = await serveHttp(() => undefined);
    const fetcher = fetcherFor({ "shop.test": [silent.address] }, { connectTimeoutMs: 50 });
    const result = await fetcher.fetch(`https://shop.test:${silent.port}/`);
    expect(outcome(result)).toBe("tls_failed");
    expect(result.tookMs).toBeLessThan(2_000);
  });

  it("calls TLS spoken to a plain server a TLS failure", async () => {
    const plain = await serveHttp((_request, response) => void response.end("ok"));
    const fetcher = fetcherFor({ "shop.test": [plain.address] });
    expect(outcome(await fetcher.fetch(`https://shop.test:${plain.port}/`))).toBe("tls_failed");
  });
});

describe("the gate", () => {
  it("sees each hop's URL and address, and its end with status, Retry-After and duration", async () => {
    const server = await serveHttp((_request, response) => {
      response.writeHead(429, { "retry-after": "120" }).end();
    });
    const fetcher = fetcherFor({ "shop.test": [server.address] });
    const hops: string[] = [];
    const ended: HopEnded[] = [];
    await fetcher.fetch(`http://shop.test:${server.port}/x`, {
      admit: async ({ url, address }) => {
        hops.push(`${url.pathname} ${address}`);
        return admission((end) => void ended.push(end));
      },
    });
    expect(hops).toEqual([`/x ${server.address}`]);
    expect(ended).toEqual([{ status: 429, retryAfter: "120", tookMs: expect.any(Number) }]);
    expect(ended[0]?.tookMs).toBeGreaterThan(0);
  });

  it("keeps a request that it does not admit, or that it fails on, from leaving", async () => {
    const server = await serveHttp((_request, response) => void response.end("ok"));
    const fetcher = fetcherFor({ "shop.test": [server.address] });
    const url = `http://shop.test:${server.port}/`;
    expect(outcome(await fetcher.fetch(url, { admit: async () => undefined }))).toBe("not_admitted");
    const failing = () => Promise.reject(new Error("no broker"));
    expect(outcome(await fetcher.fetch(url, { admit: failing }))).toBe("not_admitted");
    expect(server.connections()).toBe(0);
  });

  it("does not use up the exchange's time while it makes a request wait", async () => {
    const server = await serveHttp((_request, response) => void response.end("ok"));
    const fetcher = fetcherFor({ "shop.test": [server.address] });
    const admit = async () => {
      await systemClock.sleep(400);
      return admission();
    };
    const result = await fetcher.fetch(`http://shop.test:${server.port}/`, { timeoutMs: 300, admit });
    expect(outcome(result)).toBe(200);
  });

  it("is told the end even when it answers after the caller gave up", async () => {
    const fetcher = fetcherFor({ "shop.test": [loopbackAddress()] });
    let told: HopEnded | undefined;
    const late = Promise.withResolvers<HopPermit>();
    const signal = AbortSignal.timeout(20);
    const result = await fetcher.fetch("http://shop.test/", { signal, admit: () => late.promise });
    expect(outcome(result)).toBe("aborted");
    late.resolve(
      admission((end) => {
        told = end;
      }),
    );
    await late.promise;
    await Promise.resolve();
    expect(told).toMatchObject({ failure: "aborted" });
  });

  it("keeps what it admitted from leaving once its leave ran out while the client connected", async () => {
    const seen: unknown[] = [];
    const server = await serveHttp((request) => void seen.push(request.url));
    const fetcher = fetcherFor({ "shop.test": [server.address] });
    const ended: HopEnded[] = [];
    const admit = async () => ({ ...admission((end) => void ended.push(end)), holds: () => false });
    const result = await fetcher.fetch(`http://shop.test:${server.port}/`, { admit });
    expect(outcome(result)).toBe("not_admitted");
    expect(ended).toMatchObject([{ failure: "not_admitted" }]);
    expect(seen).toEqual([]);
  });

  it("is not asked about what is refused", async () => {
    const fetcher = fetcherFor({ "inside.test": ["10.0.0.1"] });
    let asked = 0;
    const admit = async () => {
      asked++;
      return admission();
    };
    await fetcher.fetch("http://inside.test/", { admit });
    await fetcher.fetch("http://192.168.0.1/", { admit });
    await fetcher.fetch("ftp://shop.test/", { admit });
    expect(asked).toBe(0);
  });
});

describe("ending", () => {
  it("stops when the caller aborts, before or while waiting", async () => {
    const server = await serveHttp(() => undefined);
    const fetcher = fetcherFor({ "shop.test": [server.address] });
    const url = `http://shop.test:${server.port}/`;
    expect(outcome(await fetcher.fetch(url, { signal: AbortSignal.abort() }))).toBe("aborted");
    expect(outcome(await fetcher.fetch(url, { signal: AbortSignal.timeout(30) }))).toBe("aborted");
  });

  it("close ends what is under way and leaves no connection", async () => {
    const closed: Promise<unknown>[] = [];
    const server = await serveHttp((request) => void closed.push(once(request.socket, "close")));
    const fetcher = fetcherFor({ "shop.test": [server.address] });
    const url = `http://shop.test:${server.port}/`;
    const pending = [fetcher.fetch(url), fetcher.fetch(url)];
    while (server.connections() < 2 || closed.length < 2) await new Promise((go) => setTimeout(go, 2));
    await fetcher.close();
    expect((await Promise.all(pending)).map(outcome)).toEqual(["aborted", "aborted"]);
    await Promise.all(closed);
    expect(outcome(await fetcher.fetch(url))).toBe("aborted");
  });
});
