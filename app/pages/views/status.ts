/** `/status`: the crawl, live. Its main part is rendered again for every event (app/front/people/events.ts). */
import { LEVELS, type Level } from "../../../schemas/agent-web.ts";
import type { Tone } from "../../../src/domain/listing/conduct.ts";
import type { RegistryStatus } from "../../../workers/protocol/registry-contract.ts";
import { type Share, stackedBar } from "../charts.ts";
import { type Html, html } from "../html.ts";
import type { PageView, Replies, ViewContext } from "../page.ts";
import { ago, askBox, moment, statePill, verdictPath } from "../parts.ts";
import type { statusQuestions } from "../questions.ts";
import type { Texts } from "../texts.ts";
import { CLASS_TONES } from "./site-agent-web.ts";

type Status = Replies<ReturnType<typeof statusQuestions>>;
type Visits = RegistryStatus["recent"];

const LEVEL_TONES: Readonly<Record<Level, Tone>> = {
  claimed: "soft",
  published: "warn",
  answers: "good",
  signed: "good",
  verified: "good",
};

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

/** What looks saw today in any format: services by level and protocol, and what endpoints were. */
function agentWebHtml(
  texts: Texts,
  { looks, found, services, probes, imports, control }: RegistryStatus["agent_web"],
): Html | undefined {
  if (looks === 0 && imports.length === 0) return undefined;
  const { status: words, site } = texts;
  const sum = (counts: readonly number[]) => counts.reduce((total, each) => total + each, 0);
  const levels = LEVELS.map((level) => ({
    tone: LEVEL_TONES[level],
    label: site.levels[level],
    count: sum(services.filter((each) => each.level === level).map((each) => each.services)),
  })).filter(({ count }) => count > 0);
  const protocols = [...Map.groupBy(services, ({ protocol }) => protocol)].map(
    ([protocol, of]) =>
      `${site.protocols[protocol]} ${texts.format.number(sum(of.map((each) => each.services)))}`,
  );
  const classes = probes.map(({ class: name, endpoints }) => ({
    tone: CLASS_TONES[name],
    label: site.classes[name],
    count: endpoints,
  }));
  const [all, spoken] = [
    words.services(sum(levels.map(({ count }) => count))),
    words.probes(sum(classes.map(({ count }) => count))),
  ];
  return html`<h2>${words.agentWeb(looks, found)}</h2>
${levels.length > 0 && html`<p>${all}</p>${stackedBar(texts, all, levels)}<p class="small soft">${words.byProtocol} ${protocols.join(", ")}</p>`}
${classes.length > 0 && html`<p>${spoken}</p>${stackedBar(texts, spoken, classes)}`}
${control.length > 0 && html`<p>${words.control} ${control.map(({ group, looks: all, wrong }) => words.wrong(words.controlGroups[group], wrong, all)).join(", ")}</p>`}
${imports.length > 0 && html`<p>${words.imports} ${imports.map(({ outcome, entries }) => `${words.importOutcomes[outcome]} ${texts.format.number(entries)}`).join(", ")}</p>`}`;
}
