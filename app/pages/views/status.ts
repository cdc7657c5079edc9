/** `/status`: the crawl, live. Its main part is rendered again for every event (app/front/status-events.ts). */
import type { RegistryStatus } from "../../../workers/protocol/registry-contract.ts";
import { type Html, html } from "../html.ts";
import type { PageView, Replies, ViewContext } from "../page.ts";
import { moment, statePill, verdictPath } from "../parts.ts";
import type { statusQuestions } from "../questions.ts";
import type { Texts } from "../texts.ts";

type Status = Replies<ReturnType<typeof statusQuestions>>;

/** The newest visits, as a list. */
export const recentVisits = (texts: Texts, recent: RegistryStatus["recent"]): Html =>
  html`<ul class="events">${recent.map(
    ({ domain, state, visited_at }) =>
      html`<li><p><a class="host" href="${verdictPath(domain)}">${domain}</a></p><p class="small soft">${statePill(texts, state)} ${moment(texts, visited_at)}</p></li>`,
  )}</ul>`;

export const statusView = (replies: Status, { texts }: ViewContext): PageView => ({
  title: texts.status.title,
  description: texts.status.lead,
  json: "/api/registry/status",
  isTransient: true,
  body: html`<h1>${texts.status.title}</h1><p class="lead">${texts.status.lead}</p>
<div id="live" data-events="/status/events">${liveStatus(replies, texts)}</div>
<p class="small"><span id="following" hidden role="status">${texts.status.live}</span> <a href="/status">${texts.status.reload}</a> · <a href="/status/events">${texts.status.asEvents}</a></p>`,
});

/** What changes while one looks on. */
export function liveStatus({ main: status, directory }: Status, texts: Texts): Html {
  const { crawl, recent, at } = status;
  const figures: readonly (readonly [string, number | undefined])[] = [
    [texts.home.listed, directory?.total],
    [texts.home.hosts, crawl.hosts],
    [texts.home.due, crawl.due],
    [texts.home.underWay, crawl.in_progress],
  ];
  return html`<dl class="figures">${figures.map(
    ([name, value]) =>
      value !== undefined && html`<div><dt>${name}</dt><dd>${texts.format.number(value)}</dd></div>`,
  )}</dl>
<h2>${texts.status.recent}</h2>
${recent.length > 0 ? visitsHtml(texts, recent) : html`<p class="soft">${texts.status.none}</p>`}
<p class="small soft">${texts.status.recentNote} ${texts.status.still} ${moment(texts, at)}.</p>`;
}

/** A card a visit: on a phone its parts stand below one another, else in a row. */
function visitsHtml(texts: Texts, recent: RegistryStatus["recent"]): Html {
  const { status } = texts;
  return html`<ul class="visits">${recent.map(
    ({ domain, state, visited_at, next_visit_at }) =>
      html`<li><a class="host" href="${verdictPath(domain)}">${domain}</a>${statePill(texts, state)}<span class="small soft">${status.visited} ${moment(texts, visited_at)}</span><span class="small soft">${status.next} ${moment(texts, next_visit_at)}</span></li>`,
  )}</ul>`;
}
