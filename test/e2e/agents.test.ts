/** Agents with a token of their own: what it opens, who pays, and what ends it, over the real front. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { agentOf } from "../support/agent.ts";
import { altered } from "../support/altered.ts";
import { askJson } from "../support/json.ts";
import { createOwner, type Owner } from "../support/owner.ts";
import { startRegistry, type TestRegistry } from "../support/registry.ts";
import { givenKey } from "../support/visitor.ts";

let registry: TestRegistry;
beforeAll(async () => {
  registry = await startRegistry({
    world: { sites: 2, soundShare: 1, seed: 61 },
    roles: ["accounts", "session", "indexer", "search", "gateway"],
  });
});
afterAll(() => registry?.stop());

const send = (token: string | undefined, method: string, path: string, body?: object) =>
  askJson(registry.url + path, { method, body, token });
const open = (token: string | undefined, body: object) =>
  send(token, "POST", "/api/bridge/authenticate", body);

/** An agent whose account keeps a license for a site of the synthetic web that somebody else owns. */
async function agentWithLicense(permissions: Record<string, boolean> = {}) {
  const [owner, user] = [createOwner(registry), createOwner(registry)];
  const { host } = await registry.world.add("sound");
  const license = await owner.license(host);
  await owner.send("PATCH", `/api/account/sites/${host}`, { permissions });
  const agent = await user.agent();
  const kept = await send(agent.token, "PUT", `/api/account/wallet/${host}`, { key: license.key });
  expect(kept.status).toBe(200);
  return { owner, user, agent, license, siteId: host };
}

const page = (siteId: string) => `https://${siteId}:${registry.world.port}/`;

describe("an agent with a license in its account's wallet", () => {
  it.concurrent("opens a session by the site alone", async () => {
    const { agent, siteId } = await agentWithLicense();
    const { status, body } = await open(agent.token, { siteId, purpose: "buy tea" });
    expect(status).toBe(200);
    expect(body.session).toMatchObject({ siteId, permissions: { readContent: true, fillForms: false } });
    expect(body.session.session_id).toMatch(/^[0-9a-f-]{36}$/);
    const session = agentOf(registry.url, body.session.token);
    expect(await session.execute("navigate", page(siteId))).toMatchObject({ status: 200, success: true });
  });

  it.concurrent("gets the next step where there is no license, no token, or both ways at once", async () => {
    const { agent, siteId, license, owner } = await agentWithLicense();
    const missing = await open(agent.token, { siteId: "unknown.example" });
    expect([missing.status, missing.body.code]).toEqual([403, "license_missing"]);
    expect(missing.body.detail).toContain("POST /api/bridge/access-requests");
    const nobody = await open(undefined, { siteId });
    expect([nobody.status, nobody.body.code]).toEqual([401, "authentication_required"]);
    expect((await open(agent.token, { siteId, licenseKey: license.key })).status).toBe(400);
    expect((await open(agent.token, {})).status).toBe(400);
    expect((await open(agent.token, { siteId: "no host" })).body.code).toBe("invalid_domain");
    await owner.send("POST", `/api/account/keys/${license.id}/revoke`);
    const ended = await open(agent.token, { siteId });
    expect([ended.status, ended.body.code]).toEqual([403, "license_invalid"]);
  });

  it.concurrent("holds what site, license and request all permit, at every command", async () => {
    const { owner, agent, siteId } = await agentWithLicense({ fillForms: true, extractData: true });
    const permissions = ["readContent", "navigate", "click", "fillForms"];
    const issued = await owner.send("POST", "/api/account/keys", { kind: "license", siteId, permissions });
    await send(agent.token, "PUT", `/api/account/wallet/${siteId}`, { key: issued.body.key });
    const asked = ["readContent", "navigate", "extractData"];
    const { body } = await open(agent.token, { siteId, permissions: asked });
    const held = Object.keys(body.session.permissions).filter((name) => body.session.permissions[name]);
    expect(held).toEqual(["readContent", "navigate"]);
    const session = agentOf(registry.url, body.session.token);
    expect(await session.execute("navigate", page(siteId))).toMatchObject({ success: true });
    const refused = await session.execute("click", "a");
    expect([refused.status, refused.code]).toEqual([403, "permission_denied"]);
    expect(refused.result.errors).toEqual([
      { pointer: "/body/action", code: "permission_missing", message: "click" },
    ]);
    expect(refused.result.detail).toContain("POST /api/bridge/access-requests");
    const { body: listed } = await session.actions();
    const click = listed.actions.find((each: any) => each.permissions_required.includes("click"));
    expect(click ?? { blocked_by: ["click"] }).toMatchObject({ blocked_by: ["click"] });
    // What the owner closes since ends it for the session, too.
    await owner.send("PATCH", `/api/account/sites/${siteId}`, { permissions: { navigate: false } });
    expect((await session.execute("navigate", page(siteId))).result.detail).toContain(
      "does not permit navigate",
    );
  });

  it.concurrent("has sessions that end with its token, however it ends", async () => {
    const ends: ((user: Owner, id: string) => Promise<unknown>)[] = [
      (user, id) => user.send("POST", `/api/account/keys/${id}/revoke`),
      (user, id) => user.send("POST", `/api/account/keys/${id}/rotate`),
      (user) =>
        user.send("POST", "/api/auth/password", {
          current_password: "correct horse battery",
          new_password: "battery staple horse",
        }),
    ];
    for (const end of ends) {
      const { user, agent, siteId } = await agentWithLicense();
      const { body } = await open(agent.token, { siteId });
      const session = agentOf(registry.url, body.session.token);
      expect((await session.execute("wait", undefined, "1")).status).toBe(200);
      await end(user, agent.id);
      expect((await session.execute("wait", undefined, "1")).status).toBe(401);
      expect((await session.actions()).status).toBe(401);
      expect((await open(agent.token, { siteId })).status).toBe(401);
    }
  });

  it.concurrent("leaves a session that a license key alone opened to its license", async () => {
    const { agent, user, license } = await agentWithLicense();
    const { body } = await open(undefined, { licenseKey: license.key });
    await user.send("POST", `/api/account/keys/${agent.id}/revoke`);
    expect((await agentOf(registry.url, body.session.token).execute("wait", undefined, "1")).status).toBe(
      200,
    );
  });
});

describe("an agent where anyone may call", () => {
  it.concurrent("pays from limits of its own; a wrong token is refused, another credential ignored", async () => {
    const { token } = await createOwner(registry).agent();
    const own = await send(token, "GET", "/api/bridge/search?q=tea");
    expect([own.status, own.headers.get("ratelimit-policy")]).toEqual([
      200,
      '"minute";q=1200;w=60, "account";q=4800;w=60',
    ]);
    const wrong = await send(altered(token), "GET", "/api/bridge/search?q=tea");
    expect([wrong.status, wrong.body.code]).toEqual([401, "authentication_required"]);
    expect((await send("something else", "GET", "/api/bridge/search?q=tea")).status).toBe(200);
  });

  it.concurrent("is not kept out by what its network used up, nor uses up what others there have", async () => {
    const reads = (token?: string) => send(token, "GET", "/api/bridge/page-info?siteId=unknown.example");
    let anonymous = 0;
    while ((await reads()).status !== 429) expect(anonymous++).toBeLessThan(260);
    const owner = createOwner(registry);
    const [first, second] = [await owner.agent(), await owner.agent()];
    const statuses: number[] = [];
    const minute = new Date().getUTCMinutes();
    for (let i = 0; i < 151; i++) statuses.push((await reads(first.token)).status);
    // As many as one address has: 300 requests to sites, of which a page counts two.
    if (new Date().getUTCMinutes() === minute)
      expect(statuses.filter((status) => status === 404).length).toBe(150);
    expect((await reads(second.token)).status).toBe(404);
  });
});

describe("an agent at the module gateway", () => {
  const scan = (token: string) => send(token, "POST", "/api/v1/firewall/scan", { content: "<p>Tea</p>" });

  it.concurrent("is told the next step until its account keeps a key for it; then the key pays", async () => {
    const user = createOwner(registry);
    const { token } = await user.agent();
    const refused = await scan(token);
    expect([refused.status, refused.body.code]).toEqual([403, "insufficient_plan"]);
    expect(refused.body.detail).toContain("PUT /api/account/wallet/gateway");
    const key = await givenKey(registry, "PRO", await user.accountId());
    expect((await user.send("PUT", "/api/account/wallet/gateway", { key })).status).toBe(200);
    expect((await scan(token)).status).toBe(200);
    const usage = await send(key, "GET", "/api/v1/keys/usage");
    expect(usage.body.day.used).toBe(1);
    await user.send("DELETE", "/api/account/wallet/gateway");
    expect((await scan(token)).body.code).toBe("insufficient_plan");
  });

  it.concurrent("can neither read nor end nor replace the key, nor set another one", async () => {
    const user = createOwner(registry);
    const { token } = await user.agent();
    const key = await givenKey(registry, "PRO", await user.accountId());
    await user.send("PUT", "/api/account/wallet/gateway", { key });
    for (const path of ["validate", "revoke", "rotate"])
      expect((await send(token, "POST", `/api/v1/keys/${path}`)).status, path).toBe(401);
    expect((await send(token, "PUT", "/api/account/wallet/gateway", { key })).status).toBe(403);
    expect((await scan(token)).status).toBe(200);
    await send(key, "POST", "/api/v1/keys/revoke");
    expect((await scan(token)).body.code).toBe("key_revoked");
  });
});
