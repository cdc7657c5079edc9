/** The frame of every page: head, header with its navigation, footer. */
import { VERSIONS } from "../../schemas/common.ts";
import { SOCIAL_CARD } from "./assets.ts";
import { type Html, html, ownMarkup } from "./html.ts";
import { MENUS, type Menu, type MenuEntry, type PageView } from "./page.ts";
import { STYLE } from "./style.ts";
import type { Texts } from "./texts.ts";

export const MARK = html`<svg width="28" height="20" viewBox="0 0 28 20" fill="none" stroke="currentColor" stroke-width="2.5" stroke-linecap="round" aria-hidden="true"><path d="M2 16h24M4 16C4 2 24 2 24 16M10 16V8.5M18 16V8.5"/></svg>`;

const STYLE_MARKUP = ownMarkup(STYLE);

export interface Frame {
  texts: Texts;
  /** Address of the registry, without a final slash. */
  publicUrl?: string;
  menuEntry?: MenuEntry | undefined;
  /** Default: that of the public pages. */
  menu?: Menu | undefined;
  /** Addresses of the page's scripts. */
  scripts?: readonly string[];
  /** Its sites are those of a synthetic web. */
  isDemo?: boolean;
  /** Its style sheet. Default: that of all pages. */
  style?: string;
}

/** The whole document of a page. */
export const documentOf = (
  view: PageView,
  { texts, publicUrl = "", menuEntry, scripts = [], menu = "public", isDemo = false, style }: Frame,
): Html =>
  html`<!doctype html>
<html lang="${texts.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${titleOf(view, texts)}</title>
${view.description && html`<meta name="description" content="${view.description}">`}
${view.isTransient && html`<meta name="robots" content="noindex">`}
<meta name="color-scheme" content="light dark">
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
${view.canonical && html`<link rel="canonical" href="${publicUrl}${view.canonical}">`}
${view.json && html`<link rel="alternate" type="application/json" href="${view.json}">`}
${menu === "public" && publicUrl !== "" && socialHtml(view, texts, publicUrl)}
${scripts.map((script) => html`<script src="${script}" type="module"></script>`)}
<style>${style === undefined ? STYLE_MARKUP : ownMarkup(style)}</style>
</head>
<body>
${siteHeader(texts, menuEntry, menu)}${isDemo && demoBanner(texts)}
<main id="content" tabindex="-1">${view.body}</main>
${footer(texts, view.json, menu)}
</body>
</html>
`;

const titleOf = ({ title }: PageView, { name }: Texts): string =>
  title === name ? name : `${title} · ${name}`;

/** What a link to the page looks like elsewhere: https://ogp.me, whose readers take the description from the one above. */
const socialHtml = (view: PageView, texts: Texts, publicUrl: string): Html =>
  html`<meta property="og:title" content="${titleOf(view, texts)}"><meta property="og:type" content="website"><meta property="og:image" content="${publicUrl}${SOCIAL_CARD.path}">${view.canonical && html`<meta property="og:url" content="${publicUrl}${view.canonical}">`}<meta name="twitter:card" content="summary_large_image">`;

const siteHeader = (texts: Texts, menuEntry: MenuEntry | undefined, menu: Menu): Html =>
  html`<a class="skip" href="#content">${texts.skip}</a>
<header class="bar"><div class="bar-in"><a class="brand" href="/">${MARK}${texts.name}</a>
<nav class="menu" aria-label="${texts.menu.label}">${MENUS[menu].map(
    ([name, path]) =>
      html`<a href="${path}"${name === menuEntry && html` aria-current="page"`}>${texts.menu[name]}</a>`,
  )}</nav></div></header>`;

/** On every page of a registry whose web is made up, so that nobody takes its sites for real ones. */
const demoBanner = ({ demo }: Texts): Html =>
  html`<aside class="demo" aria-label="${demo.title}"><p><b>${demo.title}.</b> ${demo.text} <a href="/docs/quickstart-operators">${demo.link}</a></p></aside>`;

const footer = (texts: Texts, json: string | undefined, menu: Menu): Html =>
  menu === "console"
    ? html`<footer class="foot"><div class="foot-in"><p>${texts.name} ${VERSIONS.bridge}</p><p>${texts.console.footer}</p></div></footer>`
    : html`<footer class="foot"><div class="foot-in"><p>${texts.name} ${VERSIONS.bridge}</p>${
        json !== undefined && html`<a href="${json}">${texts.footer.json}</a>`
      }<a href="/census">${texts.footer.census}</a><a href="/about">${texts.footer.about}</a><a href="/docs">${texts.footer.docs}</a><a href="/llms.txt">${texts.footer.agents}</a><p>${texts.footer.noCookies}</p></div></footer>`;
