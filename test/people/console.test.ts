/** The operators' console: the way in, what it shows and changes by the operators' operations, and who may send its forms. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { grantRole } from "../../app/cli/operators.ts";
import { CONSOLE_PAGES } from "../../app/pages/console/table.ts";
import { hostKey } from "../../src/domain/names/domain-name.ts";
import { blockHost } from "../../src/stores/block-list.ts";
import { openRecords } from "../../src/stores/records.ts";
import { DeadLetter } from "../../workers/crawler/contract.ts";
import { shownSetting } from "../../workers/operators/overview.ts";
import { chromiumPath, NO_CHROMIUM, startChromium } from "../support/chromium.ts";
import { createOwner, PASSWORD } from "../support/owner.ts";
import { DESKTOP, findingsOf, isWiderThanScreen, listenTo, PHONE } from "../support/page-checks.ts";
import { createPerson } from "../support/person.ts";
import { startRegistry, type TestRegistry } from "../support/registry.ts";
import { givenAccountKey, givenSite } from "../support/visitor.ts";

const MOST_BYTES = 60_000;
const SPAM = "spam.shop.example";

let registry: TestRegistry;
let host: string;
let email: string;
const tokens: Record<string, string> = {};
/** An owner whose site an operator took down. */
const appealing = { siteId: "taken-down.shop.example", email: "" };
beforeAll(async () => {
  registry = await startRegistry({ world: { sites: 3, soundShare: 1 } });
  await registry.crawl();
  host = registry.world.hosts[0]!.host;
  const { buckets, now } = registry.runtime.broker;
  for (const role of ["viewer", "admin"] as const)
    tokens[role] = await grantRole(registry.runtime.broker, `${role}@registry.example`, role);
  await openRecords(buckets.dead_letters, DeadLetter).put(hostKey(host), {
    v: 1,
    host,
    at: new Date(now()).toISOString(),
    deliveries: 5,
    error: "<b>broken</b>",
  });
  const owner = createOwner(registry);
  email = await owner.email();
  const other = createOwner(registry);
  appealing.email = await other.email();
  await givenSite(registry, await other.accountId(), appealing.siteId);
  await blockHost(registry.runtime, appealing.siteId, {
    why: "Malware & worse",
    by: "operator",
    who: "admin@registry.example",
  });
  await owner.send("PUT", "/api/account/plan", { tier: "pro", note: "Invoice, please" });
  await fetch(`${registry.url}/api/v1/bounty/report`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${await givenAccountKey(registry, "FREE")}`,
      "content-type": "application/json",
    },
    body: JSON.stringify({ url: `https://${host}/`, kind: "other", description: "An <i>odd</i> offer" }),
  });
});
afterAll(() => registry?.stop());

async function operator(role: "viewer" | "admin") {
  const person = createPerson(registry.operatorsUrl);
  await person.post("/log-in", { token: tokens[role]! });
  return person;
}

describe("the operators' console", () => {
  it("lists hosts by state and reason, and shows what visits of today came to", async () => {
    const person = await operator("viewer");
    expect((await person.get("/")).text.match(/class="chart"/g)).toHaveLength(4);
    const all = await person.get("/hosts");
    expect(all.text).toContain("/hosts?state=enabled&amp;reason=verified");
    expect(all.text).toContain(host);
    const chosen = await person.get("/hosts?state=enabled&reason=verified");
    expect(chosen.text).toContain(`/hosts?domain=${host}`);
    expect((await person.get("/hosts?reason=no_txt")).text).not.toContain(`/hosts?domain=${host}`);
    expect((await person.get("/hosts?reason=nonsense")).status).toBe(400);
  });

  it("asks for an operator's key, keeps it out of reach of scripts, and gives it back", async () => {
    const person = createPerson(registry.operatorsUrl);
    expect((await person.get("/")).location).toBe("/log-in?next=%2F");
    const wrong = await person.post("/log-in", { token: "bridge_operator_wrong" });
    expect([wrong.status, wrong.cookie, wrong.text.includes('role="alert"')]).toEqual([401, null, true]);
    expect((await person.post("/log-in", { token: tokens.admin! }, {})).status).toBe(403);
    const right = await person.post("/log-in", { token: tokens.admin! });
    expect([right.status, right.location]).toEqual([303, "/"]);
    expect(right.cookie).toMatch(/^bridge-operator=\w+; Max-Age=28800; Path=\/; HttpOnly; SameSite=Lax$/);
    expect((await person.get("/")).text).toContain("You are admin@registry.example, admin.");
    await person.post("/log-out", { csrf: await person.csrfOf("/") });
    expect(person.cookie()).toBe("");
  });

  it("is for people on the operators' listener: programs keep what they had, and the public one has nothing of it", async () => {
    const api = await fetch(`${registry.operatorsUrl}/`, { redirect: "manual" });
    expect([api.status, api.headers.get("location")]).toEqual([302, "/docs"]);
    for (const path of ["/dead-letters", "/blocks", "/audit"])
      expect((await fetch(registry.url + path, { headers: { accept: "text/html" } })).status).toBe(404);
  });

  it("takes no form without the proof of its log-in, whichever it is", async () => {
    const person = await operator("admin");
    const forms = CONSOLE_PAGES.filter(({ method, needsLogIn }) => method === "POST" && needsLogIn);
    expect(forms.length).toBeGreaterThan(7);
    for (const { path } of forms) {
      const at = path.replace(/\{\w+\}/g, "01980000-0000-7000-8000-000000000000");
      expect((await person.post(at, { domain: host, why: "x" })).status, path).toBe(403);
    }
  });

  it("shows a host's verdict and whole record, blocks and lifts, each with a reason on record", async () => {
    const person = await operator("admin");
    const page = await person.get(`/hosts?domain=${host}`);
    expect(page.text).toContain("&quot;status&quot;: &quot;enabled&quot;");
    // What happened stands in the open, and the whole record in a part that opens.
    expect(page.text).toMatch(/<ol class="checks"><li>.*?Listed.*?<details class="fold">/s);
    const csrf = await person.csrfOf("/blocks");
    expect((await person.post("/blocks", { csrf, domain: SPAM, why: "Malware" })).location).toBe("/blocks");
    expect((await person.get("/blocks")).text).toMatch(/spam\.shop\.example[\s\S]*Malware/);
    await person.post("/blocks/lift", { csrf, domain: SPAM });
    expect((await person.get("/blocks")).text).not.toContain(SPAM);
    const audit = await person.get("/audit");
    expect(audit.text).toMatch(/operators\.unblockSite[\s\S]*operators\.blockSite/);
    expect(audit.text).toContain("admin@registry.example");
  });

  it("decides on reports, retries dead letters, answers plans and suspends accounts", async () => {
    const person = await operator("admin");
    const reports = await person.get("/reports");
    expect(reports.text).toContain("An &lt;i&gt;odd&lt;/i&gt; offer");
    const csrf = await person.csrfOf("/reports");
    const id = /action="\/reports\/([\w-]+)"/.exec(reports.text)![1];
    const decided = await person.post(`/reports/${id}`, { csrf, state: "informative", why: "Seen" });
    expect([decided.status, decided.location]).toEqual([303, "/reports"]);
    expect((await person.get("/reports")).text).toContain("Nothing waits.");
    expect((await person.get("/dead-letters")).text).toContain("&lt;b&gt;broken&lt;/b&gt;");
    await person.post("/dead-letters/retry", { csrf, domain: host });
    expect((await person.get("/dead-letters")).text).not.toContain("broken");
    const account = /action="\/plans\/([\w-]+)"/.exec((await person.get("/plans")).text)![1];
    const answer = { csrf, tier: "pro", decision: "approve", why: "Paid" };
    expect((await person.post(`/plans/${account}`, answer)).status).toBe(303);
    await person.post(`/accounts/${account}/suspension`, { csrf, decision: "suspend", why: "Spam" });
    const found = await person.get(`/plans?email=${encodeURIComponent(email)}`);
    expect([found.text.includes("suspended"), found.text.includes("· pro")]).toEqual([true, true]);
  });

  it("has an owner's appeal go from the verdict's page over the owner's to an operator's answer, and back", async () => {
    const { siteId } = appealing;
    const path = `/account/sites/${siteId}/appeals`;
    const ada = createPerson(registry.url);
    expect((await ada.get(`/sites/${siteId}`)).text).toContain(`href="${path}"`);
    expect((await ada.get(path)).location).toContain("/account/log-in");
    await ada.post("/account/log-in", { email: appealing.email, password: PASSWORD });
    const page = await ada.get(path);
    expect(page.text).toContain("Malware &amp; worse");
    const field = (name: string) => new RegExp(`name="${name}" value="([^"]+)"`).exec(page.text)![1]!;
    const form = { csrf: field("csrf"), kind: field("kind"), decision: field("decision") };
    const sent = await ada.post(path, { ...form, reason: "It <b>is</b> clean" });
    expect([sent.status, sent.location]).toEqual([303, `${path}?done=appealed`]);
    expect((await ada.post(path, { ...form, reason: "Again" })).text).toContain(
      "There is an appeal against it",
    );
    expect((await ada.get(`/sites/${siteId}`)).text).toContain("an operator looks at it again");

    const person = await operator("admin");
    expect((await person.get("/")).text).toMatch(/href="\/appeals"/);
    const queue = await person.get("/appeals");
    expect(queue.text).toContain("It &lt;b&gt;is&lt;/b&gt; clean");
    const at = /action="(\/appeals\/[^"]+)"/.exec(queue.text)![1]!;
    const answer = { csrf: await person.csrfOf("/appeals"), decision: "upheld", why: "It is still there" };
    expect((await person.post(at, answer)).location).toBe("/appeals");
    expect((await person.get("/appeals?state=all")).text).toContain("It is still there");
    expect((await ada.get(path)).text).toContain("Looked at again: it stands");
    expect((await ada.get(`/sites/${siteId}`)).text).toContain("It is still there");
  });

  it("lets a viewer look, and do nothing", async () => {
    const person = await operator("viewer");
    for (const path of [
      "/",
      "/settings",
      "/reports",
      "/blocks",
      "/appeals",
      "/dead-letters",
      `/hosts?domain=${host}`,
    ])
      expect((await person.get(path)).status, path).toBe(200);
    for (const path of ["/audit", "/plans"]) expect((await person.get(path)).status, path).toBe(403);
    const csrf = await person.csrfOf("/blocks");
    const refused = await person.post("/blocks", { csrf, domain: SPAM, why: "x" });
    expect([refused.status, refused.text.includes('href="/hosts"')]).toEqual([403, true]);
  });

  it("names settings without their secrets", () => {
    expect(shownSetting("BRIDGE_NATS_URL", "nats://user:secret@host:4222")).toBe("nats://host:4222");
    expect(shownSetting("BRIDGE_ELASTICSEARCH_URL", "https://a:b@x.example,https://y.example")).toBe(
      "https://x.example/,https://y.example",
    );
    expect(shownSetting("BRIDGE_SMTP_URL", "smtps://me:p@ss@[bad")).toBe("(set)");
    expect(shownSetting("BRIDGE_NATS_PASSWORD", "secret")).toBe("(set)");
    expect(shownSetting("PORT", 8080)).toBe("8080");
    const agent = "bridge/1 (+https://bridge.example; mailto:me@bridge.example)";
    expect(shownSetting("BRIDGE_USER_AGENT", agent)).toBe(agent);
  });

  it.skipIf(!chromiumPath)(
    `has no findings of axe, and fits phone and desktop in both themes${chromiumPath ? "" : ` (${NO_CHROMIUM})`}`,
    async () => {
      const browser = await startChromium();
      try {
        for (const [viewport, colorScheme] of [
          [PHONE, "dark"],
          [DESKTOP, "light"],
        ] as const) {
          const page = await (await browser.newContext({ viewport, colorScheme })).newPage();
          const said = listenTo(page);
          await page.goto(registry.operatorsUrl);
          await page.fill("#token", tokens.admin!);
          await page.click("main button");
          const paths = [
            "/",
            `/hosts?domain=${host}`,
            "/reports",
            "/blocks",
            "/appeals?state=all",
            "/dead-letters",
          ];
          for (const path of [...paths, `/plans?email=${email}`, "/audit"]) {
            await page.goto(registry.operatorsUrl + path);
            expect(await findingsOf(page), path).toEqual([]);
            expect(await isWiderThanScreen(page), path).toBe(false);
            expect(Buffer.byteLength(await page.content()), path).toBeLessThan(MOST_BYTES);
          }
          expect(said).toEqual([]);
        }
      } finally {
        await browser.close();
      }
    },
  );
});
