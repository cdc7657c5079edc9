/** `/`: a search box, and what the registry knows right now. */
import type { Html } from "../html.ts";
import { html } from "../html.ts";
import type { PageView, Replies, ViewContext } from "../page.ts";
import { chips, searchBox, slugLabel, withQuery } from "../parts.ts";
import type { homeQuestions } from "../questions.ts";
import { recentVisits } from "./status.ts";

type Home = Replies<ReturnType<typeof homeQuestions>>;

const MOST_CHIPS = 12;

export function homeView({ main: directory, status }: Home, { texts }: ViewContext): PageView {
  const { home } = texts;
  const { category = [], intent = [] } = directory?.facets ?? {};
  const chipsBy = (field: string, values: typeof category) =>
    chips(
      texts,
      values.slice(0, MOST_CHIPS).map(({ value, count }) => ({
        label: slugLabel(value),
        count,
        href: withQuery("/search", { [field]: value }),
      })),
    );
  return {
    title: texts.name,
    description: texts.claim,
    canonical: "/",
    body: html`<section class="hero"><h1>${home.title}</h1><p class="lead">${home.lead}</p>
<form action="/search" role="search">${searchBox(texts, "")}</form></section>
<h2 class="visually-hidden">${home.now}</h2>
<dl class="figures">${figure(texts, directory?.total, home.listed)}${figure(texts, status?.crawl.hosts, home.hosts)}${figure(texts, status?.crawl.due, home.due)}${figure(texts, status?.crawl.in_progress, home.underWay)}</dl>
<div class="two"><div>
${category.length > 0 && html`<h2>${home.categories}</h2>${chipsBy("category", category)}`}
${intent.length > 0 && html`<h2>${home.tasks}</h2>${chipsBy("intent", intent)}`}
<h2>${home.how}</h2>
<ol>${home.steps.map(([what, text]) => html`<li><p><b>${what}</b> ${text}</p></li>`)}</ol>
</div><div>
${status && status.recent.length > 0 && html`<h2>${home.newest}</h2>${recentVisits(texts, status.recent.slice(0, 6))}<p><a href="/status">${home.all}</a></p>`}
</div></div>`,
  };
}

const figure = (texts: ViewContext["texts"], value: number | undefined, name: string): Html | undefined =>
  value === undefined ? undefined : html`<div><dt>${name}</dt><dd>${texts.format.number(value)}</dd></div>`;
