/** /docs: the contracts as one HTML page, without scripts or external resources. */

import type { z } from "zod";
import { VERSIONS } from "../../schemas/common.ts";
import { escapeHtml } from "../../src/domain/protocols/html.ts";
import {
  type Credential,
  credentialsOf,
  type OperationSpec,
  operationIdOf,
  type Service,
} from "../../src/rpc/contract.ts";
import { ERROR_CODES, statusOf, titleOf } from "../../src/rpc/errors.ts";
import { membersOf } from "../../src/rpc/json-schema.ts";
import { siteHeader } from "../pages/layout.ts";
import { FRAME_STYLE } from "../pages/style.ts";
import { DEFAULT_TEXTS } from "../pages/texts.ts";
import { ACTION_CODES } from "./action-codes.ts";
import { curlOf, variablesOf } from "./example-variables.ts";
import { AGENT_MESSAGES, CLOSE, WEBSOCKET_LIMITS } from "./websocket-messages.ts";

const code = (text: string): string => `<code>${escapeHtml(text)}</code>`;

/** The page's style sheet, which its policy allows by digest: the frame of all pages, and what the reference needs. */
export const DOCS_STYLE = `${FRAME_STYLE}
* { box-sizing: border-box } html { scroll-padding-top: 1rem }
body { margin: 0; font: 16px/1.55 system-ui, sans-serif; color: var(--ink); background: var(--paper) }
.title { max-width: 72rem; margin: 0 auto; padding: 32px 24px 0 } .title p { max-width: 68ch; margin: 8px 0 0 }
.page { max-width: 72rem; margin: 0 auto; padding: 24px 24px 80px; display: grid; gap: 40px; grid-template-columns: 13rem minmax(0, 1fr) }
.toc { position: sticky; top: 24px; align-self: start; font-size: .875rem; max-height: calc(100vh - 48px); overflow: auto } .toc ul { list-style: none; margin: 4px 0 16px; padding: 0 } .toc a { display: block; padding: 2px 0; color: var(--soft); text-decoration: none } .toc a:hover { color: var(--accent) }
h1 { margin: 0; font-size: clamp(1.75rem, 1.4rem + 1.8vw, 2.5rem); line-height: 1.15; letter-spacing: -.025em } h2 { margin: 3rem 0 .25rem; font-size: 1.35rem } .lead, .soft { color: var(--soft) }
article { border: 1px solid var(--line); border-radius: 8px; padding: 16px 20px; margin: 1rem 0 } article h3 { margin: 0 0 .35rem; font-size: 1.05rem } article p { margin: .4rem 0 }
.method { display: inline-block; min-width: 3rem; font-weight: 700; font-size: .8rem; color: var(--accent) } code, pre { font: .85em/1.5 ui-monospace, monospace } code { background: var(--wash); border-radius: .25rem; padding: .1em .3em; overflow-wrap: anywhere }
pre { background: var(--wash); border-radius: 8px; padding: .7rem .9rem; white-space: pre-wrap; overflow-wrap: anywhere } pre code { padding: 0; background: none }
table { border-collapse: collapse; width: 100%; font-size: .9rem; margin: .5rem 0 } th { text-align: left; font-weight: 600; color: var(--soft) } td, th { padding: .3rem .75rem .3rem 0; border-bottom: 1px solid var(--line); vertical-align: top } td:first-child code { white-space: nowrap }
a { color: var(--accent) } @media (max-width: 50rem) { .title { padding: 24px 16px 0 } .page { grid-template-columns: minmax(0, 1fr); gap: 16px; padding: 16px } .toc { position: static; max-height: 15rem; border: 1px solid var(--line); border-radius: 8px; padding: 8px 16px } article { overflow-x: auto } td:first-child code { white-space: normal } }
`;

interface Member {
  type?: string | string[];
  enum?: unknown[];
  items?: Member;
  anyOf?: Member[];
  $ref?: string;
  description?: string;
  default?: unknown;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  maxItems?: number;
}

const typeOf = (member: Member): string => {
  if (member.$ref) return member.$ref.split("/").at(-1)!;
  if (member.enum) return member.enum.map(String).join(" | ");
  if (member.anyOf) return member.anyOf.map(typeOf).join(" | ");
  if (member.type === "array") return `${typeOf(member.items ?? {})}[]`;
  return [member.type ?? "any"].flat().join(" | ");
};

const boundsOf = ({ default: fallback, minimum, maximum, maxLength, maxItems }: Member): string =>
  [
    fallback === undefined ? "" : `default ${JSON.stringify(fallback)}`,
    minimum === undefined || maximum === undefined ? "" : `${minimum} to ${maximum}`,
    maxLength === undefined ? "" : `at most ${maxLength} characters`,
    maxItems === undefined ? "" : `at most ${maxItems}`,
  ]
    .filter(Boolean)
    .join(", ");

const table = (title: string, schema: z.ZodType | undefined, io: "input" | "output"): string => {
  if (!schema) return "";
  const { properties, required: needed } = membersOf<Member>(schema, io);
  const rows = Object.entries(properties).map(([name, member]) => {
    const required = io === "input" && needed.includes(name) ? " <b>required</b>" : "";
    const about = [member.description, boundsOf(member)].filter(Boolean).join("; ");
    return `<tr><td>${code(name)}${required}</td><td>${escapeHtml(typeOf(member))}</td><td>${escapeHtml(about)}</td></tr>`;
  });
  return rows.length === 0
    ? ""
    : `<table><thead><tr><th>${title}</th><th>Type</th><th>About</th></tr></thead><tbody>${rows.join("")}</tbody></table>`;
};

const KINDS: Record<Credential, string> = {
  account: "an account's token",
  agent: "an agent's token",
  session: "a session's token",
  project: "a project's key",
  operator: "an operator's token",
  key: "an API key",
};

/** Every variable of the commands, defined once. */
const variablesSection = (services: readonly Service[]): string => {
  const rows = variablesOf(services).map(
    ([name, meaning]) => `<tr><td>${code(`$${name}`)}</td><td>${prose(meaning)}</td></tr>`,
  );
  return `<section id="variables"><h2>variables</h2><p class="soft">Every command below runs as it stands, with these shell variables set.</p>
<table><thead><tr><th>Variable</th><th>What it is</th></tr></thead><tbody>${rows.join("")}</tbody></table></section>`;
};

const credentialLine = (operation: OperationSpec): string => {
  const { auth, authOptional, plan } = operation;
  if (auth === "none") return "";
  const least = plan && plan !== "FREE" ? ` of the ${plan} plan` : "";
  const kinds = credentialsOf(operation).map((kind) => KINDS[kind]);
  return `<p class="soft">${authOptional ? "May be sent with" : "Needs"} ${kinds.join(" or ")}${least}.</p>`;
};

const article = (service: string, name: string, operation: OperationSpec): string => `
<article id="${service}-${name}">
  <h3>${operation.paths.map((path) => `<span class="method">${operation.method}</span> ${code(path)}`).join("<br>")}</h3>
  <p><b>${escapeHtml(operation.summary)}.</b> ${escapeHtml(operation.description ?? "")} <span class="soft">In OpenAPI ${code(operationIdOf(name, operation))}.</span></p>
  ${credentialLine(operation)}
  ${table("Path", operation.params, "input")}${table("Query", operation.query, "input")}${table("Body", operation.body, "input")}
  <pre><code>${escapeHtml(curlOf(operation))}</code></pre>
  ${table(`${operation.status ?? 200} reply`, (operation.contentType ?? "application/json") === "application/json" ? operation.reply : undefined, "output")}
  ${operation.errors.length > 0 ? `<p class="soft">Also fails with ${operation.errors.map((error) => `<a href="#error-${error}">${code(error)}</a>`).join(", ")}.</p>` : ""}
</article>`;

const row = (...cells: string[]): string => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`;

/** Text with `code` in it. */
const prose = (text: string): string => escapeHtml(text).replace(/`([^`]+)`/g, "<code>$1</code>");

const websocketSection = (): string => {
  const { messageBytes, authTimeoutMs, messagesAMinute, inFlight, silenceMs } = WEBSOCKET_LIMITS;
  const messages = AGENT_MESSAGES.map(({ send, answer }) =>
    row(code(send), answer.startsWith("{") ? code(answer) : prose(answer)),
  );
  const closes = Object.entries(CLOSE).map(([name, number]) => row(code(String(number)), escapeHtml(name)));
  return `<section id="websocket"><h2>websocket</h2><p class="soft">${code("/ws")} takes JSON texts with a ${code("type")} and answers with the message's ${code("id")}. The first message is ${code("auth")} with a session's token, within ${authTimeoutMs / 1_000} s. At most ${messageBytes / 1_024} KiB a message, ${messagesAMinute} messages a minute, ${inFlight} unanswered at once; a silent connection ends after ${silenceMs / 1_000} s.</p>
<table><thead><tr><th>You send</th><th>You get</th></tr></thead><tbody>${messages.join("")}</tbody></table>
<table><thead><tr><th>Close code</th><th>Meaning</th></tr></thead><tbody>${closes.join("")}</tbody></table></section>`;
};

const actionCodesSection = (): string => {
  const codes = Object.entries(ACTION_CODES).map(
    ([name, meaning]) => `<tr id="action-${name}"><td>${code(name)}</td><td>${prose(meaning)}</td></tr>`,
  );
  return `<section id="action-codes"><h2>action codes</h2><p class="soft">What could not be done is 200 with ${code("success")} false and one of these in ${code("result.error.code")}.</p>
<table><thead><tr><th>Code</th><th>Meaning</th></tr></thead><tbody>${codes.join("")}</tbody></table></section>`;
};

/** The whole page. @param isPublic whether the listener has the pages for people that the header names */
export const docsPage = (services: readonly Service[], isPublic = false): string => {
  const menu = services.map(
    ({ name, operations }) =>
      `<b>${name}</b><ul>${Object.keys(operations)
        .map((operation) => `<li><a href="#${name}-${operation}">${operation}</a></li>`)
        .join("")}</ul>`,
  );
  const sections = services.map(
    ({ name, description, operations }) =>
      `<section><h2>${name}</h2><p class="soft">${escapeHtml(description)}</p>${Object.entries(operations)
        .map(([key, operation]) => article(name, key, operation))
        .join("")}</section>`,
  );
  const errors = ERROR_CODES.map(
    (error) =>
      `<tr id="error-${error}"><td>${code(error)}</td><td>${statusOf(error)}</td><td>${escapeHtml(titleOf(error))}</td></tr>`,
  );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>API · Agent-Web Bridge</title>${isPublic ? '<link rel="icon" href="/favicon.svg" type="image/svg+xml">' : ""}<style>${DOCS_STYLE}</style></head>
<body>${isPublic ? siteHeader(DEFAULT_TEXTS, "docs") : ""}<div class="title"><h1>API reference</h1>
<p class="lead">A registry of agent-ready websites that keeps itself true. Version ${VERSIONS.bridge}; the same as an <a href="/openapi.json">OpenAPI 3.1 document</a>.</p></div>
<div class="page"><nav class="toc" aria-label="Operations" tabindex="0">${menu.join("")}<b>more</b><ul><li><a href="#variables">variables</a></li><li><a href="#websocket">websocket</a></li><li><a href="#action-codes">action codes</a></li><li><a href="#errors">error codes</a></li></ul></nav>
<main id="content" tabindex="-1">
${variablesSection(services)}
${sections.join("")}
${websocketSection()}
${actionCodesSection()}
<section id="errors"><h2>errors</h2><p class="soft">Every failure is an RFC 9457 problem document (<code>application/problem+json</code>) with a stable <code>code</code>.</p>
<table><thead><tr><th>Code</th><th>Status</th><th>Meaning</th></tr></thead><tbody>${errors.join("")}</tbody></table></section>
</main></div></body></html>
`;
};
