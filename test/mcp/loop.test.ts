/** An agent of a page, without a model: it finds a shop, checks it, opens a session and buys, by tools alone. */
import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bridge } from "../app/cli/run.ts";
import { makeLicense } from "../support/license.ts";
import { callTool, connectMcp, headersOf, modernMessage } from "../support/mcp.ts";
import { createOwner } from "../support/owner.ts";
import { startRegistry, type TestRegistry } from "../support/registry.ts";
import { givenKey, givenOpenedSite } from "../support/visitor.ts";

const MAIN = fileURLToPath(new URL("../../app/main.ts", import.meta.url));
let registry: TestRegistry;
let shop: string;
let license: string;
let folder: string;

beforeAll(async () => {
  registry = await startRegistry({ world: { sites: 4, soundShare: 0.5, kinds: { shop: 1 }, seed: 11 } });
  await registry.crawl();
  shop = registry.world.hosts.find(({ kind }) => kind === "shop")!.host;
  license = (await makeLicense(registry.runtime.broker, shop, { permissions: { fillForms: true } })).key;
  folder = mkdtempSync(join(tmpdir(), "bridge-wallet-"));
});
afterAll(async () => {
  await registry?.stop();
  rmSync(folder, { recursive: true, force: true });
});

function walletOf(licenses: unknown): string {
  const path = join(folder, `${Math.random()}.json`);
  writeFileSync(path, typeof licenses === "string" ? licenses : JSON.stringify(licenses), { mode: 0o600 });
  return path;
}

/** A client that starts the program, as models' programs do. */
async function overStdio(...flags: string[]) {
  const client = new Client({ name: "loop", version: "1" }, { versionNegotiation: { mode: "auto" } });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [MAIN, "mcp", "--registry", registry.url, ...flags],
    stderr: "pipe",
  });
  let said = "";
  transport.stderr?.on("data", (chunk) => {
    said += chunk;
  });
  await client.connect(transport);
  return { client, said: () => said };
}

/** Finds the shop, checks it, opens a session, and fills a basket there. */
async function toCheckout(client: Client) {
  const tool = (name: string, args: Record<string, unknown>) => callTool(client, name, args);

  const found = await tool("search_sites", { query: "kettle" });
  expect(found.data.sites.map(({ domain }: any) => domain)).toContain(shop);
  expect((await tool("site_verdict", { domain: shop })).data).toMatchObject({ state: "enabled" });

  const opened = await tool("open_session", { domain: shop, purpose: "buy a kettle" });
  expect(opened.data?.permitted, opened.text).toContain("fillForms");
  const { session } = opened.data;
  const act = async (action: string, args: Record<string, unknown> = {}) => {
    const { data, text, error } = await tool("do_action", { session, action, args });
    expect(data, `${action}: ${text} ${error?.detail}`).toMatchObject({ success: true });
    return data;
  };

  const { data: listed } = await tool("list_actions", { session, executable_only: true });
  const search = listed.actions.find(({ name }: any) => name === "submit-search");
  expect(search).toMatchObject({
    executable: true,
    input_schema: { type: "object", required: ["q"], additionalProperties: false },
    site_says: { untrusted: true },
  });
  const results = await act(search.name, { q: "kettle" });
  expect(results.page.source).toMatch(/\/search\?q=kettle$/);
  expect(results.page).toMatchObject({ untrusted: true, title: expect.stringMatching(/^1 found/) });

  await act("click", { target: ".products a" });
  await act("submit-buy", { quantity: 2 });
  await act("click", { target: "#to-checkout" });
  return { session, tool, act };
}

const BUYER = { name: "Ada Lovelace", email: "ada@example.test", terms: true };

/** … and buys, as a dry run told it. */
async function buy(client: Client) {
  const { session, tool } = await toCheckout(client);
  const order = { session, action: "submit-checkout", args: BUYER, idempotency_key: `order-${randomUUID()}` };
  const { data: listed } = await tool("list_actions", { session });
  expect(listed.actions.find(({ name }: any) => name === order.action)).toMatchObject({
    effect: "purchase",
    input_schema: { required: ["name", "email", "terms"] },
  });

  const told = await tool("do_action", { ...order, dry_run: true });
  expect(told.data).toMatchObject({ outcome: "dry_run", would: { effect: "purchase", confirm: {} } });
  const { confirm_total } = told.data.would.confirm;
  expect(told.text).toContain(`"confirm_total":"${confirm_total}"`);

  const unconfirmed = await tool("do_action", order);
  expect(unconfirmed.error).toMatchObject({ code: "confirmation_required" });
  const wrong = await tool("do_action", { ...order, confirm_total: "0.01 EUR" });
  expect(wrong.error).toMatchObject({ code: "total_changed", next: expect.stringContaining("user") });

  const bought = await tool("do_action", { ...order, confirm_total });
  expect(bought.data, bought.text).toMatchObject({
    outcome: "done",
    success: true,
    already_done: false,
    receipt: { effect: "purchase", state: "done" },
  });
  expect(bought.data.page.title).toMatch(/^Order \d+/);
  const again = await tool("do_action", { ...order, confirm_total });
  expect(again.data).toMatchObject({ receipt: { receipt_id: bought.data.receipt.receipt_id } });
}

describe("an agent that buys by tools", () => {
  it("goes from a search to the order's confirmation with its account's wallet", async () => {
    const user = createOwner(registry);
    const { token } = await user.agent("shopper");
    await user.send("PUT", `/api/account/wallet/${shop}`, { key: license });
    const client = await connectMcp(registry.url, { authorization: `Bearer ${token}` });
    await buy(client);
    // The token reads what its sessions did, also once they are gone; another agent of the account reads nothing.
    const asAgent = await bridge(["call", "listReceipts", "--registry", registry.url], {
      BRIDGE_TOKEN: token,
    });
    const { receipts } = JSON.parse(asAgent.out);
    const purchases = receipts.filter(({ effect }: any) => effect === "purchase");
    expect(purchases).toMatchObject([{ state: "done", site: shop }]);
    const id: string = purchases[0].receipt_id;
    const call = ["call", "getReceipt", "--receiptId", id, "--registry", registry.url];
    const one = JSON.parse((await bridge(call, { BRIDGE_TOKEN: token })).out);
    expect(one.receipt).toMatchObject({ receipt_id: id, status: 200, action: "submit-checkout" });
    expect(one.receipt.final_url).toMatch(/\/order\/\d+$/);
    expect(one.log.leaf_index).toBeGreaterThanOrEqual(0);
    const other = { headers: { authorization: `Bearer ${(await user.agent("other")).token}` } };
    expect(await (await fetch(`${registry.url}/api/bridge/receipts`, other)).json()).toEqual({
      receipts: [],
    });
    expect((await fetch(`${registry.url}/api/bridge/receipts/${id}`, other)).status).toBe(404);
    const elsewhere = await callTool(client, "open_session", { domain: "other.example", purpose: "look" });
    expect(elsewhere.error?.code).toBe("license_missing");
    const reads = { domain: shop, purpose: "look", permissions: ["readContent"] };
    expect((await callTool(client, "open_session", reads)).data.permitted).toEqual(["readContent"]);
    await client.close();
  });

  it("scans with the key of the gateway that its account keeps", async () => {
    const user = createOwner(registry);
    const { token } = await user.agent();
    const client = await connectMcp(registry.url, { authorization: `Bearer ${token}` });
    const without = await callTool(client, "scan_content", { text: "Hello" });
    expect(without.error).toMatchObject({
      code: "insufficient_plan",
      next: expect.stringContaining("PUT /api/account/wallet/gateway"),
    });
    const key = await givenKey(registry, "PRO", await user.accountId());
    expect((await user.send("PUT", "/api/account/wallet/gateway", { key })).status).toBe(200);
    expect((await callTool(client, "scan_content", { text: "Hello" })).data.verdict).toBe("allow");
    await client.close();
  });

  it("goes the same way over stdio, with a wallet of its own", async () => {
    const { client, said } = await overStdio("--wallet", walletOf({ [shop]: license }));
    await buy(client);
    expect(said()).toBe("");
    await client.close();
  });

  it("asks a person where the client can, and buys only what was agreed to", async () => {
    const user = createOwner(registry);
    const { token } = await user.agent();
    await user.send("PUT", `/api/account/wallet/${shop}`, { key: license });
    const asked: string[] = [];
    let agrees = false;
    const client = await connectMcp(registry.url, { authorization: `Bearer ${token}` }, undefined, {
      elicitation: { form: {} },
    });
    client.setRequestHandler("elicitation/create", async ({ params }) => {
      asked.push(params.message);
      return agrees ? { action: "accept", content: { confirm: true } } : { action: "decline" };
    });
    const { session, tool } = await toCheckout(client);
    const order = { session, action: "submit-checkout", args: BUYER };
    const declined = await tool("do_action", order);
    expect(declined.error).toMatchObject({
      code: "confirmation_required",
      next: expect.stringContaining("Do not buy"),
    });
    agrees = true;
    const bought = await tool("do_action", order);
    expect(bought.data, bought.text).toMatchObject({ success: true, receipt: { effect: "purchase" } });
    const { amount, currency } = bought.data.receipt.total;
    const question = `"submit-checkout" at ${shop}:${registry.world.port} spends ${amount} ${currency}. Do it?`;
    expect(asked).toEqual([question, question]);
    await client.close();
  });

  it("takes no agreement that it did not sign, and none of another call: it asks again", async () => {
    const user = createOwner(registry);
    const { token } = await user.agent();
    await user.send("PUT", `/api/account/wallet/${shop}`, { key: license });
    const client = await connectMcp(registry.url, { authorization: `Bearer ${token}` });
    const { session } = await toCheckout(client);
    await client.close();
    const send = async (args: object, more: object = {}): Promise<any> => {
      const _meta = { "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } } };
      const message = modernMessage("tools/call", { name: "do_action", arguments: args, _meta, ...more });
      const headers = { ...headersOf(message), authorization: `Bearer ${token}` };
      const reply = await fetch(`${registry.url}/mcp`, {
        method: "POST",
        headers,
        body: JSON.stringify(message),
      });
      const text = await reply.text();
      return JSON.parse(text.startsWith("{") ? text : /^data: (.*)$/m.exec(text)![1]!);
    };
    const order = { session, action: "submit-checkout", args: BUYER };
    const { result: first } = await send(order);
    expect(first.resultType, JSON.stringify(first)).toBe("input_required");
    const inputResponses = { confirm: { action: "accept", content: { confirm: true } } };
    const { requestState } = first;
    const forged = await send(order, { inputResponses, requestState: requestState.replace(/.{4}$/, "AAAA") });
    expect(forged.error, JSON.stringify(forged)).toMatchObject({ code: -32602 });
    const moved = { ...order, args: { ...BUYER, name: "Eve" } };
    const { result: again } = await send(moved, { inputResponses, requestState });
    expect(again.resultType).toBe("input_required");
    const { result: bought } = await send(order, { inputResponses, requestState });
    expect(bought.structuredContent, JSON.stringify(bought)).toMatchObject({ success: true });
  });

  it("does what a person agreed to once, however often the answer comes", async () => {
    const user = createOwner(registry);
    const { token } = await user.agent();
    await user.send("PUT", `/api/account/wallet/${shop}`, { key: license });
    const client = await connectMcp(registry.url, { authorization: `Bearer ${token}` });
    const { session, tool } = await toCheckout(client);
    const _meta = { "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } } };
    const send = async (more: object = {}): Promise<any> => {
      const args = { session, action: "submit-checkout", args: BUYER };
      const message = modernMessage("tools/call", { name: "do_action", arguments: args, _meta, ...more });
      const headers = { ...headersOf(message), authorization: `Bearer ${token}` };
      const reply = await fetch(`${registry.url}/mcp`, {
        method: "POST",
        headers,
        body: JSON.stringify(message),
      });
      const text = await reply.text();
      return JSON.parse(text.startsWith("{") ? text : /^data: (.*)$/m.exec(text)![1]!).result;
    };
    const { requestState } = await send();
    const answer = {
      requestState,
      inputResponses: { confirm: { action: "accept", content: { confirm: true } } },
    };
    const first = await send(answer);
    expect(first.structuredContent, JSON.stringify(first)).toMatchObject({ success: true });
    // The session is before the checkout of another basket: the same answer would buy that one.
    for (const [action, args] of [
      ["navigate", { target: "/" }],
      ["click", { target: ".products a" }],
      ["submit-buy", { quantity: 2 }],
      ["click", { target: "#to-checkout" }],
    ] as const)
      expect((await tool("do_action", { session, action, args })).data).toMatchObject({ success: true });
    const again = await send(answer);
    expect(again.structuredContent.receipt.receipt_id).toBe(first.structuredContent.receipt.receipt_id);
    const reply = await fetch(`${registry.url}/api/bridge/receipts`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const { receipts } = (await reply.json()) as any;
    expect(receipts.filter(({ effect }: any) => effect === "purchase")).toHaveLength(1);
    await client.close();
  });

  it("opens no other site than the one that was named, whatever license comes with it", async () => {
    const other = registry.world.hosts.find(({ host }) => host !== shop)!.host;
    const { client } = await overStdio("--wallet", walletOf({ [other]: license }));
    const opened = await callTool(client, "open_session", { domain: other, purpose: "buy tea" });
    expect(opened.error).toMatchObject({ code: "license_invalid", detail: expect.stringContaining(shop) });
    await client.close();
  });

  it("asks the owner for access, and collects it into the wallet", async () => {
    const [owner, user] = [createOwner(registry), createOwner(registry)];
    const siteId = await givenOpenedSite(registry, await owner.accountId(), "request");
    const { token } = await user.agent("tea buyer");
    const client = await connectMcp(registry.url, { authorization: `Bearer ${token}` });
    const without = await callTool(client, "open_session", { domain: siteId, purpose: "buy tea" });
    expect(without.error).toMatchObject({
      code: "license_missing",
      next: expect.stringContaining("request_access"),
    });
    const ask = { domain: siteId, purpose: "buy tea" };
    const { data: asked } = await callTool(client, "request_access", ask);
    expect(asked).toMatchObject({ state: "pending", domain: siteId, granted: null });
    await owner.send("POST", `/api/account/access-requests/${asked.request_id}/decisions`, {
      decision: "approve",
    });
    const { request_id } = asked;
    const collected = await callTool(client, "request_access", { ...ask, request_id });
    expect(collected.data).toMatchObject({
      state: "collected",
      granted: expect.arrayContaining(["navigate"]),
    });
    const opened = await callTool(client, "open_session", { domain: siteId, purpose: "buy tea" });
    expect(opened.data.permitted).toContain("navigate");
    await client.close();
    const nobody = await connectMcp(registry.url);
    expect((await callTool(nobody, "request_access", ask)).error).toMatchObject({
      code: "authentication_required",
      next: expect.stringContaining("agent token"),
    });
    await nobody.close();
  });

  it("is told what is missing, and by what to go on", async () => {
    const { client } = await overStdio();
    const without = await callTool(client, "open_session", { domain: shop, purpose: "look" });
    expect(without).toMatchObject({ isError: true, error: { next: expect.stringContaining("license") } });
    const forged = await callTool(client, "list_actions", { session: "not.a.session" });
    expect(forged.error).toMatchObject({
      code: "authentication_required",
      next: expect.stringContaining("open_session"),
    });
    await client.close();
  });

  it("uses the key that it was started with, and none of it in what it says", async () => {
    const key = await givenKey(registry, "PRO");
    const { client, said } = await overStdio("--key", key);
    expect((await callTool(client, "scan_content", { text: "Hello" })).data).toMatchObject({
      verdict: "allow",
    });
    expect(said()).toBe("");
    await client.close();
  });

  it("says when the registry does not answer", async () => {
    const client = new Client({ name: "loop", version: "1" });
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [MAIN, "mcp", "--registry", "http://127.0.0.1:9"],
      }),
    );
    const { error } = await callTool(client, "search_sites", { query: "tea" });
    expect(error).toMatchObject({ code: "unavailable", retry_after_seconds: 5 });
    await client.close();
  });
});

describe("the wallet file", () => {
  const run = (wallet: string) =>
    spawnSync(process.execPath, [MAIN, "mcp", "--registry", registry.url, "--wallet", wallet], {
      input: "",
      encoding: "utf8",
      timeout: 20_000,
    });

  it("ends the program with what is wrong with it", () => {
    for (const wrong of ["{", "[]", '{"shop.example": 7}', '{"not a host": "x"}']) {
      const { status, stderr, stdout } = run(walletOf(wrong));
      expect([status, stdout], wrong).toEqual([2, ""]);
      expect(stderr).toContain("must be a JSON object");
    }
    expect(run(join(folder, "nowhere")).stderr).toContain("cannot be read (ENOENT)");
  });

  it("is warned of where others can read it", () => {
    const open = walletOf({});
    chmodSync(open, 0o644);
    expect(run(open)).toMatchObject({ status: 0, stdout: "", stderr: expect.stringContaining("chmod 600") });
  });
});
