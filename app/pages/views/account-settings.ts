/** What a person changes about the account itself. */
import type { Problem } from "../../../schemas/problem.ts";
import { html } from "../html.ts";
import type { View, ViewContext } from "../page.ts";
import { field, formTo, privatePage, refusalNote } from "./forms.ts";

const MOST_PASSWORD = 1_024;
const LEAST_PASSWORD = 8;

const settings = (context: ViewContext, problem?: Problem): View => {
  const { account, links } = context.texts;
  return privatePage(
    account.settings,
    html`<p><a href="/account">${account.back}</a></p>${refusalNote(problem)}<section><h2>${account.changePassword}</h2><p>${account.changePasswordLead}</p>${formTo(
      context,
      "/account/settings/password",
      html`<input name="username" autocomplete="username" hidden>${field({
        ...{ name: "current_password", label: account.currentPassword, type: "password" },
        ...{ autocomplete: "current-password", most: MOST_PASSWORD },
      })}${field({
        ...{ name: "new_password", label: links.newPassword, type: "password", autocomplete: "new-password" },
        ...{ most: MOST_PASSWORD, least: LEAST_PASSWORD, hint: links.rule },
      })}<p><button>${account.changePassword}</button></p>`,
      "narrow",
    )}</section>`,
  );
};

export const settingsView = (_: unknown, context: ViewContext): View => settings(context);
export const settingsAgainView = (problem: Problem, context: ViewContext): View => settings(context, problem);
