/** Pictures of data, drawn as SVG by the registry; what each shows stands beside it in words and numbers. */
import type { Tone } from "../../src/domain/listing/conduct.ts";
import { type Html, html } from "./html.ts";
import { signHtml } from "./parts.ts";
import type { Texts } from "./texts.ts";

/** Width of a bar, in its own units: it is drawn as wide as its column. */
const WIDTH = 1_000;
/** Shares that there are can be seen, however small. */
const LEAST_WIDTH = 6;

export interface Share {
  tone: Tone;
  label: string;
  count: number;
  /** Where the counted are listed. */
  href?: string;
}

/** Parts of a whole, side by side. @param label what the whole is */
export function stackedBar(texts: Texts, label: string, shares: readonly Share[]): Html {
  const total = shares.reduce((sum, { count }) => sum + count, 0);
  if (total === 0) return html``;
  const widths = shares.map(({ count }) =>
    count === 0 ? 0 : Math.max(LEAST_WIDTH, (count / total) * WIDTH),
  );
  const scale = WIDTH / widths.reduce((sum, width) => sum + width, 0);
  const starts = widths.map((_, i) => widths.slice(0, i).reduce((sum, width) => sum + width * scale, 0));
  const bars = shares.map(
    ({ tone }, i) =>
      widths[i]! > 0 &&
      html`<rect class="${tone}" x="${Math.round(starts[i]!)}" width="${Math.max(1, Math.round(widths[i]! * scale) - 2)}" height="24"/>`,
  );
  return html`<svg class="chart" viewBox="0 0 ${WIDTH} 24" height="24" preserveAspectRatio="none" role="img" aria-label="${label}">${bars}</svg>
<ul class="key">${shares.map((share) => html`<li>${signHtml(share.tone)}${keyOf(texts, share)}</li>`)}</ul>`;
}

function keyOf(texts: Texts, { label, count, href }: Share): Html {
  const said = html`<b>${texts.format.number(count)}</b> ${label}`;
  return href === undefined ? said : html`<a href="${href}">${said}</a>`;
}
