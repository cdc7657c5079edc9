/** The ways into an account. Nothing here says whether an address has one. */
import type { Problem } from "../../../schemas/problem.ts";
import type { logInFormQuestions } from "../account-questions.ts";
import { html } from "../html.ts";
import type { PageView, Replies, ViewContext } from "../page.ts";
import { doneNote, field, formTo, passkeyForm, privatePage, refusalNote } from "./forms.ts";

const MOST_EMAIL = 320;
const MOST_PASSWORD = 1_024;
const LEAST_PASSWORD = 8;

type Options = Replies<ReturnType<typeof logInFormQuestions>>["passkey"];

export const logInView = (
  { passkey }: Replies<ReturnType<typeof logInFormQuestions>>,
  context: ViewContext,
): PageView => logIn(context, undefined, passkey);

function logIn(context: ViewContext, problem?: Problem, passkey?: Options): PageView {
  const { texts, query, form } = context;
  const { account } = texts;
  const next = form.next ?? query.next;
  const notice = account.done[query.done ?? ""];
  return privatePage(
    account.logIn,
    html`${doneNote(notice)}${refusalNote(problem)}${formTo(
      context,
      "/account/log-in",
      html`${next !== undefined && html`<input type="hidden" name="next" value="${next}">`}${field({
        name: "email",
        label: account.email,
        type: "email",
        autocomplete: "username",
        most: MOST_EMAIL,
        value: form.email,
      })}${field({ name: "password", label: account.password, type: "password", autocomplete: "current-password", most: MOST_PASSWORD })}<p><button>${account.logIn}</button></p>`,
      "narrow",
    )}${
      passkey &&
      passkeyForm(
        context,
        "/account/log-in/passkey",
        passkey,
        html`${next !== undefined && html`<input type="hidden" name="next" value="${next}">`}<p><button class="quiet">${account.logInPasskey}</button></p>`,
      )
    }<p class="soft">${account.noAccount} <a href="/account/sign-up">${account.signUp}</a><br><a href="/account/forgotten">${account.forgotten}</a></p>`,
  );
}

function signUp(context: ViewContext, problem?: Problem): PageView {
  const { texts, form } = context;
  const { account, links } = texts;
  return privatePage(
    account.signUp,
    html`<p class="lead">${account.signUpLead}</p>${refusalNote(problem)}${formTo(
      context,
      "/account/sign-up",
      html`${field({ name: "name", label: account.name, type: "text", autocomplete: "name", most: 200, value: form.name })}${field(
        {
          name: "email",
          label: account.email,
          type: "email",
          autocomplete: "username",
          most: MOST_EMAIL,
          value: form.email,
        },
      )}${field({
        name: "password",
        label: account.password,
        type: "password",
        autocomplete: "new-password",
        most: MOST_PASSWORD,
        least: LEAST_PASSWORD,
        hint: links.rule,
      })}<p><button>${account.signUpButton}</button></p>`,
      "narrow",
    )}<p class="soft">${account.hasAccount} <a href="/account/log-in">${account.logIn}</a></p>`,
  );
}

export const logInAgainView = (problem: Problem, context: ViewContext): PageView => logIn(context, problem);

export const signUpView = (_: unknown, context: ViewContext): PageView => signUp(context);
export const signUpAgainView = (problem: Problem, context: ViewContext): PageView => signUp(context, problem);
