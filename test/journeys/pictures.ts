/** The pictures of pages in docs/images and docs/images/journeys, taken where `npm run generate -- journeys` asks for them. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { DESKTOP, PHONE } from "../support/page-checks.ts";
import type { Ground } from "./journey.ts";
import { takeSocialCard } from "./social-card.ts";
import type { Shot } from "./walk.ts";

export const DOCS = join(import.meta.dirname, "..", "..", "docs");
const IMAGES = join(DOCS, "images");
/** Set by test/journeys/main.ts. */
export const isWriting = process.env.JOURNEYS === "write";

async function shootInto(folder: string, page: Page, { name }: Pick<Shot, "name">): Promise<void> {
  mkdirSync(folder, { recursive: true });
  await page.evaluate("document.fonts.ready");
  await page.screenshot({ path: join(folder, `${name}.png`), animations: "disabled", caret: "hide" });
}

/** Takes the pictures of journeys; undefined where nobody asked for them. */
export const pictures = (): ((page: Page, shot: Shot) => Promise<void>) | undefined =>
  isWriting ? (page, shot) => shootInto(join(IMAGES, "journeys"), page, shot) : undefined;

interface Picture {
  name: string;
  path: string;
  viewport: typeof PHONE;
  theme: "light" | "dark";
  /** What a visitor does before the picture is taken. */
  after?: (page: Page) => Promise<void>;
}

/** Answers what only an owner can, and makes a key. */
async function makeKey(page: Page): Promise<void> {
  await page.check("input[name=independent][value=yes]");
  await page.fill("#commission", "0");
  await page.click("form.sheet button");
  await page.click("[data-part=make]");
  await page.waitForSelector("[data-part=provider]:not([hidden])");
  await page.evaluate("scrollTo(0, 160)");
}

const picturesOf = (host: string): readonly Picture[] => [
  { name: "home", path: "/", viewport: DESKTOP, theme: "light" },
  { name: "search", path: "/search?q=somewhere+to+eat+without+meat", viewport: DESKTOP, theme: "light" },
  { name: "site", path: `/sites/${host}`, viewport: DESKTOP, theme: "light" },
  { name: "status", path: "/status", viewport: DESKTOP, theme: "dark" },
  { name: "site-phone", path: `/sites/${host}`, viewport: PHONE, theme: "dark" },
  { name: "owners-draft-phone", path: `/owners/${host}`, viewport: PHONE, theme: "light" },
  { name: "owners-key", path: `/owners/${host}`, viewport: DESKTOP, theme: "light", after: makeKey },
  { name: "docs-phone", path: "/docs", viewport: PHONE, theme: "light" },
];

/** Takes the pictures of docs/pages.md. */
export async function takePictures({ registry, browser, listed }: Ground): Promise<void> {
  await takeSocialCard(browser);
  for (const { name, path, viewport, theme, after } of picturesOf(listed)) {
    const page = await browser.newPage({ viewport, colorScheme: theme });
    await page.goto(registry.url + path, { waitUntil: "load" });
    await after?.(page);
    await shootInto(IMAGES, page, { name });
    await page.close();
  }
}
