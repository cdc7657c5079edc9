import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { enter } from "../support/agent.ts";
import { chromiumPath, NO_CHROMIUM, startChromium } from "../support/chromium.ts";
import { makeLicense } from "../support/license.ts";
import { createOwner } from "../support/owner.ts";
import { startRegistry, type TestRegistry } from "../support/registry.ts";

/** A page of a site whose basket works by script alone. */
const PAGE = (
  src: string,
  token = "",
) => `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Kettles</title></head><body>
<h1>Kettles</h1><p id="count">0</p>
<button id="add" onclick="document.querySelector('#count').textContent = Number(document.querySelector('#count').textContent) + 1">Add</button>
<form id="search" data-bridge-action="find" onsubmit="document.title = 'Found ' + this.q.value; return false"><label>Find <input name="q" required></label><button>Search</button></form>
<form id="labeled" onsubmit="document.title = 'Sent'; return false"><label id="send-label" for="send">Send</label><input id="send" type="submit"></form>
<button id="bound" data-bridge-action="bound" form="labeled">Bound</button><input id="secret" type="password"><a id="away" href="https://elsewhere.example/">Away</a>
<script src="${src}"${token && ` data-token="${token}"`}></script>
<script>bridge.registerAction({ name: "empty", description: "Empty the basket", category: "commerce", parameters: [], permissions_required: ["click"] },
() => { document.querySelector("#count").textContent = 0; return { count: 0 }; });</script></body></html>`;

const OWN = "const bridge = { own: true }; const own = () => bridge.own ? `the page's` : `the script's`";
/** Pages that have a name of the script's, or include it twice. */
const OTHER_PAGES: Record<string, (tag: string) => string> = {
  "/declares-before": (tag) => `<!doctype html><p id="bridge"><script>${OWN}</script>${tag}`,
  "/declares-after": (tag) => `<!doctype html>${tag}<script>${OWN}</script>`,
  "/twice": (tag) => `<!doctype html>${tag}${tag}<script>${OWN.replace(/^.*?;/, "")}</script>`,
};

const GUIDE = readFileSync(new URL("../../docs/agents.md", import.meta.url), "utf8");
/** The elements of the guide that load it async, with the registry and the site in the places of its examples. */
function asyncPage(registryUrl: string, siteId: string): string {
  const elements = /```html\n(<script>\nwindow\.bridge[\s\S]*?)```/.exec(GUIDE)![1]!;
  return `<!doctype html><title>Kettles</title><h1>Kettles</h1>${elements
    .replaceAll("https://registry.example", registryUrl)
    .replaceAll("shop.example", siteId)
    .replaceAll("<script>", '<script nonce="page">')}`;
}
/** As the guide says. */
const asyncPolicy = (registryUrl: string): string =>
  `script-src 'nonce-page' ${registryUrl}; connect-src ${registryUrl} ${registryUrl.replace("http", "ws")}`;

describe.skipIf(!chromiumPath)(
  `the bridge script in a page${chromiumPath ? "" : ` (${NO_CHROMIUM})`}`,
  () => {
    let registry: TestRegistry;
    let site: Server;
    let browser: Browser;
    let shop: string;
    let token: string;
    let agent: Awaited<ReturnType<typeof enter>>;
    let pageUrl: string;

    beforeAll(async () => {
      registry = await startRegistry({ world: { sites: 2, soundShare: 0, kinds: { shop: 1 }, seed: 11 } });
      await registry.crawl();
      shop = registry.world.hosts[0]!.host;
      const owner = createOwner(registry);
      agent = await enter(registry.url, (await owner.license(shop)).key);
      token = (await owner.send("POST", "/api/bridge/site-token", { siteId: shop })).body.token;
      const harmless = `${registry.url}/bridge.js`;
      await makeLicense(registry.runtime.broker, registry.world.hosts[1]!.host, {
        permissions: { fillForms: true },
        restrictions: { denied_commands: ["scroll"] },
      });
      const configured = `${registry.url}/bridge.js?siteId=${registry.world.hosts[1]!.host}`;
      await makeLicense(registry.runtime.broker, "clicks.test", { permissions: { click: true } });
      const clicks = `${registry.url}/bridge.js?siteId=clicks.test`;
      site = createServer((request, response) => {
        const src = { "/configured": configured, "/clicks": clicks }[request.url ?? ""] ?? harmless;
        response.setHeader("content-type", "text/html; charset=utf-8");
        const other =
          request.url === "/async" ? () => asyncPage(registry.url, shop) : OTHER_PAGES[request.url ?? ""];
        if (request.url === "/async")
          response.setHeader("content-security-policy", asyncPolicy(registry.url));
        response.end(
          other ? other(`<script src="${src}"></script>`) : PAGE(src, request.url === "/kiosk" ? token : ""),
        );
      });
      await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
      pageUrl = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
      browser = await startChromium("WebMCPTesting");
    });
    afterAll(async () => {
      await browser?.close();
      site?.close();
      await registry?.stop();
    });

    const visit = async (path: string): Promise<Page> => {
      const page = await browser.newPage();
      await page.goto(pageUrl + path);
      return page;
    };
    const run = (page: Page, action: string, command: object = {}): Promise<any> =>
      page.evaluate(([name, given]) => (globalThis as any).bridge.execute(name, given), [
        action,
        command,
      ] as const);

    it("gives agents in the page the harmless permissions, and refuses the rest with a code", async () => {
      const page = await visit("/");
      expect(await page.evaluate("bridge.permissions.fillForms")).toBe(false);
      expect(await run(page, "read", { target: "h1" })).toMatchObject({
        type: "action_result",
        success: true,
        result: { elements: [{ tag: "h1", text: "Kettles" }] },
      });
      for (const [action, command, code] of [
        ["fill", { target: "input", value: "x" }, "permission_denied"],
        ["click", { target: "#away" }, "permission_denied"],
        ["navigate", { target: "https://elsewhere.example/" }, "permission_denied"],
        ["read", { target: "#nothing" }, "target_not_found"],
        ["read", { target: "[[" }, "invalid_selector"],
        ["dance", {}, "unknown_action"],
      ] as const)
        expect((await run(page, action, command)).result.error?.code, action).toBe(code);
      await page.close();
    });

    it("sends no form without fillForms, by whatever is clicked", async () => {
      const page = await visit("/clicks");
      for (const target of ["#send", "#send-label", "#search label", "#bound"])
        expect((await run(page, "click", { target })).result.error?.code, target).toBe("permission_denied");
      expect((await run(page, "bound")).result.error?.code).toBe("permission_denied");
      const needed = "bridge.getActions().find(({ name }) => name === 'bound').permissions_required";
      expect(await page.evaluate(needed)).toEqual(["click", "fillForms"]);
      expect(await run(page, "click", { target: "#count" })).toMatchObject({ success: true });
      expect(await page.evaluate("document.title")).toBe("Kettles");
      await page.close();
    });

    it("takes the permissions that the site's owner set", async () => {
      const page = await visit("/configured");
      expect(await run(page, "click", { target: "#add" })).toMatchObject({ success: true });
      expect((await run(page, "read", { target: "#count" })).result.elements[0].text).toBe("1");
      expect(await run(page, "empty")).toMatchObject({ success: true, result: { count: 0 } });
      const names = await page.evaluate("bridge.getActions().map(({ name }) => name)");
      expect(names).toEqual(["empty", "find", "bound"]);
      expect(await run(page, "find", { context: { q: "lamp" } })).toMatchObject({ success: true });
      await page.waitForFunction("document.title === 'Found lamp'");
      expect((await run(page, "fill", { target: "#secret", value: "x" })).result.error.code).toBe(
        "permission_denied",
      );
      expect((await run(page, "scroll")).result.error.code).toBe("permission_denied");
      await page.close();
    });

    it("cannot be replaced under its symbol, nor changed, by the page that it is in", async () => {
      const page = await visit("/");
      await page.evaluate("bridge.permissions.fillForms = true");
      expect((await run(page, "fill", { target: "input", value: "x" })).result.error.code).toBe(
        "permission_denied",
      );
      await page.evaluate("window[Symbol.for('bridge.script')] = bridge = 'own'");
      const found = await page.evaluate(
        "[bridge, window[Symbol.for('bridge.script')].permissions.fillForms]",
      );
      expect(found).toEqual(["own", false]);
      await page.close();
    });

    it.each(["declares-before", "declares-after", "twice"])("breaks no page: one that %s", async (path) => {
      const page = await browser.newPage();
      const errors: string[] = [];
      page.on("pageerror", (error) => errors.push(String(error)));
      await page.goto(`${pageUrl}/${path}`);
      expect(errors).toEqual([]);
      const expected = path === "twice" ? "the script's" : "the page's";
      expect(await page.evaluate("own()")).toBe(expected);
      const key = "window[Symbol.for('bridge.script')]";
      expect(await page.evaluate(`${key}.execute('read').then(({ success }) => success)`)).toBe(true);
      await page.close();
    });

    it("comes async, within a content security policy, and finds what waits for it", async () => {
      const page = await browser.newPage();
      const errors: string[] = [];
      page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
      page.on("pageerror", (error) => errors.push(String(error)));
      await page.goto(`${pageUrl}/async`);
      await page.evaluate("bridge.ready.then(({ siteId }) => siteId)");
      expect(await page.evaluate("bridge.siteId")).toBe(shop);
      expect(await page.evaluate("bridge.getActions().map(({ name }) => name)")).toEqual(["empty-basket"]);
      expect(errors).toEqual([]);
      await page.close();
    });

    it("offers the page's actions to the browser's own agents, within the permissions", async () => {
      const page = await visit("/");
      expect(await page.evaluate("typeof document.modelContext?.registerTool")).toBe("function");
      const tools = "document.modelContext.getTools()";
      await page.waitForFunction(`${tools}.then((tools) => tools.length > 0)`);
      expect(await page.evaluate(`${tools}.then((tools) => tools.map(({ name }) => name))`)).toEqual([
        "empty",
      ]);
      const said = await page.evaluate(
        `${tools}.then(([tool]) => document.modelContext.executeTool(tool, {}))`,
      );
      expect(JSON.stringify(said)).toContain("success");
      await page.evaluate("bridge.unregisterAction('empty')");
      await page.waitForFunction(`${tools}.then((tools) => tools.length === 0)`);
      await page.close();
    });

    it("does on an owner's own page what sessions ask for, over the websocket", async () => {
      const page = await visit("/kiosk");
      // The page's origin is not the shop's: a browser that says so is sent away.
      expect((await agent.execute("empty")).result.error.code).toBe("unknown_action");
      await page.close();
      const own = await browser.newPage();
      const joined = own.waitForEvent("websocket").then((socket) => socket.waitForEvent("framereceived"));
      await own.goto(`http://${shop}:${new URL(pageUrl).port}/kiosk`);
      await joined;
      expect(await agent.execute("empty")).toMatchObject({
        success: true,
        result: { by: "script", count: 0 },
      });
      const { body } = await agent.actions();
      expect(body.actions.find(({ name }: { name: string }) => name === "empty")).toMatchObject({
        source: "script",
        category: "commerce",
      });
      await own.close();
    });
  },
);
