/** `/search`: results with why each stands where it does, in words; without words, the directory. */

import { Access } from "../../../schemas/license.ts";
import type { Listing } from "../../../schemas/site.ts";
import { queryWords } from "../../../src/domain/search/text-analysis.ts";
import { type Html, type HtmlPart, html, nothing } from "../html.ts";
import type { PageView, Replies, ViewContext } from "../page.ts";
import {
  ago,
  chips,
  headlinePills,
  highlighted,
  letterMark,
  moment,
  searchBox,
  shortened,
  siteText,
  slugLabel,
  theirs,
  verdictPath,
  withQuery,
} from "../parts.ts";
import { type doableQuestions, FILTERS, type searchQuestions, type verdictQuestions } from "../questions.ts";
import type { Texts } from "../texts.ts";
import { doables } from "./search-doables.ts";

type Found = Replies<ReturnType<typeof searchQuestions>>["main"];
type Result = Extract<Found, { results: unknown }>["results"][number];
type Facets = NonNullable<Found["facets"]>;

const RINGS = [3, 4];
const NEUTRALITY_STEPS = [40, 50, 60, 70, 80];
const MOST_CHIPS = 10;
const MOST_TAGS = 5;
const MOST_TERMS = 6;
const MOST_OPTIONS = 24;
const MOST_LABEL = 40;
/** Links repeat what was asked for: with longer addresses there are none to narrow it further. */
const MOST_ADDRESS = 600;

interface Choice {
  name: (typeof FILTERS)[number];
  label: string;
  any: string;
  options: readonly (readonly [value: string | number, label: string])[];
}

type Doables = Partial<Replies<ReturnType<typeof doableQuestions>>>;
type Named = Replies<ReturnType<typeof verdictQuestions>>["main"];

export function searchView(
  { main, named, tools, services }: { main: Found; named?: Named | undefined } & Doables,
  context: ViewContext,
): PageView {
  const { texts, query } = context;
  const { search } = texts;
  const callable = { tools: tools?.tools ?? [], services: services?.services ?? [] };
  const items =
    "results" in main
      ? main.results.map((result) => item(context, result, result))
      : main.listings.map((listing) => item(context, listing, undefined));
  return {
    title: query.q === undefined ? search.browse : search.title(query.q.slice(0, 80)),
    json: jsonOf(query),
    isTransient: true,
    body: html`<h1>${query.q === undefined ? search.browse : search.button}</h1>${form(context, main.facets)}
<div class="panes" id="found"><section aria-label="${search.found(main.total, main.total_is_exact)}">${named && namedHtml(context, named)}
${besideLink(context, callable.tools.length + callable.services.length)}${items.length === 0 ? named === undefined && empty(context) : html`${summary(context, main)}<ol class="results" start="${main.offset + 1}">${items}</ol>`}
${paging(context, main.next_cursor)}</section>
<aside aria-label="${search.filters}" id="callable">${doables(context, callable.tools, callable.services)}${facetLinks(context, main.facets)}</aside></div>`,
  };
}

function item(context: ViewContext, listing: Listing, result: Result | undefined): Html {
  const { texts } = context;
  const { domain, name, description, category, tags, access, status, conduct, protocols = [] } = listing;
  const shownName =
    (result?.highlight?.name && highlighted(result.highlight.name)) || siteText(name || domain, 100);
  const about =
    (result?.highlight?.description && highlighted(result.highlight.description)) ||
    siteText(description, 280);
  const spoken = protocols.map(
    (protocol) => html`<li class="chip spoken">${texts.site.protocols[protocol]}</li>`,
  );
  const can = tags.slice(0, MOST_TAGS).map((tag) => html`<li class="chip">${slugLabel(tag)}</li>`);
  const preview = html`<button class="quiet preview" data-preview="${verdictPath(domain)}" data-close="${texts.search.close}" aria-label="${texts.search.previewOf(domain)}">${texts.search.preview}</button>`;
  return html`<li><div class="marked">${letterMark(domain)}<div><h2><a href="${verdictPath(domain)}">${shownName}</a></h2><span class="host">${domain}</span>${category !== "" && html` <span class="small soft">· ${slugLabel(category)}</span>`}</div>${preview}</div>
<p>${headlinePills(status, conduct)}</p>${theirs(domain, html`<p>${about}</p>`)}
<ul class="chips">${spoken}${can}<li class="chip soft">${texts.accessShort[access]}</li></ul>${result && whyOf(context, result)}</li>`;
}

/** Why a result stands here: one plain reason, and in a part that opens, the factors of the order. */
function whyOf({ texts, query, now }: ViewContext, result: Result): Html | undefined {
  const { explain, trust_ring, last_ok } = result;
  if (!explain) return undefined;
  const { search } = texts;
  const { match, relevance, trust, fairness, rotation } = explain;
  const verified = last_ok !== null && html`${search.lastSeen} ${ago(texts, last_ok, now)}.`;
  const reason = search.match[match] ?? search.matches(...foundIn(explain, query.q ?? ""));
  return html`<p class="small">${reason} ${verified}</p><details class="more small"><summary>${search.why}</summary><p>${search.relevance(relevance)}; ${search.factors(trust_ring, trust, fairness, rotation)}. ${texts.site.trust} ${texts.site.outOf(result.trust_score)}, ${texts.site.neutrality} ${result.conduct?.pages === 0 ? "–" : texts.site.outOf(result.neutrality_score)}.</p></details>`;
}

/** The words that were found, as they were asked for, and where. */
function foundIn({ evidence }: NonNullable<Result["explain"]>, q: string): [string[], string[]] {
  const named = evidence.filter(({ signal, terms }) => signal === "text" && (terms?.length ?? 0) > 0);
  const sure = named.filter(({ reason }) => reason !== "words_in_tags_unconfirmed");
  const shown = sure.length > 0 ? sure : named;
  const typed = new Map([...queryWords(q)].map(([word, term]) => [term, word]));
  const stems = [...new Set(shown.flatMap(({ terms }) => terms ?? []))].slice(0, MOST_TERMS);
  const words = stems.map((stem) => typed.get(stem) ?? stem);
  return [words, shown.map(({ reason }) => reason)];
}

/** Address of the same reply as JSON. */
const jsonOf = (query: ViewContext["query"]): string =>
  query.q === undefined
    ? withQuery("/api/discovery/registry", query)
    : withQuery("/api/discovery/search", { ...query, explain: "true", highlight: "true" });

/** The form: words, and in a part that opens, the filters. */
function form({ texts, query }: ViewContext, facets: Facets | undefined): Html {
  const { search } = texts;
  const isFiltered = FILTERS.some((name) => query[name] !== undefined);
  const choices = choicesOf(texts, facets, query.category);
  return html`<form action="/search" role="search" data-search>${searchBox(texts, query.q ?? "")}
<details class="filters"${isFiltered && html` open`}><summary>${search.filters}</summary><div class="fields">${choices.map(
    ({ name, label, any, options }) =>
      html`<div><label for="${name}">${label}</label><select id="${name}" name="${name}">${option("", any, query[name] ?? "")}${options.map(([value, text]) => option(value, text, query[name]))}</select></div>`,
  )}<div><label for="location">${search.place}</label><input id="location" name="location" value="${query.location ?? ""}" maxlength="128" autocomplete="off"></div></div>
${query.intent !== undefined && html`<input type="hidden" name="intent" value="${query.intent}">`}
<button class="quiet">${search.apply}</button></details></form>`;
}

function choicesOf(texts: Texts, facets: Facets | undefined, current: string | undefined): Choice[] {
  const { search } = texts;
  const counted = (facets?.category ?? []).slice(0, MOST_OPTIONS).map(({ value }) => value);
  const categories = current !== undefined && !counted.includes(current) ? [current, ...counted] : counted;
  return [
    {
      name: "category",
      label: search.category,
      any: search.anyCategory,
      options: categories.map((value) => [value, shortened(value.replaceAll("-", " "), MOST_LABEL)] as const),
    },
    {
      name: "trust_ring",
      label: search.leastRing,
      any: search.anyRing,
      options: RINGS.map((ring) => [ring, texts.ring(ring)] as const),
    },
    {
      name: "access",
      label: search.access,
      any: search.anyAccess,
      options: Access.options.map((value) => [value, texts.accessShort[value] ?? value] as const),
    },
    {
      name: "min_neutrality",
      label: search.leastNeutrality,
      any: search.anyNeutrality,
      options: NEUTRALITY_STEPS.map((least) => [least, `${least}`] as const),
    },
  ];
}

const option = (value: string | number, label: string | Html, current: string | undefined): Html =>
  html`<option value="${value}"${current === String(value) && html` selected`}>${label}</option>`;

/** Of a domain that was typed: what is known of it, or the way to have it looked at. */
function namedHtml({ texts }: ViewContext, { domain, state, conduct, reason }: Named): Html {
  const path = verdictPath(domain);
  return html`<div class="note"><h2><a href="${path}">${domain}</a></h2><p>${headlinePills(state, conduct)}</p><p>${texts.reasons[reason]}</p>${state === "unknown" && html`<form action="${path}/report" method="post"><button class="quiet">${texts.site.report}</button></form>`}</div>`;
}

/** Nothing fits, or nothing is listed at all. */
function empty({ texts, query }: ViewContext): Html {
  const { search } = texts;
  const isFiltered = FILTERS.some((name) => query[name] !== undefined);
  if (query.q === undefined && !isFiltered)
    return html`<div class="note"><h2>${search.noneYet}</h2><p>${search.noneYetHelp} <a href="/status">${texts.home.all}</a> · <a href="/owners">${texts.menu.owners}</a></p></div>`;
  const help = [
    query.q !== undefined && search.fewerWords,
    isFiltered && search.fewerFilters,
    search.onlyListed,
  ];
  const ways = html`<p>${search.otherWays} <a href="/search">${search.browse}</a> · <a href="/owners">${texts.menu.owners}</a> · <a href="/docs/quickstart-agents">${texts.menu.docs}</a></p>`;
  return html`<div class="note"><h2>${search.none}</h2><ul>${help.map((text) => text && html`<li>${text}</li>`)}</ul>${isFiltered && html`<p><a href="${withQuery("/search", { q: query.q })}">${search.clear}</a></p>`}${ways}</div>`;
}

/** On a phone, what can be called stands below the sites: a way there. */
const besideLink = ({ texts }: ViewContext, n: number): HtmlPart =>
  n > 0 && html`<p class="beside-link"><a href="#callable">${texts.search.beside(n)}</a></p>`;

/** What stands above the results. */
function summary({ texts, query }: ViewContext, main: Found): Html {
  const { search } = texts;
  const found = html`<b>${search.found(main.total, main.total_is_exact)}.</b>`;
  if (!("results" in main))
    return html`<p class="small soft" role="status">${found} ${search.browseLead} ${search.own}</p>`;
  const { cursor: _, ...kept } = query;
  const { did_you_mean: meant } = main;
  return html`<p class="small soft" role="status">${found} ${search.order} ${moment(texts, main.ranked_at)}. ${search.own}</p>${
    meant !== undefined &&
    html`<p>${search.meant} <a href="${withQuery("/search", { ...kept, q: meant })}">${meant}</a>?</p>`
  }`;
}

function paging({ texts, query }: ViewContext, next: string | null): Html | undefined {
  if (next === null && query.cursor === undefined) return undefined;
  const { cursor, ...first } = query;
  return html`<nav class="pages" aria-label="${texts.search.next}">${next !== null && html`<a class="button quiet" href="${withQuery("/search", { ...query, cursor: next })}">${texts.search.next}</a>`}${cursor !== undefined && html`<a class="button quiet" href="${withQuery("/search", first)}">${texts.search.first}</a>`}</nav>`;
}

/** Facets as links, so that a filter is one step. */
function facetLinks({ texts, query }: ViewContext, facets: Facets | undefined): Html {
  const { cursor: _, ...kept } = query;
  if (withQuery("", kept).length > MOST_ADDRESS) return nothing;
  return html`${(["category", "intent"] as const).map((field) => {
    const values = (facets?.[field] ?? []).slice(0, MOST_CHIPS);
    if (values.length < (query[field] === undefined ? 2 : 1)) return undefined;
    return html`<h2>${texts.search.facets[field]}</h2>${chips(
      texts,
      values.map(({ value, count }) => ({
        label: slugLabel(value),
        count,
        href: withQuery("/search", { ...kept, [field]: query[field] === value ? undefined : value }),
        isCurrent: query[field] === value,
      })),
    )}`;
  })}`;
}
