/** An agent of a page, without a model: it finds a shop, checks it, opens a session and buys, by tools alone. */
import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeLicense } from "../support/license.ts";
import { callTool, connectMcp } from "../support/mcp.ts";
import { createOwner } from "../support/owner.ts";
import { startRegistry, type TestRegistry } from "../support/registry.ts";
import { givenKey } from "../support/visitor.ts";

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

const walletOf = (licenses: unknown): string => {
  const path = join(folder, `${Math.random()}.json`);
  writeFileSync(path, typeof licenses === "string" ? licenses : JSON.stringify(licenses), { mode: 0o600 });
  return path;
};

/** A client that starts the program, as models' programs do. */
const overStdio = async (...flags: string[]) => {
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
};

/** Finds the shop, checks it, opens a session and buys there. */
const buy = async (client: Client) => {
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
  expect(results.url).toMatch(/\/search\?q=kettle$/);
  expect(results.page).toMatchObject({ untrusted: true, title: expect.stringMatching(/^1 found/) });

  await act("click", { target: ".products a" });
  await act("select", { target: "#size", value: "Small" });
  await act("click", { target: "#buy button[type=submit]" });
  await act("click", { target: "#to-checkout" });
  await act("fill", { target: "[name=name]", value: "Ada Lovelace" });
  await act("fill", { target: "[name=email]", value: "ada@example.test" });
  await act("check", { target: "[name=terms]" });
  const order = await act("submit", { target: "#checkout" });
  expect(order.page.title).toMatch(/^Order \d+/);
};

describe("an agent that buys by tools", () => {
  it("goes from a search to the order's confirmation with its account's wallet", async () => {
    const user = createOwner(registry);
    const { token } = await user.agent("shopper");
    await user.send("PUT", `/api/account/wallet/${shop}`, { licenseKey: license });
    const client = await connectMcp(registry.url, { authorization: `Bearer ${token}` });
    await buy(client);
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
      next: expect.stringContaining("PUT /api/account/gateway-key"),
    });
    const key = await givenKey(registry, "PRO", await user.accountId());
    expect((await user.send("PUT", "/api/account/gateway-key", { api_key: key })).status).toBe(200);
    expect((await callTool(client, "scan_content", { text: "Hello" })).data.verdict).toBe("allow");
    await client.close();
  });

  it("goes the same way over stdio, with a wallet of its own", async () => {
    const { client, said } = await overStdio("--wallet", walletOf({ [shop]: license }));
    await buy(client);
    expect(said()).toBe("");
    await client.close();
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
