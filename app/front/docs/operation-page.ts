/** `/docs/reference/{operationId}`: one operation, with programs that run, what it takes and answers, and a form that sends it. */
import type { OperationSpec } from "../../../src/rpc/contract.ts";
import { credentialsOf } from "../../../src/rpc/contract.ts";
import { type Html, html, nothing } from "../../pages/html.ts";
import type { PageView } from "../../pages/page.ts";
import { tabsHtml } from "../../pages/tabs.ts";
import type { Texts } from "../../pages/texts.ts";
import { CREDENTIALS, curlOf, shellName } from "../example-variables.ts";
import type { Catalog, DocumentedOperation } from "./catalog.ts";
import { membersHtml } from "./members.ts";
import { proseHtml } from "./prose.ts";
import { pythonOf, typescriptOf, variablesIn } from "./snippets.ts";

/** Of a recorded reply: the rest is in the OpenAPI document. */
const MOST_EXAMPLE = 6_000;

const KINDS = {
  account: "an account's token",
  agent: "an agent's token",
  session: "a session's token",
  project: "a project's key",
  operator: "an operator's key",
  key: "an API key",
} as const;

const PARTS = ["params", "query", "body"] as const;

export function operationView(catalog: Catalog, texts: Texts, operation: DocumentedOperation): PageView {
  const { docs } = texts;
  const { id, service, spec } = operation;
  const others = catalog.operations.filter((each) => each.service === service && each.id !== id);
  const snippets = [
    { language: "sh", code: curlOf(spec) },
    { language: "ts", code: typescriptOf(spec) },
    { language: "python", code: pythonOf(spec) },
  ];
  return {
    title: `${spec.summary} · ${docs.reference}`,
    description: spec.summary,
    canonical: `/docs/reference/${id}`,
    body: html`<div class="doc"><p class="crumbs"><a href="/docs">${docs.back}</a> › <a href="/docs#${service}">${service}</a></p><h1>${spec.summary}</h1>
${spec.paths.map((path) => html`<p><span class="verb">${spec.method}</span> <code>${path}</code></p>`)}
${spec.description && html`<p>${proseHtml(spec.description)}</p>`}${credentialHtml(texts, spec)}<p class="soft small">${docs.operationId} <code>${id}</code>.</p>
${tabsHtml(texts, "example", snippets)}
${variablesHtml(catalog, texts, spec)}${tryHtml(texts, spec)}${takesHtml(texts, spec)}${answersHtml(catalog, texts, operation)}
<details class="service"><summary>${docs.others} <span class="soft">${service}</span></summary><ul class="ops">${others.map((each) => html`<li><a href="/docs/reference/${each.id}">${each.spec.summary}</a></li>`)}</ul></details></div>`,
  };
}

function credentialHtml(texts: Texts, spec: OperationSpec): Html {
  const { docs } = texts;
  if (spec.auth === "none") return nothing;
  const kinds = credentialsOf(spec).map((kind) => KINDS[kind]);
  const least = spec.plan && spec.plan !== "FREE" ? ` ${docs.plan(spec.plan)}` : "";
  return html`<p class="soft">${spec.authOptional ? docs.may : docs.needs} ${kinds.join(` ${docs.or} `)}${least}.</p>`;
}

function variablesHtml(catalog: Catalog, texts: Texts, spec: OperationSpec): Html {
  const names = ["BRIDGE", ...new Set(variablesIn(spec))];
  return html`<h2>${texts.docs.variables}</h2><dl class="copy">${names.map(
    (name) =>
      html`<div><dt><code>${name}</code></dt><dd>${proseHtml(catalog.variables.get(name) ?? "")}</dd></div>`,
  )}</dl>`;
}

/** A form that the page's script sends; without script it is not shown. */
function tryHtml(texts: Texts, spec: OperationSpec): Html {
  const { docs } = texts;
  const [path = "", ...rest] = spec.example.split(" ");
  const body = rest.join(" ");
  const readable = (text: string) =>
    text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => `$${shellName(name)}`);
  const kind = spec.auth === "none" ? undefined : credentialsOf(spec)[0]!;
  return html`<section class="try" data-try data-method="${spec.method}" hidden><h2>${docs.tryTitle}</h2><p class="soft">${docs.tryLead}</p><form>
<p class="field"><label for="try-path">${docs.tryPath}</label><input id="try-path" value="${readable(path)}" maxlength="4000" autocomplete="off" spellcheck="false"></p>
${kind && html`<p class="field"><label for="try-token">${docs.tryToken} (${CREDENTIALS[kind].variable})</label><input id="try-token" type="password" autocomplete="off" maxlength="4000"></p>`}
${body !== "" && html`<p class="field"><label for="try-body">${docs.tryBody}</label><textarea id="try-body" autocomplete="off" spellcheck="false">${readable(body)}</textarea></p>`}
<p><button>${docs.trySend}</button></p></form><output role="status" data-sending="${docs.trySending}" data-failed="${docs.tryFailed}"></output></section>`;
}

function takesHtml(texts: Texts, spec: OperationSpec): Html {
  const parts = PARTS.filter((part) => spec[part]);
  if (parts.length === 0) return nothing;
  return html`<h2>${texts.docs.takes}</h2>${parts.map(
    (part) => html`<h3>${texts.docs.parts[part]}</h3>${membersHtml(texts, spec[part], "input")}`,
  )}`;
}

function answersHtml(catalog: Catalog, texts: Texts, { id, spec }: DocumentedOperation): Html {
  const { docs } = texts;
  const type = spec.contentType ?? "application/json";
  const recorded = catalog.exampleOf(id);
  const text = recorded === undefined ? "" : JSON.stringify(recorded, null, 2);
  return html`<h2>${docs.answers}</h2><p><b>${spec.status ?? 200}</b> <code>${type}</code></p>${type === "application/json" && membersHtml(texts, spec.reply, "output")}
${text !== "" && html`<details class="more"><summary>${docs.example}</summary><pre><code>${text.slice(0, MOST_EXAMPLE).toWellFormed()}${text.length > MOST_EXAMPLE && " …"}</code></pre>${text.length > MOST_EXAMPLE && html`<p class="soft small">${docs.exampleCut}</p>`}</details>`}
${spec.errors.length > 0 && html`<p class="soft">${docs.fails} ${spec.errors.map((error, i) => html`${i > 0 && ", "}<a href="/docs#error-${error}"><code>${error}</code></a>`)}.</p>`}`;
}
