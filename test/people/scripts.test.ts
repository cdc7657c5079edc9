/** What the pages' scripts do in Chromium: results while one types, and operations tried from the documentation. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chromiumPath, NO_CHROMIUM, startChromium } from "../support/chromium.ts";
import { findingsOf, PHONE } from "../support/page-checks.ts";
import { startRegistry, type TestRegistry } from "../support/registry.ts";

let registry: TestRegistry;
let browser: Browser;
let hosts: string[];

async function openPage(path: string, javaScriptEnabled = true): Promise<{ page: Page; said: string[] }> {
  const page = await browser.newPage({ javaScriptEnabled });
  const said: string[] = [];
  // A refusal that is shown on the page is told to the console by the browser, too.
  page.on("console", (message) => {
    if (!message.text().startsWith("Failed to load resource")) said.push(message.text());
  });
  page.on("pageerror", (error) => said.push(String(error)));
  await page.goto(registry.url + path);
  return { page, said };
}
const listed = (page: Page) => page.locator(".results .host").allTextContents();
const queryOf = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams);

describe.skipIf(!chromiumPath)(`scripts of pages${chromiumPath ? "" : ` (${NO_CHROMIUM})`}`, () => {
  beforeAll(async () => {
    [registry, browser] = await Promise.all([
      startRegistry({ world: { sites: 6, soundShare: 1 } }),
      startChromium(),
    ]);
    await registry.crawl();
    hosts = registry.world.hosts.filter(({ kind }) => kind === "sound").map(({ host }) => host);
  });
  afterAll(async () => {
    await browser?.close();
    await registry?.stop();
  });

  it("show results while one types, and find them again after a look at one", async () => {
    const { page, said } = await openPage("/search");
    const [first, second] = hosts as [string, string];
    expect((await listed(page)).length).toBeGreaterThan(1);
    await page.locator("#q").pressSequentially(first, { delay: 5 });
    await page.waitForURL(`**/search?q=${first}`);
    expect((await listed(page))[0]).toBe(first);
    expect(await page.textContent("h1")).toBe("Search");
    expect(await page.title()).toContain(first);
    expect(await page.getAttribute(".foot a", "href")).toContain(encodeURIComponent(first));
    await page.click(`.results a[href="/sites/${first}"]`);
    await page.waitForURL(`**/sites/${first}`);
    await page.goBack();
    expect([(await listed(page))[0], await page.inputValue("#q"), queryOf(page)]).toEqual([
      first,
      first,
      { q: first },
    ]);
    // The page that was there before it is still one step away.
    await page.fill("#q", second);
    await expect.poll(() => listed(page).then(([top]) => top)).toBe(second);
    expect(await page.evaluate("document.activeElement.id")).toBe("q");
    expect(said).toEqual([]);
    await page.close();
  });

  it("filter at once, say where nothing is found, and escape what was typed", async () => {
    const { page, said } = await openPage("/search");
    await page.click(".filters summary");
    await page.selectOption("#trust_ring", "4");
    await page.waitForURL("**/search?trust_ring=4");
    expect(await page.textContent("#found")).toContain("No listed site fits");
    await page.selectOption("#trust_ring", "");
    await page.fill("#q", "<img src=x onerror=document.title='hit'> \"zzqx");
    await expect.poll(() => queryOf(page).q).toContain("zzqx");
    expect(await page.locator("#found img").count()).toBe(0);
    expect(await page.title()).not.toBe("hit");
    expect(said).toEqual([]);
    await page.close();
  });

  it("show a result beside the list where there is room, and give the focus back when it is closed", async () => {
    const { page, said } = await openPage(`/search?q=${hosts[0]}`);
    const button = page.locator(".results .preview").first();
    await button.click();
    await page.waitForSelector(".previewed .answers");
    expect(await page.getAttribute(".previewed h2 a", "href")).toBe(`/sites/${hosts[0]}`);
    expect(await page.textContent(".previewed")).toContain("Is it who it says?");
    expect([await button.getAttribute("aria-expanded"), await findingsOf(page)]).toEqual(["true", []]);
    await page.keyboard.press("Escape");
    expect(await page.locator(".previewed").count()).toBe(0);
    expect(await page.evaluate("document.activeElement.dataset.preview")).toBe(`/sites/${hosts[0]}`);
    await page.setViewportSize(PHONE);
    expect(await button.isVisible()).toBe(false);
    const { page: plain } = await openPage(`/search?q=${hosts[0]}`, false);
    expect(await plain.locator(".results .preview").first().isVisible()).toBe(false);
    expect(said).toEqual([]);
    await Promise.all([page.close(), plain.close()]);
  });

  it("leave the results where the registry does not answer, and the button still works", async () => {
    const { page } = await openPage("/search");
    const before = await listed(page);
    await page.route("**/search?*", (route) => route.abort());
    await page.fill("#q", hosts[0]!);
    await page.waitForTimeout(600);
    expect([await listed(page), new URL(page.url()).search]).toEqual([before, ""]);
    await page.unroute("**/search?*");
    await page.click("form[role=search] button");
    await page.waitForURL("**/search?q=*");
    expect((await listed(page))[0]).toBe(hosts[0]);
    await page.close();
  });

  it("are not needed: the form loads the same results", async () => {
    const { page } = await openPage("/search", false);
    await page.fill("#q", hosts[0]!);
    await page.keyboard.press("Enter");
    await page.waitForURL("**/search?q=*");
    expect((await listed(page))[0]).toBe(hosts[0]);
    await page.close();
  });

  it("search the documentation while one types, and go back to what was found", async () => {
    const { page, said } = await openPage("/docs");
    await page.locator("#q").pressSequentially("license", { delay: 5 });
    await page.waitForURL("**/docs?q=license");
    await page.click("#found a[href='/docs/reference/issueKey']");
    expect(await page.textContent("h1")).toContain("license");
    await page.goBack();
    expect(await page.textContent("#found h2")).toContain("license");
    await page.fill("#q", "");
    await page.waitForURL(`${registry.url}/docs`);
    expect(await page.textContent("#found")).toContain("Guides");
    expect(said).toEqual([]);
    await page.close();
  });

  it("send a GET from the documentation, and show what it answered", async () => {
    const { page, said } = await openPage("/docs/reference/searchSites");
    await page.fill("#try-path", `/api/bridge/search?q=${hosts[0]}`);
    await page.click("[data-try] button");
    await page.waitForSelector("[data-try] output pre");
    expect(await page.textContent("[data-try] output b")).toBe("200 OK");
    expect(await page.textContent("[data-try] output pre")).toContain(hosts[0]!);
    expect(said).toEqual([]);
    await page.close();
  });

  it("send a POST, and a refusal of it is shown with its code and next step", async () => {
    const { page, said } = await openPage("/docs/reference/registerAccount");
    const result = async () => {
      await page.click("[data-try] button");
      await page.waitForSelector("[data-try] output pre");
      const [status, body] = await Promise.all(
        ["b", "pre"].map((part) => page.textContent(`[data-try] output ${part}`)),
      );
      await page.evaluate("document.querySelector('[data-try] output').replaceChildren()");
      return { status: status!, body: JSON.parse(body!) };
    };
    const account = { email: "try@people.example", password: "short", name: "Ada" };
    await page.fill("#try-body", JSON.stringify(account));
    expect(await result()).toMatchObject({
      status: "400 Bad Request",
      body: {
        code: "invalid_request",
        errors: expect.arrayContaining([expect.objectContaining({ pointer: "/body/password" })]),
      },
    });
    await page.fill("#try-body", JSON.stringify({ ...account, password: "correct horse battery" }));
    expect(await result()).toMatchObject({ status: "201 Created", body: { user: { email: account.email } } });
    expect((await result()).body.code).toBe("email_taken");
    await page.fill("#try-path", "https://elsewhere.example/api");
    await page.click("[data-try] button");
    await expect.poll(() => page.textContent("[data-try] output")).not.toBe("");
    expect(await page.locator("[data-try] output pre").count()).toBe(0);
    expect(said).toEqual([]);
    await page.close();
  });

  it("send the credential that was typed for it, and none of the visitor's own", async () => {
    const { page } = await openPage("/docs/reference/getAccount");
    await page.fill("#try-token", "nonsense");
    await page.click("[data-try] button");
    await page.waitForSelector("[data-try] output pre");
    expect(await page.textContent("[data-try] output b")).toBe("401 Unauthorized");
    const { page: plain } = await openPage("/docs/reference/getAccount", false);
    expect(await plain.isVisible("[data-try]")).toBe(false);
    await Promise.all([page.close(), plain.close()]);
  });
});
