/** The picture that a link to the registry has in other people's messages: drawn by Chromium, and kept as a file. */
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { type Html, html, ownMarkup } from "../../app/pages/html.ts";
import { MARK } from "../../app/pages/layout.ts";
import { pill } from "../../app/pages/parts.ts";
import { STYLE } from "../../app/pages/style.ts";
import { DEFAULT_TEXTS } from "../../app/pages/texts.ts";

/** What Open Graph's readers show without cutting it, in pixels. */
const SIZE = { width: 1_200, height: 630 };
const FILE = join(import.meta.dirname, "../../app/pages/assets/social.png");

const LAYOUT = `
body{padding:72px 80px;justify-content:space-between}.brand{font-size:32px}.brand svg{width:64px;height:46px}
h1{font-size:68px;margin:0}.pills{gap:24px;max-width:none}.pill{font-size:28px;padding:12px 24px;gap:16px}.sign{width:36px;height:36px;font-size:24px}`;

export async function takeSocialCard(browser: Browser): Promise<void> {
  const page = await browser.newPage({ viewport: SIZE, colorScheme: "light" });
  await page.setContent(cardHtml().toString());
  await page.evaluate("document.fonts.ready");
  await page.screenshot({ path: FILE });
  await page.close();
}

function cardHtml(): Html {
  const { name, home, socialCard } = DEFAULT_TEXTS;
  const said = socialCard.map((text) => pill({ tone: "good", text }));
  return html`<!doctype html><html lang="en"><style>${ownMarkup(STYLE + LAYOUT)}</style><body><p class="brand">${MARK}${name}</p><h1>${home.title}</h1><p class="pills">${said}</p></body></html>`;
}
