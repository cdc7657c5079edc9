/** `/`: what a visitor gets, a door for each, one search box, and what the registry knows right now. */
import { stackedBar } from "../charts.ts";
import { html } from "../html.ts";
import type { PageView, Replies, ViewContext } from "../page.ts";
import { chips, searchBox, slugLabel, withQuery } from "../parts.ts";
import type { homeQuestions } from "../questions.ts";
import { servicesPicture } from "./agent-web.ts";
import { hostShares, recentVisits } from "./status.ts";

type Home = Replies<ReturnType<typeof homeQuestions>>;

const MOST_CHIPS = 12;
const MOST_VISITS = 5;

export function homeView({ main: directory, status }: Home, context: ViewContext): PageView {
  const { texts, publicUrl, now } = context;
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
    body: html`<h1>${home.title}</h1><p class="lead">${home.lead}</p>
<form action="/search" role="search">${searchBox(texts, "")}</form>
<ul class="cards">${home.doors.map(([path, title, text]) => html`<li><a href="${path}"><b>${title}</b>${text}</a></li>`)}</ul>
<p class="small soft">${home.connect}</p><pre class="whole"><code>claude mcp add --transport http bridge ${publicUrl}/mcp</code></pre>
<div class="panes"><div>
<h2>${home.now}</h2>
${status && directory && stackedBar(texts, home.now, hostShares(texts, status.crawl, directory.total))}
${status && servicesPicture(texts, status.agent_web)}
${intent.length > 0 && html`<h3>${home.tasks}</h3>${chipsBy("intent", intent)}`}
${category.length > 0 && html`<h3>${home.categories}</h3>${chipsBy("category", category)}`}
<h2>${home.how}</h2>
<ol>${home.steps.map(([what, text]) => html`<li><p><b>${what}</b> ${text}</p></li>`)}</ol>
</div><div>
${status && status.recent.length > 0 && html`<h2>${home.newest}</h2>${recentVisits(texts, status.recent.slice(0, MOST_VISITS), now)}<p><a href="/status">${home.all}</a></p>`}
</div></div>`,
  };
}
