/** `/status`: the crawl, live. Its main part is rendered again for every event (app/front/people/events.ts). */
import type { RegistryStatus } from "../../../workers/protocol/registry-contract.ts";
import { type Share, stackedBar } from "../charts.ts";
import { type Html, html } from "../html.ts";
import type { PageView, Replies, ViewContext } from "../page.ts";
import { ago, askBox, moment, statePill, verdictPath } from "../parts.ts";
import type { statusQuestions } from "../questions.ts";
import type { Texts } from "../texts.ts";
import { agentWebHtml } from "./agent-web.ts";

type Status = Replies<ReturnType<typeof statusQuestions>>;
type Visits = RegistryStatus["recent"];

/** The newest visits: on a phone a visit's parts stand below one another, else in a row. @param now ISO 8601 */
export const recentVisits = (texts: Texts, recent: Visits, now: string, hasNext = false): Html =>
  html`<ul class="visits">${recent.map(
    ({ domain, state, visited_at, next_visit_at }) =>
      html`<li><a class="host" href="${verdictPath(domain)}">${domain}</a>${statePill(texts, state)}<span class="small soft">${ago(texts, visited_at, now)}${hasNext && html` · ${texts.status.next} ${ago(texts, next_visit_at, now)}`}</span></li>`,
  )}</ul>`;

/** Of all hosts that are watched, those that are listed. */
export const hostShares = ({ home }: Texts, crawl: RegistryStatus["crawl"], listed: number): Share[] => [
  { tone: "good", label: home.listed, count: listed, href: "/search" },
  { tone: "soft", label: home.notListed, count: Math.max(0, crawl.hosts - listed) },
];

export const statusView = (replies: Status, { texts }: ViewContext): PageView => ({
  title: texts.status.title,
  description: texts.status.lead,
  json: "/api/registry/status",
  isTransient: true,
  body: html`<h1>${texts.status.title}</h1><p class="lead">${texts.status.lead}</p>
<div id="live" data-events="/status/events">${liveStatus(replies, texts)}</div>
<h2>${texts.status.whyNot}</h2><p>${texts.status.whyNotText}</p><form action="/search">${askBox({ name: "q", label: texts.owners.domain, button: texts.status.ask, value: "", most: 200, isAddress: true, isQuiet: true, placeholder: "shop.example" })}</form>
<p class="small"><span id="following" hidden role="status">${texts.status.live}</span> <a href="/status">${texts.status.reload}</a> · <a href="/status/events">${texts.status.asEvents}</a></p>`,
});

/** What changes while one looks on. */
export function liveStatus({ main: status, directory }: Status, texts: Texts): Html {
  const { crawl, recent, at, agent_web } = status;
  const { status: words } = texts;
  return html`${directory && html`<h2>${words.hosts(directory.total, crawl.hosts)}</h2>${stackedBar(texts, words.hosts(directory.total, crawl.hosts), hostShares(texts, crawl, directory.total))}`}
<h2>${words.visits}</h2>${stackedBar(texts, words.visits, visitShares(texts, crawl))}
${agentWebHtml(texts, agent_web)}<h2>${words.recent}</h2>
${recent.length > 0 ? recentVisits(texts, recent, at, true) : html`<p class="soft">${words.none}</p>`}
<p class="small soft">${words.recentNote} ${words.still} ${moment(texts, at)}.</p>`;
}

const visitShares = ({ status }: Texts, { hosts, due, in_progress }: RegistryStatus["crawl"]): Share[] => [
  { tone: "good", label: status.underWay, count: in_progress },
  { tone: "warn", label: status.due, count: due },
  { tone: "soft", label: status.resting, count: Math.max(0, hosts - due - in_progress) },
];
