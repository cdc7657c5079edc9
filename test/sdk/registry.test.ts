/** The SDKs on a real registry: access that is asked for, tools as by /mcp, and a purchase over a network that breaks. */
import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  Bridge,
  ConflictError,
  ConnectionError,
  PermissionError,
  type ToolFormat,
} from "../../sdk/typescript/src/index.ts";
import { canonicalize } from "../../sdk/typescript/src/verify/json.ts";
import { readDocument, readManifest, verifyJws } from "../../sdk/typescript/src/verify/manifest.ts";
import { keysOf } from "../../sdk/typescript/src/verify/txt.ts";
import { makeLicense } from "../support/license.ts";
import { callTool, connectMcp } from "../support/mcp.ts";
import { createOwner } from "../support/owner.ts";
import { ensurePython } from "../support/python-sdk.ts";
import { startRegistry, type TestRegistry } from "../support/registry.ts";
import { givenOpenedSite } from "../support/visitor.ts";

const ROOT = join(import.meta.dirname, "../..");
const run = promisify(execFile);
const found = ensurePython();
const python = "missing" in found ? "" : found.python;

let registry: TestRegistry;
let shop: string;
let key: string;
beforeAll(async () => {
  registry = await startRegistry({ world: { sites: 4, soundShare: 0.5, kinds: { shop: 1 }, seed: 11 } });
  await registry.crawl();
  shop = registry.world.hosts.find(({ kind }) => kind === "shop")!.host;
  key = (await makeLicense(registry.runtime.broker, shop, { permissions: { fillForms: true } })).key;
});
afterAll(() => registry?.stop());

const failure = (call: Promise<unknown>): Promise<any> =>
  call.then(
    () => expect.unreachable("it did not fail"),
    (error) => error,
  );

/** The bytes at a path, as asked for by a Host. */
async function requestText(path: string, host: string): Promise<string> {
  const sent = request(registry.url + path, { headers: { host } });
  sent.end();
  const [reply] = await once(sent, "response");
  let text = "";
  for await (const part of reply) text += part;
  return text;
}

/** A way to the registry on which replies of actions get lost: as many in a row as `losing` says, after they were done. */
async function breakingWay(losing: { replies: number }) {
  const lost: string[] = [];
  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const { connection: _, host: __, ...headers } = request.headers as Record<string, string>;
    const body = Buffer.concat(parts);
    const reply = await fetch(registry.url + request.url, {
      method: request.method!,
      headers,
      ...(body.length > 0 && { body }),
    });
    const text = await reply.text();
    if (request.url === "/api/bridge/execute" && losing.replies > 0) {
      losing.replies--;
      lost.push(body.toString());
      return request.socket.destroy();
    }
    response.writeHead(reply.status, { "content-type": reply.headers.get("content-type") ?? "text/plain" });
    response.end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    lost,
    close: () => server.close(),
  };
}

describe("a site's document by siteId", () => {
  it("is the bytes that its Host has, and verifies as docs/trust.md says: by the SDK, without its manifest", async () => {
    const host = registry.world.hosts.find(({ kind }) => kind === "sound")!.host;
    const byHost = await requestText("/.well-known/bridge.json", host);
    const bySiteId = await requestText(`/api/bridge/discover?siteId=${host}`, "127.0.0.1");
    expect(bySiteId).toBe(byHost);
    expect(await requestText("/agent-bridge.json", host)).toBe(byHost);
    const { manifest, ...document } = JSON.parse(bySiteId);
    const dns = (await registry.getJson(`/api/registry/sites/${host}/dns`)).body;
    const txt = await keysOf(dns.records, host);
    const { payload } = await verifyJws(manifest, txt.keys);
    const signed = readManifest(payload, host, txt, Date.now());
    expect(await readDocument(canonicalize(document), signed)).toMatchObject({ provider: { domain: host } });
  });
});

const buyer = { name: "Ada Lovelace", email: "ada@agent.example", terms: true };
/** A session before the checkout, and the total. */
async function atCheckout(bridge: Bridge) {
  const session = await bridge.open(shop, { purpose: "tea" });
  await session.navigate("/");
  await session.do("click", { target: ".products a" });
  await session.do("submit-buy", { quantity: 1 });
  await session.do("click", { target: "#to-checkout" });
  const { confirm } = (await session.do("submit-checkout", buyer, { dryRun: true })) as any;
  return { session, confirmTotal: confirm.confirm_total as string };
}
const orderNumber = (title: unknown): number => Number(/^Order (\d+)/.exec(String(title))?.[1]);

describe("a purchase", () => {
  it("is made once, however often the reply to each step gets lost", async () => {
    const losing = { replies: 0 };
    const way = await breakingWay(losing);
    const bridge = new Bridge({ registry: way.url, wallet: { [shop]: key }, random: () => 0 });
    const session = await bridge.open(shop);
    const lossy = async <Reply>(work: () => Promise<Reply>): Promise<Reply> => {
      losing.replies = 2;
      return work();
    };
    await lossy(() => session.navigate("/"));
    await lossy(() => session.do("click", { target: ".products a" }));
    await lossy(() => session.do("submit-buy", { quantity: 1 }));
    await lossy(() => session.do("click", { target: "#to-checkout" }));
    const { confirm } = (await lossy(() => session.do("submit-checkout", buyer, { dryRun: true }))) as any;
    const order = await lossy(() =>
      session.do("submit-checkout", buyer, { confirmTotal: confirm.confirm_total }),
    );
    expect(way.lost).toHaveLength(12);
    way.close();
    // The next order of the shop has the next number.
    const direct = await atCheckout(new Bridge({ registry: registry.url, wallet: { [shop]: key } }));
    const next = await direct.session.do("submit-checkout", buyer, { confirmTotal: direct.confirmTotal });
    expect(orderNumber(next.title)).toBe(orderNumber(order.title) + 1);
  });

  it("of which no reply came is taken up later under its key, by whoever has it", async () => {
    const losing = { replies: 0 };
    const way = await breakingWay(losing);
    const bridge = new Bridge({ registry: way.url, wallet: { [shop]: key }, random: () => 0 });
    const { session, confirmTotal } = await atCheckout(bridge);
    losing.replies = 4;
    const options = { confirmTotal, idempotencyKey: "tea-1" };
    expect(await failure(session.do("submit-checkout", buyer, options))).toBeInstanceOf(ConnectionError);
    const order = await session.do("submit-checkout", buyer, options);
    way.close();
    const direct = await atCheckout(new Bridge({ registry: registry.url, wallet: { [shop]: key } }));
    const next = await direct.session.do("submit-checkout", buyer, { confirmTotal: direct.confirmTotal });
    expect(orderNumber(next.title)).toBe(orderNumber(order.title) + 1);
  });

  it("at another total than was told, or without one, or above the most, is refused", async () => {
    const { session, confirmTotal } = await atCheckout(
      new Bridge({ registry: registry.url, wallet: { [shop]: key } }),
    );
    const buy = (options: object) => failure(session.do("submit-checkout", buyer, options));
    expect(await buy({})).toMatchObject({ code: "confirmation_required", status: 409 });
    expect(await buy({ confirmTotal: "0.01 EUR" })).toBeInstanceOf(ConflictError);
    const above = await buy({ confirmTotal, maxTotal: "0.01 EUR" });
    expect([403, 409]).toContain(above.status);
  });
});

describe("access", () => {
  it("is asked for, approved, collected into the account's wallet, and opens the site by the agent's token", async () => {
    const [owner, user] = [createOwner(registry), createOwner(registry)];
    const siteId = await givenOpenedSite(registry, await owner.accountId(), "request");
    const agent = await user.agent("tea buyer");
    const site = new Bridge({ registry: registry.url, token: agent.token });
    const missing = await failure(site.open(siteId));
    expect(missing).toBeInstanceOf(PermissionError);
    expect(missing.code).toBe("license_missing");
    const asked = await site.requestAccess(siteId, {
      purpose: "buy tea",
      permissions: ["readContent", "navigate"],
    });
    expect(asked).toMatchObject({ state: "pending", domain: siteId });
    expect((await site.requestAccess(siteId, { purpose: "buy tea" })).request_id).toBe(asked.request_id);
    const path = `/api/account/access-requests/${asked.request_id}/decisions`;
    await owner.send("POST", path, { decision: "approve" });
    expect((await site.accessRequest(asked.request_id)).state).toBe("approved");
    expect(await site.collect(asked.request_id)).toMatchObject({ state: "collected" });
    const session = await site.open(siteId, { permissions: ["navigate"] });
    expect(session.id).toEqual(expect.any(String));
    expect(session.permissions).toMatchObject({ navigate: true, readContent: false, fillForms: false });
  });
});

interface Said {
  isError: boolean;
  value: unknown;
  text: string;
}
type Call = [name: string, args: Record<string, unknown>];
type Way = (calls: readonly Call[]) => Promise<Said[]>;

const byMcp: Way = async (calls) => {
  const client = await connectMcp(registry.url);
  const said: Said[] = [];
  for (const [name, args] of calls) {
    const { isError, data, error, text } = await callTool(client, name, args);
    said.push({ isError, value: error ?? data, text });
  }
  await client.close();
  return said;
};

const bySdk =
  (format: ToolFormat): Way =>
  async (calls) => {
    const tools = new Bridge({ registry: registry.url, wallet: { [shop]: key } }).tools(format);
    const said: Said[] = [];
    for (const [name, args] of calls) said.push(await tools.call(name, args));
    return said;
  };

const PROGRAM = `
import json, sys
from agent_web_bridge import Bridge
with Bridge(sys.argv[1], wallet=json.loads(sys.argv[2])) as bridge:
    tools, said = bridge.tools("anthropic"), []
    for name, args in json.load(sys.stdin):
        result = tools.call(name, args)
        said.append({"isError": result.is_error, "value": result.value, "text": result.text})
    print(json.dumps(said))
`;
const byPython: Way = async (calls) => {
  const env = { ...process.env, PYTHONPATH: join(ROOT, "sdk/python/src"), PYTHONDONTWRITEBYTECODE: "1" };
  const asked = run(python, ["-c", PROGRAM, registry.url, JSON.stringify({ [shop]: key })], { env });
  asked.child.stdin!.end(JSON.stringify(calls));
  return JSON.parse((await asked).stdout);
};

const WAYS: [string, Way][] = [
  ["the TypeScript SDK, for Anthropic", bySdk("anthropic")],
  ["the TypeScript SDK, for OpenAI", bySdk("openai")],
  ["the TypeScript SDK, for MCP", bySdk("mcp")],
  ...(python === "" ? [] : [["the Python SDK", byPython] as [string, Way]]),
];

/** A session before the checkout: what is looked at there does not change by it. */
async function sessionAtCheckout(): Promise<string> {
  const bridge = new Bridge({ registry: registry.url, wallet: { [shop]: key } });
  const [opened] = await bySdk("mcp")([["open_session", { domain: shop, purpose: "tea" }]]);
  expect(opened, opened?.text).toMatchObject({ isError: false, value: { domain: shop } });
  const { session } = opened!.value as { session: string };
  const tools = bridge.tools("mcp");
  for (const [action, args] of [
    ["navigate", { target: "/" }],
    ["click", { target: ".products a" }],
    ["submit-buy", { quantity: 1 }],
    ["click", { target: "#to-checkout" }],
  ] as const) {
    const done = await tools.call("do_action", { session, action, args });
    expect(done, done.text).toMatchObject({ isError: false, value: { success: true } });
  }
  return session;
}

describe("a tool", () => {
  it("gives what it gives by /mcp, whatever the way and the vendor's format", async () => {
    const session = await sessionAtCheckout();
    const args = { name: "Ada", email: "ada@agent.example", terms: true };
    const calls: Call[] = [
      ["search_sites", { query: "kettle", min_ring: 3 }],
      ["site_verdict", { domain: shop }],
      ["read_page", { domain: shop, path: "/" }],
      ["list_actions", { session }],
      ["do_action", { session, action: "submit-checkout", args, dry_run: true }],
      // Faults: of the arguments, of the operation, of a missing credential, of what needs a confirmation.
      ["search_sites", {}],
      ["search_sites", { query: "tea", colour: "red" }],
      ["read_page", { domain: "never-seen.test" }],
      ["open_session", { domain: "other.example", purpose: "tea" }],
      ["request_access", { domain: shop, purpose: "tea" }],
      ["scan_content", { text: "Hello" }],
      ["price_history", { shop: "shop.example", product_id: "1" }],
      ["list_actions", { session: "of.nobody" }],
      ["do_action", { session, action: "submit-checkout", args }],
      ["do_action", { session, action: "submit-checkout", args, confirm_total: "0.01 EUR" }],
    ];
    const expected = await byMcp(calls);
    expect(expected.map(({ isError }) => isError)).toEqual(calls.map((_, i) => i > 4));
    const codes = expected.slice(5).map(({ value }) => (value as { code: string }).code);
    expect(codes).toEqual([
      ...["invalid_request", "unknown_parameter", "site_not_registered", "authentication_required"],
      ...["authentication_required", "insufficient_plan", "insufficient_plan", "authentication_required"],
      ...["confirmation_required", "total_changed"],
    ]);
    for (const [way, call] of WAYS) expect(await call(calls), way).toEqual(expected);
  });

  it("buys by each way, with the license from the client's own wallet", async () => {
    for (const [way, call] of WAYS.slice(-2)) {
      const session = await sessionAtCheckout();
      const order = {
        session,
        action: "submit-checkout",
        args: { name: "Ada", email: "ada@agent.example", terms: true },
      };
      const [told] = await call([["do_action", { ...order, dry_run: true }]]);
      const { confirm } = (told!.value as any).would;
      const [bought] = await call([["do_action", { ...order, ...confirm }]]);
      expect(bought, `${way}: ${bought?.text}`).toMatchObject({
        isError: false,
        value: { success: true, page: { title: expect.stringMatching(/^Order \d+/) } },
      });
    }
  });
});
