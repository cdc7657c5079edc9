/** Sites of accounts that publish no document: what the registry serves for them. */
import { request } from "node:http";
import { text } from "node:stream/consumers";
import { HtmlValidate } from "html-validate";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { DiscoveryDocument } from "../../schemas/discovery-document.ts";
import { hostKey } from "../../src/domain/names/domain-name.ts";
import { generateKey } from "../../src/domain/trust/ed25519.ts";
import { signDocument, verifyDocument } from "../../src/domain/trust/manifest.ts";
import { openAccountStore } from "../../src/stores/accounts.ts";
import { blockHost } from "../../src/stores/block-list.ts";
import { ownerValue } from "../../workers/accounts/rules.ts";
import type { SiteKind } from "../../world/kinds.ts";
import { enter } from "../support/agent.ts";
import { createOwner, type Owner } from "../support/owner.ts";
import { startRegistry, type TestRegistry } from "../support/registry.ts";
import { documentOf } from "../workers/crawler/observations.ts";

let registry: TestRegistry;
let owner: Owner;
beforeAll(async () => {
  registry = await startRegistry({ world: { sites: 1 } });
  owner = createOwner(registry);
});
afterAll(() => registry?.stop());

/** A site of this kind that says in DNS whose it is. */
async function provableSite(kind: SiteKind, by = owner): Promise<string> {
  const { host } = await registry.world.add(kind);
  const value = ownerValue(registry.runtime.identity.secret, await by.accountId(), host);
  await registry.world.set(host, { ownerTxt: [value] });
  return host;
}
async function provedSite(kind: SiteKind, by = owner): Promise<string> {
  const domain = await provableSite(kind, by);
  expect((await by.send("POST", "/api/account/sites", { domain })).status).toBe(200);
  return domain;
}

const discover = (host: string) => registry.getJson(`/api/bridge/discover?siteId=${host}`);
const noscript = (host: string) => fetch(`${registry.url}/api/noscript/bridge/${host}`);
/** The document as it is served to those who ask for this host. */
const servedTo = (host: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const asked = request(`${registry.url}/.well-known/bridge.json`, { headers: { host } }, (reply) =>
      resolve(text(reply)),
    );
    asked.once("error", reject).end();
  });
function documentFor(host: string): DiscoveryDocument {
  const document = documentOf();
  return { ...document, provider: { ...document.provider, name: "Tea & Spices", domain: host } };
}

describe("a site of an account that publishes no document", () => {
  it("has a document of its owner's configuration, by name and by host, from the moment it is proved", async () => {
    const host = await provableSite("no_document");
    expect((await discover(host)).body.code).toBe("no_enabled_site");
    await owner.send("POST", "/api/account/sites", { domain: host });
    const { status, body } = await discover(host);
    const { plan } = (await owner.send("GET", "/api/auth/me")).body;
    expect(body).toMatchObject({
      capabilities: { tier: plan.tier },
      security: { rate_limit: Math.max(0, plan.rate_limit) },
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      provider: { domain: host },
      capabilities: { permissions: { readContent: true, fillForms: false } },
      agent_access: { noscript: expect.stringContaining(`/api/noscript/bridge/${host}`) },
    });
    expect(body).not.toHaveProperty("manifest");
    expect(JSON.parse(await servedTo(host))).toEqual(body);

    await owner.send("PATCH", `/api/account/sites/${host}`, {
      permissions: { fillForms: true },
      restrictions: { denied_commands: ["click"] },
    });
    const { capabilities } = (await discover(host)).body;
    expect(capabilities.permissions.fillForms).toBe(true);
    expect(capabilities.commands).toEqual(["navigate", "read", "scroll", "fill", "submit"]);
  });

  it("has a page for readers without script, which links to nothing that the site does not have", async () => {
    const host = await provedSite("no_document");
    const reply = await noscript(host);
    expect(reply.status).toBe(200);
    const html = await reply.text();
    expect(html).toContain("Made from what its owner keeps in this registry");
    expect(html).toContain(`href="https://${host}/"`);
    expect(html).not.toContain("/.bridge");
    const report = await new HtmlValidate({ extends: ["html-validate:recommended"] }).validateString(html, {
      rules: { "long-title": "off" },
    });
    expect(report.results.flatMap(({ messages }) => messages.map(({ message }) => message))).toEqual([]);
  });

  it("is visited at once, so that its listing needs nobody to name it", async () => {
    const host = await provedSite("sound");
    await registry.settled();
    const { body } = await registry.getJson(`/api/discovery/search?q=${host}`);
    expect(body.results[0]).toMatchObject({ siteId: host, trust_ring: 3 });
  });
});

describe("a document that an owner gives", () => {
  it("is served as it was signed, until it is withdrawn", async () => {
    const host = await provedSite("no_document");
    const key = generateKey();
    const now = Date.now();
    const document = signDocument(documentFor(host), key, {
      endpoint: `https://${host}`,
      issuedAt: new Date(now - 1_000).toISOString(),
      expiresAt: new Date(now + 86_400_000).toISOString(),
      serial: 1,
      trustProfile: { capabilities: ["read"], constraints: [], ttl_seconds: 3_600 },
    });
    const path = `/api/account/sites/${host}/document`;
    expect((await owner.send("PUT", path, { document })).body).toEqual({ siteId: host, signed: true });
    const txt = { endpoint: new URL(`https://${host}`), keys: [key] };
    expect(
      verifyDocument(Buffer.from(await servedTo(host)), {
        domain: host,
        txt,
        nowMs: Date.now(),
        previousSerial: null,
      }),
    ).toMatchObject({ ok: true, ring: 3 });
    expect(await (await noscript(host)).text()).toContain("Tea &amp; Spices for agents");
    expect((await owner.send("PUT", path, { document: null })).body).toEqual({ siteId: host, signed: false });
    expect((await discover(host)).body.provider.name).toBe(host);
  });

  it("declares its actions to the sessions of the site", async () => {
    const host = await provedSite("no_document");
    const action = {
      description: "Orders tea",
      category: "commerce",
      parameters: [],
      permissions_required: [],
    };
    const document = { ...documentFor(host), actions: [{ ...action, name: "order-tea" }] };
    await owner.send("PUT", `/api/account/sites/${host}/document`, { document });
    const issued = await owner.send("POST", "/api/account/keys", { kind: "license", siteId: host });
    const { body } = await (await enter(registry.url, issued.body.key)).actions();
    expect(body.actions[0]).toMatchObject({ name: "order-tea", source: "declared" });
  });

  it("gives way to the site's own once the crawl has verified that", async () => {
    const host = await provedSite("sound");
    await owner.send("PUT", `/api/account/sites/${host}/document`, { document: documentFor(host) });
    await registry.settled();
    const { body } = await discover(host);
    expect(body.provider.name).not.toBe("Tea & Spices");
    expect(body.manifest).toBeDefined();
    // Where the registry stands for the site, the crawl reads what its owner gave last.
    expect(JSON.parse(await servedTo(host)).provider.name).toBe("Tea & Spices");
  });

  it("is refused for another domain, for somebody else's site, and when it is too large", async () => {
    const host = await provedSite("no_document");
    const path = `/api/account/sites/${host}/document`;
    const put = async (document: object, by = owner, change = (json: string) => json) => {
      const response = await fetch(registry.url + path, {
        method: "PUT",
        headers: { authorization: `Bearer ${await by.token()}`, "content-type": "application/json" },
        body: change(JSON.stringify({ document })),
      });
      const body = (await response.json()) as any;
      return [response.status, body.code, body.errors?.[0]?.pointer];
    };
    expect(await put(documentFor("elsewhere.test"))).toEqual([
      400,
      "invalid_request",
      "/body/document/provider/domain",
    ]);
    expect(await put(documentFor(host), createOwner(registry))).toEqual([404, "not_found", undefined]);
    // Four characters become sixteen.
    const grown = await put({ ...documentFor(host), many: "here" }, owner, (json) =>
      json.replace('"here"', `[${Array(4_000).fill("1e15").join()}]`),
    );
    expect(grown).toEqual([400, "invalid_request", "/body/document"]);
    expect((await put({ ...documentFor(host), many: "x".repeat(61_441) }))[0]).toBe(413);
  });

  it("is not the next owner's", async () => {
    const host = await provedSite("no_document");
    await owner.send("PUT", `/api/account/sites/${host}/document`, { document: documentFor(host) });
    const next = createOwner(registry);
    const value = ownerValue(registry.runtime.identity.secret, await next.accountId(), host);
    const mine = ownerValue(registry.runtime.identity.secret, await owner.accountId(), host);
    expect(value).not.toBe(mine);
    const store = openAccountStore(registry.runtime.broker);
    const { value: site } = (await store.site(host))!;
    await store.sites.put(hostKey(host), { ...site, accountId: await next.accountId() });
    expect((await discover(host)).body.provider.name).toBe(host);
  });
});

describe("a document that an owner gave", () => {
  const serves = async (domain: string) =>
    (await registry.getJson(`/api/registry/serves?domain=${domain}`)).status;

  it("is served at bridge.<site>, which the owner points here, as signed, and a certificate is allowed for it", async () => {
    const host = await provedSite("no_document");
    const names = [host, `bridge.${host}`, `bridge.bridge.${host}`, `www.${host}`];
    expect(await Promise.all(names.map(serves))).toEqual([404, 404, 404, 404]);
    const key = generateKey();
    const now = Date.now();
    const document = signDocument(documentFor(host), key, {
      endpoint: `https://bridge.${host}`,
      issuedAt: new Date(now).toISOString(),
      expiresAt: new Date(now + 365 * 86_400_000).toISOString(),
      serial: 1,
      trustProfile: { capabilities: ["read"], constraints: [], ttl_seconds: 3_600 },
    });
    expect((await owner.send("PUT", `/api/account/sites/${host}/document`, { document })).body.signed).toBe(
      true,
    );
    expect(await Promise.all(names.map(serves))).toEqual([200, 200, 404, 404]);
    expect(JSON.parse(await servedTo(`bridge.${host}`))).toEqual(document);
    expect(JSON.parse(await servedTo(`BRIDGE.${host}:443`))).toEqual(document);
    await owner.send("PUT", `/api/account/sites/${host}/document`, { document: null });
    expect(await Promise.all(names.map(serves))).toEqual([404, 404, 404, 404]);
  });

  it("allows no certificate for names that nobody gave one for: strangers', listed ones, blocked ones", async () => {
    const { host: listed } = await registry.world.add("sound");
    const blocked = await provedSite("no_document");
    await owner.send("PUT", `/api/account/sites/${blocked}/document`, { document: documentFor(blocked) });
    expect(await serves(blocked)).toBe(200);
    await blockHost(registry.runtime, blocked, { why: "a test", by: "operator" });
    const names = [listed, "stranger.example", "bridge.example", blocked, `bridge.${blocked}`];
    expect(await Promise.all(names.map(serves))).toEqual([404, 404, 404, 404, 404]);
    expect(await serves("127.0.0.1")).toBe(400);
  });
});

describe("a site that is to be found nowhere", () => {
  it("has no document and no page: its account is suspended, or the site is blocked", async () => {
    const suspended = createOwner(registry);
    const host = await provedSite("no_document", suspended);
    const store = openAccountStore(registry.runtime.broker);
    const account = (await store.account(await suspended.accountId()))!.value;
    await store.accounts.put(`id.${account.accountId}`, { ...account, suspended: true });
    expect((await discover(host)).body.code).toBe("no_enabled_site");
    expect((await noscript(host)).status).toBe(404);

    const blocked = await provedSite("no_document");
    expect((await discover(blocked)).status).toBe(200);
    await blockHost(registry.runtime, blocked, { why: "a test", by: "operator" });
    expect((await discover(blocked)).body.code).toBe("no_enabled_site");
    expect((await noscript(blocked)).status).toBe(404);
  });

  it("or attacks machines with its pages", async () => {
    const host = await provedSite("injection");
    await registry.settled();
    expect((await discover(host)).body.code).toBe("no_enabled_site");
    expect((await noscript(host)).status).toBe(404);
  });
});
