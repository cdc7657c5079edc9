/** A person takes what the registry holds of them, and goes: nothing of the account is left in any bucket but what the reply names. */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openAccountStore } from "../../../src/stores/accounts.ts";
import { createOwner, PASSWORD } from "../../support/owner.ts";
import { createPerson } from "../../support/person.ts";
import { startRegistry, type TestRegistry } from "../../support/registry.ts";
import { givenFullAccount } from "../../support/visitor.ts";
import { startRig } from "./rig.ts";

let registry: TestRegistry;
beforeAll(async () => {
  registry = await startRegistry({ world: { sites: 1 }, roles: ["accounts", "session", "protocol"] });
});
afterAll(() => registry?.stop());

/** An owner of everything that an account can own. */
async function richOwner() {
  const owner = createOwner(registry);
  const { key, siteId } = await owner.license();
  await owner.project();
  const agent = await owner.agent("my helper");
  const { siteId: asked } = await givenFullAccount(registry, await owner.email());
  await owner.send("PUT", `/api/account/wallet/${siteId}`, { key });
  return { owner, key, siteId, agent, asked };
}

/** Where a text stands: bucket and key, of every record that there is. */
async function placesOf(texts: readonly string[]): Promise<string[]> {
  const places: string[] = [];
  for (const [name, bucket] of Object.entries(registry.runtime.broker.buckets))
    for await (const key of bucket.keys()) {
      const stored = (await bucket.get(key))?.text() ?? "";
      if (texts.some((text) => key.includes(text) || stored.includes(text))) places.push(`${name} ${key}`);
    }
  return places;
}

describe("a copy of an account", () => {
  it.concurrent("is one file by page, with all that it owns, and no secret", async () => {
    const { owner, key, siteId, agent } = await richOwner();
    const person = createPerson(registry.url);
    await person.post("/account/log-in", { email: await owner.email(), password: PASSWORD });
    const file = await person.get("/account/export");
    expect(file.headers.get("content-disposition")).toBe('attachment; filename="account.json"');
    expect(file.headers.get("cache-control")).toBe("no-store");
    const { account, keys, receipts, access_requests, ...rest } = JSON.parse(file.text);
    expect([
      account.user.email,
      keys.gateway_keys.length,
      receipts.receipts.length,
      access_requests.total,
    ]).toEqual([await owner.email(), 1, 1, 1]);
    expect(keys.licenses.map((each: any) => each.siteId)).toContain(siteId);
    expect([keys.projects.length, keys.agents[0].name, rest.wallet.domains[0].domain]).toEqual([
      1,
      "my helper",
      siteId,
    ]);
    expect([rest.sites.sites.length, rest.log_ins.log_ins.length, rest.agent_blocks.agents]).toEqual([
      2,
      1,
      [],
    ]);
    for (const secret of [key, agent.token, "argon2", PASSWORD]) expect(file.text).not.toContain(secret);
  });
});

describe("closing an account", () => {
  it.concurrent("leaves nothing of it in any bucket but receipts, which the reply names", async () => {
    const { owner, key, siteId } = await richOwner();
    const [accountId, email, token] = await Promise.all([owner.accountId(), owner.email(), owner.token()]);
    expect((await placesOf([accountId, email])).length).toBeGreaterThan(8);
    const send = (path: string, init: RequestInit) =>
      fetch(registry.url + path, {
        ...init,
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      });
    const reply = await send("/api/account/close", {
      method: "POST",
      body: JSON.stringify({ password: PASSWORD }),
    });
    const body = (await reply.json()) as any;
    expect([reply.status, body.removed]).toEqual([
      200,
      { sites: 2, licenses: 1, projects: 1, agents: 1, keys: 1, access_requests: 1 },
    ]);
    const left = await placesOf([accountId, email]);
    expect(left.filter((place) => !place.startsWith("receipts receipt."))).toEqual([]);
    expect(body.stays.map(({ what }: any) => what)).toContain("receipts of what agents sent to the sites");
    expect((await send("/api/auth/me", {})).status).toBe(401);
    const license = { licenseKey: key, domain: siteId };
    expect((await registry.postJson("/api/license/verify", license)).status).toBe(403);
    const again = await registry.postJson("/api/auth/register", { email, password: PASSWORD, name: "Ada" });
    expect(again.status).toBe(201);
  });

  it.concurrent("asks for the password, or for a log-in that is new", async () => {
    const rig = await startRig();
    const email = `${randomUUID()}@leaving.example`;
    const { user } = (await rig.register(email)) as any;
    const login = async () => {
      const { token } = (await rig.login(email)) as any;
      return { ...rig.as(user.id), principal: (await rig.account.identify(token)) as any };
    };
    const close = (context: any, password?: string) =>
      rig.handlers.closeAccount(
        { params: undefined, query: undefined, body: { password } },
        context,
      ) as Promise<any>;
    const old = await login();
    rig.pass(11 * 60_000);
    expect((await close(old)).code).toBe("invalid_credentials");
    expect((await close(old, "not the password")).code).toBe("invalid_credentials");
    expect((await rig.deps.store.account(user.id))?.value.suspended).toBe(false);
    expect((await close(await login())).closed).toBe(true);
    expect(await rig.deps.store.account(user.id)).toBeUndefined();
    await rig.stop();
  });

  it.concurrent("by page says first what goes and what stays, and then takes the log-in away", async () => {
    const { owner } = await richOwner();
    const email = await owner.email();
    const person = createPerson(registry.url);
    await person.post("/account/log-in", { email, password: PASSWORD });
    const page = await person.get("/account/close");
    expect(page.text).toContain("2 sites, 1 license, 1 project and 1 agent");
    const csrf = await person.csrfOf("/account/close");
    const wrong = await person.post("/account/close", { csrf, password: "not the password" });
    expect([wrong.status, wrong.cookie]).toEqual([401, null]);
    const done = await person.post("/account/close", { csrf, password: PASSWORD });
    expect([done.status, done.location, person.cookie()]).toEqual([303, "/account/log-in?done=closed", ""]);
    expect(await openAccountStore(registry.runtime.broker).byEmail(email)).toBeUndefined();
  });
});
