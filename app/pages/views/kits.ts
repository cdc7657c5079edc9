/** `/owners/{domain}/kits`: what an owner copies so that his own server serves the signed file. */
import type { ServingKit } from "../../../schemas/kit.ts";
import { type Html, html } from "../html.ts";
import type { Replies, View, ViewContext } from "../page.ts";
import type { kitsQuestions } from "../questions.ts";
import type { Texts } from "../texts.ts";

type KitFile = ServingKit["files"][number];

/** A file as an address: saved without script, and without another request. */
const saved = ({ media_type, encoding, content }: KitFile): string =>
  `data:${media_type};base64,${encoding === "base64" ? content : Buffer.from(content).toString("base64")}`;

const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

const fileHtml = ({ kits }: Texts, file: KitFile, isOpen: boolean): Html => {
  const link = html`<a href="${saved(file)}" download="${nameOf(file.path)}">${kits.save}</a>`;
  if (file.encoding === "base64")
    return html`<p><a class="button" href="${saved(file)}" download="${nameOf(file.path)}">${kits.download(file.path)}</a></p>`;
  const text = html`<pre tabindex="0" aria-label="${file.path}"><code>${file.content}</code></pre>`;
  return isOpen
    ? html`<h3><code>${file.path}</code> <span class="small">${link}</span></h3>${text}`
    : html`<details class="more"><summary>${kits.read(file.path)}</summary>${text}</details>`;
};

const kitHtml = (texts: Texts, { kit, title, files, steps }: ServingKit): Html => {
  const isPacked = files.some(({ encoding }) => encoding === "base64");
  return html`<details class="more kit" name="kit" id="${kit}"><summary><h2>${title}</h2></summary>
<ol>${steps.map((step) => html`<li><p>${step}</p></li>`)}</ol>
${files.map((file) => fileHtml(texts, file, !isPacked))}</details>`;
};

export const kitsView = (
  { main }: Replies<ReturnType<typeof kitsQuestions>>,
  { texts }: ViewContext,
): View => {
  const { kits: words } = texts;
  const { domain, document_url, kits } = main;
  return {
    title: words.title(domain),
    isTransient: true,
    json: `/api/registry/sites/${domain}/kits`,
    body: html`<h1>${words.title(domain)}</h1><p class="lead">${words.lead}</p>
<p>${words.answersAt} <code>${document_url}</code></p>
<div class="kits">${kits.map((kit) => kitHtml(texts, kit))}</div>
<p>${words.elsewhere}</p>
<p class="small soft">${words.terminal(domain)}</p>`,
  };
};
