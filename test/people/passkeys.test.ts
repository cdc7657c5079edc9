/** Passkeys in Chromium, by its virtual authenticator: added, named, used to log in, and removed. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chromiumPath, NO_CHROMIUM, startChromium } from "../support/chromium.ts";
import { freePort } from "../support/ports.ts";
import { startRegistry, type TestRegistry } from "../support/registry.ts";

const ACCOUNT = { name: "Ada", email: "ada@passkeys.example", password: "correct horse battery" };

let registry: TestRegistry;
beforeAll(async () => {
  const port = await freePort();
  registry = await startRegistry({
    world: { sites: 1 },
    roles: ["accounts", "session"],
    // Browsers take passkeys for names, not for addresses.
    config: { PORT: port, BRIDGE_PUBLIC_URL: `http://localhost:${port}` },
  });
  expect((await registry.postJson("/api/auth/register", ACCOUNT)).status).toBe(201);
});
afterAll(() => registry?.stop());

describe.skipIf(!chromiumPath)(`a passkey in Chromium${chromiumPath ? "" : ` (${NO_CHROMIUM})`}`, () => {
  it("is added within ten minutes of a log-in, named, logs in without password, and is removed", async () => {
    const browser = await startChromium();
    try {
      const context = await browser.newContext({ viewport: { width: 390, height: 844 } });
      const page = await context.newPage();
      const said: string[] = [];
      page.on("console", (message) => said.push(message.text()));
      const devices = await context.newCDPSession(page);
      await devices.send("WebAuthn.enable");
      await devices.send("WebAuthn.addVirtualAuthenticator", {
        options: {
          protocol: "ctap2",
          transport: "internal",
          hasResidentKey: true,
          hasUserVerification: true,
          isUserVerified: true,
          automaticPresenceSimulation: true,
        },
      });
      const { origin } = new URL(registry.runtime.publicUrl);
      await page.goto(`${origin}/account/passkeys`);
      await page.fill("#email", ACCOUNT.email);
      await page.fill("#password", ACCOUNT.password);
      await page.click("form[action='/account/log-in'] button");
      expect(new URL(page.url()).pathname).toBe("/account/passkeys");
      await page.fill("#name", "my <b>phone</b>");
      await page.click("button:has-text('Add a passkey')");
      await page.waitForSelector("li:has-text('my <b>phone</b>')");
      await page.fill("li input[name=name]", "my phone");
      await page.click("button:has-text('Rename')");
      await page.waitForSelector("li bdi:text-is('my phone')");
      await page.goto(`${origin}/account`);
      await page.click("button:has-text('Log out')");
      expect(await context.cookies()).toEqual([]);
      await page.click("button:has-text('Log in with a passkey')");
      await page.waitForURL(`${origin}/account`);
      expect(await page.textContent("h1")).toBe(ACCOUNT.name);
      await page.goto(`${origin}/account/passkeys`);
      expect(await page.textContent("li")).toContain("last used");
      await page.click("button:has-text('Remove')");
      await page.waitForFunction("document.querySelector('main li') === null");
      await page.goto(`${origin}/account`);
      await page.click("button:has-text('Log out')");
      await page.click("button:has-text('Log in with a passkey')");
      await page.waitForSelector("[role=alert]:not([hidden])");
      expect(said.filter((text) => !text.includes("401"))).toEqual([]);
    } finally {
      await browser.close();
    }
  });
});
