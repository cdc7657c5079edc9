/** `/sites/{domain}`: four answers at a glance, what is known against it, then each subject in a part that opens. */
import type { AgentService } from "../../../schemas/agent-web.ts";
import { SEVERITIES } from "../../../schemas/finding.ts";
import type { SiteVerdict } from "../../../schemas/verdict.ts";
import { headlineOf } from "../../../src/domain/listing/conduct.ts";
import { DAY_MS } from "../../../src/ports/time.ts";
import { type Html, html } from "../html.ts";
import type { PageView, Replies, ViewContext } from "../page.ts";
import {
  ago,
  answersHtml,
  capitalized,
  type Glance,
  leadsAnywhere,
  letterMark,
  moment,
  pageLink,
  readyPath,
  SEVERITY_TONES,
  signHtml,
  siteLink,
  siteText,
  theirs,
  verdictPath,
} from "../parts.ts";
import type { siteQuestions } from "../questions.ts";
import type { Texts } from "../texts.ts";
import { answering, descriptorsFold, servicesFold } from "./site-agent-web.ts";
import { actionsFold, checksFold, ownerFold, ownerLink, pricesFold } from "./site-folds.ts";
import { historyFold } from "./site-history.ts";
import { scoresFold } from "./site-scores.ts";

type Site = Replies<ReturnType<typeof siteQuestions>>;

const MOST_FINDINGS = 6;
/** Actions that the glance names. */
const NAMED_ACTIONS = 4;
/** Sites are visited within a day: who was not for two is looked at with doubt. */
const FRESH_MS = 2 * DAY_MS;

export function siteView({ main: verdict, prices }: Site, context: ViewContext): PageView {
  const { texts } = context;
  const { domain, state, listed } = verdict;
  const head = {
    title: texts.site.title(domain),
    description: `${domain}: ${verdict.headline} ${texts.reasons[verdict.reason]}`,
    json: `/api/registry/sites/${encodeURIComponent(domain)}`,
    canonical: verdictPath(domain),
    ...(state !== "enabled" && { isTransient: true }),
  };
  const name = html`<div class="marked named">${letterMark(domain)}<h1>${domain}</h1></div>`;
  if (state === "unknown") return { ...head, body: html`${name}${unknownHtml(texts, domain)}` };
  return {
    ...head,
    body: html`${name}${wordsHtml(texts, verdict)}${answersHtml(answersOf(context, verdict))}${appealHtml(texts, verdict)}${actsHtml(context, verdict)}
${findingsHtml(context, verdict)}${listed && actionsFold(context, verdict)}${servicesFold(context, verdict)}${descriptorsFold(context, verdict)}${checksFold(texts, verdict)}${historyFold(context, verdict.history)}${scoresFold(texts, verdict)}${listed && pricesFold(texts, domain, prices?.prices ?? [])}${ownerFold(context, verdict)}`,
  };
}

const unknownHtml = (texts: Texts, domain: string): Html =>
  html`<div class="note"><h2>${texts.site.unknownTitle}</h2><p>${texts.site.unknownText}</p><ol>${texts.site.unknownSteps.map((step) => html`<li>${step}</li>`)}</ol><div class="acts">${button(`${verdictPath(domain)}/report`, texts.site.report)}<a href="/owners/${encodeURIComponent(domain)}">${texts.site.listYours}</a></div></div>`;

/** What the site calls itself. */
const wordsHtml = (texts: Texts, { domain, declared }: SiteVerdict): Html | null =>
  declared &&
  theirs(
    domain,
    html`<p class="small soft">${texts.site.own}</p><p><b>${siteText(declared.name, 100)}</b> <span class="small soft">${siteText([declared.category, ...declared.tags].filter(Boolean).join(" · "), 200)}</span></p><p>${siteText(declared.description, 400)}</p>`,
  );

/** The four questions that a visitor has. */
const answersOf = (context: ViewContext, verdict: SiteVerdict): Glance[] => [
  identityAnswer(context.texts, verdict),
  conductAnswer(context.texts, verdict),
  actionsAnswer(context.texts, verdict),
  lookAnswer(context, verdict),
];

function identityAnswer(texts: Texts, { state, reason, detail, since, conduct }: SiteVerdict): Glance {
  const { identity } = headlineOf(state, conduct);
  const why = reason !== "verified" && detail !== "" && html` ${siteText(detail, 240)}`;
  return {
    question: texts.site.questions.identity,
    tone: identity.tone,
    word: identity.text,
    text: html`${texts.reasons[reason]}${why} ${since && html`${texts.states[state]} ${texts.site.since} ${moment(texts, since)}.`}`,
  };
}

function conductAnswer(texts: Texts, { state, conduct }: SiteVerdict): Glance {
  const said = headlineOf(state, conduct).conduct;
  return {
    question: texts.site.questions.conduct,
    tone: said?.tone ?? "soft",
    word: texts.site.conductWords[said ? conduct.level : "unknown"],
    text: said ? `${capitalized(said).text}.` : texts.site.notRead,
  };
}

/** What agents can do on their own word is green, what somebody has to allow first amber. */
const ACCESS_TONES = { open: "good", request: "warn", none: "soft" } as const;

function actionsAnswer(texts: Texts, verdict: SiteVerdict): Glance {
  const { listed, declared, access } = verdict;
  const question = texts.site.questions.actions;
  if (verdict.state === "found") return { question, ...foundAnswer(texts, verdict) };
  if (!listed)
    return { question, tone: "soft", word: texts.site.nothingOffered, text: texts.site.whyNothing };
  const actions = declared?.actions ?? [];
  const named = actions
    .slice(0, NAMED_ACTIONS)
    .map(({ name }) => html` <span class="chip">${siteText(name.replaceAll("-", " "), 40)}</span>`);
  return {
    question,
    tone: ACCESS_TONES[access],
    word: texts.site.actionCount(actions.length, texts.accessShort[access]!),
    text: html`${texts.access[access]}${named}${protocolChips(texts, answering(verdict))}`,
  };
}

function foundAnswer({ site }: Texts, verdict: SiteVerdict): Omit<Glance, "question"> {
  const services = answering(verdict);
  const word =
    services.length > 0
      ? site.servicesFound(services.length)
      : site.documentsFound(verdict.descriptors.length);
  const text = html`${site.foundText}${protocolChips({ site }, services)}`;
  return { tone: services.length > 0 ? "good" : "soft", word, text };
}

const protocolChips = ({ site }: Pick<Texts, "site">, services: readonly AgentService[]): Html[] =>
  [...new Set(services.map(({ protocol }) => protocol))].map(
    (protocol) => html` <span class="chip spoken">${site.protocols[protocol]}</span>`,
  );

function lookAnswer({ texts, now }: ViewContext, verdict: SiteVerdict): Glance {
  const { next_visit_at, expires_at } = verdict;
  const last_visit_at = verdict.last_visit_at ?? verdict.presence_seen_at;
  const question = texts.site.questions.look;
  if (last_visit_at === null) return { question, tone: "soft", word: texts.site.never, text: "" };
  const isFresh = Date.parse(now) - Date.parse(last_visit_at) < FRESH_MS;
  const times = [
    next_visit_at !== null &&
      (next_visit_at <= now
        ? texts.site.visitDue
        : html`${texts.site.nextVisit} ${ago(texts, next_visit_at, now)}.`),
    expires_at !== null && html` ${texts.site.expires} ${moment(texts, expires_at)}.`,
  ];
  return { question, tone: isFresh ? "good" : "warn", word: ago(texts, last_visit_at, now), text: times };
}

/** Decisions that its owner can appeal against, and what became of an appeal. */
function appealHtml(
  texts: Texts,
  { domain, state, reason, findings, appeal }: SiteVerdict,
): Html | undefined {
  const { appeals } = texts;
  const link = html`<a href="/account/sites/${encodeURIComponent(domain)}/appeals">${appeals.link}</a>`;
  if (appeal)
    return html`<div class="note"><p><b>${appeals.states[appeal.state]}</b> <span class="small soft">${moment(texts, appeal.decided_at ?? appeal.at)}</span></p>${appeal.why !== null && html`<p>${appeals.operator} ${siteText(appeal.why, 300)}</p>`}</div>`;
  const isJudged =
    state === "blocked" || reason === "malicious_page" || findings.some(({ by }) => by === "report");
  return isJudged ? html`<p class="small">${appeals.yours} ${link}</p>` : undefined;
}

function actsHtml({ texts, now }: ViewContext, verdict: SiteVerdict): Html {
  const { domain, can_recheck_at, declared, listed } = verdict;
  const home = declared?.discovery_url ? new URL("/", declared.discovery_url).href : `https://${domain}/`;
  const path = verdictPath(domain);
  return html`<div class="acts">${declared && leadsAnywhere(home) && siteLink(home, texts.site.visit, "button quiet")}${listed && html`<a class="button quiet" href="${path}/proofs">${texts.site.proofsLink}</a>`}<a class="button quiet" href="${readyPath(domain)}">${texts.site.readyLink}</a>${can_recheck_at !== null && button(`${path}/recheck`, texts.site.recheck)}<a class="button quiet" href="/account/watches/${domain}">${texts.site.watch}</a>${verdict.state !== "blocked" && ownerLink(texts, verdict)}${can_recheck_at !== null && can_recheck_at > now && html`<span class="small soft">${texts.site.recheckAt(texts.format.minute(can_recheck_at))}</span>`}</div>`;
}

/** A form that asks for something; its button is all of it. */
const button = (path: string, label: string): Html =>
  html`<form action="${path}" method="post"><button class="quiet">${label}</button></form>`;

/** What is known against its pages, the worst first: never folded. The same on several pages is told once. */
function findingsHtml({ texts, now }: ViewContext, { findings }: SiteVerdict): Html | undefined {
  if (findings.length === 0) return undefined;
  const sorted = findings.toSorted((a, b) => SEVERITIES.indexOf(b.severity) - SEVERITIES.indexOf(a.severity));
  const groups = [
    ...Map.groupBy(sorted, ({ by, rule, excerpt }) => JSON.stringify([by, rule, excerpt])).values(),
  ];
  const shown = groups.slice(0, MOST_FINDINGS);
  const left = findings.length - shown.flat().length;
  return html`<section><h2>${texts.site.findings}</h2><ul class="checks">${shown.map(([first, ...more]) => {
    const { by, rule, severity, page, excerpt, last_seen } = first!;
    const tone = SEVERITY_TONES[severity];
    return html`<li>${signHtml(tone)}<div><p><b class="${tone}">${texts.site.severity(severity)}</b> <code>${rule}</code> <span class="small soft">${by === "report" ? texts.site.byReport : texts.site.byCrawl}, ${ago(texts, last_seen, now)}</span></p>${excerpt !== "" && html`<p><mark>${siteText(excerpt, 160)}</mark></p>`}<p class="small">${more.length > 0 && texts.site.onPages(more.length + 1)} ${pageLink(page)}</p></div></li>`;
  })}</ul>${left > 0 && html`<p class="small soft">${texts.site.moreActions(left)}</p>`}</section>`;
}
