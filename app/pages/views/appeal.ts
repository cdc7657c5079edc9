/** `/sites/{domain}/appeal`: the owner of a site appeals against a decision by a TXT record, without an account. */
import { type AppealableDecision, MAX_APPEAL_CHARS } from "../../../schemas/appeal.ts";
import type { Problem } from "../../../schemas/problem.ts";
import { type Html, html, type Part } from "../html.ts";
import type { Replies, View, ViewContext } from "../page.ts";
import { moment, siteText, verdictPath } from "../parts.ts";
import type { appealChallengeQuestions, provedDecisionsQuestions, verdictQuestions } from "../questions.ts";
import { appealsPath, decisionHtml } from "./account-appeals.ts";
import { recordHtml } from "./account-publish.ts";
import { buttonTo, doneNote, formTo, privatePage, refusalNote } from "./forms.ts";

const MOST_SHOWN = 12;

const pathOf = ({ params }: ViewContext, step = ""): string => `${verdictPath(params.domain!)}/appeal${step}`;

const page = (context: ViewContext, body: Html): View => {
  const { appeals, account } = context.texts;
  const domain = context.params.domain!;
  return privatePage(
    appeals.title(domain),
    html`<p><a href="${verdictPath(domain)}">${account.site.verdict}</a></p>${body}`,
  );
};

const startForm = (context: ViewContext): Html =>
  formTo(context, pathOf(context), html`<p><button>${context.texts.appeals.begin}</button></p>`);

const lookForm = (context: ViewContext, token: string): Html =>
  formTo(
    context,
    pathOf(context, "/decisions"),
    html`<input type="hidden" name="token" value="${token}"><p><button>${context.texts.appeals.published}</button></p>`,
  );

/** What it takes, and the other way: with an account. Asked with the verdict, so that no address puts words of its own here. */
export const appealView = (
  { main }: Replies<ReturnType<typeof verdictQuestions>>,
  asked: ViewContext,
): View => {
  const context = { ...asked, params: { domain: main.domain } };
  const { appeals, account } = context.texts;
  return page(
    context,
    html`${doneNote(context.query.done === "appealed" ? `${account.appeals.done} ${appeals.whereTold}` : undefined)}<p class="lead">${appeals.lead}</p>
<h2>${appeals.byRecord}</h2><p>${appeals.byRecordText}</p>${startForm(context)}
<h2>${appeals.byAccount}</h2><p>${appeals.byAccountText} <a href="${appealsPath(main.domain)}">${appeals.link}</a></p>`,
  );
};

export const appealRecordView = (
  { main }: Replies<ReturnType<typeof appealChallengeQuestions>>,
  context: ViewContext,
): View => {
  const { appeals } = context.texts;
  const { records, token, ends_at } = main;
  const [record, ...others] = records;
  return page(
    context,
    html`<p class="lead">${appeals.publish}</p>${record && recordHtml(context, record)}${others.map(({ host }) => html`<p class="hint">${appeals.orAt} <code>${host}</code></p>`)}<p class="small soft">${appeals.keepOpen} ${moment(context.texts, ends_at)}</p>${lookForm(context, token)}`,
  );
};

const decisionsHtml = (context: ViewContext, decisions: readonly AppealableDecision[]): Part => {
  const words = context.texts.account.appeals;
  const token = html`<input type="hidden" name="token" value="${context.form.token ?? ""}">`;
  if (decisions.length === 0) return html`<p class="soft">${words.none}</p>`;
  return html`<ul class="plain">${decisions.slice(0, MOST_SHOWN).map((each, i) => decisionHtml(context, pathOf(context, "/made"), each, i, token))}</ul>`;
};

export const provedDecisionsView = (
  { main }: Replies<ReturnType<typeof provedDecisionsQuestions>>,
  context: ViewContext,
): View => {
  const words = context.texts.account.appeals;
  return page(
    context,
    html`<p class="lead">${words.lead}</p><h2>${words.standing}</h2>${decisionsHtml(context, main.decisions)}`,
  );
};

/** Why DNS did not do, or why the appeal was not taken: the same token looks again. */
export const provedRefusedView = (problem: Problem, context: ViewContext): View => {
  const { appeals } = context.texts;
  const { token, reason } = context.form;
  const isMissing = problem.errors?.some(({ code }) => code === "txt_missing") === true;
  return page(
    context,
    html`${refusalNote(problem)}${isMissing && html`<p>${appeals.notYet}</p>`}${reason !== undefined && html`<p>${siteText(reason, MAX_APPEAL_CHARS)}</p>`}${token !== undefined && lookForm(context, token)}<h2>${appeals.anew}</h2>${buttonTo(context, pathOf(context), appeals.begin)}`,
  );
};
