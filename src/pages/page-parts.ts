/** Links, headings, metadata and structured data of a page, by its model; the texts are those that readers see. */
import type { DefaultTreeAdapterTypes as Dom } from "parse5";
import { isOnRequest } from "./computed-style.ts";
import { isJsonLd } from "./json-ld.ts";
import type { Notable, PageModel } from "./page-model.ts";
import { attribute, type Element } from "./parse-html.ts";
import { isHtml, isSeen, oneLine, rawText, visibleText } from "./visible-text.ts";

const MAX_HREF = 2_048;
const MAX_TITLE = 512;
const MAX_HEADING = 300;
const MAX_META = 200;
const MAX_META_NAME = 64;
const MAX_META_CHARS = 2_000;
/** Blocks of JSON-LD that are read of a page, and what one may hold. */
const MAX_BLOCKS = 100;
const MAX_BLOCK_CHARS = 262_144;

export interface PageLink {
  element: Element;
  url: URL;
}

export interface PageHeading {
  element: Element;
  level: number;
  text: string;
}

export interface RobotsDirectives {
  noindex: boolean;
  nofollow: boolean;
}

/** What addresses of a page that came from `url` are relative to (HTML section 4.2.3). */
export const baseOf = ({ baseHref }: PageModel, url: URL): URL =>
  baseHref === null ? url : (webUrl(baseHref, url) ?? url);

/** An http or https address, or undefined. */
export function webUrl(href: string, base: URL): URL | undefined {
  const url = URL.parse(href, base.href);
  return url?.protocol === "http:" || url?.protocol === "https:" ? url : undefined;
}

export const pageTitle = ({ title }: PageModel): string => oneLine(title ?? "").slice(0, MAX_TITLE);

/**
 * Links that a reader can see and follow, in order. Those that nobody sees are made for crawlers alone.
 * @param withMenus those of menus, tabs and dialogs, too
 */
export function* linksOf(page: PageModel, base: URL, withMenus = false): Generator<PageLink> {
  for (const notable of page.elements) {
    const { element } = notable;
    if ((element.tagName !== "a" && element.tagName !== "area") || !isHtml(element)) continue;
    if (!isSeen(notable) && !(withMenus && isOnMenu(notable))) continue;
    const href = attribute(element, "href");
    const url = href === undefined ? undefined : webUrl(href, base);
    if (url && url.href.length <= MAX_HREF) yield { element, url };
  }
}

const isOnMenu = ({ style, channel }: Notable): boolean =>
  channel === "text" && isOnRequest(style.concealment);

/** Headings that a reader sees. */
export const headingsOf = (page: PageModel, most: number): PageHeading[] =>
  named(page, "h1", "h2", "h3", "h4", "h5", "h6")
    .filter(isSeen)
    .slice(0, most)
    .map(({ element }) => ({
      element,
      level: Number(element.tagName[1]),
      text: oneLine(visibleText(page, element, MAX_HEADING).text),
    }));

/** HTML elements of a name among those that the model lists. */
export const named = ({ elements }: PageModel, ...tagNames: string[]): Notable[] =>
  elements.filter(({ element }) => tagNames.includes(element.tagName) && isHtml(element));

/** Metadata by name or property, lower case; the first of a name. */
export function metadataOf(page: PageModel): Map<string, string> {
  const said = new Map<string, string>();
  for (const { element } of named(page, "meta")) {
    const name = (attribute(element, "property") ?? attribute(element, "name") ?? "").trim().toLowerCase();
    const content = attribute(element, "content");
    if (name === "" || name.length > MAX_META_NAME || content === undefined || said.has(name)) continue;
    if (said.size >= MAX_META) break;
    said.set(name, oneLine(content).slice(0, MAX_META_CHARS).toWellFormed());
  }
  return said;
}

/** What a page says that it is about; null where it does not. */
export const descriptionOf = (meta: ReadonlyMap<string, string>): string | null =>
  meta.get("description") || meta.get("og:description") || null;

/** What all robots meta elements of a page say together. */
export const metaRobots = (page: PageModel): RobotsDirectives =>
  robotsDirectives(
    named(page, "meta")
      .filter(({ element }) => attribute(element, "name")?.trim().toLowerCase() === "robots")
      .map(({ element }) => attribute(element, "content") ?? "")
      .join(),
  );

/** The directives of a robots meta element's `content` or of an X-Robots-Tag field, for all crawlers. */
export function robotsDirectives(text: string): RobotsDirectives {
  const said = new Set(
    text
      .toLowerCase()
      .split(",")
      .map((directive) => directive.trim()),
  );
  return {
    noindex: said.has("noindex") || said.has("none"),
    nofollow: said.has("nofollow") || said.has("none"),
  };
}

/** The texts of a page's JSON-LD scripts, as written. */
export const jsonLdTexts = (page: PageModel): string[] =>
  named(page, "script")
    .filter(({ element }) => isJsonLd(attribute(element, "type")))
    .slice(0, MAX_BLOCKS)
    .map(({ element }: { element: Dom.Element }) => rawText(element, MAX_BLOCK_CHARS + 1))
    .filter(({ length }) => length <= MAX_BLOCK_CHARS);
