/** What several pages show in the same way. */
import { hash } from "node:crypto";
import type { Severity } from "../../schemas/finding.ts";
import type { Conduct } from "../../schemas/site.ts";
import type { SiteState } from "../../schemas/verdict.ts";
import { type ConductSentence, headlineOf, type Tone } from "../../src/domain/listing/conduct.ts";
import { registrableDomain } from "../../src/domain/names/domain-name.ts";
import { type Html, type HtmlPart, html } from "./html.ts";
import type { Texts } from "./texts.ts";

const STATE_TONES: Readonly<Record<SiteState, Tone>> = {
  enabled: "good",
  partial: "warn",
  stale: "warn",
  found: "soft",
  disabled: "bad",
  unknown: "soft",
  blocked: "bad",
};

/** Tones of a check's outcome, by the verdict's words and by a domain's status. */
export const OUTCOME_TONES: Readonly<Record<string, Tone>> = { pass: "good", warn: "warn", fail: "bad" };

export const SEVERITY_TONES: Readonly<Record<Severity, Tone>> = {
  info: "soft",
  low: "soft",
  medium: "warn",
  high: "bad",
  critical: "bad",
};

/** With its color, the mark of each meaning; its shape is the style sheet's. */
const MARKS: Readonly<Record<Tone, string>> = { good: "✓", warn: "!", bad: "✕", soft: "–" };

/** Longer addresses are shown, and lead nowhere. */
const MOST_ADDRESS = 400;

/** Names of made-up sites: no resolver answers them (RFC 6761 sections 6.2 and 6.4), so that a link would end in an error. */
const MADE_UP = /\.(?:test|invalid)$/;

/** Degrees of the color wheel. */
const FIRST_HUE = 205;
const HUES = 105;

const ENTITIES: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
};

export interface AskBox {
  name: string;
  label: string;
  button: string;
  value: string;
  most: number;
  /** Default: its name. */
  id?: string;
  placeholder?: string;
  type?: "search" | "email" | "text";
  isRequired?: boolean;
  /** A domain: browsers fill it in from addresses, and correct nothing. */
  isAddress?: boolean;
  isQuiet?: boolean;
  /** Id of what says why it was refused. */
  describedBy?: string;
}

export interface Chip {
  label: HtmlPart;
  count?: number;
  href: string;
  isCurrent?: boolean;
}

export interface Glance {
  question: string;
  tone: Tone;
  word: HtmlPart;
  text: HtmlPart;
}

export interface Fold {
  title: string;
  note?: HtmlPart;
  body: HtmlPart;
  isOpen?: boolean;
}

/** Who a site is, and how it treats its visitors: the headline of every page and card of a site. */
export function headlinePills(state: SiteState, conduct: Conduct | undefined): Html {
  const headline = headlineOf(state, conduct);
  return html`<span class="pills">${pill(headline.identity)}${headline.conduct && pill(capitalized(headline.conduct))}</span>`;
}

/** A meaning and its word, in a line. */
export const pill = ({ tone, text }: ConductSentence): Html =>
  html`<span class="pill ${tone}">${signHtml(tone)}${text}</span>`;

/** Good, doubtful, bad, or nothing known: a color and a shape. The word stands beside it. */
export const signHtml = (tone: Tone): Html =>
  html`<span class="sign ${tone}" data-mark="${MARKS[tone]}" aria-hidden="true"></span>`;

export const capitalized = (said: ConductSentence): ConductSentence => ({
  ...said,
  text: said.text[0]!.toUpperCase() + said.text.slice(1),
});

/** The state of a site; said in words, not by color alone. */
export const statePill = (texts: Texts, state: SiteState): Html =>
  pill({ tone: STATE_TONES[state], text: texts.states[state] });

export const toneOf = (state: SiteState): Tone => STATE_TONES[state];

export const verdictPath = (domain: string): string => `/sites/${encodeURIComponent(domain)}`;

export const readyPath = (domain: string): string => `/ready/${encodeURIComponent(domain)}`;

/**
 * A site's mark: the first letter of its registrable domain on a ground that follows from the domain, blue to violet, so that
 * none reads as good or bad. Drawn here: of a site's own picture nothing is fetched (docs/decisions/0252).
 */
export function letterMark(domain: string): Html {
  const owner = registrableDomain(domain);
  const hue = FIRST_HUE + (hash("sha256", owner, "buffer").readUInt16BE(0) % HUES);
  return html`<svg class="mark" viewBox="0 0 40 40" aria-hidden="true"><rect width="40" height="40" rx="8" fill="hsl(${hue} 45% 38%)"/><text x="20" y="27">${owner[0]!.toUpperCase()}</text></svg>`;
}

/** A category or tag in words: sites write `get-quote`. */
export const slugLabel = (slug: string): Html => siteText(slug.replaceAll("-", " "), 40);

/** A site's text, in a direction of its own. */
export const siteText = (text: string, most = 600): Html => html`<bdi>${shortened(text, most)}</bdi>`;

/** The beginning of a text that may be long. */
export const shortened = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most).toWellFormed()}…` : text;

/** What a site says of itself, marked as its own words. */
export const theirs = (domain: string, words: HtmlPart): Html =>
  html`<blockquote class="theirs" cite="https://${domain}/">${words}</blockquote>`;

/** Whether a browser could get there. */
export const leadsAnywhere = (address: string): boolean => webAddress(address) !== undefined;

function webAddress(text: string): string | undefined {
  const url = text.length > MOST_ADDRESS ? null : URL.parse(text);
  return url && /^https?:$/.test(url.protocol) && !MADE_UP.test(url.hostname) ? url.href : undefined;
}

/** A page of a site, by its address. */
export const pageLink = (address: string): Html => siteLink(address, siteText(address, 100));

/** A link to a site: vouched for by nobody. What is no web address, or leads to a made-up site, is text. */
export function siteLink(address: string, label: HtmlPart, className?: string): Html {
  const href = webAddress(address);
  return href === undefined
    ? html`${label}`
    : html`<a href="${href}" rel="ugc nofollow noopener"${className && html` class="${className}"`}>${label}</a>`;
}

export const moment = (texts: Texts, iso: string): Html =>
  html`<time datetime="${iso}" class="nowrap">${texts.format.minute(iso)}</time>`;

/** How long ago something was, with its minute for who points at it. @param now of the reply, ISO 8601 */
export const ago = (texts: Texts, iso: string, now: string): Html =>
  html`<time datetime="${iso}" title="${texts.format.minute(iso)}" class="nowrap">${texts.format.ago(Date.parse(iso) - Date.parse(now))}</time>`;

/** Questions that a page answers at a glance; what is bad comes first. */
export function answersHtml(answers: readonly Glance[]): Html {
  const sorted = answers.toSorted((a, b) => Number(b.tone === "bad") - Number(a.tone === "bad"));
  return html`<dl class="answers">${sorted.map(
    ({ question, tone, word, text }) =>
      html`<div class="${tone}"><dt>${question}</dt><dd class="word">${signHtml(tone)}${word}</dd><dd class="small">${text}</dd></div>`,
  )}</dl>`;
}

/** A part of a page that opens, by its subject; what it holds in a few words stands beside it. */
export const foldHtml = ({ title, note, body, isOpen }: Fold): Html =>
  html`<details class="fold"${isOpen && html` open`}><summary><h2>${title}</h2>${note !== undefined && html`<span class="small soft">${note}</span>`}</summary><div>${body}</div></details>`;

/**
 * The words of a search result: HTML whose only element is `mark` (the contract's Highlight). What is not of that form
 * is left out.
 */
export function highlighted(highlight: string): Html | undefined {
  const pieces = highlight.split(/<(\/?)mark>/);
  // Of each three: text, "/" or "", text …
  if (pieces.some((piece, i) => i % 2 === 0 && /[<>]/.test(piece))) return undefined;
  return html`<bdi>${pieces.map((piece, i) => (i % 2 === 1 ? undefined : i % 4 === 2 ? html`<mark>${plain(piece)}</mark>` : plain(piece)))}</bdi>`;
}

/** Escaped text as it was: the template escapes it again. */
const plain = (escaped: string): string =>
  escaped.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity]!);

/** The search box. */
export const searchBox = ({ search }: Texts, q: string): Html =>
  askBox({
    name: "q",
    label: search.label,
    placeholder: search.placeholder,
    button: search.button,
    value: q,
    most: 200,
    type: "search",
  });

/** A field and its button in one line. */
export function askBox(box: AskBox): Html {
  const { name, id = name, label, button, value, most, placeholder, type } = box;
  const filling = box.isAddress
    ? html`autocomplete="url" autocapitalize="none" spellcheck="false"`
    : html`autocomplete="off"`;
  return html`<div class="ask"><label class="visually-hidden" for="${id}">${label}</label><input id="${id}" name="${name}"${type && html` type="${type}"`} value="${value}"${placeholder && html` placeholder="${placeholder}"`} maxlength="${most}"${box.isRequired && html` required`}${box.describedBy && html` aria-describedby="${box.describedBy}" aria-invalid="true"`} ${filling}><button${box.isQuiet && html` class="quiet"`}>${button}</button></div>`;
}

/** An address of this registry with a query. Empty fields are left out. */
export function withQuery(path: string, fields: Readonly<Record<string, string | undefined>>): string {
  const filled = Object.entries(fields).filter((field): field is [string, string] => Boolean(field[1]));
  return filled.length === 0 ? path : `${path}?${new URLSearchParams(filled)}`;
}

export const chips = (texts: Texts, all: readonly Chip[]): Html =>
  html`<ul class="chips">${all.map(
    ({ label, count, href, isCurrent }) =>
      html`<li><a href="${href}"${isCurrent && html` aria-current="true"`}>${label}${count !== undefined && html`<span>${texts.format.number(count)}</span>`}</a></li>`,
  )}</ul>`;
