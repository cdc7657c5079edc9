/** What forms of the account's pages have in common. */
import type { Problem } from "../../../schemas/problem.ts";
import { type Html, type HtmlPart, html } from "../html.ts";
import type { PageView, ViewContext } from "../page.ts";
import { siteText } from "../parts.ts";

interface Field {
  name: string;
  label: string;
  type: "email" | "password" | "text";
  autocomplete: string;
  value?: string | undefined;
  most: number;
  least?: number;
  hint?: string;
  isOptional?: boolean;
}

/** A page of the account or of a mail's link, which search engines have no business with. */
export const privatePage = (title: string, body: Html): PageView => ({
  title,
  isTransient: true,
  body: html`<h1>${title}</h1>${body}`,
});

/**
 * A form that a passkey fills in, by script: without it, or without passkeys, it stays hidden.
 * @param options what the browser is asked for it with
 */
export const passkeyForm = (
  { csrf, texts }: Pick<ViewContext, "csrf" | "texts">,
  action: string,
  options: object,
  fields: HtmlPart,
): Html =>
  html`<form method="post" action="${action}" class="narrow" data-passkey="${JSON.stringify(options)}" hidden>${
    csrf !== undefined && html`<input type="hidden" name="csrf" value="${csrf}">`
  }<input type="hidden" name="credential"><div class="note refused" role="alert" hidden><p>${texts.account.noPasskey}</p></div>${fields}</form>`;

/** A form that is one button. @param what it does, for who hears the page and not what stands around the button */
export const buttonTo = (
  context: Pick<ViewContext, "csrf">,
  action: string,
  label: string,
  what?: string,
): Html =>
  formTo(
    context,
    action,
    html`<button class="quiet">${label}${what !== undefined && html`<span class="visually-hidden"> ${what}</span>`}</button>`,
  );

/** A form that is sent to an address here, with what proves whose it is. */
export const formTo = (
  { csrf }: Pick<ViewContext, "csrf">,
  action: string,
  fields: HtmlPart,
  className?: string,
): Html =>
  html`<form method="post" action="${action}"${className !== undefined && html` class="${className}"`}>${
    csrf !== undefined && html`<input type="hidden" name="csrf" value="${csrf}">`
  }${fields}</form>`;

export const field = ({
  name,
  label,
  type,
  autocomplete,
  value,
  most,
  least,
  hint,
  isOptional,
}: Field): Html =>
  html`<p class="field"><label for="${name}">${label}</label><input id="${name}" name="${name}" type="${type}" autocomplete="${autocomplete}" maxlength="${most}"${
    least !== undefined && html` minlength="${least}"`
  }${!isOptional && html` required`}${value !== undefined && html` value="${value}"`}${
    hint !== undefined && html` aria-describedby="${name}-hint"`
  }>${hint !== undefined && html`<span id="${name}-hint" class="small soft">${hint}</span>`}</p>`;

/** Why a form was not taken, in the words of the operation. */
export function refusalNote(problem: Problem | undefined): HtmlPart {
  if (!problem) return undefined;
  const { detail, errors = [] } = problem;
  const said = errors.length > 0 ? errors.map(({ message }) => message) : [detail];
  return html`<div class="note refused" role="alert">${said.map((text) => html`<p>${siteText(text, 300)}</p>`)}</div>`;
}

/** A word of what was done just now. */
export const doneNote = (text: string | undefined): HtmlPart =>
  text !== undefined && html`<p class="note" role="status">${text}</p>`;
