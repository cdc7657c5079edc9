/** `/docs/reference`: what all operations share: the variables of their commands, the websocket, and the codes of actions. */
import { type Html, html } from "../../pages/html.ts";
import type { PageView } from "../../pages/page.ts";
import type { Texts } from "../../pages/texts.ts";
import { ACTION_CODES } from "../action-codes.ts";
import { AGENT_MESSAGES, CLOSE, WEBSOCKET_LIMITS } from "../websocket-messages.ts";
import type { Catalog } from "./catalog.ts";
import { proseHtml } from "./prose.ts";

export function conventionsView(catalog: Catalog, texts: Texts): PageView {
  const { docs } = texts;
  const variables = [...catalog.variables].map(
    ([name, meaning]) => html`<tr><td><code>$${name}</code></td><td>${proseHtml(meaning)}</td></tr>`,
  );
  const codes = Object.entries(ACTION_CODES).map(
    ([name, meaning]) =>
      html`<tr id="action-${name}"><td><code>${name}</code></td><td>${proseHtml(meaning)}</td></tr>`,
  );
  return {
    title: docs.conventions,
    canonical: "/docs/reference",
    body: html`<div class="doc"><p class="crumbs"><a href="/docs">${docs.back}</a></p><h1>${docs.conventions}</h1>
<section id="variables"><h2>${docs.variables}</h2><p>${docs.variablesLead}</p>${tableHtml(docs.variables, docs.variableHeads, variables)}</section>
${catalog.services.some(({ name }) => name === "session") && websocketHtml()}
<section id="action-codes"><h2>Codes of actions</h2><p>What could not be done is 200 with <code>success</code> false and one of these in <code>result.error.code</code>.</p>${tableHtml("Codes of actions", ["Code", "Meaning"], codes)}</section></div>`,
  };
}

const tableHtml = (label: string, heads: readonly string[], rows: readonly Html[]): Html =>
  html`<div class="scroll" tabindex="0" role="region" aria-label="${label}"><table><thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead><tbody>${rows}</tbody></table></div>`;

function websocketHtml(): Html {
  const { messageBytes, authTimeoutMs, messagesAMinute, inFlight, silenceMs } = WEBSOCKET_LIMITS;
  const messages = AGENT_MESSAGES.map(
    ({ send, answer }) =>
      html`<tr><td><code>${send}</code></td><td>${answer.startsWith("{") ? html`<code>${answer}</code>` : proseHtml(answer)}</td></tr>`,
  );
  const closes = Object.entries(CLOSE).map(
    ([name, number]) => html`<tr><td><code>${number}</code></td><td>${name}</td></tr>`,
  );
  return html`<section id="websocket"><h2>Websocket</h2><p><code>/ws</code> takes JSON texts with a <code>type</code> and answers with the message's <code>id</code>. The first message is <code>auth</code> with a session's token, within ${authTimeoutMs / 1_000} s. At most ${messageBytes / 1_024} KiB a message, ${messagesAMinute} messages a minute, ${inFlight} unanswered at once; a silent connection ends after ${silenceMs / 1_000} s.</p>
${tableHtml("Messages of the websocket", ["You send", "You get"], messages)}${tableHtml("Why a websocket is closed", ["Close code", "Meaning"], closes)}</section>`;
}
