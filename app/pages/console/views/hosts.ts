/** Hosts in the console: one with all that is kept of it, reports about some, blocks, and visits that kept failing. */
import { OPERATOR_STATES } from "../../../../schemas/bounty.ts";
import { barTable } from "../../charts.ts";
import { type Html, type HtmlPart, html, nothing } from "../../html.ts";
import type { PageView, Replies, ViewContext } from "../../page.ts";
import {
  ago,
  askBox,
  foldHtml,
  moment,
  pill,
  shortened,
  signHtml,
  siteLink,
  siteText,
  statePill,
  toneOf,
  withQuery,
} from "../../parts.ts";
import { formTo, privatePage } from "../../views/forms.ts";
import type {
  blocksQuestions,
  consoleAppealsQuestions,
  hostQuestions,
  lettersQuestions,
  reportsQuestions,
} from "../questions.ts";

/** The whole record is kilobytes; a page has a bound, the operation gives the rest. */
const MOST_RECORD = 24_000;
/** Each with a form. Those that are decided make room. */
const REPORTS_SHOWN = 15;
const BLOCKS_SHOWN = 60;
const APPEALS_SHOWN = 15;

type Asked = ReturnType<typeof hostQuestions>;
type Host = {
  main?: NonNullable<NonNullable<Asked["main"]>["reply"]>;
  hosts?: NonNullable<NonNullable<Asked["hosts"]>["reply"]>;
};

type Reports = Replies<ReturnType<typeof reportsQuestions>>;

type AppealsShown = Replies<ReturnType<typeof consoleAppealsQuestions>>;

export const whyField = ({ texts }: ViewContext, id: string): Html =>
  html`<p class="field"><label for="${id}">${texts.console.why}</label><input id="${id}" name="why" required maxlength="300" autocomplete="off"></p>`;

export function hostView(replies: Host, context: ViewContext): PageView {
  const { console: words } = context.texts;
  return privatePage(
    words.hostTitle,
    html`<form action="/hosts">${askBox({
      name: "domain",
      id: "q",
      label: words.domain,
      placeholder: "shop.example",
      most: 300,
      button: words.look,
      value: context.query.domain ?? "",
      isRequired: true,
    })}</form>${replies.hosts ? hostsHtml(context, replies.hosts) : nothing}${replies.main ? hostDetail(context, replies.main) : nothing}`,
  );
}

/** Hosts that were visited last: how many of each state and reason, and those of the chosen one. */
function hostsHtml(
  { texts, query, now }: ViewContext,
  { looked_at, counts, total, hosts }: NonNullable<Host["hosts"]>,
): Html {
  const { console: words } = texts;
  const isChosen = query.state !== undefined || query.reason !== undefined;
  const rows = counts.map(({ state, reason, hosts: n }) => ({
    label: html`${statePill(texts, state)} <a href="${withQuery("/hosts", { state, reason })}">${texts.reasons[reason]}</a>`,
    shares: [{ tone: toneOf(state), label: words.hostTitle, count: n }],
  }));
  const list = html`<ul class="visits">${hosts.map(
    ({ domain, state, reason, visited_at, next_visit_at }) =>
      html`<li><span class="host">${hostLink(domain)}</span>${statePill(texts, state)}<span class="small soft"><code>${reason}</code> ${ago(texts, visited_at, now)} · ${texts.status.next} ${ago(texts, next_visit_at, now)}</span></li>`,
  )}</ul>`;
  return isChosen
    ? html`<h2>${words.hostsFit(total, looked_at)}</h2><p><a href="/hosts">${words.allHosts}</a></p>${list}`
    : html`<h2>${words.hostsBy(looked_at)}</h2>${barTable(texts, words.hostsBy(looked_at), words.reason, rows)}<h2>${words.newest}</h2>${list}`;
}

function hostDetail(context: ViewContext, { verdict, record }: NonNullable<Host["main"]>): Html {
  const { texts, now } = context;
  const { console: words } = texts;
  return html`<h2>${verdict.domain}</h2><p>${statePill(texts, verdict.state)} ${texts.reasons[verdict.reason]} <code class="soft small">${verdict.reason}</code></p>${verdict.detail !== "" && html`<p>${siteText(verdict.detail, 300)}</p>`}
<h3>${words.history}</h3>${
    verdict.history.length === 0
      ? html`<p class="soft">${texts.site.noHistory}</p>`
      : html`<ol class="checks">${verdict.history.map(({ at, state, reason }) => html`<li>${signHtml(toneOf(state))}<div><p><b>${texts.states[state]}</b> <span class="small soft">${ago(texts, at, now)}, ${moment(texts, at)}</span></p><p class="small">${texts.reasons[reason]} <code class="soft">${reason}</code></p></div></li>`)}</ol>`
  }
${
  record === null
    ? html`<p class="soft">${words.noRecord}</p>`
    : foldHtml({
        title: words.record,
        body: html`<pre tabindex="0" role="region" aria-label="${words.record}"><code>${shortened(JSON.stringify(record, null, 2), MOST_RECORD)}</code></pre>`,
      })
}
<h3>${words.block}</h3><p class="soft">${words.blockLead}</p>${blockForm(context, verdict.domain)}`;
}

function blockForm(context: ViewContext, domain: string): Html {
  const { console: words } = context.texts;
  const target =
    domain === ""
      ? html`<p class="field"><label for="domain">${words.target}</label><input id="domain" name="domain" required maxlength="300" autocomplete="off" aria-describedby="target-hint"><span id="target-hint" class="small soft">${words.targetHint}</span></p>`
      : html`<input type="hidden" name="domain" value="${domain}">`;
  return formTo(
    context,
    "/blocks",
    html`${target}${whyField(context, "why")}<p><button class="danger">${words.block}</button></p>`,
    "narrow",
  );
}

export function reportsView({ main }: Reports, context: ViewContext): PageView {
  const { console: words } = context.texts;
  return privatePage(
    words.reportsTitle,
    html`<p class="soft">${words.total(main.total)}</p>${
      main.reports.length === 0
        ? html`<p class="lead">${words.nothingWaits}</p>`
        : html`<ul class="events">${main.reports.slice(0, REPORTS_SHOWN).map((each) => report(context, each))}</ul>`
    }`,
  );
}

function report(context: ViewContext, each: Reports["main"]["reports"][number]): Html {
  const { texts } = context;
  const { console: words } = texts;
  const id = each.reportId;
  return html`<li><p><strong>${each.kind}</strong> · ${hostLink(each.registrableDomain)} ${pill({ tone: "warn", text: each.state })}</p><p class="small">${siteLink(each.url, siteText(each.url, 160))}</p><blockquote class="theirs"><p>${siteText(each.description, 500)}</p></blockquote><p class="small soft">${moment(texts, each.created_at)} · ${words.backers(each.backers.length)}</p>${formTo(
    context,
    `/reports/${id}`,
    html`<p class="field"><label for="state-${id}">${words.decision}</label><select id="state-${id}" name="state">${OPERATOR_STATES.filter((state) => state !== "duplicate").map((state) => html`<option value="${state}">${words.reportStates[state] ?? state}</option>`)}</select></p>${whyField(context, `why-${id}`)}<button class="quiet">${words.decide}</button>`,
    "narrow",
  )}</li>`;
}

const hostLink = (domain: string): Html => html`<a href="${withQuery("/hosts", { domain })}">${domain}</a>`;

export function blocksView(
  { main }: Replies<ReturnType<typeof blocksQuestions>>,
  context: ViewContext,
): PageView {
  const { texts } = context;
  const { console: words } = texts;
  const lift = (domain: string): HtmlPart =>
    formTo(
      context,
      "/blocks/lift",
      html`<input type="hidden" name="domain" value="${domain}"><button class="quiet">${words.lift}<span class="visually-hidden"> ${domain}</span></button>`,
    );
  return privatePage(
    words.blocksTitle,
    html`<p class="lead">${words.blockLead}</p>${blockForm(context, "")}<h2>${words.total(main.total)}</h2><ul class="events rows">${main.blocks
      .slice(0, BLOCKS_SHOWN)
      .map(
        ({ domain, at, why, by }) =>
          html`<li><div><p><strong>${domain}</strong> <span class="soft small">${by === "owner" ? words.byOwner : words.byOperator}</span></p><p class="small soft">${moment(texts, at)} · ${siteText(why, 300)}</p></div>${lift(domain)}</li>`,
      )}</ul>`,
  );
}

export function consoleAppealsView({ main }: AppealsShown, context: ViewContext): PageView {
  const { console: words } = context.texts;
  const isAll = context.query.state === "all";
  return privatePage(
    words.appealsTitle,
    html`<p class="lead">${words.appealsLead}</p><p class="soft">${words.total(main.total)} · <a href="${isAll ? "/appeals" : "/appeals?state=all"}">${isAll ? words.openAppeals : words.allAppeals}</a></p>${
      main.appeals.length === 0
        ? html`<p>${words.nothingWaits}</p>`
        : html`<ul class="events">${main.appeals.slice(0, APPEALS_SHOWN).map((each) => appeal(context, each))}</ul>`
    }`,
  );
}

function appeal(context: ViewContext, each: AppealsShown["main"]["appeals"][number]): Html {
  const { texts } = context;
  const { console: words } = texts;
  const { appeal_id: id, domain, kind, about, since, why, reason, at, state, answer } = each;
  const decide = formTo(
    context,
    `/appeals/${encodeURIComponent(domain)}/${id}`,
    html`${whyField(context, `why-${id}`)}<p class="hint">${words.answerHint}</p><div class="acts"><button class="quiet" name="decision" value="upheld">${words.uphold}<span class="visually-hidden"> ${domain}</span></button><button class="quiet" name="decision" value="lifted">${words.liftIt}<span class="visually-hidden"> ${domain}</span></button></div>`,
    "narrow",
  );
  return html`<li><p>${hostLink(domain)} <strong>${words.appealKinds[kind]}</strong> ${pill({ tone: state === "open" ? "warn" : "soft", text: words.appealStates[state]! })}</p><p class="small">${about !== domain && html`${siteText(about, 160)} · `}${moment(texts, since)}${why !== "" && html` · ${siteText(why, 300)}`}</p><blockquote class="theirs"><p class="small soft">${words.ownerSays} ${moment(texts, at)}</p><p>${siteText(reason, 1_000)}</p></blockquote>${
    answer
      ? html`<p>${siteText(answer.why, 300)} <span class="small soft">${moment(texts, answer.at)}</span></p>`
      : decide
  }</li>`;
}

export function lettersView(
  { main }: Replies<ReturnType<typeof lettersQuestions>>,
  context: ViewContext,
): PageView {
  const { texts } = context;
  const { console: words } = texts;
  return privatePage(
    words.lettersTitle,
    html`<p class="lead">${words.lettersLead}</p><p class="soft">${words.total(main.total)}</p><ul class="events rows">${main.letters.map(
      ({ domain, at, deliveries, error }) =>
        html`<li><div><p>${hostLink(domain)} <span class="soft small">${words.tried(deliveries)}</span></p><p class="small soft">${moment(texts, at)} · ${siteText(error, 300)}</p></div>${formTo(
          context,
          "/dead-letters/retry",
          html`<input type="hidden" name="domain" value="${domain}"><button class="quiet">${words.retry}<span class="visually-hidden"> ${domain}</span></button>`,
        )}</li>`,
    )}</ul>`,
  );
}
