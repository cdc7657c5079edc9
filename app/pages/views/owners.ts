/** `/owners/{domain}`: from a document to a listing. What to publish, and what the registry says of it. */
import { type Html, html } from "../html.ts";
import type { PageView, Replies, ViewContext } from "../page.ts";
import { OUTCOME_TONES, signHtml, siteText, verdictPath, withQuery } from "../parts.ts";
import type { checkQuestions, composeQuestions, dnsQuestions, renewQuestions } from "../questions.ts";
import type { Texts } from "../texts.ts";
import { domainShown, ownerPath, stepsHtml } from "./owner-draft.ts";

const DAYS = 365;

interface Signing {
  domain: string;
  endpoint: string;
  document: object;
  recordName: string;
  documentUrl: string;
  invariants: string | undefined;
}

type Checked = Replies<ReturnType<typeof checkQuestions>>["main"];

export function publishView(
  { main, invariants }: Replies<ReturnType<typeof composeQuestions>>,
  { texts }: ViewContext,
): PageView {
  const { owners } = texts;
  const { domain, endpoint, document, record_name, document_url } = main;
  return {
    title: owners.publishTitle(domainShown(domain)),
    isTransient: true,
    body: html`${stepsHtml(texts, 1)}<h1>${owners.publishTitle(domainShown(domain))}</h1><p class="lead">${owners.publishLead}</p>
${signingHtml(texts, { domain, endpoint, document, recordName: record_name, documentUrl: document_url, invariants: invariants?.sha256 }, false)}`,
  };
}

/** The key, the record, the signed file: all in the browser. */
function signingHtml(texts: Texts, signing: Signing, isRenewal: boolean): Html {
  const { owners } = texts;
  const { domain, endpoint, invariants } = signing;
  const hasKey = html`<div class="field"><label for="file">${isRenewal ? owners.keyFile : owners.haveKey}</label><input id="file" type="file" data-part="file" accept=".pem"></div>`;
  return html`<noscript><div class="note"><h2>${owners.noScriptTitle}</h2><p>${owners.noScript}</p><pre><code>bridge keygen ${domain} --out ${domain}.pem
bridge sign document.json --key ${domain}.pem > bridge.json</code></pre><p><a href="${ownerPath(domain, "/dns")}">${owners.dnsLink}</a></p></div></noscript>
<div id="owner" hidden data-domain="${domain}" data-endpoint="${endpoint}" data-days="${DAYS}"${invariants && html` data-invariants="${invariants}"`}>
<span hidden data-part="texts">${JSON.stringify(owners.live)}</span>
<section><h2>${owners.key}</h2><p>${isRenewal ? owners.renewKeyLead : owners.keyLead}</p>
${isRenewal ? hasKey : html`<p><button type="button" data-part="make">${owners.make}</button></p><details class="more"><summary>${owners.haveKeyTitle}</summary>${hasKey}</details>`}
<p data-part="key" class="said" role="status" hidden></p><p><a data-part="save" hidden>${owners.saveAgain}</a></p></section>
${recordHtml(texts, signing)}${publishHtml(texts, signing)}</div>${documentHtml(texts, signing)}`;
}

function recordHtml(texts: Texts, { domain, recordName }: Signing): Html {
  const { owners } = texts;
  return html`<section data-part="record" hidden><h2>${owners.record}</h2><p>${owners.recordLead}</p>
<div data-part="connect" hidden><p class="said good" data-part="connect-lead"></p><p><a class="button" data-part="connect-go" target="_blank" rel="noopener noreferrer"></a></p><p class="hint" data-part="connect-to"></p></div>
<p data-part="provider" class="said" hidden></p>
<dl class="copy"><div><dt>${owners.recordType}</dt><dd><code>TXT</code></dd></div>
<div><dt>${owners.recordName}</dt><dd><code data-part="name">${recordName}</code> ${copyButton(texts, "name")}<p class="hint">${owners.recordShort(recordName, domain)}</p></dd></div>
<div><dt>${owners.recordValue}</dt><dd><code data-part="value"></code> ${copyButton(texts, "value")}</dd></div>
<div><dt>${owners.recordTtl}</dt><dd><code>300</code></dd></div></dl>
<div class="acts"><p data-part="dns" class="said" role="status">${owners.live.looking}</p><button type="button" class="quiet" data-part="again">${owners.lookAgain}</button></div></section>`;
}

const copyButton = ({ owners }: Texts, part: string): Html =>
  html`<button type="button" class="quiet" data-copy="${part}">${owners.copy}</button>`;

function publishHtml(texts: Texts, { domain, documentUrl }: Signing): Html {
  const { owners } = texts;
  return html`<section data-part="publish" hidden><h2>${owners.file}</h2><p>${owners.fileLead}</p>
<p><a class="button" data-part="signed" hidden>${owners.download}</a></p><p data-part="valid" class="said" hidden></p>
<p>${owners.place} <code>${documentUrl}</code></p><p class="hint">${owners.placeHint}</p>
<p><a href="/docs/serving" target="_blank">${owners.kitsLink}</a></p></section>
<section data-part="rest" hidden><h2>${owners.verdict}</h2><p>${owners.verdictLead}</p>
<form method="post" action="${ownerPath(domain, "/check")}"><p><button>${owners.check}</button></p></form></section>`;
}

const documentHtml = (texts: Texts, { document }: Signing): Html =>
  html`<details class="more"><summary>${texts.owners.document}</summary><label for="document">${texts.owners.documentHint}</label><textarea id="document" data-part="document" rows="16" spellcheck="false">${JSON.stringify(document, undefined, 2)}</textarea></details>`;

/** `/owners/{domain}/renew`: the document as the last visit read it, to be signed again. */
export function renewView(
  { main, invariants }: Replies<ReturnType<typeof renewQuestions>>,
  { texts }: ViewContext,
): PageView {
  const { owners } = texts;
  const { domain, manifest } = main;
  const title = owners.renewTitle(domainShown(domain));
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
}

/** `/owners/{domain}/dns`: what DNS says, for a browser without script. */
export function dnsView(
  { main }: Replies<ReturnType<typeof dnsQuestions>>,
  { texts }: ViewContext,
): PageView {
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
    title: owners.dnsTitle(domainShown(domain)),
    isTransient: true,
    json: `/api/registry/sites/${domain}/dns`,
    body: html`<h1>${owners.dnsTitle(domainShown(domain))}</h1><p class="said ${tone}"><b>${owners.dnsStates[state]}</b> ${state !== "valid" && siteText(detail, 300)}</p>
<dl class="copy"><div><dt>${owners.recordName}</dt><dd><code>${record_name}</code></dd></div>
${records.length > 0 && html`<div><dt>${owners.recordValue}</dt><dd>${records.map((record) => html`<p><code>${siteText(record, 400)}</code></p>`)}</dd></div>`}
${keys.length > 0 && html`<div><dt>${owners.keyIds}</dt><dd>${keys.map(({ kid }) => html`<p><code>${kid}</code></p>`)}</dd></div>`}
${name_servers.length > 0 && html`<div><dt>${owners.nameServers}</dt><dd>${dns_provider !== null && html`${dns_provider}: `}${siteText(name_servers.join(", "), 300)}</dd></div>`}</dl>
${dns_hint && state !== "valid" && html`<p>${dns_hint.text}${dns_hint.help_url && html` <a href="${dns_hint.help_url}" rel="noopener">${owners.live.providerHelp}</a>`}</p>`}
<p class="small soft">${owners.asked(format.minute(checked_at))}</p>
<div class="acts"><a class="button quiet" href="${ownerPath(domain, "/dns")}">${owners.lookAgain}</a><form method="post" action="${ownerPath(domain, "/check")}"><button class="quiet">${owners.check}</button></form></div>`,
  };
}

/** What the registry finds, when it found it, and what comes next. The heading follows the checks. */
export function checkView(
  { main, about }: Replies<ReturnType<typeof checkQuestions>>,
  { texts }: ViewContext,
): PageView {
  const { owners } = texts;
  const { domain, checks, checked_at } = main;
  const outcome = outcomeOf(main);
  const [titleOf, lead] = owners.found[outcome];
  const title = titleOf(domainShown(domain));
  return {
    title,
    isTransient: true,
    body: html`${stepsHtml(texts, 3)}<h1>${title}</h1><p class="lead">${lead}</p>
<p class="small soft">${owners.asOf} <time datetime="${checked_at}">${texts.format.second(checked_at)}</time>. ${owners.looksAgain}</p>
<ol class="checks">${Object.entries(checks).map((check) => checkHtml(texts, check))}</ol>
<div class="acts">${
      outcome === "sound"
        ? html`<a class="button" href="${verdictPath(domain)}">${owners.toVerdict}</a>`
        : html`<form method="post" action="${ownerPath(domain, "/check")}"><button>${owners.check}</button></form><a href="${ownerPath(domain, "/dns")}">${owners.dnsLink}</a>`
    }</div>${
      outcome === "sound" &&
      about?.sends_mail &&
      html`<p class="small">${owners.remind} <a href="${withQuery("/account/sites", { domain })}">${owners.remindLink}</a></p>`
    }`,
  };
}

/** What is wrong outweighs what the registry lists still: the next visit goes by what is there now. */
function outcomeOf({ state, checks }: Checked): "sound" | "broken" | "notYet" {
  const { txt, manifest, signature } = checks;
  const holds = [txt, manifest, signature].every(({ state: outcome }) => outcome === "pass");
  if (state !== "enabled") return "notYet";
  return holds && checks.agent_ready.state !== "fail" ? "sound" : "broken";
}

function checkHtml({ owners }: Texts, [name, check]: [string, Checked["checks"]["txt"]]): Html {
  const { state: outcome, reason, detail } = check;
  const word = owners.outcomes[outcome] ?? outcome;
  return html`<li>${signHtml(OUTCOME_TONES[outcome] ?? "soft")}<div><p><b>${owners.checkNames[name] ?? name}</b> <span class="visually-hidden">${word}</span> <code class="soft small">${reason}</code></p>${detail !== "" && html`<p class="small${outcome !== "fail" && " soft"}">${siteText(detail, 240)}</p>`}</div></li>`;
}
