/** `/owners`: from a domain to a listing. What to type, what to publish, and what the registry says of it. */
import type { Action } from "../../../schemas/action.ts";
import { type DocumentDraft, MAX_DRAFTED_ACTIONS } from "../../../schemas/draft.ts";
import { type Html, html, type Part } from "../html.ts";
import type { Replies, View, ViewContext } from "../page.ts";
import { askBox, siteText, verdictPath } from "../parts.ts";
import type { checkQuestions, composeQuestions, dnsQuestions, renewQuestions } from "../questions.ts";
import type { Texts } from "../texts.ts";

const DAYS = 30;

export const ownerPath = (domain: string, below = ""): string =>
  `/owners/${encodeURIComponent(domain)}${below}`;

/** Where one is on the way. */
const stepsHtml = ({ owners }: Texts, current: number): Html =>
  html`<ol class="steps" aria-label="${owners.stepsLabel}">${owners.steps.map(
    (step, i) => html`<li${i === current && html` aria-current="step"`}>${step}</li>`,
  )}</ol>`;

/** Why a real domain leads nowhere here. */
const demoNote = (demo: Texts["demo"]): Html =>
  html`<div class="note"><p>${demo.owners} <a href="/docs/quickstart-operators">${demo.link}</a></p></div>`;

/** `/owners` without a domain. */
const domainForm = ({ texts: { owners, demo }, isDemo }: ViewContext): View => ({
  title: owners.title,
  description: owners.lead,
  canonical: "/owners",
  body: html`<section class="hero"><h1>${owners.title}</h1><p class="lead">${owners.lead}</p>
${isDemo && demoNote(demo)}<form action="/owners">${askBox({
    ...{ name: "domain", label: owners.domain, placeholder: "shop.example", most: 300 },
    ...{ button: owners.begin, value: "", isRequired: true, isAddress: true },
  })}</form></section>
<h2>${owners.how}</h2><ol>${owners.howSteps.map(([what, text]) => html`<li><p><b>${what}</b> ${text}</p></li>`)}</ol>
<p class="soft small">${owners.terminal}</p>`,
});

interface Field {
  name: string;
  label: string;
  value?: string | number | undefined;
  most: number;
  /** Stands below it. */
  hint?: Part;
  isRequired?: boolean;
  type?: "email" | "tel" | "url" | "number";
}

const field = ({ name, label, value, most, hint, isRequired, type }: Field): Html =>
  html`<div class="field"><label for="${name}">${label}</label><input id="${name}" name="${name}" value="${value ?? ""}" maxlength="${most}"${type && html` type="${type}"`}${isRequired && html` required`}${hint && html` aria-describedby="${name}-hint"`}>${hint && html`<p class="hint" id="${name}-hint">${hint}</p>`}</div>`;

/** What the page says, or that it does not. */
const hintsOf = ({ owners }: Texts, { sources, page }: DocumentDraft) => {
  const bySource = new Map(sources.map(({ answer, source }) => [answer, source]));
  return (answer: string, value?: unknown): string => {
    const source = bySource.get(answer);
    if (source && value !== undefined) return owners.from(owners.sources[source] ?? source);
    return page.state === "read" ? owners.notSaid : "";
  };
};

const actionHtml = (texts: Texts, action: Action, i: number): Html =>
  html`<li><label class="tick"><input type="checkbox" name="action_${i}" value="${JSON.stringify(action)}" checked><span><code>${siteText(action.name, 64)}</code> <span class="soft small">${texts.site.effects[action.effect ?? "read"]}</span><br><span class="small">${siteText(action.description, 160)}</span></span></label></li>`;

const actionsHtml = (texts: Texts, { answers }: DocumentDraft): Html => {
  const { owners } = texts;
  const { actions = [] } = answers;
  return html`<fieldset><legend>${owners.actions}</legend>${
    actions.length === 0
      ? html`<p class="soft">${owners.noActions}</p>`
      : html`<p class="hint">${owners.actionsHint}</p><ul class="plain">${actions
          .slice(0, MAX_DRAFTED_ACTIONS)
          .map((action, i) => actionHtml(texts, action, i))}</ul>`
  }<label class="tick"><input type="checkbox" name="fill_forms" value="yes"><span>${owners.fillForms}</span></label></fieldset>`;
};

/** What only the owner can say: never ticked beforehand. */
const declarations = ({ owners }: Texts): Html =>
  html`<fieldset><legend>${owners.declare}</legend><p class="hint">${owners.declareHint}</p>
<fieldset class="choice"><legend>${owners.independent}</legend>
<label class="tick"><input type="radio" name="independent" value="yes" required><span>${owners.independentYes}</span></label>
<label class="tick"><input type="radio" name="independent" value="no"><span>${owners.independentNo}</span></label></fieldset>
<div class="field"><label for="commission">${owners.commission}</label><input id="commission" name="commission" inputmode="decimal" pattern="[0-9]{1,3}([.][0-9]{1,4})?" required maxlength="8" aria-describedby="commission-hint"><p class="hint" id="commission-hint">${owners.commissionHint}</p></div></fieldset>`;

/** Origin of the page that was read in the domain's place: where the document can be served. */
const originElsewhere = ({ domain, page }: DocumentDraft): string | undefined => {
  const { hostname, origin } = new URL(page.url);
  return page.state === "read" && hostname !== domain ? origin : undefined;
};

const draftForm = (texts: Texts, draft: DocumentDraft): Html => {
  const { owners } = texts;
  const { domain, answers } = draft;
  const elsewhere = originElsewhere(draft);
  const { location = {}, contact = {} } = answers;
  const hint = hintsOf(texts, draft);
  return html`<form method="post" action="${ownerPath(domain)}" class="sheet">
<fieldset><legend>${owners.business}</legend>
${field({ name: "name", label: owners.name, value: answers.name, most: 200, isRequired: true, hint: hint("name", answers.name) })}
<div class="field"><label for="description">${owners.description}</label><textarea id="description" name="description" rows="4" maxlength="2000" aria-describedby="description-hint">${answers.description ?? ""}</textarea><p class="hint" id="description-hint">${hint("description", answers.description)}</p></div>
<div class="pair">${field({ name: "category", label: owners.category, value: answers.category, most: 64, hint: answers.category === undefined ? owners.categoryHint : hint("category", answers.category) })}${field({ name: "tags", label: owners.tags, most: 300, hint: owners.tagsHint })}</div>
<div class="pair">${field({ name: "city", label: owners.city, value: location.city, most: 128, hint: hint("location", location.city) })}${field({ name: "country", label: owners.country, value: location.country, most: 64 })}</div>
<input type="hidden" name="region" value="${location.region ?? ""}"><input type="hidden" name="lat" value="${location.lat ?? ""}"><input type="hidden" name="lon" value="${location.lon ?? ""}">
${field({ name: "owner", label: owners.owner, value: answers.owner, most: 200, hint: hint("owner", answers.owner) })}
<div class="pair">${field({ name: "email", label: owners.email, value: contact.email, most: 320, type: "email", hint: hint("contact", contact.email) })}${field({ name: "phone", label: owners.phone, value: contact.phone, most: 64, type: "tel" })}</div>
<input type="hidden" name="contact_url" value="${contact.url ?? ""}"></fieldset>
${actionsHtml(texts, draft)}
${declarations(texts)}
<details class="more"${elsewhere && html` open`}><summary>${owners.elsewhere}</summary>${field({ name: "endpoint", label: owners.endpoint, value: elsewhere, most: 300, type: "url", hint: owners.endpointHint(domain) })}</details>
<p><button>${owners.toKey}</button></p></form>`;
};

export const draftView = ({ main: draft }: { main?: DocumentDraft }, context: ViewContext): View => {
  const { texts, isDemo } = context;
  const { owners } = texts;
  if (!draft) return domainForm(context);
  const { domain, page } = draft;
  return {
    title: owners.draftTitle(domain),
    isTransient: true,
    body: html`${stepsHtml(texts, 0)}<h1>${owners.draftTitle(domain)}</h1>
<p class="lead">${page.state === "read" ? owners.draftLead : owners.unread[page.state]}</p>
${page.state !== "read" && isDemo && demoNote(texts.demo)}${page.detail !== "" && html`<div class="note"><p>${siteText(page.detail, 300)}</p></div>`}
${draftForm(texts, draft)}`,
  };
};

interface Signing {
  domain: string;
  endpoint: string;
  document: object;
  recordName: string;
  documentUrl: string;
  invariants: string | undefined;
}

const copyButton = ({ owners }: Texts, part: string): Html =>
  html`<button type="button" class="quiet" data-copy="${part}">${owners.copy}</button>`;

const recordHtml = (texts: Texts, { domain, recordName }: Signing): Html => {
  const { owners } = texts;
  return html`<section data-part="record" hidden><h2>${owners.record}</h2><p>${owners.recordLead}</p>
<div data-part="connect" hidden><p class="said good" data-part="connect-lead"></p><p><a class="button" data-part="connect-go" target="_blank" rel="noopener noreferrer"></a></p><p class="hint" data-part="connect-to"></p></div>
<p data-part="provider" class="said" hidden></p>
<dl class="copy"><div><dt>${owners.recordType}</dt><dd><code>TXT</code></dd></div>
<div><dt>${owners.recordName}</dt><dd><code data-part="name">${recordName}</code> ${copyButton(texts, "name")}<p class="hint">${owners.recordShort(recordName, domain)}</p></dd></div>
<div><dt>${owners.recordValue}</dt><dd><code data-part="value"></code> ${copyButton(texts, "value")}</dd></div>
<div><dt>${owners.recordTtl}</dt><dd><code>300</code></dd></div></dl>
<div class="acts"><p data-part="dns" class="said" role="status">${owners.live.looking}</p><button type="button" class="quiet" data-part="again">${owners.lookAgain}</button></div></section>`;
};

const documentHtml = (texts: Texts, { document }: Signing): Html =>
  html`<details class="more"><summary>${texts.owners.document}</summary><label for="document">${texts.owners.documentHint}</label><textarea id="document" data-part="document" rows="16" spellcheck="false">${JSON.stringify(document, undefined, 2)}</textarea></details>`;

const publishHtml = (texts: Texts, { domain, endpoint, documentUrl }: Signing): Html => {
  const { owners } = texts;
  return html`<section data-part="publish" hidden><h2>${owners.file}</h2><p>${owners.fileLead}</p>
<p><a class="button" data-part="signed" hidden>${owners.download}</a></p><p data-part="valid" class="said" hidden></p>
<p>${owners.place} <code>${documentUrl}</code></p><p class="hint">${owners.placeHint}</p>
<p><a href="${ownerPath(domain, `/kits?endpoint=${encodeURIComponent(endpoint)}`)}" target="_blank">${owners.kitsLink}</a></p></section>
<section data-part="rest" hidden><h2>${owners.verdict}</h2><p>${owners.verdictLead}</p>
<form method="post" action="${ownerPath(domain, "/check")}"><p><button>${owners.check}</button></p></form></section>`;
};

/** The key, the record, the signed file: all in the browser. */
const signingHtml = (texts: Texts, signing: Signing, isRenewal: boolean): Html => {
  const { owners } = texts;
  const { domain, endpoint, invariants } = signing;
  const hasKey = html`<div class="field"><label for="file">${isRenewal ? owners.keyFile : owners.haveKey}</label><input id="file" type="file" data-part="file" accept=".pem"></div>`;
  return html`<noscript><div class="note"><h2>${owners.noScriptTitle}</h2><p>${owners.noScript}</p><pre><code>bridge keygen ${domain} --out ${domain}.pem
bridge sign document.json --key ${domain}.pem > bridge.json</code></pre><p><a href="${ownerPath(domain, "/dns")}">${owners.dnsLink}</a></p></div></noscript>
<div id="owner" hidden data-domain="${domain}" data-endpoint="${endpoint}" data-days="${DAYS}"${invariants && html` data-invariants="${invariants}"`}>
<span hidden data-part="texts">${JSON.stringify(owners.live)}</span>
<section><h2>${owners.key}</h2><p>${isRenewal ? owners.renewKeyLead : owners.keyLead}</p>
${isRenewal ? hasKey : html`<p><button type="button" data-part="make">${owners.make}</button></p><details class="more"><summary>${owners.haveKeyTitle}</summary>${hasKey}</details><p class="hint">${owners.heldLink} <a href="/account/sites?domain=${encodeURIComponent(domain)}">${owners.heldLinkText}</a></p>`}
<p data-part="key" class="said" role="status" hidden></p><p><a data-part="save" hidden>${owners.saveAgain}</a></p></section>
${recordHtml(texts, signing)}${publishHtml(texts, signing)}</div>${documentHtml(texts, signing)}`;
};

export const publishView = (
  { main, invariants }: Replies<ReturnType<typeof composeQuestions>>,
  { texts }: ViewContext,
): View => {
  const { owners } = texts;
  const { domain, endpoint, document, record_name, document_url } = main;
  return {
    title: owners.publishTitle(domain),
    isTransient: true,
    body: html`${stepsHtml(texts, 1)}<h1>${owners.publishTitle(domain)}</h1><p class="lead">${owners.publishLead}</p>
${signingHtml(texts, { domain, endpoint, document, recordName: record_name, documentUrl: document_url, invariants: invariants?.sha256 }, false)}`,
  };
};

/** `/owners/{domain}/renew`: the document as the last visit read it, to be signed again. */
export const renewView = (
  { main, invariants }: Replies<ReturnType<typeof renewQuestions>>,
  { texts }: ViewContext,
): View => {
  const { owners } = texts;
  const { domain, manifest } = main;
  const title = owners.renewTitle(domain);
  if (!manifest)
    return {
      title,
      isTransient: true,
      body: html`<h1>${title}</h1><p class="lead">${owners.nothingSigned}</p><p><a class="button" href="${ownerPath(domain)}">${owners.begin}</a></p>`,
    };
  const documentUrl = manifest.discovery_url ?? `https://${domain}/.well-known/bridge.json`;
  const signing: Signing = {
    domain,
    endpoint: new URL(documentUrl).origin,
    document: JSON.parse(manifest.document),
    recordName: main.dns.name,
    documentUrl,
    invariants: invariants?.sha256,
  };
  return {
    title,
    isTransient: true,
    body: html`<h1>${title}</h1><p class="lead">${owners.renewLead}</p>${signingHtml(texts, signing, true)}`,
  };
};

/** `/owners/{domain}/dns`: what DNS says, for a browser without script. */
export const dnsView = ({ main }: Replies<ReturnType<typeof dnsQuestions>>, { texts }: ViewContext): View => {
  const { owners, format } = texts;
  const {
    domain,
    state,
    detail,
    records,
    keys,
    record_name,
    dns_provider,
    dns_hint,
    name_servers,
    checked_at,
  } = main;
  const tone = state === "valid" ? "good" : state === "missing" ? "" : "warn";
  return {
    title: owners.dnsTitle(domain),
    isTransient: true,
    json: `/api/registry/sites/${domain}/dns`,
    body: html`<h1>${owners.dnsTitle(domain)}</h1><p class="said ${tone}"><b>${owners.dnsStates[state]}</b> ${state !== "valid" && siteText(detail, 300)}</p>
<dl class="copy"><div><dt>${owners.recordName}</dt><dd><code>${record_name}</code></dd></div>
${records.length > 0 && html`<div><dt>${owners.recordValue}</dt><dd>${records.map((record) => html`<p><code>${siteText(record, 400)}</code></p>`)}</dd></div>`}
${keys.length > 0 && html`<div><dt>${owners.keyIds}</dt><dd>${keys.map(({ kid, key_holder }) => html`<p><code>${kid}</code>${key_holder === "registry" && ` ${owners.heldKey}`}</p>`)}</dd></div>`}
${name_servers.length > 0 && html`<div><dt>${owners.nameServers}</dt><dd>${dns_provider !== null && html`${dns_provider}: `}${siteText(name_servers.join(", "), 300)}</dd></div>`}</dl>
${dns_hint && state !== "valid" && html`<p>${dns_hint.text}${dns_hint.help_url && html` <a href="${dns_hint.help_url}" rel="noopener">${owners.live.providerHelp}</a>`}</p>`}
<p class="small soft">${owners.asked(format.minute(checked_at))}</p>
<div class="acts"><a class="button quiet" href="${ownerPath(domain, "/dns")}">${owners.lookAgain}</a><form method="post" action="${ownerPath(domain, "/check")}"><button class="quiet">${owners.check}</button></form></div>`,
  };
};

const TONES: Readonly<Record<string, string>> = { pass: "good", warn: "warn", fail: "bad", unknown: "soft" };

/** What the registry finds now, and what comes next. */
export const checkView = (
  { main }: Replies<ReturnType<typeof checkQuestions>>,
  { texts }: ViewContext,
): View => {
  const { owners } = texts;
  const { domain, state, checks } = main;
  const isSound = state === "enabled";
  const title = isSound ? owners.soundTitle(domain) : owners.notYetTitle(domain);
  return {
    title,
    isTransient: true,
    body: html`${stepsHtml(texts, 3)}<h1>${title}</h1><p class="lead">${isSound ? owners.sound : owners.notYet}</p>
<ol class="checks">${Object.entries(checks).map(([name, { state: outcome, reason, detail }]) => {
      const [mark, word] = owners.outcomes[outcome] ?? ["", outcome];
      return html`<li><span class="mark ${TONES[outcome]}" aria-hidden="true">${mark}</span><div><p><b>${owners.checkNames[name] ?? name}</b> <span class="visually-hidden">${word}</span> <code class="soft small">${reason}</code></p>${detail !== "" && html`<p class="small soft">${siteText(detail, 240)}</p>`}</div></li>`;
    })}</ol>
<div class="acts">${
      isSound
        ? html`<a class="button" href="${verdictPath(domain)}">${owners.toVerdict}</a>`
        : html`<form method="post" action="${ownerPath(domain, "/check")}"><button>${owners.check}</button></form><a href="${ownerPath(domain, "/dns")}">${owners.dnsLink}</a>`
    }</div>`,
  };
};
