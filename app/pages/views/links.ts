/** Where the links of mails lead: forms, and what became of them. */
import { type Html, html } from "../html.ts";
import type { PageView, Replies, ViewContext } from "../page.ts";
import { siteText } from "../parts.ts";
import type { aboutQuestions, proveEmailQuestions, resetPasswordQuestions } from "../questions.ts";
import { contactsHtml } from "./about.ts";
import { privatePage } from "./forms.ts";

/** A button, since programs that look into mails follow their links. */
export function emailFormView(_: unknown, { texts, query }: ViewContext): PageView {
  const { links } = texts;
  if (query.token === undefined) return withoutToken(texts);
  return privatePage(
    links.emailTitle,
    html`<p class="lead">${links.email}</p>${form("/account/email", hidden(query.token), links.emailButton)}`,
  );
}

/** For a link that was not copied whole. */
const withoutToken = ({ links }: ViewContext["texts"]): PageView =>
  privatePage(links.brokenTitle, html`<p class="lead">${links.broken}</p>`);

const form = (path: string, fields: Html, label: string): Html =>
  html`<form method="post" action="${path}" class="narrow">${fields}<p><button>${label}</button></p></form>`;

const hidden = (token: string): Html => html`<input type="hidden" name="token" value="${token}">`;

export const emailProvedView = (
  { main }: Replies<ReturnType<typeof proveEmailQuestions>>,
  { texts: { links } }: ViewContext,
): PageView =>
  privatePage(links.provedTitle, html`<p class="lead">${links.proved} ${siteText(main.email, 320)}</p>`);

export function forgottenView(
  { main }: Replies<ReturnType<typeof aboutQuestions>>,
  { texts }: ViewContext,
): PageView {
  const { links } = texts;
  if (!main.sends_mail)
    return privatePage(
      links.forgottenTitle,
      html`<p class="lead">${links.noMail}</p><ul>${links.withoutMail.map((text) => html`<li>${text}</li>`)}</ul>${contactsHtml(texts, main)}`,
    );
  return privatePage(
    links.forgottenTitle,
    html`<p class="lead">${links.forgotten}</p>${form(
      "/account/forgotten",
      html`<label for="email">${links.address}</label><input id="email" name="email" type="email" required maxlength="320" autocomplete="email">`,
      links.forgottenButton,
    )}`,
  );
}

export const linkSentView = (_: unknown, { texts: { links } }: ViewContext): PageView =>
  privatePage(links.sentTitle, html`<p class="lead">${links.sent}</p>`);

export function passwordFormView(_: unknown, { texts, query }: ViewContext): PageView {
  const { links } = texts;
  if (query.token === undefined) return withoutToken(texts);
  return privatePage(
    links.passwordTitle,
    html`<p class="lead">${links.password}</p>${form(
      "/account/password",
      html`${hidden(query.token)}<input name="username" autocomplete="username" hidden><label for="new_password">${links.newPassword}</label><input id="new_password" name="new_password" type="password" required minlength="8" maxlength="1024" autocomplete="new-password" aria-describedby="rule"><p id="rule" class="small soft">${links.rule}</p>`,
      links.passwordButton,
    )}`,
  );
}

export const passwordSetView = (
  { main }: Replies<ReturnType<typeof resetPasswordQuestions>>,
  { texts: { links } }: ViewContext,
): PageView =>
  privatePage(links.setTitle, html`<p class="lead">${links.set} ${siteText(main.email, 320)}</p>`);
