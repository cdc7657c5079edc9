/** `/ready/{domain}`: how useful a site is to agents: one headline, then what works, what is broken, and what serves nobody. */
import type { Problem } from "../../../schemas/problem.ts";
import type { ReadyItem, SiteReadiness } from "../../../schemas/readiness.ts";
import type { Tone } from "../../../src/domain/listing/conduct.ts";
import { badgeHtml, READINESS_TONES } from "../badge.ts";
import { type Html, html } from "../html.ts";
import type { PageView, Replies, ViewContext } from "../page.ts";
import {
  ago,
  askBox,
  foldHtml,
  moment,
  pageLink,
  readyPath,
  signHtml,
  siteText,
  theirs,
  verdictPath,
} from "../parts.ts";
import type { readyFormQuestions, readyQuestions } from "../questions.ts";
import type { Texts } from "../texts.ts";
import { refusalNote } from "./forms.ts";

const GROUP_TONES = { works: "good", broken: "bad", only_present: "warn", not_known: "soft" } as const;
/** What is shown of long lists: a page stays below 60 kB whatever a site publishes. */
const MOST_ITEMS = 10;
const MOST_FIXES = 3;

/** `/ready`: the form, or what it asked for. */
export const readyFormView = (
  { main }: Replies<ReturnType<typeof readyFormQuestions>>,
  context: ViewContext,
): PageView => (main ? readyView({ main }, context) : formPage(context));

export const readyRefusedView = (problem: Problem, context: ViewContext): PageView =>
  formPage(context, problem);

function formPage({ texts: { ready }, query }: ViewContext, problem?: Problem): PageView {
  const box = askBox({
    name: "domain",
    label: ready.domain,
    placeholder: "shop.example",
    most: 300,
    button: ready.look,
    value: query.domain ?? "",
    isRequired: true,
    isAddress: true,
  });
  return {
    title: ready.formTitle,
    description: ready.formLead,
    canonical: "/ready",
    body: html`<h1>${ready.formTitle}</h1><p class="lead">${ready.formLead}</p>${refusalNote(problem)}<form action="/ready">${box}</form>
<h2>${ready.how}</h2><ul>${ready.howSteps.map(([what, text]) => html`<li><p><b>${what}</b> ${text}</p></li>`)}</ul><p class="small soft">${ready.terminal} <code>bridge ready shop.example</code></p>`,
  };
}

export function readyView(
  { main }: Replies<ReturnType<typeof readyQuestions>>,
  context: ViewContext,
): PageView {
  const { texts, now } = context;
  const { ready } = texts;
  const { domain, readiness, headline, seen_at, state } = main;
  const title = ready.title(domain);
  const isUnknown = readiness === "unknown";
  const asksFor = isUnknown && state === "unknown" ? "report" : "recheck";
  const groups = (["broken", "works", "not_known", "only_present"] as const).map((group) =>
    groupHtml(context, domain, group, main[group]),
  );
  return {
    title,
    description: `${domain}: ${headline}`,
    json: `/api/registry/sites/${encodeURIComponent(domain)}/ready`,
    canonical: readyPath(domain),
    isTransient: true,
    body: html`<h1>${title}</h1><p class="word ${READINESS_TONES[readiness]}">${signHtml(READINESS_TONES[readiness])}${headline}</p>
<p class="small soft">${ready.lead}${seen_at !== null && html` ${ready.lookedAt} ${ago(texts, seen_at, now)}.`}</p>${isUnknown && html`<p>${ready.unknown}</p>`}
<div class="acts">${state !== "blocked" && html`<form action="${verdictPath(domain)}/${asksFor}" method="post"><button class="quiet">${isUnknown ? ready.ask : ready.again}</button></form>`}<a href="${verdictPath(domain)}">${ready.verdict}</a></div>
${groups}${historyHtml(texts, main.history)}${!isUnknown && badgeHtml(context, { path: readyPath(domain), alt: `Bridge: ${ready.badges[readiness]}`, text: ready.badgeText })}`,
  };
}

function groupHtml(
  { texts }: ViewContext,
  domain: string,
  group: keyof typeof GROUP_TONES,
  items: readonly ReadyItem[],
): Html | undefined {
  if (items.length === 0) return undefined;
  const { ready, format } = texts;
  const left = items.length - MOST_ITEMS;
  const list = items.slice(0, MOST_ITEMS).map((item) => itemHtml(texts, domain, item, GROUP_TONES[group]));
  return html`<section><h2>${ready.groups[group]}</h2>${group === "only_present" && html`<p class="small">${ready.onlyPresentNote}</p>`}<ul class="checks">${list}</ul>${left > 0 && html`<p class="small soft">${ready.more(format.number(left))}</p>`}</section>`;
}

function itemHtml(texts: Texts, domain: string, item: ReadyItem, tone: Tone): Html {
  const { ready, site } = texts;
  const { what, kind, address, name, screened, says, by, fixes } = item;
  const label = what === "site" ? ready.site : what === "service" ? protocolOf(texts, kind) : kind;
  const screening =
    screened === "clear"
      ? undefined
      : html`<p class="small">${screened === "warned" ? ready.warned : ready.withheld}</p>`;
  const left = fixes.length - MOST_FIXES;
  const toDo = fixes
    .slice(0, MOST_FIXES)
    .map(
      (fix) =>
        html`<li class="small">${fix.place !== "" && html`<code>${siteText(fix.place, 60)}</code> `}${siteText(fix.do, 200)}</li>`,
    );
  return html`<li>${signHtml(tone)}<div><p><span class="chip">${label}</span> ${says}${by !== "owner" && html` <span class="small soft">${site.byPlatform(by.replace(/^platform:/, ""))}</span>`}</p>${theirs(domain, html`${name !== "" && html`<p class="small">${siteText(name, 80)}</p>`}<p class="small">${pageLink(address)}</p>`)}${screening}${toDo.length > 0 && html`<ul class="fixes">${toDo}</ul>`}${left > 0 && html`<p class="small soft">${ready.more(texts.format.number(left))}</p>`}</div></li>`;
}

const protocolOf = ({ site }: Texts, kind: string): string =>
  (site.protocols as Readonly<Record<string, string>>)[kind] ?? kind;

function historyHtml(texts: Texts, history: SiteReadiness["history"]): Html | undefined {
  if (history.length === 0) return undefined;
  const { ready, states } = texts;
  const rows = history.map(({ at, event, of }) => {
    const what = event === "state" ? ((states as Readonly<Record<string, string>>)[of] ?? of) : of;
    return html`<tr><td class="small">${moment(texts, at)}</td><td class="small">${ready.events[event]}: ${siteText(what, 120)}</td></tr>`;
  });
  return foldHtml({
    title: ready.history,
    note: texts.format.number(history.length),
    body: html`<table><tbody>${rows}</tbody></table>`,
  });
}
