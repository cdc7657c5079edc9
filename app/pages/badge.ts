/** Badges: what the registry says of a site at the moment, as an image that its owner can embed. */
import type { SiteReadiness } from "../../schemas/readiness.ts";
import type { SiteVerdict } from "../../schemas/verdict.ts";
import { headlineOf, type Tone } from "../../src/domain/listing/conduct.ts";
import { type Html, html } from "./html.ts";
import type { ViewContext } from "./page.ts";
import { ready } from "./texts.ready.en.ts";

export const READINESS_TONES: Readonly<Record<SiteReadiness["readiness"], Tone>> = {
  usable: "good",
  readable: "good",
  broken: "bad",
  present: "warn",
  nothing: "soft",
  unknown: "soft",
  blocked: "bad",
};

const FILLS: Readonly<Record<Tone, string>> = {
  good: "#0b6e63",
  warn: "#7a4a00",
  bad: "#a3211a",
  soft: "#5b6670",
};
const LABEL_WIDTH = 62;
const CHAR_WIDTH = 6.8;
const PADDING = 20;

/** Who a site is, and how it treats its visitors. */
export function verdictBadge({ state, conduct }: SiteVerdict): Html {
  const { tone, badge } = headlineOf(state, conduct);
  return badgeImage(tone, badge);
}

/** How useful a site is to agents. */
export const readinessBadge = ({ readiness }: SiteReadiness): Html =>
  badgeImage(READINESS_TONES[readiness], ready.badges[readiness]);

/** A badge as it looks, and the HTML that embeds it. @param path of the page that it stands for; its image is below */
export function badgeHtml(
  { texts, publicUrl }: ViewContext,
  { path, alt, text }: { path: string; alt: string; text: string },
): Html {
  const code = `<a href="${publicUrl}${path}"><img src="${publicUrl}${path}/badge.svg" alt="Bridge" height="28"></a>`;
  return html`<h3>${texts.site.badge}</h3><p><img src="${path}/badge.svg" alt="${alt}" height="28"></p><p class="small">${text}</p><p class="small soft">${texts.site.badgeCode}</p><pre><code>${code}</code></pre>`;
}

/** @returns an SVG image of 28 pixels in height */
function badgeImage(tone: Tone, said: string): Html {
  const width = Math.round(LABEL_WIDTH + PADDING + said.length * CHAR_WIDTH);
  const middle = LABEL_WIDTH + (width - LABEL_WIDTH) / 2;
  return html`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="28" viewBox="0 0 ${width} 28" role="img" aria-label="Bridge: ${said}"><title>Bridge: ${said}</title><rect width="${width}" height="28" rx="6" fill="#22303c"/><path d="M${LABEL_WIDTH} 0h${width - LABEL_WIDTH - 6}a6 6 0 0 1 6 6v16a6 6 0 0 1-6 6h-${width - LABEL_WIDTH - 6}z" fill="${FILLS[tone]}"/><g fill="#fff" font-family="system-ui,Verdana,sans-serif" font-size="12" text-anchor="middle"><text x="${LABEL_WIDTH / 2}" y="18.500">Bridge</text><text x="${middle}" y="18.500">${said}</text></g></svg>`;
}
