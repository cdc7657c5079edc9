/** `/account/sites`: proving a domain; `/account/sites/{siteId}/publish`: who holds the site's key, and the document that the registry serves. */
import type { z } from "zod";
import type { Problem } from "../../../schemas/problem.ts";
import type { accounts } from "../../../workers/accounts/contract.ts";
import type { HeldKeyShown } from "../../../workers/accounts/held-keys/contract.ts";
import type { HostingShown } from "../../../workers/accounts/hosting/contract.ts";
import type { publishQuestions } from "../account-questions.ts";
import { type Html, html, nothing, type Part } from "../html.ts";
import type { Replies, View, ViewContext } from "../page.ts";
import { moment, siteText, verdictPath, withQuery } from "../parts.ts";
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

const domainForm = ({ texts }: ViewContext, problem?: Problem): Html => {
  const { prove } = texts.account;
  return html`${refusalNote(problem)}<form action="/account/sites" class="narrow">${field({
    ...{ name: "domain", label: texts.owners.domain, type: "text", autocomplete: "url", most: 300 },
  })}<p><button>${prove.begin}</button></p></form>`;
};

type Challenge = z.output<(typeof accounts)["operations"]["siteChallenge"]["reply"]>;

export const proveView = ({ main }: { main?: Challenge }, context: ViewContext): View => {
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
};

export const proveAgainView = (problem: Problem, context: ViewContext): View => {
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
};

// ---------------------------------------------------------------- key and document

const rotateForm = (context: ViewContext, siteId: string, label: string): Html =>
  buttonTo(context, publishPath(siteId, "/key/rotate"), label, siteId);

/** A new key in the place of the one that the registry holds. */
const replaceHtml = (
  context: ViewContext,
  siteId: string,
  { next }: NonNullable<HeldKeyShown["key"]>,
): Html => {
  const { hosted } = context.texts.account;
  return html`<details class="more"${next && html` open`}><summary>${hosted.replace}</summary>${
    next
      ? html`<p>${hosted.nextRecord}</p>${recordHtml(context, next.record)}<div class="acts">${rotateForm(context, siteId, hosted.changeOver)}</div>`
      : html`<p>${hosted.replaceLead}</p>${rotateForm(context, siteId, hosted.makeNext)}`
  }</details>`;
};

/** Where the DNS provider may publish the record, and the CNAME of a hosted name with it. */
const connectPath = (
  siteId: string,
  { pk, endpoint }: NonNullable<HeldKeyShown["key"]>,
  hosted: string | undefined,
): string =>
  withQuery(`/owners/${encodeURIComponent(siteId)}/connect`, {
    ...{ pk, endpoint, key_holder: "registry" },
    service: endpoint === hosted ? "hosting" : "record",
  });

/** Which address the key's record names: the name that the registry answers at where the owner chose it, else as they say. */
const endpointField = (
  { texts: { account, owners } }: ViewContext,
  siteId: string,
  endpoint: string | undefined,
): Html =>
  endpoint === undefined
    ? html`<details class="more"><summary>${owners.elsewhere}</summary>${field({
        ...{ name: "endpoint", label: owners.endpoint, type: "text", autocomplete: "off" },
        ...{ most: 300, isOptional: true, hint: owners.endpointHint(siteId) },
      })}</details>`
    : html`<input type="hidden" name="endpoint" value="${endpoint}"><p>${account.hosted.holdsFor} <code>${endpoint}</code></p>`;

const keySteps = (
  context: ViewContext,
  siteId: string,
  held: HeldKeyShown,
  endpoint: string | undefined,
): Html => {
  const { hosted } = context.texts.account;
  const { key, state } = held;
  const hold = publishPath(siteId, "/key");
  if (!key)
    return formTo(
      context,
      hold,
      html`${endpointField(context, siteId, endpoint)}<p><button class="quiet">${hosted.hold}</button></p>`,
    );
  const end = buttonTo(context, publishPath(siteId, "/key/end"), hosted.end, siteId);
  if (state === "in_force")
    return html`<p class="said good">${hosted.inForce} ${key.signed_until && moment(context.texts, key.signed_until)}. ${hosted.renewedFrom} ${key.renewed_from && moment(context.texts, key.renewed_from)}.</p><details class="more"><summary>${hosted.record}</summary>${recordHtml(context, key.record)}</details>${replaceHtml(context, siteId, key)}<details class="more"><summary>${hosted.leave}</summary><ol>${hosted.leaveSteps(siteId).map((step) => html`<li>${step}</li>`)}</ol><div class="acts"><a class="button quiet" href="/owners/${encodeURIComponent(siteId)}/renew">${hosted.ownKey}</a>${end}</div></details>`;
  if (state === "left") return html`<p class="said warn">${hosted.left}</p><div class="acts">${end}</div>`;
  return html`<p>${hosted.publish}</p>${recordHtml(context, key.record)}<p><a href="${connectPath(siteId, key, endpoint)}">${hosted.connect}</a></p><div class="acts">${formTo(
    context,
    hold,
    html`<button>${hosted.sign}</button>`,
  )}${end}</div>`;
};

const keyHtml = (
  context: ViewContext,
  siteId: string,
  held: HeldKeyShown,
  endpoint: string | undefined,
): Html => {
  const { hosted } = context.texts.account;
  const choice =
    held.state === "none"
      ? html`<div class="pair"><section><h3>${hosted.own}</h3><p>${hosted.ownText}</p><p><a class="button quiet" href="/owners/${encodeURIComponent(siteId)}">${hosted.ownKey}</a></p></section><section><h3>${hosted.held}</h3><p>${hosted.heldText}</p>${keySteps(context, siteId, held, endpoint)}</section></div>`
      : html`<p class="soft">${hosted.heldText}</p>${keySteps(context, siteId, held, endpoint)}`;
  return html`<section><h2>${hosted.key}</h2>${choice}</section>`;
};

/** For a site that can place no file. */
const nameHtml = (context: ViewContext, held: HeldKeyShown, hosting: HostingShown): Html => {
  const { hosted } = context.texts.account;
  const { siteId, name, state, record, missing, endpoint, certificate, fault } = hosting;
  const take = (label: string) => buttonTo(context, publishPath(siteId, "/name"), label, siteId);
  const end = buttonTo(context, publishPath(siteId, "/name/end"), hosted.endName, name);
  const part = (body: Html): Html => html`<section><h2>${hosted.name}</h2>${body}</section>`;
  if (state === "off")
    return part(html`<p>${hosted.nameLead(name)}</p><div class="acts">${take(hosted.takeName)}</div>`);
  if (state === "in_force")
    return part(
      html`<p class="said good">${hosted.nameInForce(name)} ${certificate && moment(context.texts, certificate.not_after)}.</p><div class="acts">${end}</div>`,
    );
  const moves = held.key !== null && held.key.endpoint !== endpoint;
  return part(
    html`<p>${hosted.nameSteps}</p>${record && recordHtml(context, record)}${
      missing.length > 0 &&
      html`<p>${hosted.missing}</p><ul>${missing.map(({ detail }) => html`<li>${siteText(detail, 300)}</li>`)}</ul>`
    }${state === "waits" && missing.length === 0 && html`<p>${hosted.ready}</p>`}${state === "ordered" && html`<p class="said good" role="status">${hosted.ordered}</p>`}${
      fault !== null && html`<div class="note refused"><p>${hosted.fault} ${siteText(fault, 300)}</p></div>`
    }<div class="acts">${take(hosted.lookAgain)}${
      moves &&
      formTo(
        context,
        publishPath(siteId, "/key"),
        html`<input type="hidden" name="endpoint" value="${endpoint}"><button class="quiet">${hosted.useName}</button>`,
      )
    }${end}</div>`,
  );
};

/** What stands in the field: what was sent, else what is served. */
const documentHtml = (
  context: ViewContext,
  siteId: string,
  text: string,
  endpoint: string | undefined,
): Html => {
  const { hosted } = context.texts.account;
  const lead = endpoint === undefined ? hosted.documentLead : hosted.documentThere;
  return html`<section><h2>${hosted.document}</h2><p>${lead} <code>${endpoint ?? `https://${siteId}`}/.well-known/bridge.json</code></p>${formTo(
    context,
    publishPath(siteId, "/document"),
    html`<div class="field"><label for="document">${hosted.documentField}</label><span id="document-hint" class="small soft">${hosted.documentHint}</span><textarea id="document" name="document" class="code" rows="16" spellcheck="false" aria-describedby="document-hint" required>${text}</textarea></div><p><button class="quiet">${hosted.give}</button></p>`,
  )}${buttonTo(context, publishPath(siteId, "/document/withdraw"), hosted.withdraw, siteId)}</section>`;
};

const page = (
  context: ViewContext,
  siteId: string,
  note: Part,
  held: Html,
  text: string,
  endpoint?: string,
): View => {
  const { account } = context.texts;
  return privatePage(
    account.hosted.title(siteId),
    html`<p>${back(context)} · <a href="${verdictPath(siteId)}">${account.site.verdict}</a></p>${note}${held}${documentHtml(context, siteId, text, endpoint)}`,
  );
};

export const publishPageView = (
  { main, served, hosting }: Replies<ReturnType<typeof publishQuestions>>,
  context: ViewContext,
): View => {
  const text = served ? JSON.stringify(served, undefined, 2) : "";
  const note = doneNote(context.texts.account.done[context.query.done ?? ""]);
  const endpoint = hosting && hosting.state !== "off" ? hosting.endpoint : undefined;
  const parts = html`${keyHtml(context, main.siteId, main, endpoint)}${hosting?.is_offered && nameHtml(context, main, hosting)}`;
  return page(context, main.siteId, note, parts, text, endpoint);
};

/** The next key's record is not in DNS yet. */
export const rotateRefusedView = (problem: Problem, context: ViewContext): View => {
  const siteId = context.params.siteId!;
  const { hosted, prove } = context.texts.account;
  return privatePage(
    hosted.title(siteId),
    html`${refusalNote(problem)}<p>${prove.waits}</p><div class="acts">${rotateForm(context, siteId, hosted.changeOver)}<a class="button quiet" href="${publishPath(siteId)}">${hosted.backToSite}</a></div>`,
  );
};

/** What was refused, with the way back to try again. */
export const publishRefusedView = (problem: Problem, context: ViewContext): View => {
  const siteId = context.params.siteId!;
  const { account } = context.texts;
  const given = context.form.document;
  const note = refusalNote(problem);
  if (given !== undefined) return page(context, siteId, note, nothing, given);
  return privatePage(
    account.hosted.title(siteId),
    html`${note}<p>${account.prove.waits}</p><div class="acts">${formTo(
      context,
      publishPath(siteId, "/key"),
      html`<button>${account.hosted.sign}</button>`,
    )}<a class="button quiet" href="${publishPath(siteId)}">${account.hosted.backToSite}</a></div>`,
  );
};
