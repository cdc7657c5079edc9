/** What a person changes about the account itself. */
import type { Problem } from "../../../schemas/problem.ts";
import { WHAT_STAYS } from "../../../workers/accounts/closing-contract.ts";
import type { closingQuestions } from "../account-questions.ts";
import { type Html, html, nothing } from "../html.ts";
import type { PageView, Replies, ViewContext } from "../page.ts";
import { field, formTo, privatePage, refusalNote } from "./forms.ts";

const MOST_PASSWORD = 1_024;
const LEAST_PASSWORD = 8;

export const settingsView = (_: unknown, context: ViewContext): PageView => settings(context);

function settings(context: ViewContext, problem?: Problem): PageView {
  const { account, links } = context.texts;
  return privatePage(
    account.settings,
    html`<p><a href="/account">${account.back}</a></p>${refusalNote(problem)}<section><h2>${account.changePassword}</h2><p>${account.changePasswordLead}</p>${formTo(
      context,
      "/account/settings/password",
      html`<input name="username" autocomplete="username" hidden>${field({
        name: "current_password",
        label: account.currentPassword,
        type: "password",
        autocomplete: "current-password",
        most: MOST_PASSWORD,
      })}${field({
        name: "new_password",
        label: links.newPassword,
        type: "password",
        autocomplete: "new-password",
        most: MOST_PASSWORD,
        least: LEAST_PASSWORD,
        hint: links.rule,
      })}<p><button>${account.changePassword}</button></p>`,
      "narrow",
    )}</section><section><h2>${context.texts.notices.title}</h2><p><a href="/account/notices">${context.texts.notices.settings}</a></p></section><section><h2>${account.passkeys}</h2><p>${account.passkeysLead}</p><p><a class="button quiet" href="/account/passkeys">${account.passkeysLink}</a></p></section><section><h2>${account.yourData}</h2><p>${account.yourDataLead}</p><p><a class="button quiet" href="/account/export">${account.download}</a></p></section><section><h2>${account.closeTitle}</h2><p>${account.closeShort}</p><p><a class="button quiet" href="/account/close">${account.closeLink}</a></p></section>`,
  );
}

export const settingsAgainView = (problem: Problem, context: ViewContext): PageView =>
  settings(context, problem);

export function closingView(
  { main, keys }: Replies<ReturnType<typeof closingQuestions>>,
  context: ViewContext,
): PageView {
  const { account } = context.texts;
  const { licenses, projects, agents } = keys;
  return closing(
    context,
    html`<p>${account.goes(main.usage.sites, licenses.length, projects.length, agents.length)}</p><h2>${account.stays}</h2><ul class="events">${WHAT_STAYS.map(
      ({ what, until, why }) =>
        html`<li><p><strong>${what}</strong> · ${until}</p><p class="small soft">${why}</p></li>`,
    )}</ul>`,
  );
}

function closing(context: ViewContext, about: Html, problem?: Problem): PageView {
  const { account } = context.texts;
  return privatePage(
    account.closeTitle,
    html`<p><a href="/account/settings">${account.backToSettings}</a></p><p class="lead">${account.closeLead}</p>${about}${refusalNote(problem)}${formTo(
      context,
      "/account/close",
      html`<input name="username" autocomplete="username" hidden>${field({
        name: "password",
        label: account.password,
        type: "password",
        autocomplete: "current-password",
        most: MOST_PASSWORD,
        hint: account.closeHint,
        isOptional: true,
      })}<p><button class="danger">${account.closeButton}</button></p>`,
      "narrow",
    )}`,
  );
}

export const closingAgainView = (problem: Problem, context: ViewContext): PageView =>
  closing(context, nothing, problem);
