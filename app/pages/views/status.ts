/** `/status`: the crawl, live. Its main part is rendered again for every event (app/front/people/events.ts). */
import { WITNESS_FAULTS } from "../../../src/stores/witnesses.ts";
import type { RegistryStatus } from "../../../workers/protocol/registry-contract.ts";
import { barTable, columnChart, type Share, stackedBar } from "../charts.ts";
import { type Html, html, nothing } from "../html.ts";
import type { PageView, Replies, ViewContext } from "../page.ts";
import { ago, askBox, moment, statePill, verdictPath } from "../parts.ts";
import type { statusQuestions } from "../questions.ts";
import type { Texts } from "../texts.ts";
import { agentWebHtml } from "./agent-web.ts";

type Status = Replies<ReturnType<typeof statusQuestions>>;
type Visits = RegistryStatus["recent"];
const MOST_REASONS = 8;

type Counted = RegistryStatus["visits"];

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
<form action="/search"><p>${texts.status.whyNot}</p>${askBox({ name: "q", label: texts.owners.domain, button: texts.status.ask, value: "", most: 200, isAddress: true, isQuiet: true, placeholder: "shop.example" })}</form>
<div id="live" data-events="/status/events">${liveStatus(replies, texts)}</div>
<p class="small"><span id="following" hidden role="status">${texts.status.live}</span> <a href="/status">${texts.status.reload}</a> · <a href="/status/events">${texts.status.asEvents}</a></p>`,
});

/** What changes while one looks on. */
export function liveStatus({ main: status, directory }: Status, texts: Texts): Html {
  const { crawl, visits, recent, at, agent_web, log } = status;
  const { status: words } = texts;
  return html`${directory && html`<h2>${words.hosts(directory.total, crawl.hosts)}</h2>${stackedBar(texts, words.hosts(directory.total, crawl.hosts), hostShares(texts, crawl, directory.total))}`}
<h2>${words.visits}</h2>${stackedBar(texts, words.visits, visitShares(texts, crawl))}
${hoursHtml(texts, visits, at)}${reasonsHtml(texts, visits)}
${agentWebHtml(texts, agent_web)}${logHtml(texts, log, at)}<h2>${words.recent}</h2>
${recent.length > 0 ? recentVisits(texts, recent, at, true) : html`<p class="soft">${words.none}</p>`}
<p class="small soft">${words.recentNote} ${words.still} ${moment(texts, at)}.</p>`;
}

const visitShares = ({ status }: Texts, { hosts, due, in_progress }: RegistryStatus["crawl"]): Share[] => [
  { tone: "good", label: status.underWay, count: in_progress },
  { tone: "warn", label: status.due, count: due },
  { tone: "soft", label: status.resting, count: Math.max(0, hosts - due - in_progress) },
];

/** What visits of each hour of today (UTC) came to, and what this hour's did. */
function hoursHtml(texts: Texts, { by_hour }: Counted, at: string): Html {
  const { status: words } = texts;
  if (by_hour.length === 0) return nothing;
  const hours = hoursOf(by_hour, at);
  const { listed, found, not_listed, endpoints } = hours.at(-1)!;
  const columns = hours.map((each) => ({
    label: `${String(each.hour).padStart(2, "0")}:00`,
    shares: [
      { tone: "good" as const, label: words.verified, count: each.listed },
      { tone: "soft" as const, label: words.found, count: each.found },
      { tone: "warn" as const, label: words.notListed, count: each.not_listed },
    ],
  }));
  return html`<p>${words.thisHour(listed + found + not_listed, listed, found, endpoints)}</p>${columnChart(texts, words.byHour, words.hour, columns)}`;
}

/** The transparency log, and how far each witness vouches for it. */
function logHtml(texts: Texts, { size, witnesses }: RegistryStatus["log"], now: string): Html {
  const { status: words } = texts;
  return html`<h2>${words.log(size)}</h2>${
    witnesses.length === 0
      ? html`<p class="soft">${words.noWitnesses}</p>`
      : html`<ul>${witnesses.map(
          ({ name, size: cosigned, at, fault }) =>
            html`<li>${at === null ? words.noCosignature(name) : words.cosigned(name, cosigned)}${at !== null && html` · ${ago(texts, at, now)}`}${fault !== null && html` · ${WITNESS_FAULTS[fault]}`}</li>`,
        )}</ul>`
  }`;
}

/** Every hour of a day until now, those without a visit too. @param at ISO 8601 */
export const hoursOf = (counted: Counted["by_hour"], at: string): Counted["by_hour"] =>
  Array.from({ length: new Date(at).getUTCHours() + 1 }, (_, hour) => {
    const none = { hour, listed: 0, found: 0, not_listed: 0, endpoints: 0 };
    return counted.find((each) => each.hour === hour) ?? none;
  });

/** Why visits of today listed no site. Hosts are not named: anybody can report a name. */
function reasonsHtml(texts: Texts, { by_reason }: Counted): Html {
  const { status: words, reasons } = texts;
  const all = by_reason.filter(({ reason }) => reason !== "verified");
  const left = all.slice(MOST_REASONS).reduce((sum, { visits }) => sum + visits, 0);
  const rows = all.slice(0, MOST_REASONS).map(({ reason, visits }) => ({
    label: reasons[reason],
    shares: [
      {
        tone: reason === "not_claimed" ? ("soft" as const) : ("warn" as const),
        label: words.visits,
        count: visits,
      },
    ],
  }));
  return rows.length === 0
    ? nothing
    : html`<h2>${words.reasons}</h2>${barTable(texts, words.reasons, words.reason, rows)}${left > 0 && html`<p class="small soft">${words.otherReasons(left)}</p>`}`;
}
