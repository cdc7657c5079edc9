/** An owner who keeps no key: a site proved, signed for by the registry and listed, in Chromium; then changed to a key of one's own. */
import { request } from "node:http";
import { text } from "node:stream/consumers";
import axe from "axe-core";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chromiumPath, NO_CHROMIUM, startChromium } from "../support/chromium.ts";
import { startRegistry, type TestRegistry } from "../support/registry.ts";

const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
const PASSWORD = "correct horse battery";
const VIEWS = [
  [{ width: 390, height: 844 }, "light"],
  [{ width: 1280, height: 900 }, "dark"],
] as const;

let registry: TestRegistry;
let browser: Browser;

let looks = 0;
/** Axe's findings and the width: of one page on a phone, of the next on a desktop in the dark theme. */
const look = async (page: Page, name: string): Promise<void> => {
  const before = page.viewportSize()!;
  const [viewport, colorScheme] = VIEWS[looks++ % VIEWS.length]!;
  await page.setViewportSize(viewport);
  await page.emulateMedia({ colorScheme });
  await page.evaluate(axe.source);
  const found = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
    `axe.run(document, { runOnly: ${JSON.stringify(RULES)}, resultTypes: ["violations"] })`,
  );
  expect(
    found.violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 160)}`),
    name,
  ).toEqual([]);
  const { scrollWidth, clientWidth } = await page.evaluate<{ scrollWidth: number; clientWidth: number }>(
    "({ scrollWidth: document.documentElement.scrollWidth, clientWidth: document.documentElement.clientWidth })",
  );
  expect(scrollWidth, name).toBe(clientWidth);
  await page.setViewportSize(before);
  await page.emulateMedia({ colorScheme: "light" });
};

/** What the registry serves where a site's own server passes a request on. */
const passedOn = (host: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const asked = request(`${registry.url}/.well-known/bridge.json`, { headers: { host } }, (reply) =>
      resolve(text(reply)),
    );
    asked.once("error", reject).end();
  });

describe.skipIf(!chromiumPath)(`an owner who keeps no key${chromiumPath ? "" : ` (${NO_CHROMIUM})`}`, () => {
  beforeAll(async () => {
    registry = await startRegistry({ world: { sites: 2, soundShare: 1 } });
    browser = await startChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await registry?.stop();
  });

  it("proves a site, has it signed for and listed; everybody sees who holds the key", async () => {
    const { host } = await registry.world.add("no_txt");
    await registry.world.set(host, { document: "missing", robots: "allow_all" });
    const context = await browser.newContext({ viewport: VIEWS[0][0] });
    const page = await context.newPage();
    page.setDefaultTimeout(10_000);
    const email = "ada@keys.example";
    await page.goto(`${registry.url}/account/sign-up`);
    for (const [name, value] of Object.entries({ name: "Ada", email, password: PASSWORD }))
      await page.fill(`#${name}`, value);
    await page.click("main button");
    await page.fill("#email", email);
    await page.fill("#password", PASSWORD);
    await page.click("main button");

    await page.click("a[href='/account/sites']");
    await look(page, "add-a-site");
    await page.fill("#domain", host);
    await page.click("main button");
    expect(await page.textContent("h1")).toBe(`Prove that ${host} is yours`);
    await look(page, "prove-a-site");
    const [, name, value] = await page.locator("main dd code").allTextContents();
    expect(name).toContain("_bridge-owner.");
    await page.click("main button");
    expect(await page.textContent("[role=alert]")).toContain("Publish a TXT record");
    await look(page, "not-proved-yet");
    await registry.world.set(host, { ownerTxt: [value!] });
    await expect
      .poll(async () => {
        if (await page.locator("[role=status]").count()) return page.textContent("[role=status]");
        await page.click("main button");
        return page.textContent("main");
      })
      .toContain("The site is yours");

    await page.click(`a[href='/account/sites/${host}/publish']`);
    await look(page, "who-holds-the-key");
    await page.click("main details summary");
    await page.fill("#endpoint", `https://${host}:${registry.world.port}`);
    await page.click("button:has-text('Have the registry hold a key')");
    await look(page, "record-of-a-held-key");
    const record = (await page.locator("main dd code").allTextContents())[2]!;
    expect(record).toContain("key_holder=registry");
    await registry.world.set(host, { moreTxt: [record] });
    // What the crawl saw of DNS a moment ago may be answered once more.
    await expect
      .poll(
        async () => {
          await page.click("button:has-text('The record is there')");
          return page.textContent("main");
        },
        { timeout: 10_000, interval: 1_000 },
      )
      .toContain("The registry signs for this site.");
    await look(page, "a-key-in-force");

    // The site's own server passes the request on.
    await registry.world.set(host, { upload: await passedOn(host) });
    await registry.settled();
    await registry.runtime.frontier.bringForward(host, Math.floor(registry.runtime.broker.now()));
    await registry.settled();
    const verdict = (await registry.getJson(`/api/registry/sites/${host}`)).body;
    expect(verdict).toMatchObject({ listed: true, trust: { ring: 3, key_holder: "registry" } });
    const dns = (await registry.getJson(`/api/registry/sites/${host}/dns`)).body;
    expect(dns.keys).toMatchObject([{ key_holder: "registry" }]);
    await page.goto(`${registry.url}/sites/${host}`);
    expect(await page.textContent("main")).toContain("A registry holds the key that signs for it");

    await page.goto(`${registry.url}/account/sites/${host}/publish`);
    const document = JSON.parse(await page.inputValue("#document"));
    document.provider.name = "Corner Shop";
    await page.fill("#document", JSON.stringify(document));
    await page.click("button:has-text('Take this document')");
    expect(await page.textContent("[role=status]")).toContain("The document is taken");
    const served = JSON.parse(await passedOn(host));
    expect([served.provider.name, typeof served.manifest]).toEqual(["Corner Shop", "object"]);
    await page.fill("#document", "{");
    await page.click("button:has-text('Take this document')");
    expect(await page.textContent("[role=alert]")).toBeTruthy();
    await page.goto(`${registry.url}/account/sites/${host}/publish`);
    await page.click("summary:has-text('by a new one')");
    await page.click("button:has-text('Make the next key')");
    await look(page, "the-next-key");
    const [nextRecord] = (await page.locator("main dd code").allTextContents()).filter(
      (text) => text.includes("key_holder=registry") && text !== record,
    );
    await registry.world.set(host, { moreTxt: [record, nextRecord!] });
    await expect
      .poll(
        async () => {
          await page.click("button:has-text('change over')");
          return page.locator("button:has-text('change over')").count();
        },
        { timeout: 10_000, interval: 1_000 },
      )
      .toBe(0);
    const kidOf = (text: string): string =>
      JSON.parse(Buffer.from(JSON.parse(text).manifest.protected, "base64url").toString()).kid;
    expect(kidOf(await passedOn(host))).not.toBe(kidOf(JSON.stringify(served)));
    await page.click("summary:has-text('To change to a key of your own')");
    await page.click("button:has-text('End the registry')");
    expect(await page.textContent("[role=status]")).toContain("has forgotten the key");
    await context.close();
  });
});
