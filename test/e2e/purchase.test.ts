import { createHash, randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hostKey } from "../../src/domain/names/domain-name.ts";
import { canonicalize } from "../../src/domain/trust/jcs.ts";
import { leafHash, verifyInclusion } from "../../src/domain/trust/tlog/merkle.ts";
import { openAccountStore } from "../../src/stores/accounts.ts";
import { loginTokens } from "../../src/stores/issued-tokens.ts";
import { openReceipts } from "../../workers/session/receipts/store.ts";
import { openSessions } from "../../workers/session/store.ts";
import { type Agent, enter } from "../support/agent.ts";
import { askJson } from "../support/json.ts";
import { makeLicense } from "../support/license.ts";
import { createOwner } from "../support/owner.ts";
import { startRegistry, type TestRegistry } from "../support/registry.ts";

let registry: TestRegistry;
let shop: string;
let license: Awaited<ReturnType<typeof makeLicense>>;

beforeAll(async () => {
  registry = await startRegistry({ world: { sites: 4, soundShare: 0.5, kinds: { shop: 1 }, seed: 11 } });
  shop = registry.world.hosts.find(({ kind }) => kind === "shop")!.host;
  license = await makeLicense(registry.runtime.broker, shop, { permissions: { fillForms: true } });
});
afterAll(() => registry?.stop());

let agents = 0;
/** An agent of its own, before the checkout of a basket that holds something. */
async function atCheckout(key = license.key): Promise<{ agent: Agent; total: string }> {
  const agent = await enter(registry.url, key, `buyer-${++agents}`);
  await agent.execute("navigate", "/");
  await agent.execute("click", ".products a");
  const added = await agent.execute("submit-buy", undefined, undefined, { quantity: 2 });
  expect(added.result.title).toMatch(/^Basket/);
  await agent.execute("click", "#to-checkout");
  const due = (await agent.execute("read", "#due")).result.elements[0].text as string;
  return { agent, total: due };
}
const BUYER = { name: "Ada Lovelace", email: "ada@example.test", terms: true };
const order = (agent: Agent, more: Record<string, unknown> = {}, key?: string) =>
  agent.execute("submit-checkout", undefined, undefined, BUYER, more, key);
const receiptsOf = async ({ token }: Agent) =>
  (await askJson(`${registry.url}/api/bridge/receipts`, { token })).body.receipts as any[];
const purchasesOf = async (agent: Agent) =>
  (await receiptsOf(agent)).filter(({ effect }) => effect === "purchase");

describe("an action that is listed", () => {
  it("says what it takes as JSON Schema, and what it does", async () => {
    const { agent } = await atCheckout();
    const { body } = await agent.actions();
    const named = (name: string) => body.actions.find((action: any) => action.name === name);
    expect(named("submit-search")).toMatchObject({ effect: "read" });
    expect(named("open-home")).toMatchObject({ effect: "read", input_schema: { properties: {} } });
    expect(named("submit-checkout")).toMatchObject({
      effect: "purchase",
      input_schema: {
        type: "object",
        additionalProperties: false,
        required: ["name", "email", "terms"],
        properties: {
          email: { type: "string", format: "email" },
          country: { type: "string", enum: ["AT", "IE"], default: "AT" },
          delivery: { type: "string", enum: ["post", "shop"], default: "post" },
          terms: { type: "boolean", const: true },
        },
      },
    });
  });
});

describe("a purchase", () => {
  it("is told by a dry run, with its total and all that would be sent, and nothing is done", async () => {
    const { agent, total } = await atCheckout();
    const told = await order(agent, { dry_run: true });
    const [amount, currency] = total.split(" ");
    expect(told.result).toMatchObject({
      dry_run: true,
      effect: "purchase",
      total: { amount, currency },
      would_send: { method: "POST", url: expect.stringMatching(/\/order$/) },
      confirm: { confirm_total: total },
    });
    expect(told.result.would_send.fields).toContainEqual({ name: "name", value: "Ada Lovelace" });
    expect(await purchasesOf(agent)).toEqual([]);
    expect((await agent.execute("read", "[name=name]")).result.elements[0].value).toBe("");
  });

  it("is made with the total that the page shows, and with no other", async () => {
    const { agent, total } = await atCheckout();
    expect(await order(agent)).toMatchObject({ status: 409, code: "confirmation_required" });
    expect(await order(agent, { confirm_total: "0.01 EUR" })).toMatchObject({
      status: 409,
      code: "total_changed",
      result: { errors: [{ pointer: "/body/confirm_total", code: "expected", message: total }] },
    });
    expect(await order(agent, { confirm_unknown_total: true })).toMatchObject({
      code: "confirmation_required",
    });
    expect(await order(agent, { confirm_total: total, max_total: "1.00 EUR" })).toMatchObject({
      status: 409,
      code: "total_over_limit",
    });
    expect(await order(agent, { confirm_total: total, max_total: "500 EUR" })).toMatchObject({
      status: 200,
      success: true,
    });
  });

  it("above the owner's limit is left to a person", async () => {
    const { broker } = registry.runtime;
    const store = openAccountStore(broker);
    const before = (await store.site(shop))!.value;
    const restrictions = { ...before.configuration.restrictions, confirm_above: "5.00 EUR" };
    await store.sites.put(hostKey(shop), {
      ...before,
      configuration: { ...before.configuration, restrictions },
    });
    try {
      const { agent, total } = await atCheckout();
      expect(await order(agent, { confirm_total: total })).toMatchObject({
        status: 403,
        code: "owner_confirmation_required",
      });
    } finally {
      await store.sites.put(hostKey(shop), before);
    }
  });

  it("that is repeated with its key is made once, also when the session has gone on", async () => {
    const { agent, total } = await atCheckout();
    const key = randomUUID();
    const first = await order(agent, { confirm_total: total }, key);
    expect(first.result.title).toMatch(/^Order \d+/);
    const again = await order(agent, { confirm_total: total }, key);
    expect([again.headers.get("idempotency-replayed"), again.result]).toEqual(["true", first.result]);
    expect(await purchasesOf(agent)).toHaveLength(1);
  });

  it("is known by its key for as long as its receipt is, when the front has long forgotten it", async () => {
    const { agent, total } = await atCheckout();
    const key = randomUUID();
    const first = await order(agent, { confirm_total: total }, key);
    const { idempotency } = registry.runtime.broker.buckets;
    const forget = async () => {
      for await (const name of idempotency.keys()) await idempotency.remove(name);
    };
    await forget();
    const again = await order(agent, { confirm_total: total }, key);
    expect(again.result).toMatchObject({ already_done: true, receipt: first.result.receipt });
    await forget();
    expect(await agent.execute("submit-search", undefined, undefined, { q: "x" }, {}, key)).toMatchObject({
      status: 422,
      code: "idempotency_conflict",
    });
    expect(await purchasesOf(agent)).toHaveLength(1);
  });

  it("of another session of the same agent is not made again with its key", async () => {
    const { agent, total } = await atCheckout();
    const key = randomUUID();
    await order(agent, { confirm_total: total }, key);
    const other = await enter(registry.url, license.key, `buyer-${agents}`);
    expect(await order(other, { confirm_total: total }, key)).toMatchObject({
      status: 409,
      code: "reply_not_kept",
    });
    expect(await purchasesOf(other)).toHaveLength(1);
  });

  it("of one license is made once with its key, whatever its sessions call their agents", async () => {
    const { agent, total } = await atCheckout();
    const others = [await atCheckout(), await atCheckout()];
    const key = randomUUID();
    await order(agent, { confirm_total: total }, key);
    for (const other of others) {
      expect(await order(other.agent, { confirm_total: other.total }, key)).toMatchObject({
        status: 409,
        code: "reply_not_kept",
      });
      expect(await purchasesOf(other.agent)).toEqual([]);
    }
    expect(await purchasesOf(agent)).toHaveLength(1);
  });

  it("leaves a receipt, whose hash is in the transparency log, for the agent and for the owner", async () => {
    const { agent, total } = await atCheckout();
    const made = await order(agent, { confirm_total: total });
    const [amount, currency] = total.split(" ");
    const { receipt } = made.result;
    expect(receipt).toMatchObject({
      state: "done",
      site: shop,
      effect: "purchase",
      total: { amount, currency },
      method: "POST",
      status: 200,
      final_url: expect.stringMatching(/\/order\/\d+$/),
    });
    const at = `${registry.url}/api/bridge/receipts/${receipt.receipt_id}`;
    const { receipt: kept, log } = (await askJson(at, { token: agent.token })).body;
    expect(kept).toEqual(receipt);
    const sha256 = createHash("sha256").update(canonicalize(receipt)).digest("hex");
    expect(JSON.parse(log.entry)).toEqual({ sha256, type: "bridge-receipt/1" });
    const root = Buffer.from(log.checkpoint.split("\n")[2], "base64");
    const proof = log.proof.map((hash: string) => new Uint8Array(Buffer.from(hash, "base64")));
    const leaf = leafHash(new TextEncoder().encode(log.entry));
    expect(verifyInclusion(log.leaf_index, log.size, leaf, proof, new Uint8Array(root))).toBe(true);
    const { accountId, generation: gen } = license;
    const token = await loginTokens(registry.runtime).issue(accountId, { gen });
    expect((await askJson(at, { token })).body.receipt).toEqual(receipt);
    expect(await receiptsOf({ token } as Agent)).toContainEqual(receipt);
    const stranger = await enter(registry.url, license.key, "stranger");
    const other = createOwner(registry);
    for (const token of [stranger.token, await other.token()])
      expect((await askJson(at, { token })).status).toBe(404);
    expect((await other.send("GET", "/api/bridge/receipts")).body).toEqual({ receipts: [] });
  });
});

describe("a purchase during which a worker died", () => {
  /** The session as a worker leaves it that died: busy, and a receipt of this state on its way. */
  const dead = async (agent: Agent, state: "sending" | "sent") => {
    const { broker } = registry.runtime;
    const [made] = await receiptsOf(agent);
    const sessions = openSessions(broker);
    const receipts = openReceipts(broker);
    const { value } = (await receipts.records.get(made.receipt_id))!;
    const { value: record } = (await sessions.records.get(value.sessionId))!;
    const receiptId = randomUUID();
    const url = value.url.replace(/\/basket$/, "/order");
    const lost = {
      ...value,
      receiptId,
      state,
      effect: "purchase" as const,
      url,
      until: 1,
      finalUrl: `${url}/1`,
    };
    await receipts.begin({ ...lost, status: state === "sent" ? 303 : null });
    const busy = { holder: "dead", until: 1, action: "submit-checkout", receiptId };
    await sessions.records.put(record.sessionId, { ...record, busy });
    return receiptId;
  };

  it("is of an unknown outcome, and is not sent again from its page; from a new one it is", async () => {
    const { agent, total } = await atCheckout();
    const receiptId = await dead(agent, "sending");
    for (let times = 0; times < 2; times++)
      expect(await order(agent, { confirm_total: total })).toMatchObject({
        status: 409,
        code: "unknown_outcome",
      });
    expect((await receiptsOf(agent)).find(({ receipt_id }) => receipt_id === receiptId).state).toBe(
      "unknown",
    );
    expect((await agent.execute("submit-search", undefined, undefined, { q: "lamp" })).success).toBe(true);
    await agent.execute("navigate", "/checkout");
    expect(await order(agent, { confirm_total: total })).toMatchObject({ status: 200, success: true });
  });

  it("is told as done where the site had answered", async () => {
    const { agent, total } = await atCheckout();
    const receipt_id = await dead(agent, "sent");
    expect(await order(agent, { confirm_total: total })).toMatchObject({
      success: true,
      result: {
        already_done: true,
        at: expect.stringMatching(/\/order\/1$/),
        receipt: { receipt_id, state: "done" },
      },
    });
  });
});

describe("what is put into a basket, or asked", () => {
  it("needs no confirmation, and leaves a receipt too", async () => {
    const { agent } = await atCheckout();
    expect((await receiptsOf(agent)).map(({ effect, action }) => [effect, action])).toEqual([
      ["write", "submit-buy"],
    ]);
    await agent.execute("navigate", "/");
    await agent.execute("submit-search", undefined, undefined, { q: "lamp" });
    expect(await receiptsOf(agent)).toHaveLength(1);
  });
});
