/** What agents may do on a site of the account. */

import { Access, type SiteConfiguration, type SitePermissions } from "../../../schemas/license.ts";
import type { Problem } from "../../../schemas/problem.ts";
import { PERMISSIONS, type siteFormQuestions } from "../account-questions.ts";
import { html } from "../html.ts";
import type { PageView, Replies, ViewContext } from "../page.ts";
import { verdictPath } from "../parts.ts";
import { formTo, privatePage, refusalNote } from "./forms.ts";

interface Values {
  access: string;
  confirmAbove: string;
  isGiven: (permission: keyof SitePermissions) => boolean;
}

export function siteFormView(
  { main }: Replies<ReturnType<typeof siteFormQuestions>>,
  context: ViewContext,
): PageView {
  const site = main.sites.find(({ siteId }) => siteId === context.params.siteId);
  const { account } = context.texts;
  return site
    ? siteForm(context, valuesOf(site.configuration))
    : privatePage(
        account.site.notYours,
        html`<p>${account.site.notYoursHelp}</p><p><a href="/account">${account.back}</a></p>`,
      );
}

function siteForm(context: ViewContext, values: Values, problem?: Problem): PageView {
  const siteId = context.params.siteId!;
  const { account } = context.texts;
  const words = account.site;
  return privatePage(
    siteId,
    html`<p><a href="/account">${account.back}</a> · <a href="${verdictPath(siteId)}">${words.verdict}</a> · <a href="/account/sites/${encodeURIComponent(siteId)}/publish">${account.publishLink}</a> · <a href="/account/sites/${encodeURIComponent(siteId)}/appeals">${account.appeals.link}</a></p>${refusalNote(problem)}${formTo(
      context,
      `/account/sites/${encodeURIComponent(siteId)}`,
      html`<fieldset><legend>${words.access}</legend>${Access.options.map(
        (each) =>
          html`<label class="choice"><input type="radio" name="access" value="${each}"${each === values.access && html` checked`}> ${words.accessOf[each]}</label>`,
      )}</fieldset><fieldset><legend>${words.permissions}</legend>${PERMISSIONS.map(
        (name) =>
          html`<label class="choice"><input type="checkbox" name="${name}" value="yes"${values.isGiven(name) && html` checked`}> ${words.permissionOf[name]}</label>`,
      )}</fieldset><p class="field narrow"><label for="confirm_above">${words.confirmAbove}</label><input id="confirm_above" name="confirm_above" maxlength="24" value="${values.confirmAbove}" placeholder="100.00 EUR" autocomplete="off" aria-describedby="confirm-hint"><span id="confirm-hint" class="small soft">${words.confirmHint}</span></p><p><button>${words.save}</button></p>`,
    )}`,
  );
}

const valuesOf = ({ access, restrictions, permissions }: SiteConfiguration): Values => ({
  access,
  confirmAbove: restrictions.confirm_above ?? "",
  isGiven: (name) => permissions[name],
});

export function siteFormAgainView(problem: Problem, context: ViewContext): PageView {
  const { form } = context;
  const values = { access: form.access ?? "none", confirmAbove: form.confirm_above ?? "" };
  return siteForm(context, { ...values, isGiven: (name) => form[name] !== undefined }, problem);
}
