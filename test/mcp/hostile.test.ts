/** /mcp against those who keep no rules. */
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { headersOf, MODERN_HEADERS, modernMessage } from "../support/mcp.ts";
import { startRegistry, type TestRegistry } from "../support/registry.ts";

const OWN = "https://registry.example";
const FRIEND = "https://app.example";
let registry: TestRegistry;

beforeAll(async () => {
  registry = await startRegistry({
    world: { sites: 1 },
    roles: ["search", "provider"],
    config: { BRIDGE_PUBLIC_URL: OWN, BRIDGE_CORS_ORIGINS: [FRIEND], BRIDGE_LIMITS_PERCENT: 1_000 },
  });
});
afterAll(() => registry?.stop());

const call = modernMessage("tools/call", { name: "site_verdict", arguments: { domain: "shop.example" } });

async function post(body: unknown, headers: Record<string, string> = headersOf(call)) {
  const response = await fetch(`${registry.url}/mcp`, {
    method: "POST",
    headers,
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: text === "" ? undefined : JSON.parse(text),
  };
}

async function isWell() {
  const { status, body } = await post(call);
  expect(status).toBe(200);
  expect(body.result.structuredContent).toMatchObject({ domain: "shop.example" });
}

describe("what the protocol refuses", () => {
  it("answers a plain call, to begin with", isWell);

  it("a revision that nobody knows is 400, with those that are known", async () => {
    const strange = modernMessage("tools/list", {
      _meta: { "io.modelcontextprotocol/protocolVersion": "2031-01-01" },
    });
    const { status, body } = await post(strange, {
      ...headersOf(strange),
      "mcp-protocol-version": "2031-01-01",
    });
    expect(status).toBe(400);
    expect(JSON.stringify(body.error)).toContain("2026-07-28");
  });

  it("header fields that contradict the message are 400", async () => {
    expect((await post(call, { ...headersOf(call), "mcp-name": "read_page" })).status).toBe(400);
    expect((await post(call, { ...headersOf(call), "mcp-method": "tools/list" })).status).toBe(400);
  });

  it("a batch is 400", async () => {
    expect(await post([call, call])).toMatchObject({ status: 400, body: { code: "invalid_request" } });
  });

  it("subscriptions are refused: nothing changes while a server runs", async () => {
    const listen = modernMessage("subscriptions/listen", { notifications: {} });
    const { body } = await post(listen, headersOf(listen));
    expect(body.error).toBeDefined();
  });

  it("GET and DELETE are 405, and say what is allowed", async () => {
    for (const method of ["GET", "DELETE"]) {
      const response = await fetch(`${registry.url}/mcp`, { method });
      expect([response.status, response.headers.get("allow")]).toEqual([405, "POST, OPTIONS"]);
    }
  });

  it.each([
    ["no JSON", "{", 400, "invalid_json"],
    ["nothing", "", 400, "invalid_json"],
    ["a member twice", '{"jsonrpc":"2.0","jsonrpc":"2.0"}', 400, "invalid_json"],
    ["arrays in arrays by the thousand", `${"[".repeat(9_000)}${"]".repeat(9_000)}`, 400, "invalid_json"],
    ["ten megabytes", JSON.stringify({ ...call, x: "y".repeat(10_000_000) }), 413, "body_too_large"],
  ])("%s is a problem with a code", async (_what, body, status, code) => {
    expect(await post(body)).toMatchObject({ status, body: { code } });
    await isWell();
  });

  it("another content type is 415", async () => {
    const wrong = { ...headersOf(call), "content-type": "text/plain" };
    expect(await post(call, wrong)).toMatchObject({ status: 415, body: { code: "unsupported_media_type" } });
  });

  it("what is no message of the protocol is a 4xx", async () => {
    for (const odd of [
      {},
      { jsonrpc: "1.0" },
      7,
      "x",
      null,
      { ...call, id: { a: 1 } },
      { ...call, params: 3 },
    ]) {
      const { status } = await post(JSON.stringify(odd));
      expect([400, 200], JSON.stringify(odd)).toContain(status);
      if (status === 200) throw new Error(`answered ${JSON.stringify(odd)}`);
    }
    await isWell();
  });
});

describe("pages of other origins", () => {
  it("are refused, those of the registry and of configured origins are not", async () => {
    const from = (origin: string) => post(call, { ...headersOf(call), origin });
    for (const origin of ["https://evil.example", "null", "http://registry.example"])
      expect(await from(origin)).toMatchObject({ status: 403, body: { code: "permission_denied" } });
    for (const origin of [OWN, FRIEND]) {
      const { status, headers } = await from(origin);
      expect([status, headers.get("access-control-allow-origin")]).toEqual([200, origin]);
    }
  });

  it("may ask before, with the protocol's header fields", async () => {
    const ask = (origin: string) =>
      fetch(`${registry.url}/mcp`, {
        method: "OPTIONS",
        headers: { origin, "access-control-request-method": "POST" },
      });
    const allowed = await ask(FRIEND);
    expect(allowed.status).toBe(204);
    expect(allowed.headers.get("access-control-allow-headers")).toMatch(/mcp-protocol-version.*mcp-name/);
    expect((await ask("https://evil.example")).status).toBe(403);
  });
});

describe("calls that nobody waits for", () => {
  it("a thousand that are given up leave the front well", async () => {
    const gone = Array.from({ length: 1_000 }, async () => {
      const abort = new AbortController();
      const asked = fetch(`${registry.url}/mcp`, {
        method: "POST",
        headers: headersOf(call),
        body: JSON.stringify(call),
        signal: abort.signal,
      });
      setTimeout(() => abort.abort(), Math.random() * 20);
      await asked.then((response) => response.arrayBuffer()).catch(() => undefined);
    });
    await Promise.all(gone);
    await isWell();
  });

  it("bodies that never end hold no other call", async () => {
    const { port, hostname } = new URL(registry.url);
    const sockets = Array.from({ length: 100 }, () => {
      const socket = connect(Number(port), hostname);
      socket.on("error", () => undefined);
      const fields = Object.entries(MODERN_HEADERS).map(([name, value]) => `${name}: ${value}\r\n`);
      socket.write(`POST /mcp HTTP/1.1\r\nHost: a\r\n${fields.join("")}Content-Length: 500\r\n\r\n{`);
      return socket;
    });
    await isWell();
    for (const socket of sockets) socket.destroy();
  });
});
