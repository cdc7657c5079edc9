import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { uuidv7 } from "../../src/rpc/ids.ts";
import { askJson } from "../support/json.ts";
import { createOwner, type Owner, PASSWORD } from "../support/owner.ts";
import { expectProblem } from "../support/problems.ts";
import { request } from "../support/raw-http.ts";
import { startRegistry, type TestRegistry } from "../support/registry.ts";

const APP = "https://app.example";
let registry: TestRegistry;
let second: TestRegistry;
let owner: Owner;
beforeAll(async () => {
  const config = { BRIDGE_CORS_ORIGINS: [APP] };
  const world = { sites: 6, soundShare: 1, seed: 41 };
  registry = await startRegistry({ world, config, roles: ["accounts", "crawler", "indexer", "search"] });
  second = await startRegistry({ join: registry, config, roles: ["accounts"] });
  owner = createOwner(registry);
});
afterAll(async () => {
  await second?.stop();
  await registry?.stop();
});

/** Somebody new, with a token; everything after goes through HTTP. */
async function person(at = registry) {
  const email = `${uuidv7()}@shop.example`;
  const registered = await at.postJson("/api/auth/register", { email, password: PASSWORD, name: "Ada" });
  expect(registered.status).toBe(201);
  const { body } = await at.postJson("/api/auth/login", { email, password: PASSWORD });
  const send = (method: string, path: string, json?: unknown, front = at) =>
    askJson(front.url + path, { method, body: json, token: body.token });
  return { email, token: body.token as string, id: body.user.id as string, send };
}

describe("the plans", () => {
  it("are the four that the design names, with their limits", async () => {
    const { body } = await registry.getJson("/api/plans");
    const figures = body.plans.map((plan: any) => [
      plan.tier,
      plan.max_sites,
      plan.max_actions_per_month,
      plan.rate_limit,
      plan.price,
      plan.is_featured,
      plan.is_contact_sales,
    ]);
    expect(figures).toEqual([
      ["free", 1, 1_000, 60, 0, false, false],
      ["starter", 3, 10_000, 120, 9, false, false],
      ["pro", 10, 100_000, 300, 29, true, false],
      ["enterprise", 500, -1, -1, 0, false, true],
    ]);
    for (const { currency, billing_cycle } of body.plans)
      expect([currency, billing_cycle]).toEqual(["EUR", "monthly"]);
  });
});

describe("an account's holder", () => {
  it("proves a site by DNS, licenses it, and the license verifies for it alone, through any front", async () => {
    const ada = await person();
    const [host, elsewhere] = registry.world.hosts.map((site) => site.host) as [string, string];
    const challenge = await ada.send("GET", `/api/account/sites/challenge?domain=${host}`);
    expect(challenge.body.siteId).toBe(host);
    const [record] = challenge.body.records;
    expect(record.host).toBe(`_bridge-owner.${host}`);

    await registry.world.set(host, { ownerTxt: ["v=spf1 -all", record.value] });
    const added = await ada.send("POST", "/api/account/sites", { domain: host.toUpperCase() });
    expect([added.status, added.body.siteId]).toEqual([200, host]);
    const listed = await ada.send("GET", "/api/account/sites", undefined, second);
    expect(listed.body.sites.map(({ siteId }: any) => siteId)).toEqual([host]);

    const issued = await ada.send("POST", "/api/account/keys", { kind: "license", siteId: host });
    expect(issued.body.key).toMatch(/^bridge_lic_[0-9A-Za-z]{49}$/);
    const verify = (domain: string, front: TestRegistry) =>
      front.postJson("/api/license/verify", { licenseKey: issued.body.key, domain });
    for (const front of [registry, second])
      expect((await verify(host, front)).body).toMatchObject({ valid: true, tier: "free", domain: host });
    const refused = await verify(elsewhere, second);
    expect([refused.status, refused.body.code]).toEqual([403, "license_invalid"]);
  });

  it("is told what to publish for a domain that is not proved", async () => {
    const ada = await person();
    const { host } = registry.world.hosts[1]!;
    const { status, body, headers } = await ada.send("POST", "/api/account/sites", { domain: host });
    expect([status, body.code]).toEqual([403, "proof_required"]);
    // As long as DNS lets its absence be remembered.
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
    expect(Number(headers.get("retry-after"))).toBeLessThanOrEqual(60);
    const challenge = await ada.send("GET", `/api/account/sites/challenge?domain=${host}`);
    expect(body.errors[0].message).toContain(challenge.body.records[0].value);
  });

  it("cannot use the record of another account, nor have more sites than the plan allows", async () => {
    const [ada, bob] = [await person(), await person()];
    const { host } = registry.world.hosts[2]!;
    const { host: another } = registry.world.hosts[3]!;
    const valueFor = async (one: typeof ada, domain: string) =>
      (await one.send("GET", `/api/account/sites/challenge?domain=${domain}`)).body.records[0].value;
    await registry.world.set(host, { ownerTxt: [await valueFor(ada, host)] });
    await registry.world.set(another, { ownerTxt: [await valueFor(ada, another)] });
    const add = (one: typeof ada, domain: string) => one.send("POST", "/api/account/sites", { domain });
    expect((await add(bob, host)).body.code).toBe("proof_required");
    const both = await Promise.all([add(ada, host), add(ada, another)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 403]);
    expect(both.find(({ status }) => status === 403)!.body.code).toBe("plan_limit");
    const taken = both[0]!.status === 200 ? host : another;
    expect((await add(ada, taken)).status).toBe(200);
  });

  it("proves every host below a domain at the domain itself", async () => {
    const ada = await person();
    const { host } = await registry.world.add("sound");
    const { records } = (await ada.send("GET", `/api/account/sites/challenge?domain=www.${host}`)).body;
    expect(records.map((record: any) => record.host)).toEqual([
      `_bridge-owner.www.${host}`,
      `_bridge-owner.${host}`,
    ]);
    await registry.world.set(host, { ownerTxt: [records[1].value] });
    const added = await ada.send("POST", "/api/account/sites", { domain: `www.${host}` });
    expect([added.status, added.body.siteId]).toEqual([200, `www.${host}`]);
  });

  it("takes over a site that was sold: the licenses of the one before open nothing any more", async () => {
    const { host } = await registry.world.add("sound");
    const old = await owner.license(host);
    const ada = await person();
    const { records } = (await ada.send("GET", `/api/account/sites/challenge?domain=${host}`)).body;
    await registry.world.set(host, { ownerTxt: [records[0].value] });
    expect((await ada.send("POST", "/api/account/sites", { domain: host })).status).toBe(200);
    const verified = await registry.postJson("/api/license/verify", { licenseKey: old.key, domain: host });
    expect(verified.status).toBe(403);
    const listed = await owner.send("GET", "/api/account/sites");
    expect(listed.body.sites.map(({ siteId }: any) => siteId)).not.toContain(host);
    const licenses = await owner.send("GET", "/api/account/keys");
    expect(licenses.body.licenses.map(({ siteId }: any) => siteId)).not.toContain(host);
  });

  it("keeps a site from who left a record behind, until DNS speaks for that account alone, and anew", async () => {
    const { host } = await registry.world.add("sound");
    const [seller, buyer] = [await person(), await person()];
    const recordOf = async ({ send }: typeof seller): Promise<string> =>
      (await send("GET", `/api/account/sites/challenge?domain=${host}`)).body.records[0].value;
    const [sold, bought] = [await recordOf(seller), await recordOf(buyer)];
    const publish = async (...ownerTxt: string[]) => {
      await registry.world.set(host, { ownerTxt });
      // What DNS said is remembered for three seconds.
      await new Promise((resolve) => setTimeout(resolve, 3_100));
    };
    const add = async ({ send }: typeof seller) => {
      const { status, body } = await send("POST", "/api/account/sites", { domain: host });
      return [status, body.code ?? body.siteId];
    };
    await publish(sold);
    expect(await add(seller)).toEqual([200, host]);
    await publish(sold, bought);
    const { status, body } = await buyer.send("POST", "/api/account/sites", { domain: host });
    expect([status, body.code]).toEqual([409, "site_contested"]);
    expect(body.detail).toContain(`remove it`);
    expect(body.detail).toContain(sold);
    await publish(bought);
    expect(await add(buyer)).toEqual([200, host]);
    expect(await add(seller)).toEqual([403, "proof_required"]);

    // A record that stood when the owner proved the site does not take it back, even where the owner's own is gone.
    expect((await buyer.send("DELETE", `/api/account/sites/${host}`)).status).toBe(200);
    await publish(sold, bought);
    expect(await add(buyer)).toEqual([200, host]);
    await publish(sold);
    expect(await add(seller)).toEqual([409, "site_contested"]);
    await publish();
    expect(await add(seller)).toEqual([403, "proof_required"]);
    await publish(sold);
    expect(await add(seller)).toEqual([200, host]);
  }, 60_000);

  it("is asked to wait where DNS does not answer", async () => {
    const ada = await person();
    const { host } = await registry.world.add("sound");
    const value = (await ada.send("GET", `/api/account/sites/challenge?domain=${host}`)).body.records[0]
      .value;
    await registry.world.set(host, { ownerTxt: [value], dns: "servfail" });
    const { status, headers } = await ada.send("POST", "/api/account/sites", { domain: host });
    expect([status, headers.get("retry-after")]).toEqual([503, "10"]);
  });

  it("has the registry forget a site, and find it again when it is added again", async () => {
    const { host } = registry.world.hosts[4]!;
    await registry.crawl([host]);
    const isListed = async () =>
      (await registry.getJson("/api/discovery/registry")).body.listings.some(
        (one: any) => one.domain === host,
      );
    expect(await isListed()).toBe(true);
    const ada = await person();
    const { records } = (await ada.send("GET", `/api/account/sites/challenge?domain=${host}`)).body;
    await registry.world.set(host, { ownerTxt: [records[0].value] });
    await ada.send("POST", "/api/account/sites", { domain: host });
    const removed = await ada.send("DELETE", `/api/account/sites/${host}?unlist=true`);
    expect(removed.body).toEqual({ siteId: host, removed: true, unlisted: true });
    await expect.poll(isListed, { timeout: 15_000 }).toBe(false);
    expect(await registry.runtime.blocks.get(host.replaceAll(".", "/"))).toBeDefined();
    await ada.send("POST", "/api/account/sites", { domain: host });
    expect(await registry.runtime.blocks.get(host.replaceAll(".", "/"))).toBeUndefined();
  });

  it("cannot have the registry forget a site that DNS does not say is the account's any more", async () => {
    const { host } = await registry.world.add("sound");
    const { siteId } = await owner.license(host);
    const refused = await owner.send("DELETE", `/api/account/sites/${siteId}?unlist=true`);
    expect([refused.status, refused.body.code]).toEqual([403, "proof_required"]);
    expect(await registry.runtime.blocks.get(host.replaceAll(".", "/"))).toBeUndefined();
    const given = await owner.send("DELETE", `/api/account/sites/${siteId}`);
    expect(given.body).toEqual({ siteId, removed: true, unlisted: false });
  });

  it("cannot let in what the operator barred", async () => {
    const { host } = await registry.world.add("sound");
    const key = host.replaceAll(".", "/");
    await registry.runtime.blocks.put(key, { v: 1, host, at: new Date().toISOString(), why: "malware" });
    const ada = await person();
    const { records } = (await ada.send("GET", `/api/account/sites/challenge?domain=${host}`)).body;
    await registry.world.set(host, { ownerTxt: [records[0].value] });
    expect((await ada.send("POST", "/api/account/sites", { domain: host })).status).toBe(200);
    expect(await registry.runtime.blocks.get(key)).toBeDefined();
  });

  it("sees the plan and what was used of it", async () => {
    const ada = await person();
    await registry.runtime.broker.counters.add("month", `actions.${ada.id}`, 7);
    const { body } = await ada.send("GET", "/api/auth/me", undefined, second);
    expect(body).toMatchObject({
      user: { id: ada.id, email: ada.email, tier: "free" },
      plan: { tier: "free", max_sites: 1 },
      usage: { sites: 0, actions_this_month: 7 },
    });
  });

  it("is told of the limit of calls in every reply", async () => {
    const { headers } = await (await person()).send("GET", "/api/auth/me");
    expect(headers.get("ratelimit-policy")).toBe('"minute";q=600;w=60');
    expect(headers.get("ratelimit")).toMatch(/^"minute";r=5\d\d;t=\d+$/);
  });
});

describe("credentials", () => {
  const me = (headers: string[]) => request(registry.url, "GET /api/auth/me", headers);

  it("are needed, and must be a log-in's token", async () => {
    const { token } = await person();
    const { key } = await owner.license();
    const wrong = [
      [],
      ["Authorization: Bearer"],
      ["Authorization: Bearer "],
      [`Authorization: Basic ${token}`],
      [`Authorization: Bearer ${token}x`],
      [`Authorization: Bearer ${token.split(".").slice(0, 2).join(".")}.`],
      [`Authorization: Bearer ${key}`],
      [`Authorization: Bearer ${"x".repeat(5_000)}`],
      [`X-BRIDGE-Key: ${token}`],
      [`Cookie: token=${token}`],
    ];
    for (const headers of wrong) {
      const reply = await me(headers);
      expect([reply.status, expectProblem(reply, headers.join()).code]).toEqual([
        401,
        "authentication_required",
      ]);
    }
    expect((await me([`Authorization: Bearer ${token}`])).status).toBe(200);
    expect((await request(registry.url, `GET /api/auth/me?api_key=${token}`)).status).toBe(401);
  });

  it("are for pages of configured origins alone; what needs none is for every page", async () => {
    const { token } = await person();
    const allowed = async (path: string, origin: string, line = `GET ${path}`) =>
      (await request(registry.url, line, [`Origin: ${origin}`, `Authorization: Bearer ${token}`])).headers[
        "access-control-allow-origin"
      ];
    expect(await allowed("/api/auth/me", APP)).toBe(APP);
    expect(await allowed("/api/auth/me", APP, "OPTIONS /api/auth/me")).toBe(APP);
    for (const origin of ["https://evil.example", `${APP}.evil.example`, "null", "http://app.example"])
      expect(await allowed("/api/auth/me", origin), origin).toBeUndefined();
    expect(await allowed("/api/plans", "https://anywhere.example")).toBe("*");
  });

  it("never come back in a reply's header fields, whatever line ends are in a body", async () => {
    const email = "ada@shop.example\r\nSet-Cookie: x=1";
    const reply = await request(
      registry.url,
      "POST /api/auth/register",
      ["Content-Type: application/json"],
      JSON.stringify({ email, password: PASSWORD, name: "Ada" }),
    );
    expect(reply.status).toBe(400);
    expect(reply.headers["set-cookie"]).toBeUndefined();
    const named = await registry.postJson("/api/auth/register", {
      email: `${uuidv7()}@shop.example`,
      password: PASSWORD,
      name: "Ada\r\nX-Admin: 1",
    });
    expect(named.status).toBe(400);
  });

  it.each([
    ["short", "1234567", 400],
    ["short in characters", "😀😀😀😀", 400],
    ["of 8 characters", "12345678", 201],
    ["of 1,024 bytes", "x".repeat(1_024), 201],
    ["of 1,025 bytes", "x".repeat(1_025), 400],
    ["of more bytes than characters", "\u00e9".repeat(513), 400],
    ["with a zero", "1234\u00005678", 400],
  ])("may have a password %s, or not", async (_, password, status) => {
    const email = `${uuidv7()}@shop.example`;
    expect((await registry.postJson("/api/auth/register", { email, password, name: "Ada" })).status).toBe(
      status,
    );
    if (status === 201)
      expect((await registry.postJson("/api/auth/login", { email, password })).status).toBe(200);
  });
});
