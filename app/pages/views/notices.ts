/** News of an account's sites: by mail, where its holder wants it, and the end of mails from one of them. */
import type { noticeQuestions } from "../account-questions.ts";
import { html } from "../html.ts";
import type { PageView, Replies, ViewContext } from "../page.ts";
import { siteText } from "../parts.ts";
import type { stopNoticesQuestions } from "../questions.ts";
import { doneNote, formTo, privatePage } from "./forms.ts";

type Notices = Replies<ReturnType<typeof noticeQuestions>>;

/** `/account/notices` */
export function noticesView({ main }: Notices, context: ViewContext): PageView {
  const { account, notices } = context.texts;
  const { email, email_state } = main.user;
  const { mail, sends_mail } = main.notices;
  return privatePage(
    notices.title,
    html`<p><a href="/account">${account.back}</a></p>${doneNote(notices.done[context.query.done ?? ""])}<p class="lead">${notices.lead}</p><ul>${notices.what.map((text) => html`<li>${text}</li>`)}</ul>
<section><h2>${notices.byMail}</h2>${!sends_mail && html`<p class="note">${notices.noMail}</p>`}${sends_mail && email_state !== "proved" && html`<p class="note">${notices.unproved} ${siteText(email, 320)}</p>`}
${formTo(
  context,
  "/account/notices",
  html`<label class="tick"><input type="checkbox" name="mail" value="yes"${mail && html` checked`}><span>${notices.wanted} ${siteText(email, 320)}</span></label><p><button>${notices.save}</button></p>`,
)}</section>`,
  );
}

/** `/notices/stop`: a button, since programs that look into mails follow their links. */
export const stopFormView = (_: unknown, { texts: { notices, links }, query }: ViewContext): PageView =>
  query.token === undefined
    ? privatePage(links.brokenTitle, html`<p class="lead">${links.broken}</p>`)
    : privatePage(
        notices.stopTitle,
        html`<p class="lead">${notices.stopLead}</p><form method="post" action="/notices/stop"><input type="hidden" name="token" value="${query.token}"><p><button>${notices.stop}</button></p></form>`,
      );

export const stoppedView = (
  { main }: Replies<ReturnType<typeof stopNoticesQuestions>>,
  { texts: { notices } }: ViewContext,
): PageView =>
  privatePage(
    notices.stoppedTitle,
    html`<p class="lead">${notices.stopped} ${siteText(main.email, 320)}</p><p><a href="/account/notices">${notices.again}</a></p>`,
  );
