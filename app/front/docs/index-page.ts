/** `/docs`: where to begin, the guides, every operation by its service, and the error codes. */
import { ERROR_CODES, errorTitle, httpStatusOf } from "../../../src/rpc/errors.ts";
import { type Html, html } from "../../pages/html.ts";
import type { PageView } from "../../pages/page.ts";
import { askBox } from "../../pages/parts.ts";
import type { Texts } from "../../pages/texts.ts";
import type { Catalog, DocumentedOperation } from "./catalog.ts";
import { proseHtml } from "./prose.ts";
import { MOST_QUERY, searchDocs } from "./search.ts";

/** @param q words that are searched for; without them there is everything */
export function indexView(catalog: Catalog, texts: Texts, q: string | undefined): PageView {
  const { docs } = texts;
  const isQuickstart = ({ name }: { name: string }): boolean => name in docs.quickstarts;
  const quickstarts = catalog.guides.filter(isQuickstart);
  const guides = catalog.guides.filter((guide) => !isQuickstart(guide));
  const whole = html`<h2>${docs.start}</h2><ul class="cards">${quickstarts.map(({ name }) => {
    const [role, what] = docs.quickstarts[name]!;
    return html`<li><a href="/docs/${name}"><b>${role}</b>${what}</a></li>`;
  })}</ul>
<h2>${docs.guides}</h2><ul class="chips">${guides.map(({ name, title }) => html`<li><a href="/docs/${name}">${proseHtml(title)}</a></li>`)}</ul>
<section id="reference"><h2>${docs.reference}</h2><p class="soft">${docs.referenceLead} <a href="/openapi.json">${docs.openapi}</a>. <a href="/docs/reference">${docs.conventions}</a>.</p>
${catalog.services.map(({ name, description }) => serviceHtml(catalog, name, description))}</section>${errorsHtml(texts)}`;
  return {
    title: docs.title,
    description: docs.lead,
    canonical: "/docs",
    isTransient: q !== undefined,
    body: html`<div class="doc"><h1>${docs.title}</h1><p class="lead">${docs.lead}</p>${searchForm(texts, q ?? "")}<div id="found" aria-live="polite">${q === undefined ? whole : foundHtml(catalog, texts, q)}</div></div>`,
  };
}

function serviceHtml(catalog: Catalog, name: string, description: string): Html {
  const operations = catalog.operations.filter(({ service }) => service === name);
  return html`<details class="service" id="${name}"><summary>${name} <span class="soft">${operations.length}. ${description}</span></summary><ul class="ops">${operations.map((each) => operationLink(each, false))}</ul></details>`;
}

/** In the list of all by its summary alone, for the page's size; what was found has its path too. */
const operationLink = ({ id, spec }: DocumentedOperation, showsPath: boolean): Html =>
  html`<li><a href="/docs/reference/${id}">${spec.summary}${showsPath && html`<code>${spec.method} ${spec.paths[0]}</code>`}</a></li>`;

const errorsHtml = ({ docs }: Texts): Html =>
  html`<section id="errors"><h2>${docs.errors}</h2><p class="soft">${docs.errorsLead}</p><details class="more"><summary>${docs.errorCount(ERROR_CODES.length)}</summary><div class="scroll" tabindex="0" role="region" aria-label="${docs.errors}"><table><thead><tr>${docs.errorHeads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead><tbody>${ERROR_CODES.map(
    (error) =>
      html`<tr id="error-${error}"><td><code>${error}</code></td><td>${httpStatusOf(error)}</td><td>${errorTitle(error)}</td></tr>`,
  )}</tbody></table></div></details></section>`;

const searchForm = ({ docs }: Texts, q: string): Html =>
  html`<form action="/docs" role="search" data-search>${askBox({
    name: "q",
    label: docs.search,
    placeholder: docs.placeholder,
    button: docs.button,
    value: q,
    most: MOST_QUERY,
    type: "search",
  })}</form>`;

function foundHtml(catalog: Catalog, { docs }: Texts, q: string): Html {
  const { operations, sections } = searchDocs(catalog, q);
  const total = operations.length + sections.length;
  return html`<h2>${docs.found(total, q)}</h2>${total === 0 && html`<p class="soft">${docs.nothing}</p>`}
<ul class="ops">${sections.map(({ guide, heading, href }) => html`<li><a href="${href}">${heading}<code>${guide.title}</code></a></li>`)}${operations.map((each) => operationLink(each, true))}</ul>`;
}
