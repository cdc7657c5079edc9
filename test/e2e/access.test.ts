/** From an owner's opening of a site to an agent's last command there, over the real front and a crawl. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AccessRequestRecord } from "../../schemas/access.ts";
import { hostKey } from "../../src/domain/names/domain-name.ts";
import { openRecords } from "../../src/stores/records.ts";
import { walletKey } from "../../src/stores/wallets.ts";
import { requestKey } from "../../workers/access/deps.ts";
import { agentOf } from "../support/agent.ts";
import { askJson } from "../support/json.ts";
import { createOwner, type Owner } from "../support/owner.ts";
import { startRegistry, type TestRegistry } from "../support/registry.ts";
import { givenOpenedSite } from "../support/visitor.ts";

let registry: TestRegistry;
beforeAll(async () => {
  registry = await startRegistry({
    world: { sites: 1, soundShare: 1, seed: 67 },
    roles: ["accounts", "session", "crawler", "indexer", "search", "protocol", "provider"],
  });
  await registry.crawl();
});
afterAll(() => registry?.stop());

const send = (token: string | undefined, method: string, path: string, body?: object) =>
  askJson(registry.url + path, { method, body, token });
const ask = (token: string, domain: string, more: object = {}) =>
  send(token, "POST", "/api/bridge/access-requests", { domain, purpose: "buy tea", ...more });
const look = (token: string, id: string) => send(token, "GET", `/api/bridge/access-requests/${id}`);
const collect = (token: string, id: string, body?: object) =>
  send(token, "POST", `/api/bridge/access-requests/${id}/collect`, body);
const answer = (owner: Owner, id: string, how: "approve" | "deny", body: object = {}) =>
  owner.send("POST", `/api/account/access-requests/${id}/decisions`, { decision: how, ...body });
const open = (token: string, siteId: string) => send(token, "POST", "/api/bridge/authenticate", { siteId });
const codeOf = ({ status, body }: { status: number; body: any }) => [status, body.code];

/** An owner with a site that takes requests, and an agent of somebody else. */
async function parties(access: "request" | "open" = "request") {
  const [owner, user] = [createOwner(registry), createOwner(registry)];
  const siteId = await givenOpenedSite(registry, await owner.accountId(), access);
  return { owner, user, siteId, agent: await user.agent("tea buyer") };
}
async function approved(access: "request" | "open" = "request") {
  const all = await parties(access);
  const { body } = await ask(all.agent.token, all.siteId);
  if (access === "request") await answer(all.owner, body.request_id, "approve");
  return { ...all, id: body.request_id as string };
}

describe("a site that its owner opens to requests", () => {
  it("is asked for, approved in part, entered, and closed to the agent again", async () => {
    const [owner, user] = [createOwner(registry), createOwner(registry)];
    const host = await owner.provedHost();
    expect((await owner.send("POST", "/api/account/sites", { domain: host })).status).toBe(200);
    await owner.send("PATCH", `/api/account/sites/${host}`, { permissions: { fillForms: true } });
    await registry.settled();
    const agent = await user.agent("tea buyer");
    expect(codeOf(await ask(agent.token, host))).toEqual([403, "access_closed"]);
    const opened = await owner.send("PATCH", `/api/account/sites/${host}`, { access: "request" });
    expect(opened.body.configuration.access).toBe("request");

    const permissions = ["readContent", "navigate", "click", "fillForms"];
    const asked = await ask(agent.token, host, { permissions, purpose: "buy\n\u202Etea" });
    expect([asked.status, asked.body]).toMatchObject([
      200,
      { state: "pending", domain: host, purpose: "buy tea", permissions, granted: null },
    ]);
    const id = asked.body.request_id;
    expect((await ask(agent.token, host)).body.request_id).toBe(id);
    expect(codeOf(await collect(agent.token, id))).toEqual([409, "not_approved"]);
    const { body: queue } = await owner.send("GET", "/api/account/access-requests");
    expect(queue).toMatchObject({ total: 1, requests: [{ request_id: id, agent_name: "tea buyer" }] });

    const narrowed = ["readContent", "navigate", "click"];
    expect(
      (await answer(owner, id, "approve", { permissions: narrowed, expires_in_days: 30 })).body,
    ).toMatchObject({
      state: "approved",
      granted: narrowed,
    });
    expect((await look(agent.token, id)).body.state).toBe("approved");
    expect((await collect(agent.token, id)).body).toMatchObject({ state: "collected", license_key: null });
    expect(codeOf(await collect(agent.token, id))).toEqual([409, "already_collected"]);
    const { body: owned } = await owner.send("GET", "/api/account/keys");
    expect(owned.licenses).toMatchObject([{ siteId: host, permissions: narrowed, agent_id: agent.id }]);

    const { body: entered } = await open(agent.token, host);
    expect(entered.session.permissions).toMatchObject({ navigate: true, click: true, fillForms: false });
    const session = agentOf(registry.url, entered.session.token);
    expect(await session.execute("navigate", "/")).toMatchObject({ status: 200, success: true });
    const refused = await session.execute("fill", "input", "tea");
    expect([refused.status, refused.code]).toEqual([403, "permission_denied"]);
    expect(refused.result.errors).toMatchObject([{ code: "permission_missing", message: "fillForms" }]);

    const block = await owner.send("PUT", `/api/account/agent-blocks/${agent.id}`, { kind: "block" });
    expect(block.status).toBe(200);
    expect((await session.execute("navigate", "/")).status).toBe(401);
    expect(codeOf(await open(agent.token, host))).toEqual([403, "license_invalid"]);
    expect(codeOf(await ask(agent.token, host))).toEqual([403, "agent_blocked"]);
    expect((await owner.send("GET", "/api/account/keys")).body.licenses).toEqual([]);
  });

  it("says so in its listing and its verdict, as soon as it was visited for it", async () => {
    const owner = createOwner(registry);
    const host = await owner.provedHost();
    await owner.send("POST", "/api/account/sites", { domain: host });
    await registry.settled();
    const shown = async () => {
      const [listings, verdict] = await Promise.all([
        registry.getJson(`/api/discovery/registry?domain=${host}`),
        registry.getJson(`/api/registry/sites/${host}`),
      ]);
      return [listings.body.listings[0].access, verdict.body.access];
    };
    expect(await shown()).toEqual(["none", "none"]);
    await owner.send("PATCH", `/api/account/sites/${host}`, { access: "open" });
    await registry.settled();
    expect(await shown()).toEqual(["open", "open"]);
    const found = async (access: string) =>
      (await registry.getJson(`/api/bridge/search?q=${host}&access=${access}`)).body.results;
    expect(await found("open")).toMatchObject([{ domain: host, access: "open" }]);
    const hosts = async (path: string) => {
      const { body } = await registry.getJson(path);
      return (body.listings ?? body.peers).map((each: { domain: string }) => each.domain);
    };
    expect(await hosts("/api/discovery/registry?access=open")).toEqual([host]);
    expect(await hosts("/api/discovery/registry?access=none")).not.toContain(host);
    expect(await hosts("/api/registry/discover?access=open")).toEqual([host]);
    expect((await registry.getJson("/api/bridge/search?q=tea&access=all")).status).toBe(400);
    await owner.send("DELETE", `/api/account/sites/${host}`);
    await registry.settled();
    expect(await shown()).toEqual(["none", "none"]);
  });
});

describe("a request", () => {
  it.concurrent("for an open site is approved at once, to read; for more it waits for the owner", async () => {
    const { siteId, agent, user, owner } = await parties("open");
    const read = await ask(agent.token, siteId);
    expect(read.body).toMatchObject({ state: "approved", granted: ["readContent", "navigate", "scroll"] });
    const key = (await collect(agent.token, read.body.request_id, { to: "reply" })).body.license_key;
    expect(key).toMatch(/^bridge_lic_/);
    const session = await send(undefined, "POST", "/api/bridge/authenticate", { licenseKey: key });
    expect(session.body.session.permissions).toMatchObject({ readContent: true, click: false });
    const second = await user.agent();
    const more = await ask(second.token, siteId, { permissions: ["readContent", "fillForms"] });
    expect(more.body.state).toBe("pending");
    expect((await owner.send("GET", "/api/account/access-requests")).body.total).toBe(1);
  });

  it.concurrent("is collected by one of two who come at once", async () => {
    for (let round = 0; round < 3; round++) {
      const { agent, id, owner } = await approved();
      const both = await Promise.all([1, 2, 3].map(() => collect(agent.token, id, { to: "reply" })));
      expect(both.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
      expect((await owner.send("GET", "/api/account/keys")).body.licenses).toHaveLength(1);
    }
  });

  it.concurrent("is one, when the same is asked many times at once", async () => {
    const { agent, siteId, owner } = await parties();
    const all = await Promise.all([1, 2, 3, 4].map(() => ask(agent.token, siteId)));
    expect(new Set(all.map(({ body }) => body.request_id)).size).toBe(1);
    expect((await owner.send("GET", "/api/account/access-requests")).body.total).toBe(1);
  });

  it.concurrent("is the asking agent's and the asked owner's alone", async () => {
    const { agent, user, siteId, owner } = await parties();
    const id = (await ask(agent.token, siteId)).body.request_id;
    const [other, stranger] = [await user.agent(), createOwner(registry)];
    expect(codeOf(await look(other.token, id))).toEqual([404, "not_found"]);
    expect(codeOf(await collect(other.token, id))).toEqual([404, "not_found"]);
    for (const how of ["approve", "deny"] as const) {
      expect(codeOf(await answer(stranger, id, how))).toEqual([404, "not_found"]);
      expect(codeOf(await answer(user, id, how))).toEqual([404, "not_found"]);
    }
    expect(
      codeOf(
        await send(await owner.token(), "POST", "/api/bridge/access-requests", {
          domain: siteId,
          purpose: "x",
        }),
      ),
    ).toEqual([401, "authentication_required"]);
    expect(codeOf(await send(agent.token, "GET", "/api/account/access-requests"))).toEqual([
      401,
      "authentication_required",
    ]);
  });

  it.concurrent("is decided once, within what was asked; a denial says why", async () => {
    const { agent, siteId, owner } = await parties();
    const id = (await ask(agent.token, siteId)).body.request_id;
    const wide = await answer(owner, id, "approve", { permissions: ["readContent", "fillForms"] });
    expect([...codeOf(wide), wide.body.errors[0].pointer]).toEqual([
      400,
      "invalid_request",
      "/body/permissions",
    ]);
    expect((await answer(owner, id, "deny", { reason: "Only for buyers" })).body.state).toBe("denied");
    expect(codeOf(await answer(owner, id, "approve"))).toEqual([409, "already_decided"]);
    expect((await look(agent.token, id)).body).toMatchObject({ state: "denied", reason: "Only for buyers" });
    expect(codeOf(await collect(agent.token, id))).toEqual([409, "not_approved"]);
    expect((await ask(agent.token, siteId)).body.request_id).not.toBe(id);
  });

  it.concurrent("expires, unanswered or uncollected; after it a new one can be made", async () => {
    const { buckets, now } = registry.runtime.broker;
    const records = openRecords(buckets.access_requests, AccessRequestRecord);
    const { agent, id, owner } = await approved();
    const age = (requestId: string) =>
      records.update(requestKey(requestId), (record) => ({
        next: { ...record!, expiresAt: now() - 1 },
        result: true,
      }));
    await age(id);
    expect((await look(agent.token, id)).body.state).toBe("expired");
    expect(codeOf(await collect(agent.token, id))).toEqual([409, "not_approved"]);
    const unanswered = await parties();
    const second = (await ask(unanswered.agent.token, unanswered.siteId)).body.request_id;
    await age(second);
    expect(codeOf(await answer(unanswered.owner, second, "approve"))).toEqual([409, "already_decided"]);
    expect((await unanswered.owner.send("GET", "/api/account/access-requests")).body.total).toBe(0);
    expect((await owner.send("GET", "/api/account/keys")).body.licenses).toEqual([]);
  });

  it.concurrent("ends with the site, also where the owner proves it again, and with either account", async () => {
    const { agent, id, owner, siteId } = await approved();
    await owner.send("DELETE", `/api/account/sites/${siteId}`);
    expect((await look(agent.token, id)).body.state).toBe("expired");
    expect(codeOf(await collect(agent.token, id))).toEqual([409, "not_approved"]);
    expect(codeOf(await ask(agent.token, siteId))).toEqual([404, "site_not_registered"]);
    const other = await parties();
    await ask(other.agent.token, other.siteId);
    const { accounts } = registry.runtime.broker.buckets;
    const key = `id.${await other.user.accountId()}`;
    const account = (await accounts.get(key))!.json<object>();
    await accounts.put(key, JSON.stringify({ ...account, suspended: true }));
    expect((await other.owner.send("GET", "/api/account/access-requests")).body.total).toBe(0);
  });

  it.concurrent("goes nowhere that nobody verified or owns, whatever its owner configured", async () => {
    const { agent, siteId, owner } = await parties("open");
    const { sites } = registry.runtime;
    const record = (await sites.get(hostKey(siteId)))!.value;
    await sites.put(hostKey(siteId), { ...record, ring: 1, status: "partial" });
    expect(codeOf(await ask(agent.token, siteId))).toEqual([403, "access_closed"]);
    await sites.put(hostKey(siteId), { ...record, expires_at: "2020-01-01T00:00:00.000Z" });
    expect(codeOf(await ask(agent.token, siteId))).toEqual([403, "access_closed"]);
    await sites.put(hostKey(siteId), record);
    await owner.send("PATCH", `/api/account/sites/${siteId}`, { access: "none" });
    expect(codeOf(await ask(agent.token, siteId))).toEqual([403, "access_closed"]);
    expect(codeOf(await ask(agent.token, registry.world.hosts[0]!.host))).toEqual([
      404,
      "site_not_registered",
    ]);
    expect(codeOf(await ask(agent.token, "no host"))).toEqual([400, "invalid_domain"]);
    expect((await ask(agent.token, siteId, { purpose: "x".repeat(501) })).status).toBe(400);
  });

  it.concurrent("is one of ten a day; the same one again is not counted", async () => {
    const owner = createOwner(registry);
    const { token } = await createOwner(registry).agent();
    const sites = [];
    for (let i = 0; i < 11; i++) sites.push(await givenOpenedSite(registry, await owner.accountId()));
    for (const siteId of sites.slice(0, 10)) {
      const first = await ask(token, siteId);
      expect(first.status).toBe(200);
      expect((await ask(token, siteId)).body.request_id).toBe(first.body.request_id);
    }
    expect((await ask(token, sites[10]!)).status).toBe(429);
  });
});

describe("an agent that an owner does not want to hear", () => {
  it.concurrent("is muted: its requests stay unanswered and are not shown, until the mute is lifted", async () => {
    const { agent, siteId, owner, user } = await parties("open");
    await ask(agent.token, siteId, { permissions: ["fillForms"] });
    await owner.send("PUT", `/api/account/agent-blocks/${agent.id}`, { kind: "mute" });
    expect((await owner.send("GET", "/api/account/access-requests")).body.total).toBe(0);
    // Neither a new name nor an open site tells the agent of it.
    const second = await user.agent();
    expect((await ask(second.token, siteId)).body.state).toBe("pending");
    expect((await owner.send("GET", "/api/account/agent-blocks")).body.agents).toMatchObject([
      { agent_id: agent.id, agent_name: "tea buyer", kind: "mute" },
    ]);
    const lift = () => owner.send("PUT", `/api/account/agent-blocks/${agent.id}`, { kind: "none" });
    expect((await lift()).body).toEqual({ agent_id: agent.id, kind: "none" });
    expect((await owner.send("GET", "/api/account/access-requests")).body.total).toBe(2);
    expect((await lift()).status).toBe(200);
    expect((await owner.send("GET", "/api/account/agent-blocks")).body.agents).toEqual([]);
  });

  it.concurrent("is blocked with all agents of its account, before it collects, and with a key of its own, too", async () => {
    const { agent, siteId, owner, user, id } = await approved();
    const issued = await owner.send("POST", "/api/account/keys", { kind: "license", siteId });
    await send(agent.token, "PUT", `/api/account/wallet/${siteId}`, { key: issued.body.key });
    const { body } = await open(agent.token, siteId);
    const session = agentOf(registry.url, body.session.token);
    expect((await session.execute("wait", undefined, "1")).status).toBe(200);
    await owner.send("PUT", `/api/account/agent-blocks/${agent.id}`, { kind: "block" });
    expect((await session.execute("wait", undefined, "1")).status).toBe(401);
    expect(codeOf(await open(agent.token, siteId))).toEqual([403, "agent_blocked"]);
    expect(codeOf(await collect(agent.token, id))).toEqual([403, "agent_blocked"]);
    expect((await look(agent.token, id)).body.state).toBe("denied");
    const second = await user.agent();
    expect(codeOf(await ask(second.token, siteId))).toEqual([403, "agent_blocked"]);
    expect(
      (await owner.send("PUT", `/api/account/agent-blocks/${second.id}`, { kind: "block" })).status,
    ).toBe(404);
  });

  it.concurrent("gets nothing where the wallet has no room: the approval stands, and no license is left", async () => {
    const { agent, user, owner, id } = await approved();
    const { keys } = registry.runtime.broker.buckets;
    const accountId = await user.accountId();
    const kept = { sealed: "x", addedAt: "2026-01-20T00:00:00.000Z" };
    const licenses = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`${i}.example`, kept]));
    await keys.put(walletKey(accountId), JSON.stringify({ v: 1, accountId, licenses }));
    expect(codeOf(await collect(agent.token, id))).toEqual([403, "plan_limit"]);
    expect((await owner.send("GET", "/api/account/keys")).body.licenses).toEqual([]);
    await keys.remove(walletKey(accountId));
    expect((await collect(agent.token, id)).status).toBe(200);
  });
});
