/** What browsers are told of every reply: load nothing, be framed by nobody; of a page: apply its own style alone. */
import { hash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PAGES } from "../../app/pages/table.ts";
import { services } from "../../app/services.ts";
import { chromiumPath, NO_CHROMIUM, startChromium } from "../support/chromium.ts";
import { startRegistry, type TestRegistry } from "../support/registry.ts";

/** Directives of a policy by their names. */
const directivesOf = (headers: Headers): Map<string, string> =>
  new Map(
    (headers.get("content-security-policy") ?? "").split(";").map((part) => {
      const [name = "", ...values] = part.trim().split(" ");
      return [name, values.join(" ")] as const;
    }),
  );

const HTML = { accept: "text/html" };
/** The one script of pages, in a file of its own. */
const OUR_SCRIPT =
  /<script src="\/assets\/(?:copy|docs|live|owner|passkeys|search)\.[0-9a-f]{16}\.js" type="module"><\/script>/;

const forPeopleOf = (host: string): string[] => [
  "/docs",
  ...PAGES.filter(({ method }) => method === "GET").map(({ path }) => path.replace("{domain}", host)),
];

const pagesOf = (host: string): string[] => [
  ...forPeopleOf(host),
  ...services
    .flatMap(({ operations }) => Object.values(operations))
    .filter(({ contentType }) => contentType === "text/html")
    .map(({ example }) => example.replace("{{enabledHost}}", host)),
];

let registry: TestRegistry;
let host: string;
let pages: string[];
let forPeople: string[];
beforeAll(async () => {
  registry = await startRegistry({ world: { sites: 3, soundShare: 1 } });
  await registry.crawl();
  host = registry.world.hosts.find(({ kind }) => kind === "sound")!.host;
  pages = pagesOf(host);
  forPeople = forPeopleOf(host);
});
afterAll(() => registry?.stop());

describe("every page", () => {
  it("may apply the style that it has, run nothing and be framed by nobody", async () => {
    expect(pages.length).toBeGreaterThan(1);
    for (const path of pages) {
      const response = await fetch(registry.url + path, { headers: HTML });
      const html = await response.text();
      expect(response.headers.get("content-type"), path).toBe("text/html; charset=utf-8");
      const policy = directivesOf(response.headers);
      const styles = [...html.matchAll(/<style>(.*?)<\/style>/gs)].map(([, style]) => style!);
      expect(styles, path).toHaveLength(1);
      const isForPeople = forPeople.includes(path);
      // An account's pages lead to its log-in.
      const at = new URL(response.url).pathname;
      const { script } = PAGES.find((page) => page.path.replace("{domain}", host) === path) ?? {};
      const runsScript = path === "/docs" || script !== undefined || at === "/account/log-in";
      expect(Object.fromEntries(policy), path).toEqual({
        "default-src": "'none'",
        "base-uri": "'none'",
        "form-action": isForPeople ? "'self'" : "'none'",
        "frame-ancestors": "'none'",
        ...(isForPeople && { "img-src": "'self'", "connect-src": "'self'" }),
        ...(runsScript && { "script-src": "'self'" }),
        "style-src": `'sha256-${hash("sha256", styles[0]!, "base64")}'`,
      });
      expect(html.replaceAll(new RegExp(OUR_SCRIPT, "g"), "")).not.toMatch(
        /\sstyle=|\son\w+=|<script(?! type="application\/ld\+json")/,
      );
      expect(OUR_SCRIPT.test(html), path).toBe(runsScript);
      expect(response.headers.get("x-frame-options")).toBe("DENY");
      expect(response.headers.get("x-content-type-options")).toBe("nosniff");
      expect(response.headers.get("referrer-policy")).toBe(isForPeople ? "same-origin" : "no-referrer");
      expect(response.headers.get("cross-origin-opener-policy")).toBe("same-origin");
      expect(response.headers.get("permissions-policy")).toContain("camera=()");
    }
  });

  it("has the same policy where a client is told that it has the page already", async () => {
    // Of a page whose address holds a secret, or that is an account's, nothing is kept, and no tag given.
    const untagged = PAGES.filter(({ isPrivate, needsLogIn }) => isPrivate || needsLogIn).map(({ path }) =>
      path.replace("{domain}", host),
    );
    for (const path of pages.filter((each) => !["/status", ...untagged].includes(each))) {
      const whole = await fetch(registry.url + path, { headers: HTML });
      if (!whole.ok) {
        // One that wants more than its site, and says so: nobody has it already.
        expect(whole.headers.get("etag"), path).toBeNull();
        continue;
      }
      const again = await fetch(registry.url + path, {
        headers: { ...HTML, "if-none-match": whole.headers.get("etag")! },
      });
      expect(again.status, path).toBe(304);
      const name = "content-security-policy";
      expect(again.headers.get(name)).toBe(whole.headers.get(name));
    }
  });
});

describe("every other reply", () => {
  it.each([
    "/api/bridge/ping",
    "/openapi.json",
    "/bridge.js",
    "/healthz",
    "/",
    "/no-such-path",
    "/api/noscript/bridge/no%00host",
    "/api/auth/me",
  ])("of %s may load nothing and be framed by nobody", async (path) => {
    const { headers } = await fetch(registry.url + path, { redirect: "manual" });
    const policy = directivesOf(headers);
    expect(policy.get("default-src")).toBe("'none'");
    expect(policy.get("frame-ancestors")).toBe("'none'");
    expect(headers.get("x-frame-options")).toBe("DENY");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
  });
});

describe.skipIf(!chromiumPath)(`pages in Chromium${chromiumPath ? "" : ` (${NO_CHROMIUM})`}`, () => {
  it("are shown with their style, without breaking their policy", async () => {
    const browser = await startChromium();
    try {
      for (const path of pages.filter((each) => !forPeople.includes(each))) {
        const page = await browser.newPage();
        const said: string[] = [];
        page.on("console", (message) => said.push(message.text()));
        page.on("pageerror", (error) => said.push(String(error)));
        await page.goto(registry.url + path);
        const grid = await page.evaluate("getComputedStyle(document.querySelector('.page')).maxWidth");
        expect(grid, path).not.toBe("none");
        expect(said, path).toEqual([]);
      }
    } finally {
      await browser.close();
    }
  });
});
