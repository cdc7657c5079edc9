/** `/account/sites/{siteId}/appeals`: decisions that stand against a site, and what its owner says against them. */
import { type AppealableDecision, MAX_APPEAL_CHARS } from "../../../schemas/appeal.ts";
import type { Problem } from "../../../schemas/problem.ts";
import type { appealsQuestions } from "../account-questions.ts";
import { type Html, html } from "../html.ts";
import type { PageView, Replies, ViewContext } from "../page.ts";
import { moment, pill, siteText, verdictPath, withQuery } from "../parts.ts";
import { doneNote, formTo, privatePage, refusalNote } from "./forms.ts";

const MOST_SHOWN = 12;
const TONES = { open: "soft", upheld: "warn", lifted: "good" } as const;

export function appealsView(
  { main }: Replies<ReturnType<typeof appealsQuestions>>,
  context: ViewContext,
): PageView {
  const { texts } = context;
  const { appeals: words } = texts.account;
  const { siteId, decisions, appeals } = main;
  const answered = appeals
    .slice(0, MOST_SHOWN)
    .map(
      ({ kind, state, at, reason, answer }) =>
        html`<li><p><b>${words.kinds[kind]}</b> ${pill({ tone: TONES[state], text: words.states[state]! })}</p><p class="small soft">${moment(texts, at)}</p><blockquote class="theirs"><p>${siteText(reason, MAX_APPEAL_CHARS)}</p></blockquote>${answer && html`<p><b>${words.answer}</b> ${siteText(answer.why, 300)} <span class="small soft">${moment(texts, answer.at)}</span></p>`}</li>`,
    );
  return privatePage(
    words.title(siteId),
    html`${links(context, siteId)}${doneNote(context.query.done === "appealed" ? words.done : undefined)}<p class="lead">${words.lead}</p>
<h2>${words.standing}</h2>${
      decisions.length === 0
        ? html`<p class="soft">${words.none}</p>`
        : html`<ul class="plain">${decisions.slice(0, MOST_SHOWN).map((each, i) => decisionHtml(context, appealsPath(siteId), each, i))}</ul>`
    }${appeals.length > 0 && html`<h2>${words.yours}</h2><ul class="events">${answered}</ul>`}`,
  );
}

const links = ({ texts: { account } }: ViewContext, siteId: string): Html =>
  html`<p><a href="/account">${account.back}</a> · <a href="${verdictPath(siteId)}">${account.site.verdict}</a></p>`;

/** A decision, with the form against it. @param path where that is sent @param hidden fields that go with it */
export function decisionHtml(
  context: ViewContext,
  path: string,
  each: AppealableDecision,
  i: number,
  hidden?: Html,
): Html {
  const { texts } = context;
  const { appeals } = texts.account;
  const { kind, decision, about, since, why, appeal } = each;
  const form = formTo(
    context,
    path,
    html`${hidden}<input type="hidden" name="kind" value="${kind}"><input type="hidden" name="decision" value="${decision}"><div class="field"><label for="reason-${i}">${appeals.reason}</label><textarea id="reason-${i}" name="reason" rows="4" maxlength="${MAX_APPEAL_CHARS}" required aria-describedby="reason-hint-${i}"></textarea><p class="hint" id="reason-hint-${i}">${appeals.reasonHint}</p></div><p><button>${appeals.send}</button></p>`,
  );
  return html`<li><h3>${appeals.kinds[kind]}</h3><p class="small soft">${siteText(about, 160)} · ${moment(texts, since)}</p>${why !== "" && html`<blockquote class="theirs"><p>${siteText(why, 300)}</p></blockquote>`}${
    appeal === null ? form : html`<p>${pill({ tone: TONES[appeal], text: appeals.states[appeal]! })}</p>`
  }</li>`;
}

export const appealsPath = (siteId: string): string => `/account/sites/${encodeURIComponent(siteId)}/appeals`;

export function appealRefusedView(problem: Problem, context: ViewContext): PageView {
  const siteId = context.params.siteId!;
  const { appeals } = context.texts.account;
  return privatePage(
    appeals.title(siteId),
    html`${links(context, siteId)}${refusalNote(problem)}<p>${siteText(context.form.reason ?? "", MAX_APPEAL_CHARS)}</p><div class="acts"><a class="button quiet" href="${appealsPath(siteId)}">${appeals.again}</a></div>`,
  );
}

/** The verdict's page leads here whoever may be logged in: an account that did not prove the site is told how to. */
export function unprovedView(problem: Problem, context: ViewContext): PageView {
  const siteId = context.params.siteId!;
  const { account } = context.texts;
  if (problem.code !== "not_found") return privatePage(problem.title, html`${refusalNote(problem)}`);
  return privatePage(
    account.appeals.unproved,
    html`<p class="lead">${account.appeals.unprovedText}</p><div class="acts"><a class="button" href="${withQuery("/account/sites", { domain: siteId })}">${account.prove.title}</a></div>`,
  );
}
