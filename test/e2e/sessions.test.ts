import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSessions } from "../../workers/session/store.ts";
import { agentOf, enter } from "../support/agent.ts";
import { altered } from "../support/altered.ts";
import { makeLicense } from "../support/license.ts";
import { createOwner } from "../support/owner.ts";
import { startRegistry, type TestRegistry } from "../support/registry.ts";

const OPEN = { fillForms: true };
let registry: TestRegistry;
/** Two shops and a site of another kind. */
let shop: string;
let other: string;
let license: Awaited<ReturnType<typeof makeLicense>>;

beforeAll(async () => {
  registry = await startRegistry({ world: { sites: 6, soundShare: 0.34, kinds: { shop: 1 }, seed: 11 } });
  await registry.crawl();
  const shops = registry.world.hosts.filter(({ kind }) => kind === "shop");
  [shop, other] = [shops[0]!.host, shops[1]!.host];
  license = await makeLicense(registry.runtime.broker, shop, { permissions: OPEN });
});
afterAll(() => registry?.stop());

const opened = () => enter(registry.url, license.key);
const sessionIdOf = (token: string): string =>
  JSON.parse(Buffer.from(token.split(".")[1]!, "base64url").toString()).sub;

describe("who is not let in", () => {
  it("has no license key, a wrong one, or a revoked one: 401", async () => {
    const revoked = await makeLicense(registry.runtime.broker, other);
    await revoked.revoke();
    for (const licenseKey of ["nonsense", altered(license.key), revoked.key]) {
      const { status, body } = await registry.postJson("/api/bridge/authenticate", { licenseKey });
      expect([status, body.code]).toEqual([401, "authentication_required"]);
    }
  });

  it("has no session, another kind of token, or one that was altered: 401", async () => {
    const agent = await opened();
    const owner = createOwner(registry);
    const [head, , signature] = agent.token.split(".");
    const claims = {
      sub: sessionIdOf(agent.token),
      site: other,
      iss: "x",
      aud: "bridge:session",
      iat: 1,
      exp: 4e9,
      jti: "j",
    };
    const forged = Buffer.from(JSON.stringify(claims)).toString("base64url");
    const none = Buffer.from('{"alg":"none","typ":"bridge-session+jwt"}').toString("base64url");
    for (const token of ["x", await owner.token(), `${head}.${forged}.${signature}`, `${none}.${forged}.`]) {
      const { status, code } = await agentOf(registry.url, token).execute("read");
      expect([status, code]).toEqual([401, "authentication_required"]);
    }
    expect((await registry.getJson("/api/bridge/actions")).status).toBe(401);
    expect((await registry.postJson("/api/bridge/execute", { action: "read" })).status).toBe(401);
  });

  it("has a session that has ended, or whose license was revoked: 401", async () => {
    const { records } = openSessions(registry.runtime.broker);
    const ended = await opened();
    const stored = (await records.get(sessionIdOf(ended.token)))!;
    await records.put(stored.value.sessionId, {
      ...stored.value,
      expiresAt: registry.runtime.broker.now() - 1,
    });
    expect((await ended.execute("read")).code).toBe("authentication_required");

    const short = await makeLicense(registry.runtime.broker, other, { permissions: OPEN });
    const agent = await enter(registry.url, short.key);
    expect((await agent.execute("navigate", "/")).status).toBe(200);
    await short.revoke();
    expect([(await agent.execute("read")).code, (await agent.actions()).status]).toEqual([
      "authentication_required",
      401,
    ]);
  });
});

describe("what is forbidden: 403, and nothing is sent", () => {
  it("another site, an address by number, a private one, credentials, other ports' sites", async () => {
    const agent = await opened();
    await registry.world.clearLog();
    for (const target of [
      `https://${other}:${registry.world.port}/`,
      `https://evil.${other}/`,
      "http://127.0.0.1/",
      "http://169.254.169.254/latest/meta-data/",
      "http://[::1]/",
      "http://2130706433/",
      "http://localhost/",
      `https://user:pass@${shop}/`,
      "https://elsewhere.example/",
    ]) {
      const { status, code } = await agent.execute("navigate", target);
      expect([target, status, code]).toEqual([target, 403, "permission_denied"]);
    }
    expect(await registry.world.requests()).toEqual([]);
    await agent.execute("navigate", "/");
    expect((await agent.execute("click", "nav a[href*=elsewhere]")).code).toBe("permission_denied");
    expect((await agent.actions(`?siteId=${other}`)).body.code).toBe("permission_denied");
    expect((await agent.actions(`?siteId=${shop}`)).status).toBe(200);
  });

  it("what robots.txt closes, also behind a link", async () => {
    const agent = await opened();
    await agent.execute("navigate", "/");
    for (const [action, target] of [
      ["navigate", "/internal/ledger"],
      ["click", "nav a[href='/internal/ledger']"],
    ] as const)
      expect((await agent.execute(action, target)).code).toBe("permission_denied");
    const judgement = await registry.world.log({ hostDelayMs: 0, ipDelayMs: 0 });
    expect([judgement.robotsViolations, judgement.overlappingHost]).toEqual([0, 0]);
  });

  it("what the owner does not permit, and closes: read anew for every command", async () => {
    const own = await makeLicense(registry.runtime.broker, other, {
      permissions: { click: false },
      restrictions: { denied_paths: ["/basket"], denied_commands: ["scroll"] },
    });
    const agent = await enter(registry.url, own.key);
    expect(agent.permissions).toMatchObject({ click: false, fillForms: false, navigate: true });
    expect((await agent.execute("navigate", "/")).status).toBe(200);
    for (const [action, target] of [
      ["click", "a"],
      ["fill", "input"],
      ["scroll", "h1"],
      ["navigate", "/BASKET/../basket"],
      ["navigate", "/%62asket"],
    ] as const)
      expect([action, (await agent.execute(action, target, "x")).code]).toEqual([
        action,
        "permission_denied",
      ]);
  });
});

describe("where a site leads", () => {
  it("is not followed to a private address or off the site, and the session says where it stayed", async () => {
    const agent = await opened();
    await agent.execute("navigate", "/");
    const left = await agent.execute("navigate", "/leave");
    expect(left).toMatchObject({ status: 200, success: false });
    expect(left.result).toMatchObject({
      url: expect.stringMatching(/\/$/),
      error: { code: "redirect_refused" },
    });
    expect((await agent.execute("read", "h1")).success).toBe(true);
  });

  it("may be off the site after a form was sent: the reply says that it was", async () => {
    const agent = await opened();
    await agent.execute("navigate", "/");
    await agent.execute("click", ".products a");
    await agent.execute("submit", "#buy");
    await agent.execute("navigate", "/checkout");
    await agent.execute("fill", "[name=name]", "Ada");
    await agent.execute("fill", "[name=email]", "ada@example.test");
    await agent.execute("check", "[name=terms]");
    const confirm_total = (await agent.execute("read", "#due")).result.elements[0].text;
    const paid = await agent.execute("click", "button[value=card]", undefined, undefined, { confirm_total });
    expect(paid.result.error).toMatchObject({
      code: "redirect_refused",
      request_sent: true,
      at: expect.stringContaining("payments.elsewhere.example"),
    });
  });

  it("is not a host whose name leads to a private address", async () => {
    const hidden = await registry.world.add("private_address");
    const own = await makeLicense(registry.runtime.broker, hidden.host);
    const secret = createServer((_, response) => response.end("secret"));
    await new Promise<void>((resolve) => secret.listen(0, "127.0.0.1", resolve));
    const agent = await enter(registry.url, own.key);
    for (const target of ["/", `https://${hidden.host}:${(secret.address() as AddressInfo).port}/`]) {
      const tried = await agent.execute("navigate", target);
      expect(JSON.stringify(tried.result)).not.toContain("secret");
      expect(tried.success).toBe(false);
    }
    secret.close();
  });
});

describe("a session", () => {
  it("fills a basket whose form stands in a table, updates it, and goes back", async () => {
    const agent = await opened();
    await agent.execute("navigate", "/");
    await agent.execute("click", ".products li:nth-child(2) a");
    await agent.execute("submit", "#buy");
    const more = await agent.execute("fill", "input[name^=count]", "3");
    expect(more.result.form).toMatchObject({ method: "POST", fields: [{ value: "3" }] });
    const updated = await agent.execute("click", "button[name=update]");
    expect(updated.success).toBe(true);
    expect((await agent.execute("read", "input[name^=count]")).result.elements[0].value).toBe("3");
    const removed = await agent.execute("click", "button[name=remove]");
    expect(removed.result.text).toContain("Your basket is empty.");
    expect((await agent.execute("back")).result.url).toMatch(/\/basket$/);
  });

  it("sends multipart forms, and no files", async () => {
    const agent = await opened();
    await agent.execute("navigate", "/contact");
    expect((await agent.execute("fill", "[name=photo]", "/etc/passwd")).result.error.code).toBe(
      "file_input_refused",
    );
    expect((await agent.execute("submit", "#contact")).result.error.code).toBe("validation_failed");
    await agent.execute("fill", "[name=message]", "Grüße");
    const sent = await agent.execute("submit", "#contact");
    expect(sent.result.text).toMatch(/multipart\/form-data/);
    expect(sent.result.text).toMatch(/name="message" Grüße/);
    expect(sent.result.text).toMatch(/name="photo"; filename=""/);
  });

  it("tells of pages that answer with an error, and shows them", async () => {
    const agent = await opened();
    const missing = await agent.execute("navigate", "/nothing-here");
    expect(missing).toMatchObject({ status: 200, success: false });
    expect(missing.result).toMatchObject({
      status: 404,
      error: { code: "http_status" },
      text: expect.stringContaining("Nothing here."),
    });
  });

  it("goes on where it was with another worker, after the first one has gone", async () => {
    const agent = await opened();
    await agent.execute("navigate", "/");
    await agent.execute("click", ".products a");
    await agent.execute("fill", "[name=quantity]", "4");
    const at = registry.roles.findIndex(({ role }) => role === "session");
    const [first] = registry.roles.splice(at, 1);
    const second = await startRegistry({ join: registry, roles: ["session"] });
    await first!.drain();
    const added = await agent.execute("submit", "#buy");
    expect(added.result.url).toMatch(/\/basket$/);
    expect((await agent.execute("read", "input[name^=count]")).result.elements[0].value).toBe("4");
    const viaSecond = agentOf(second.url, agent.token);
    expect((await viaSecond.execute("back")).result.url).toMatch(/\/product\//);
    registry.roles.push(...second.roles);
  });

  it("carries out its commands one at a time, in order, and refuses to queue without end", async () => {
    const agent = await opened();
    await agent.execute("navigate", "/");
    const texts = Array.from({ length: 12 }, (_, i) => `text ${i}`);
    const filled = await Promise.all(texts.map((text) => agent.execute("fill", "[name=q]", text)));
    expect(filled.every(({ success }) => success)).toBe(true);
    const waits = await Promise.all(Array.from({ length: 40 }, () => agent.execute("wait", undefined, "20")));
    const statuses = new Set(waits.map(({ status }) => status));
    expect(statuses).toEqual(new Set([200, 429]));
    expect(waits.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(17);
    expect((await agent.execute("wait", undefined, "0")).status).toBe(200);
  });

  it("says when a worker died in the middle of its last command, and does not repeat it", async () => {
    const agent = await opened();
    await agent.execute("navigate", "/");
    const { records } = openSessions(registry.runtime.broker);
    const { value } = (await records.get(sessionIdOf(agent.token)))!;
    await records.put(value.sessionId, {
      ...value,
      busy: { holder: "gone", until: registry.runtime.broker.now() - 1, action: "submit" },
    });
    await registry.world.clearLog();
    expect((await agent.execute("read", "h1")).result.interrupted).toMatchObject({ action: "submit" });
    expect((await agent.execute("read", "h1")).result.interrupted).toBeUndefined();
    expect(await registry.world.requests()).toEqual([]);
  });
});

describe("limits are what they are said to be", () => {
  it("a free plan's 60 actions a minute", async () => {
    const free = await makeLicense(registry.runtime.broker, other, { tier: "free" });
    const agent = await enter(registry.url, free.key);
    await agent.execute("navigate", "/");
    let last = await agent.execute("wait");
    let allowed = 0;
    for (; last.status === 200 && allowed < 130; allowed++) last = await agent.execute("wait");
    expect([last.status, last.code]).toEqual([429, "rate_limited"]);
    expect(Number(last.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(last.headers.get("ratelimit-policy")).toContain('"minute";q=60;w=60');
    // The minute may turn once meanwhile; never more than two full ones, never less than one.
    expect(allowed).toBeGreaterThanOrEqual(58);
    expect(allowed).toBeLessThanOrEqual(120);
  });

  it("30 places to go back to", async () => {
    const agent = await opened();
    for (let i = 0; i <= 31; i++)
      expect((await agent.execute("navigate", `/?place=${i}`)).success).toBe(true);
    let last = await agent.execute("back");
    let places = 0;
    for (; last.success && places < 40; places++) last = await agent.execute("back");
    expect([places, last.result.error.code]).toEqual([30, "no_history"]);
    expect(last.result.url).toMatch(/place=1$/);
  });
});

describe("pages of registered sites", () => {
  it("are described for anybody", async () => {
    const { status, body } = await registry.getJson(`/api/bridge/page-info?siteId=${shop}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      siteId: shop,
      status: 200,
      language: "en",
      description: expect.stringContaining("sells what it makes"),
      headings: [{ level: 1 }],
      forms: [{ method: "GET", fields: [{ type: "search", name: "q", label: "Find", required: true }] }],
    });
    const kinds = body.links.map(({ internal }: { internal: boolean }) => internal);
    expect([kinds.includes(true), kinds.includes(false)]).toEqual([true, true]);
    const page = await registry.getJson(
      `/api/bridge/page-info?url=${encodeURIComponent(`${body.url}basket`)}`,
    );
    expect(page.body).toMatchObject({ siteId: shop, title: expect.stringContaining("Basket") });
  });

  it("are none of an unregistered site, another site's, or closed by robots.txt", async () => {
    const home = `https://${shop}:${registry.world.port}`;
    for (const [query, status, code] of [
      ["url=https://unknown.example/", 404, "site_not_registered"],
      ["url=http://127.0.0.1/", 404, "site_not_registered"],
      ["siteId=unknown.example", 404, "site_not_registered"],
      ["siteId=no_host", 400, "invalid_domain"],
      ["url=nonsense", 400, "invalid_url"],
      [`siteId=${shop}&url=https://${other}/`, 400, "invalid_url"],
      [`url=${encodeURIComponent(`${home}/internal/ledger`)}`, 403, "permission_denied"],
      [`url=${encodeURIComponent(`${home}/leave`)}`, 502, "site_unreachable"],
    ] as const) {
      const reply = await registry.getJson(`/api/bridge/page-info?${query}`);
      expect([query, reply.status, reply.body.code]).toEqual([query, status, code]);
    }
  });

  it("have one without script, for enabled sites alone", async () => {
    const reply = await fetch(`${registry.url}/api/noscript/bridge/${shop}`);
    expect(reply.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(await reply.text()).toContain(`<p class="kicker">${shop}</p>`);
    expect((await registry.getJson("/api/noscript/bridge/unknown.example")).body.code).toBe(
      "no_enabled_site",
    );
    expect((await fetch(`${registry.url}/api/noscript/bridge/127.0.0.1`)).status).toBe(200);
  });
});
