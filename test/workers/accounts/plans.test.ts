/** Choosing a plan: what is free is in force at once, what has a price waits for an operator, who is heard by mail. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { grantRole } from "../../../app/cli/operators.ts";
import { openAccountStore } from "../../../src/stores/accounts.ts";
import { askJson } from "../../support/json.ts";
import { type MailServer, startMailServer } from "../../support/mail-server.ts";
import { createOwner, type Owner, PASSWORD } from "../../support/owner.ts";
import { createPerson } from "../../support/person.ts";
import { startRegistry, type TestRegistry } from "../../support/registry.ts";

let registry: TestRegistry;
let mail: MailServer;
let admin: string;
beforeAll(async () => {
  mail = await startMailServer();
  registry = await startRegistry({
    world: { sites: 1 },
    roles: ["accounts", "session", "protocol", "operators"],
    config: { BRIDGE_SMTP_URL: mail.url },
  });
  admin = await grantRole(registry.runtime.broker, "admin@registry.example", "admin");
});
afterAll(async () => {
  await registry?.stop();
  await mail?.stop();
});

const asOperator = (method: string, path: string, body?: object, token = admin) =>
  askJson(registry.operatorsUrl + path, { method, body, token });
/** A new account of the free plan. */
async function freeOwner(): Promise<Owner> {
  const owner = createOwner(registry);
  const { accounts } = openAccountStore(registry.runtime.broker);
  await accounts.update(`id.${await owner.accountId()}`, (account) => ({
    next: { ...account!, tier: "free" as const },
    result: true,
  }));
  return owner;
}
const choose = (owner: Owner, tier: string, note?: string) =>
  owner.send("PUT", "/api/account/plan", { tier, ...(note && { note }) });
async function planOf(owner: Owner) {
  const { body } = await owner.send("GET", "/api/auth/me");
  return [body.plan.tier, body.plan_request && [body.plan_request.tier, body.plan_request.state]];
}
async function waitingOf(owner: Owner) {
  const email = await owner.email();
  const { body } = await asOperator("GET", "/api/operators/plan-requests?limit=1000");
  return body.requests.find(({ user }: any) => user.email === email);
}

describe("choosing a plan", () => {
  it.concurrent("gives one without a price at once, and takes a request back", async () => {
    const owner = createOwner(registry);
    expect((await choose(owner, "pro")).body).toMatchObject({ request: { state: "waiting" } });
    expect((await choose(owner, "free")).body).toMatchObject({ plan: { tier: "free" }, request: null });
    expect(await planOf(owner)).toEqual(["free", null]);
    await choose(owner, "pro");
    await choose(owner, "free");
    expect(await waitingOf(owner)).toBeUndefined();
  });

  it.concurrent("has one with a price wait, and gives nothing meanwhile", async () => {
    const owner = await freeOwner();
    const { status, body } = await choose(owner, "pro", "Invoice, please");
    expect([status, body.plan.tier, body.request.note]).toEqual([200, "free", "Invoice, please"]);
    expect(await planOf(owner)).toEqual(["free", ["pro", "waiting"]]);
    expect((await waitingOf(owner)).request).toMatchObject({ tier: "pro", note: "Invoice, please" });
    expect((await choose(owner, "platinum")).status).toBe(400);
  });

  it.concurrent("is answered by an operator, and the holder hears of it by mail", async ({ expect }) => {
    for (const [approve, subject, after] of [
      [true, "You have the plan pro", ["pro", null]],
      [false, "The plan pro was refused", ["free", ["pro", "refused"]]],
    ] as const) {
      const owner = await freeOwner();
      await choose(owner, "pro");
      const path = `/api/operators/plan-requests/${await owner.accountId()}/decisions`;
      const decision = { tier: "pro", approve, why: "As agreed by phone" };
      expect((await asOperator("POST", path, { ...decision, tier: "starter" })).body.code).toBe(
        "already_decided",
      );
      expect((await asOperator("POST", path, decision)).status).toBe(200);
      expect(await planOf(owner)).toEqual(after);
      const email = await owner.email();
      await expect
        .poll(
          () => mail.mails.find(({ source, to }) => source.includes(subject) && to.includes(email))?.text,
          {
            timeout: 15_000,
          },
        )
        .toContain("As agreed by phone");
      expect((await asOperator("POST", path, decision)).status).toBeGreaterThanOrEqual(400);
    }
  });

  it.concurrent("is for admins to answer, who find, change and suspend accounts too, on record", async () => {
    const owner = await freeOwner();
    const [email, id] = [await owner.email(), await owner.accountId()];
    const token = await grantRole(registry.runtime.broker, "viewer@registry.example", "viewer");
    const find = `/api/operators/accounts?email=${encodeURIComponent(email)}`;
    expect((await asOperator("GET", find, undefined, token)).body.code).toBe("permission_denied");
    expect((await asOperator("GET", find)).body.user.id).toBe(id);
    const path = `/api/operators/accounts/${id}`;
    expect((await asOperator("PUT", `${path}/plan`, { tier: "pro", why: "x" })).body.user.tier).toBe("pro");
    await asOperator("PUT", `${path}/suspension`, { suspended: true, why: "spam" });
    await asOperator("PUT", `${path}/suspension`, { suspended: false, why: "a mistake" });
    expect((await registry.postJson("/api/auth/login", { email, password: PASSWORD })).status).toBe(200);
    const { entries } = (await asOperator("GET", "/api/operators/audit?limit=100")).body;
    expect(entries.map(({ action }: any) => action)).toContain("holders.suspendAccount");
  });

  it.concurrent("is a page", async () => {
    const owner = await freeOwner();
    const person = createPerson(registry.url);
    await person.post("/account/log-in", { email: await owner.email(), password: PASSWORD });
    const csrf = await person.csrfOf("/account/plan");
    const reply = await person.post("/account/plan", { csrf, tier: "starter", note: "<b>hello</b>" });
    expect(reply.location).toBe("/account?done=plan-chosen");
    expect((await person.get("/account")).text).toContain("You asked for another plan");
    expect((await person.get("/account/plan")).text).toContain("waits for the operator");
  });
});
