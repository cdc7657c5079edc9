/** News of an account's sites: by mail, where its holder wants it, by webhook, and the end of mails from one of them. */
import type { Problem } from "../../../schemas/problem.ts";
import type { noticeQuestions, setWebhookQuestions } from "../account-questions.ts";
import { type Html, html } from "../html.ts";
import type { Replies, View, ViewContext } from "../page.ts";
import { siteText } from "../parts.ts";
import type { stopNoticesQuestions } from "../questions.ts";
import { buttonTo, doneNote, field, formTo, privatePage, refusalNote } from "./forms.ts";

type Notices = Replies<ReturnType<typeof noticeQuestions>>;

const webhookForm = (context: ViewContext, label: string, value?: string): Html => {
  const { webhook } = context.texts.notices;
  return formTo(
    context,
    "/account/notices/webhook",
    html`${field({ name: "url", label: webhook.url, type: "text", autocomplete: "url", most: 2_048, hint: webhook.urlHint, ...(value !== undefined && { value }) })}<p><button>${label}</button></p>`,
    "narrow",
  );
};

const deliveryText = ({ texts }: ViewContext, { last_delivery: last }: Notices["webhook"]): string => {
  const { webhook } = texts.notices;
  if (!last) return webhook.none;
  const { state, attempts } = last;
  const at = attempts.at(-1)?.at;
  const said = [webhook.states[state] ?? state, webhook.attempts(attempts.length)];
  return [...said, ...(at ? [texts.format.minute(at)] : [])].join(", ");
};

const webhookHtml = (context: ViewContext, reply: Notices["webhook"]): Html => {
  const { webhook: words } = context.texts.notices;
  const { url, state, off_reason } = reply;
  if (url === null) return html`<p>${words.lead}</p>${webhookForm(context, words.set)}`;
  return html`<p>${words.lead}</p><p class="said ${state === "off" ? "warn" : "good"}">${state === "off" ? words.off(off_reason ?? "") : words.on}</p>
<dl class="copy"><div><dt>${words.goesTo}</dt><dd><code>${siteText(url, 300)}</code></dd></div><div><dt>${words.last}</dt><dd>${deliveryText(context, reply)}</dd></div></dl>
<div class="acts">${buttonTo(context, "/account/notices/webhook/test", words.test)}${buttonTo(context, "/account/notices/webhook/secret", words.rotate)}${buttonTo(context, "/account/notices/webhook/remove", words.remove)}</div>
<details class="more"${state === "off" && html` open`}><summary>${words.replace}</summary>${webhookForm(context, words.set, url)}</details>`;
};

/** `/account/notices` */
export const noticesView = ({ main, webhook }: Notices, context: ViewContext): View => {
  const { account, notices } = context.texts;
  const { mail, email, email_state, sends_mail } = main;
  return privatePage(
    notices.title,
    html`<p><a href="/account">${account.back}</a></p>${doneNote(notices.done[context.query.done ?? ""])}<p class="lead">${notices.lead}</p><ul>${notices.what.map((text) => html`<li>${text}</li>`)}</ul>
<section><h2>${notices.byMail}</h2>${!sends_mail && html`<p class="note">${notices.noMail}</p>`}${sends_mail && email_state !== "proved" && html`<p class="note">${notices.unproved} ${siteText(email, 320)}</p>`}
${formTo(
  context,
  "/account/notices",
  html`<label class="tick"><input type="checkbox" name="mail" value="yes"${mail && html` checked`}><span>${notices.wanted} ${siteText(email, 320)}</span></label><p><button>${notices.save}</button></p>`,
)}</section>
<section><h2>${notices.webhook.title}</h2>${webhookHtml(context, webhook)}</section>`,
  );
};

/** The secret of a webhook, said once. */
export const webhookSecretView = (
  { main }: Replies<ReturnType<typeof setWebhookQuestions>>,
  { texts: { notices } }: ViewContext,
): View => {
  const { webhook } = notices;
  return privatePage(
    webhook.secretTitle,
    html`<p class="lead">${webhook.secretLead}</p><dl class="copy"><div><dt>${webhook.goesTo}</dt><dd><code>${siteText(main.url ?? "", 300)}</code></dd></div><div><dt>${webhook.secret}</dt><dd><code>${main.secret}</code></dd></div></dl><p><a class="button" href="/account/notices">${webhook.back}</a></p>`,
  );
};

export const webhookAgainView = (problem: Problem, context: ViewContext): View => {
  const { webhook } = context.texts.notices;
  return privatePage(
    webhook.refusedTitle,
    html`<p><a href="/account/notices">${webhook.back}</a></p>${refusalNote(problem)}${webhookForm(context, webhook.set, context.form.url)}`,
  );
};

/** `/notices/stop`: a button, since programs that look into mails follow their links. */
export const stopFormView = (_: unknown, { texts: { notices, links }, query }: ViewContext): View =>
  query.token === undefined
    ? privatePage(links.brokenTitle, html`<p class="lead">${links.broken}</p>`)
    : privatePage(
        notices.stopTitle,
        html`<p class="lead">${notices.stopLead}</p><form method="post" action="/notices/stop"><input type="hidden" name="token" value="${query.token}"><p><button>${notices.stop}</button></p></form>`,
      );

export const stoppedView = (
  { main }: Replies<ReturnType<typeof stopNoticesQuestions>>,
  { texts: { notices } }: ViewContext,
): View =>
  privatePage(
    notices.stoppedTitle,
    html`<p class="lead">${notices.stopped} ${siteText(main.email, 320)}</p><p><a href="/account/notices">${notices.again}</a></p>`,
  );
