/** `npm run screenshots`: the pages' pictures in docs/images, taken in Chromium of a registry over a synthetic web. */
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { chromiumPath, NO_CHROMIUM, startChromium } from "../support/chromium.ts";
import { freePort } from "../support/ports.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const IMAGES = join(ROOT, "docs", "images");
const SITES = 60;
/** Most of them are sound: so many are listed when the first round is over. */
const LISTED = 50;
const GIVE_UP_MS = 120_000;
const LOOK_EVERY_MS = 500;

const PHONE = { width: 390, height: 844 };
const DESKTOP = { width: 1_280, height: 800 };

type Theme = "light" | "dark";
interface Picture {
  name: string;
  path: string;
  viewport: typeof PHONE;
  theme: Theme;
  /** What a visitor does before the picture is taken. */
  after?: (page: Page) => Promise<void>;
}

/** Answers what only an owner can, and makes a key. */
const makeKey = async (page: Page): Promise<void> => {
  await page.check("input[name=independent][value=yes]");
  await page.fill("#commission", "0");
  await page.click("form.sheet button");
  await page.click("[data-part=make]");
  await page.waitForSelector("[data-part=provider]:not([hidden])");
  await page.evaluate("scrollTo(0, 160)");
};

const picturesOf = (host: string): readonly Picture[] => [
  { name: "home", path: "/", viewport: DESKTOP, theme: "light" },
  {
    name: "search",
    path: "/search?q=somewhere+to+eat+without+meat",
    viewport: DESKTOP,
    theme: "light",
  },
  { name: "site", path: `/sites/${host}`, viewport: DESKTOP, theme: "light" },
  { name: "status", path: "/status", viewport: DESKTOP, theme: "dark" },
  { name: "site-phone", path: `/sites/${host}`, viewport: PHONE, theme: "dark" },
  { name: "owners-draft-phone", path: `/owners/${host}`, viewport: PHONE, theme: "light" },
  { name: "owners-key", path: `/owners/${host}`, viewport: DESKTOP, theme: "light", after: makeKey },
  { name: "docs-phone", path: "/docs", viewport: PHONE, theme: "light" },
];

/** The host of a site that is listed, once the first round of visits is over. */
const untilCrawled = async (url: string): Promise<string> => {
  const giveUpAt = performance.now() + GIVE_UP_MS;
  while (performance.now() < giveUpAt) {
    const reply = await fetch(`${url}/api/discovery/registry?limit=1`).catch(() => undefined);
    const page = (await reply?.json().catch(() => undefined)) as
      | { total?: number; listings?: { domain: string }[] }
      | undefined;
    if (reply?.ok && page?.listings?.[0] && page.total! >= LISTED) return page.listings[0].domain;
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
  throw new Error(`fewer than ${LISTED} sites were listed within ${GIVE_UP_MS / 1_000} s`);
};

const takePictures = async (url: string): Promise<void> => {
  const pictures = picturesOf(await untilCrawled(url));
  const browser = await startChromium();
  try {
    for (const { name, path, viewport, theme, after } of pictures) {
      const page = await browser.newPage({ viewport, colorScheme: theme });
      await page.goto(url + path, { waitUntil: "load" });
      await after?.(page);
      await page.screenshot({ path: join(IMAGES, `${name}.png`) });
      await page.close();
      console.log(`docs/images/${name}.png`);
    }
  } finally {
    await browser.close();
  }
};

const main = async (): Promise<void> => {
  if (!chromiumPath) throw new Error(NO_CHROMIUM);
  mkdirSync(IMAGES, { recursive: true });
  const home = mkdtempSync(join(tmpdir(), "bridge-screenshots-"));
  const [port, admin, operators] = await Promise.all([freePort(), freePort(), freePort()]);
  const registry = spawn(process.execPath, [join(ROOT, "app/main.ts"), "up", "--sites", String(SITES)], {
    cwd: ROOT,
    stdio: "ignore",
    env: {
      ...process.env,
      PORT: String(port),
      BRIDGE_ADMIN_PORT: String(admin),
      BRIDGE_OPERATORS_PORT: String(operators),
      BRIDGE_HOME: home,
    },
  });
  const ended = new Promise((resolve) => registry.once("exit", resolve));
  try {
    await takePictures(`http://127.0.0.1:${port}`);
  } finally {
    registry.kill("SIGTERM");
    await ended;
    rmSync(home, { recursive: true, force: true });
  }
};

await main();
