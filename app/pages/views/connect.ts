/** `/owners/{domain}/connect`: whether the domain's DNS provider publishes the records, and the way to agree there. */
import { type Html, html } from "../html.ts";
import type { PageView, Replies, ViewContext } from "../page.ts";
import { siteText } from "../parts.ts";
import type { connectQuestions } from "../questions.ts";
import { ownerPath } from "./owner-draft.ts";

type Main = Replies<ReturnType<typeof connectQuestions>>["main"];

export function connectView(
  { main }: Replies<ReturnType<typeof connectQuestions>>,
  context: ViewContext,
): PageView {
  const { connect, owners } = context.texts;
  const { domain, apply_url } = main;
  return {
    title: connect.title(domain),
    isTransient: true,
    body: html`<h1>${connect.title(domain)}</h1>${wayHtml(context, main)}
<h2>${apply_url === null ? connect.byHand : connect.records}</h2>${recordsHtml(context, main)}
<div class="acts"><a class="button quiet" href="${ownerPath(domain, "/dns")}">${owners.dnsLink}</a></div>`,
  };
}

/** The way to the provider, where there is one; else why not. */
function wayHtml(
  { texts: { connect } }: ViewContext,
  { domain, apply_url, provider, reason, detail }: Main,
): Html {
  if (apply_url === null || provider === null)
    return html`<p class="said warn"><b>${connect.states[reason] ?? connect.not}</b> ${siteText(detail, 300)}</p>`;
  return html`<p class="said good">${connect.lead(provider.name)}</p><p>${connect.warning(domain)}</p><p><a class="button" href="${apply_url}" rel="noopener noreferrer">${connect.go(provider.name)}</a></p><p class="hint">${connect.leadsTo} <code>${new URL(apply_url).host}</code></p>`;
}

const recordsHtml = ({ texts: { owners } }: ViewContext, { records }: Main): Html =>
  html`${records.map(
    ({ type, host, value, ttl }) =>
      html`<dl class="copy"><div><dt>${owners.recordType}</dt><dd><code>${type}</code></dd></div><div><dt>${owners.recordName}</dt><dd><code>${host}</code></dd></div><div><dt>${owners.recordValue}</dt><dd><code>${value}</code></dd></div><div><dt>${owners.recordTtl}</dt><dd><code>${ttl}</code></dd></div></dl>`,
  )}`;
