/** Tools and services beside the sites of a search: what agents can call. Their words are their owners'. */
import { type Html, html, nothing } from "../html.ts";
import type { Replies, ViewContext } from "../page.ts";
import { ago, siteText, theirs, verdictPath } from "../parts.ts";
import type { doableQuestions } from "../questions.ts";

type Asked = Replies<ReturnType<typeof doableQuestions>>;
type ToolHit = NonNullable<Asked["tools"]>["tools"][number];
type ServiceHit = NonNullable<Asked["services"]>["services"][number];

const MAX_NAME = 80;
const MAX_WORDS = 200;
const MAX_CALL = 300;

export function doables(context: ViewContext, tools: ToolHit[], services: ServiceHit[]): Html {
  const { search } = context.texts;
  const toolItems = tools.map((hit) => item(context, hit, hit.tool));
  const serviceItems = services.map((hit) => item(context, hit, hit.service));
  return html`${listOf(search.tools, toolItems)}${listOf(search.services, serviceItems)}`;
}

const listOf = (title: string, items: readonly Html[]): Html =>
  items.length === 0 ? nothing : html`<section><h2>${title}</h2><ul class="results">${items}</ul></section>`;

function item(
  context: ViewContext,
  { service, how_to_call }: Omit<ServiceHit, "why">,
  { name, description, screened }: Pick<ToolHit["tool"], "name" | "description" | "screened">,
): Html {
  const { search, site } = context.texts;
  const { host, level, protocol, seen_at } = service;
  const words =
    screened === "withheld"
      ? html`<p>${search.withheld}</p>`
      : html`${screened === "warned" && html`<p>${search.warned}</p>`}${theirs(host, html`<p>${siteText(description, MAX_WORDS)}</p><p class="small">${siteText(how_to_call, MAX_CALL)}</p>`)}`;
  return html`<li><h3><a href="${verdictPath(host)}">${siteText(name || host, MAX_NAME)}</a></h3><span class="host">${host}</span> <span class="small soft">· ${site.protocols[protocol]} · ${site.levels[level]} · ${search.seen} ${ago(context.texts, seen_at, context.now)}</span>${words}</li>`;
}
