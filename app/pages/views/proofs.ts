/** `/sites/{domain}/proofs`: the evidence that can be checked without trusting the registry. */
import { type Html, html } from "../html.ts";
import type { PageView, Replies, ViewContext } from "../page.ts";
import { pageLink, siteText, verdictPath } from "../parts.ts";
import type { proofQuestions } from "../questions.ts";
import type { Texts } from "../texts.ts";

type Proofs = Replies<ReturnType<typeof proofQuestions>>["main"];

/** Of an encoded text, enough to tell it from another. */
const MOST_CHARS = 600;

export function proofsView({ main: evidence }: { main: Proofs }, { texts }: ViewContext): PageView {
  const { domain } = evidence;
  return {
    title: texts.proofs.title(domain),
    json: `/api/registry/sites/${encodeURIComponent(domain)}/evidence`,
    isTransient: true,
    body: html`<h1>${texts.site.proofs}</h1><p class="host">${domain}</p><p class="lead">${texts.proofs.lead}</p>
${dnsHtml(texts, evidence)}${manifestHtml(texts, evidence)}${logHtml(texts, evidence)}
<p><a href="${verdictPath(domain)}">${texts.proofs.back}</a></p>`,
  };
}

const dnsHtml = ({ proofs }: Texts, { dns }: Proofs): Html =>
  html`<h2>${proofs.dns}</h2><p>${proofs.dnsReasons[dns.reason ?? "signed"]}</p>${dns.txt.map((value) => encoded(`${proofs.record} ${dns.name}`, value))}${dns.sets.length > 0 && html`<p class="small soft">${proofs.sets(dns.sets.length)}</p>`}`;

const encoded = (label: string, text: string): Html =>
  html`<p class="small soft">${label}</p><pre><code>${siteText(text, MOST_CHARS)}</code></pre>`;

const manifestHtml = ({ proofs }: Texts, { manifest }: Proofs): Html =>
  html`<h2>${proofs.manifest}</h2>${
    manifest === null
      ? html`<p class="soft">${proofs.noManifest}</p>`
      : html`${manifest.discovery_url !== null && html`<p class="small">${pageLink(manifest.discovery_url)}</p>`}${encoded(proofs.payload, manifest.payload)}${encoded(proofs.signature, manifest.signature)}`
  }`;

function logHtml(texts: Texts, { log }: Proofs): Html {
  const { proofs } = texts;
  const { registration, checkpoint } = log;
  return html`<h2>${proofs.log}</h2>${
    registration === null
      ? html`<p>${proofs.noLeaf}</p>`
      : html`<p>${proofs.leaf(registration.leaf_index)} ${proofs.proof(registration.inclusion_proof.length)}</p>`
  }<pre><code>${siteText(checkpoint, MOST_CHARS)}</code></pre>`;
}
