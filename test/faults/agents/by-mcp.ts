/** An agent of a page, by MCP: it finds a shop, checks it, asks for access, buys one thing there and keeps the receipt. */
import { setTimeout as sleep } from "node:timers/promises";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

const { REGISTRY = "", TOKEN = "", BUYER = "", ORDER_KEY = "" } = process.env;
const headers = { authorization: `Bearer ${TOKEN}` };
const client = new Client(
  { name: "buyer", version: "1" },
  { versionNegotiation: { mode: { pin: "2026-07-28" } } },
);
await client.connect(
  new StreamableHTTPClientTransport(new URL("/mcp", REGISTRY), { requestInit: { headers } }),
);
async function tool(name: string, args: Record<string, unknown>): Promise<any> {
  const { isError, structuredContent, _meta } = (await client.callTool({ name, arguments: args })) as any;
  if (isError) throw Object.assign(new Error(_meta["bridge/error"].detail), _meta["bridge/error"]);
  return structuredContent;
}

const { sites } = await tool("search_sites", { query: "kettle", min_ring: 3 });
const { domain } = sites.find(({ access }: { access: string }) => access !== "none");
if ((await tool("site_verdict", { domain })).state !== "enabled") throw new Error(`${domain} is not enabled`);
const why = { domain, purpose: "buy a kettle" };
const opened = await tool("open_session", why).catch(async ({ code }) => {
  if (code !== "license_missing") throw new Error(code);
  const permissions = ["readContent", "navigate", "click", "fillForms"];
  let asked = await tool("request_access", { ...why, permissions });
  while (asked.state === "pending") {
    await sleep(300);
    asked = await tool("request_access", { ...why, request_id: asked.request_id });
  }
  return tool("open_session", why);
});

async function act(action: string, args: Record<string, unknown>, more: Record<string, unknown> = {}) {
  const done = await tool("do_action", { session: opened.session, action, args, ...more });
  if (!done.success) throw new Error(`${action}: ${done.error.code}`);
  return done;
}
await tool("list_actions", { session: opened.session });
await act("navigate", { target: "/" });
await act("click", { target: ".products a" });
await act("submit-buy", { quantity: 1 });
await act("click", { target: "#to-checkout" });
const buyer = { name: BUYER, email: "ada@agent.example", terms: true };
const { would } = await act("submit-checkout", buyer, { dry_run: true });
const order = () => act("submit-checkout", buyer, { ...would.confirm, idempotency_key: ORDER_KEY });
const said = await order().catch(({ code }: { code: string }) => ({ code }));
// Done before, by the session that was lost; else the same call again tells the same receipt.
if ("code" in said && said.code === "reply_not_kept") console.log(JSON.stringify({ outcome: "done" }));
else if ("code" in said && said.code === "unknown_outcome")
  console.log(JSON.stringify({ outcome: said.code }));
else if ("code" in said) throw new Error(said.code);
else console.log(JSON.stringify({ outcome: "done", receipt: (await order()).receipt.state }));
await client.close();
