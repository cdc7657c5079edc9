/** `/about`: the rules that the registry goes by, and whom to reach. */
import { BOT_AUTH_DIRECTORY_PATH } from "../../../src/domain/trust/bot-auth.ts";
import { type Html, html } from "../html.ts";
import type { PageView, Replies, ViewContext } from "../page.ts";
import type { aboutQuestions } from "../questions.ts";
import type { Texts } from "../texts.ts";

type About = Replies<ReturnType<typeof aboutQuestions>>["main"];

export function aboutView({ main: about }: { main: About }, { texts, publicUrl }: ViewContext): PageView {
  const { about: words } = texts;
  return {
    title: words.title,
    description: words.lead,
    json: "/api/registry/about",
    canonical: "/about",
    body: html`<h1>${words.title}</h1><p class="lead">${words.lead}</p>
${rankingHtml(texts, about)}<h2 id="scores">${words.scores}</h2>${pointsHtml(texts, words.trustScore, about.trust)}<p></p>${pointsHtml(texts, words.neutralityScore, about.neutrality)}
${crawlerHtml(texts, about, publicUrl)}<h2 id="takedown">${words.takedown}</h2><ul>${words.takedownText.map((text) => html`<li><p>${text}</p></li>`)}</ul>
${contactsHtml(texts, about)}<h2 id="privacy">${words.data}</h2><p>${words.dataText}</p>`,
  };
}

const rankingHtml = ({ about: words }: Texts, { ranking }: About): Html =>
  html`<h2 id="ranking">${words.ranking}</h2><p>${words.rankingText}</p>
<table><thead><tr><th scope="col">${words.factor}</th><th scope="col" class="num">${words.range}</th></tr></thead><tbody>${Object.entries(
    ranking,
  ).map(
    ([name, { least, most }]) =>
      html`<tr><td>${words.factors[name] ?? name}</td><td class="num">${words.rangeOf(least, most)}</td></tr>`,
  )}</tbody></table>`;

const pointsHtml = (texts: Texts, title: string, parts: About["trust"]): Html =>
  html`<table><caption class="visually-hidden">${title}</caption><thead><tr><th scope="col">${title}</th><th scope="col" class="num">${texts.about.upTo}</th></tr></thead><tbody>${parts.map(
    ({ name, points }) =>
      html`<tr><td>${texts.site.partName(name)}</td><td class="num">${texts.format.number(points)}</td></tr>`,
  )}</tbody></table>`;

const crawlerHtml = ({ about: words, format }: Texts, { crawler }: About, publicUrl: string): Html =>
  html`<h2 id="crawler">${words.crawler}</h2><p>${words.crawlerText(format.seconds(crawler.host_delay_ms), crawler.pages_per_visit)}</p>
<p class="small soft">${words.userAgent}</p><pre><code>${crawler.user_agent}</code></pre>
<p class="small soft">${publicUrl.startsWith("https:") ? words.signed(new URL(BOT_AUTH_DIRECTORY_PATH, publicUrl).href) : words.unsigned}</p>
<p class="small soft">${words.robots}</p><pre><code>User-agent: ${crawler.robots_token}
Disallow: /</code></pre>`;

/** Whom to write to. */
export const contactsHtml = ({ about: words }: Texts, { contacts }: About): Html =>
  html`<h2 id="contact">${words.contact}</h2>${
    contacts.length === 0
      ? html`<p class="soft">${words.noContact}</p>`
      : html`<ul>${contacts.map((contact) => html`<li><a href="${contact}">${contact.replace(/^mailto:/, "")}</a></li>`)}</ul>`
  }`;
