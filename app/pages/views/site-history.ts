/** A site's last month as a strip of days, with its changes of state as a table. */
import type { SiteState, SiteVerdict } from "../../../schemas/verdict.ts";
import type { Tone } from "../../../src/domain/listing/conduct.ts";
import { DAY_MS } from "../../../src/ports/time.ts";
import { type Html, html } from "../html.ts";
import type { ViewContext } from "../page.ts";
import { foldHtml, moment, statePill, toneOf } from "../parts.ts";

type History = SiteVerdict["history"];

const DAYS = 30;
/** Of the strip's units: a day's width with its gap, and the heights, so that no state is told by color alone. */
const WIDTH = 10;
const HEIGHTS: Readonly<Record<Tone, number>> = { good: 24, warn: 16, bad: 8, soft: 2 };

export function historyFold({ texts, now }: ViewContext, history: History): Html {
  const { site } = texts;
  if (history.length === 0)
    return foldHtml({ title: site.history, note: site.noHistory, body: site.noHistory });
  const days = daysOf(history, now);
  const sound = days.filter((state) => state === "enabled").length;
  const known = days.filter((state) => state !== "unknown").length;
  const said = site.daysListed(sound, known);
  const body = html`<svg class="chart" viewBox="0 0 ${DAYS * WIDTH} 24" height="32" preserveAspectRatio="none" role="img" aria-label="${said}">${days.map(dayBar)}</svg>
<p class="small soft">${site.strip(DAYS)}</p>
<table><thead><tr><th scope="col">${site.from}</th><th scope="col">${site.state}</th></tr></thead><tbody>${history
    .toReversed()
    .map(
      ({ at, state, reason }) =>
        html`<tr><td class="small">${moment(texts, at)}</td><td>${statePill(texts, state)} <span class="small">${texts.reasons[reason]}</span></td></tr>`,
    )}</tbody></table>`;
  return foldHtml({ title: site.history, note: said, body, isOpen: true });
}

/** Of each day the state that held at its end, the newest last; unknown before the first change on record. */
export function daysOf(history: History, now: string): SiteState[] {
  return Array.from({ length: DAYS }, (_, i) => {
    const end = Date.parse(now) - (DAYS - 1 - i) * DAY_MS;
    return history.findLast(({ at }) => Date.parse(at) <= end)?.state ?? "unknown";
  });
}

function dayBar(state: SiteState, day: number): Html {
  const tone = toneOf(state);
  return html`<rect class="${tone}" x="${day * WIDTH}" y="${24 - HEIGHTS[tone]}" width="${WIDTH - 2}" height="${HEIGHTS[tone]}"/>`;
}
