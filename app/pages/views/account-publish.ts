/** `/account/sites`: proving a domain; `/account/sites/{siteId}/publish`: the document that the registry serves for a site. */
import type { z } from "zod";
import type { Problem } from "../../../schemas/problem.ts";
import type { accounts } from "../../../workers/accounts/contract.ts";
import type { publishQuestions } from "../account-questions.ts";
import { type Html, type HtmlPart, html } from "../html.ts";
import type { PageView, Replies, ViewContext } from "../page.ts";
import { verdictPath } from "../parts.ts";
import { buttonTo, doneNote, field, formTo, privatePage, refusalNote } from "./forms.ts";

export const publishPath = (siteId: string, below = ""): string =>
  `/account/sites/${encodeURIComponent(siteId)}/publish${below}`;

const back = ({ texts }: ViewContext): Html => html`<a href="/account">${texts.account.back}</a>`;

// ---------------------------------------------------------------- proving a domain

interface Row {
  type: string;
  host: string;
  value: string;
  ttl: number;
}

export const recordHtml = ({ texts: { owners } }: ViewContext, { type, host, value, ttl }: Row): Html =>
  html`<dl class="copy"><div><dt>${owners.recordType}</dt><dd><code>${type}</code></dd></div><div><dt>${owners.recordName}</dt><dd><code>${host}</code></dd></div><div><dt>${owners.recordValue}</dt><dd><code>${value}</code></dd></div><div><dt>${owners.recordTtl}</dt><dd><code>${ttl}</code></dd></div></dl>`;

function domainForm({ texts }: ViewContext, problem?: Problem): Html {
  const { prove } = texts.account;
  return html`${refusalNote(problem)}<form action="/account/sites" class="narrow">${field({
    name: "domain",
    label: texts.owners.domain,
    type: "text",
    autocomplete: "url",
    most: 300,
  })}<p><button>${prove.begin}</button></p></form>`;
}

type Challenge = z.output<(typeof accounts)["operations"]["getSiteChallenge"]["reply"]>;

export function proveView({ main }: { main?: Challenge }, context: ViewContext): PageView {
  const { account } = context.texts;
  const { prove } = account;
  if (!main)
    return privatePage(
      prove.title,
      html`<p>${back(context)}</p><p class="lead">${prove.lead}</p>${domainForm(context)}<p class="soft">${prove.transfer}</p>`,
    );
  const [record] = main.records;
  return privatePage(
    prove.titleOf(main.siteId),
    html`<p>${back(context)}</p><p class="lead">${prove.recordLead}</p>${record && recordHtml(context, record)}${
      main.records.length > 1 && html`<p class="hint">${prove.orAt} <code>${main.records[1]!.host}</code></p>`
    }<p class="hint">${prove.keepIt}</p><div class="acts">${formTo(
      context,
      "/account/sites",
      html`<input type="hidden" name="domain" value="${main.siteId}"><button>${prove.done}</button>`,
    )}</div>`,
  );
}

export function proveAgainView(problem: Problem, context: ViewContext): PageView {
  const { prove } = context.texts.account;
  const domain = context.form.domain ?? "";
  return privatePage(
    prove.title,
    html`<p>${back(context)}</p>${refusalNote(problem)}<p>${prove.waits}</p><div class="acts">${formTo(
      context,
      "/account/sites",
      html`<input type="hidden" name="domain" value="${domain}"><button>${prove.done}</button>`,
    )}<a class="button quiet" href="/account/sites?domain=${encodeURIComponent(domain)}">${prove.again}</a></div>`,
  );
}

// ---------------------------------------------------------------- the document

/** @param text what stands in the field: what was sent, else what is served */
function page(context: ViewContext, note: HtmlPart, text: string): PageView {
  const siteId = context.params.siteId!;
  const { hosted, site } = context.texts.account;
  return privatePage(
    hosted.title(siteId),
    html`<p>${back(context)} · <a href="${verdictPath(siteId)}">${site.verdict}</a></p>${note}<p>${hosted.lead} <code>https://${siteId}/.well-known/bridge.json</code></p><p>${hosted.otherName} <code>bridge.${siteId}</code></p><p><a class="button quiet" href="/owners/${encodeURIComponent(siteId)}">${hosted.sign}</a></p>${formTo(
      context,
      publishPath(siteId, "/document"),
      html`<div class="field"><label for="document">${hosted.documentField}</label><span id="document-hint" class="small soft">${hosted.documentHint}</span><textarea id="document" name="document" class="code" rows="16" spellcheck="false" aria-describedby="document-hint" required>${text}</textarea></div><p><button class="quiet">${hosted.give}</button></p>`,
    )}${buttonTo(context, publishPath(siteId, "/document/withdraw"), hosted.withdraw, siteId)}`,
  );
}

export function publishPageView(
  { served }: Replies<ReturnType<typeof publishQuestions>>,
  context: ViewContext,
): PageView {
  const { account } = context.texts;
  const note = doneNote(account.done[context.query.done ?? ""]);
  return page(context, note, served ? JSON.stringify(served, undefined, 2) : "");
}

/** What was refused, above what was sent. */
export const publishRefusedView = (problem: Problem, context: ViewContext): PageView =>
  page(context, refusalNote(problem), context.form.document ?? "");
