/** A site's badge: what the registry says of it at the moment, as an image that its owner can embed. */
import type { SiteVerdict } from "../../schemas/verdict.ts";
import { headlineOf, type Tone } from "../../src/domain/listing/conduct.ts";
import { type Html, html } from "./html.ts";

const FILLS: Readonly<Record<Tone, string>> = {
  good: "#0b6e63",
  warn: "#7a4a00",
  bad: "#a3211a",
  soft: "#5b6670",
};
const LABEL_WIDTH = 62;
const CHAR_WIDTH = 6.8;
const PADDING = 20;

/** @returns an SVG image of 28 pixels in height */
export function badgeImage({ state, conduct }: SiteVerdict): Html {
  const { tone, badge: said } = headlineOf(state, conduct);
  const width = Math.round(LABEL_WIDTH + PADDING + said.length * CHAR_WIDTH);
  const middle = LABEL_WIDTH + (width - LABEL_WIDTH) / 2;
  return html`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="28" viewBox="0 0 ${width} 28" role="img" aria-label="Bridge: ${said}"><title>Bridge: ${said}</title><rect width="${width}" height="28" rx="6" fill="#22303c"/><path d="M${LABEL_WIDTH} 0h${width - LABEL_WIDTH - 6}a6 6 0 0 1 6 6v16a6 6 0 0 1-6 6h-${width - LABEL_WIDTH - 6}z" fill="${FILLS[tone]}"/><g fill="#fff" font-family="system-ui,Verdana,sans-serif" font-size="12" text-anchor="middle"><text x="${LABEL_WIDTH / 2}" y="18.500">Bridge</text><text x="${middle}" y="18.500">${said}</text></g></svg>`;
}
