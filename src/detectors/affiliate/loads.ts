/** Addresses that a page asks for by itself, and those that wait for a click: each with where it stands. */

import { isShown } from "../../pages/computed-style.ts";
import { isRunScript } from "../../pages/element.ts";
import type { Notable, PageModel } from "../../pages/page-model.ts";
import { attribute, type Element } from "../../pages/parse-html.ts";

/** How an address is asked for. All but `link` need no click. */
export type Means =
  | "link"
  | "iframe"
  | "img"
  | "script"
  | "stylesheet"
  | "prefetch"
  | "object"
  | "css"
  | "meta-refresh"
  | "scripted";

export interface Reference {
  url: URL;
  means: Means;
  /** Null for what stands in a style sheet. */
  element: Element | null;
  /** What hides the element, in a word; null when it can be seen. */
  hidden: string | null;
  /** Scripted: put into a variable or handed to a function, as set-up snippets of trackers do; what it is for is a guess. */
  isHanded?: true;
  /** True where only the name of a class says that it is hidden: its style sheet was not seen. */
  hiddenByName: boolean;
  start: number;
  end: number;
}

const MAX_REFERENCES = 20_000;
const MAX_SCRIPT_CHARS = 200_000;
const HIDING_CLASS =
  /(?:^|[\s_-])(?:hidden|hide|d-none|invisible|visually-hidden|sr-only|off-?screen|display-none)(?:$|[\s_-])/i;
const MAX_ANCESTORS = 30;

/** Ways a script asks for an address by itself; not inside what a click starts. */
const LOADS =
  /\.src\s*=|setAttribute\(\s*["']src["']\s*,|document\.write(?:ln)?\(|innerHTML\s*\+?=|\blocation(?:\.href)?\s*=|location\.(?:replace|assign)\(|\bfetch\(|sendBeacon\(|\.open\(|\bopen\(/gi;
/** Between that and the address, in the same statement. */
const MAX_LOAD_CHARS = 60;

const ON_CLICK =
  /(?:addEventListener\(\s*["'](?:click|mousedown|pointerdown|submit)["']|\bon(?:click|mousedown|submit)\b|\.click\()/i;
const SCRIPT_ADDRESS =
  /https?:(?:\\?\/){2}[^\s"'`<>\\)]{3,2000}|(?<=["'`])\/\/[a-z0-9.-]+\.[a-z]{2,}\/[^\s"'`<>\\)]{0,2000}/gi;

/** What a link is of, whose address is asked for at once. */
const FETCHED = new Set(["prefetch", "preload", "prerender", "icon", "modulepreload"]);

const CSS_URL = /url\(\s*["']?((?:https?:)?\/\/[^)"'\s]{3,2000})/gi;

const NOWHERE = "https://page.invalid/";

/** The address of a refresh (HTML section 4.2.5.3); undefined where it says none. @param content `5; url=https://…` */
export function refreshTarget(content: string): string | undefined {
  const pause = /^\s*(?:[\d.]+\s*)?[;,]\s*/.exec(content);
  if (!pause) return undefined;
  const rest = content.slice(pause[0].length);
  const named = /^url\s*=\s*/i.exec(rest);
  const quoted = named ? rest.slice(named[0].length) : rest;
  const [address = ""] = (/^["']/.test(quoted) ? quoted.slice(1) : quoted).split(/["']/, 1);
  return address === "" ? undefined : address.trim();
}

/** Whether what leads up to an address asks for it: a way of loading, then a few characters of the same statement. */
export function isLoad(before: string): boolean {
  // From here on, what is left is near enough and of one statement.
  const near = Math.max(0, before.length - MAX_LOAD_CHARS, before.lastIndexOf(";") + 1);
  for (const { 0: way, index } of before.matchAll(LOADS)) {
    const after = index + way.length;
    if (/^document/i.test(way)) {
      // Whatever is written, as far as its call goes on.
      const end = before.indexOf(")", after);
      if (end === -1 || end >= near) return true;
    } else if (/^innerHTML/i.test(way)) {
      if (!before.includes(";", after)) return true;
    } else {
      const rest = before.slice(after);
      const method = /^\.open/i.test(way) ? /^\s*["']GET["']\s*,/i.exec(rest)?.[0].length : undefined;
      if (near <= skipSpaces(before, after) || (method && near <= skipSpaces(before, after + method)))
        return true;
    }
  }
  return false;
}

const skipSpaces = (text: string, from: number): number => text.length - text.slice(from).trimStart().length;

/**
 * Every address with a host of its own that the page asks for or links to.
 * @param interesting decides from the text alone whether an address is worth parsing
 */
export function referencesOf(
  page: PageModel,
  pageUrl: URL | undefined,
  interesting: (address: string) => boolean,
): Reference[] {
  const base = (page.baseHref !== null && URL.parse(page.baseHref, pageUrl?.href ?? NOWHERE)) || pageUrl;
  const references: Reference[] = [];
  for (const notable of page.elements) {
    if (references.length >= MAX_REFERENCES) break;
    const { element } = notable;
    // What a template holds is asked for once a script takes it out, if ever.
    const isKept = notable.channel === "template" && !page.source.includes("shadowrootmode");
    if (element.tagName === "script" && !isKept) scriptLoads(notable, base, references);
    const addresses = addressesOf(element).filter(([, means]) => !isKept || means === "link");
    if (addresses.length === 0) continue;
    for (const [text, means] of addresses) {
      if (!interesting(text)) continue;
      const url = URL.parse(text, base?.href ?? NOWHERE);
      if (!url || (url.protocol !== "http:" && url.protocol !== "https:")) continue;
      const { hidden, byName } = hidingOf(notable);
      references.push({
        url,
        means,
        element,
        hidden,
        hiddenByName: byName,
        start: element.at,
        end: element.until,
      });
    }
  }
  styleLoads(page, base, references);
  return references;
}

function scriptLoads(notable: Notable, base: URL | undefined, into: Reference[]): void {
  const { element } = notable;
  const text = element.childNodes[0];
  if (!text || !("value" in text) || !isRunScript(element)) return;
  const source = text.value.slice(0, MAX_SCRIPT_CHARS);
  if (!source.includes("//")) return;
  for (const match of source.matchAll(SCRIPT_ADDRESS)) {
    const before = source.slice(Math.max(0, match.index - 160), match.index);
    const isHanded = !isLoad(before) && isHandedOn(before);
    if (
      !(isHanded || isLoad(before)) ||
      ON_CLICK.test(source.slice(Math.max(0, match.index - 400), match.index))
    )
      continue;
    const url = URL.parse(match[0].replaceAll("\\/", "/"), base?.href ?? "https://page.invalid/");
    const start = element.until + match.index;
    if (url && into.length < MAX_REFERENCES)
      into.push({
        url,
        means: "scripted",
        ...(isHanded && { isHanded: true as const }),
        element,
        hidden: "script",
        hiddenByName: false,
        start,
        end: start + match[0].length,
      });
  }
}

/**
 * Whether what leads up to an address hands it on: to a variable or member (`var url = "`), or to a function that is called
 * where it is written (`}(window, "`).
 */
function isHandedOn(before: string): boolean {
  if (/[\w$\])]\s{0,9}[=:]\s{0,9}["'`]$/.test(before)) return true;
  const called = /\}\s{0,9}\)?\s{0,9}\((?=[^(]*$)/.exec(before);
  return called !== null && !/[;{}]/.test(before.slice(called.index + 1));
}

/** Attributes of an element that hold addresses, and how those are asked for. */
function addressesOf(element: Element): [string, Means][] {
  const found: [string, Means][] = [];
  const add = (name: string, means: Means): void => {
    const value = attribute(element, name);
    if (value !== undefined && value !== "") found.push([value, means]);
  };
  switch (element.tagName) {
    case "a":
    case "area":
      add("href", "link");
      break;
    case "iframe":
      add("src", "iframe");
      break;
    case "img":
      add("src", "img");
      for (const part of (attribute(element, "srcset") ?? "").split(/,\s+/, 8))
        if (part.trim() !== "") found.push([part.trim().split(/\s/, 1)[0]!, "img"]);
      break;
    case "input":
      if (attribute(element, "type")?.toLowerCase() === "image") add("src", "img");
      break;
    case "script":
      if (isRunScript(element)) add("src", "script");
      break;
    case "embed":
      add("src", "object");
      break;
    case "object":
      add("data", "object");
      break;
    case "video":
      add("poster", "img");
      add("src", "object");
      break;
    case "link": {
      const rel = (attribute(element, "rel") ?? "").toLowerCase();
      const relations = rel.split(/\s+/, 9);
      if (relations.includes("stylesheet")) add("href", "stylesheet");
      // dns-prefetch and preconnect ask a host for nothing.
      else if (relations.some((one) => FETCHED.has(one))) add("href", "prefetch");
      break;
    }
    case "meta":
      if (attribute(element, "http-equiv")?.toLowerCase() === "refresh") {
        const target = refreshTarget(attribute(element, "content") ?? "");
        if (target !== undefined) found.push([target, "meta-refresh"]);
      }
      break;
  }
  return found;
}

/** Why it is invisible: the page's own styles, its size, or the name of a class on it or around it. */
function hidingOf({ element, style }: Notable): { hidden: string | null; byName: boolean } {
  if (!isShown(style.concealment) && style.concealment !== "same-colour")
    return { hidden: style.concealment, byName: false };
  const frameLike = element.tagName !== "a" && element.tagName !== "area";
  if (frameLike && (sizeOf(element, "width") <= 2 || sizeOf(element, "height") <= 2 || styleHides(element)))
    return { hidden: "tiny", byName: false };
  let node: Element | null = element;
  for (let steps = 0; node && steps < MAX_ANCESTORS; steps++) {
    if (HIDING_CLASS.test((attribute(node, "class") ?? "").slice(0, 400)))
      return { hidden: "class", byName: true };
    node = node.parentNode && "tagName" in node.parentNode ? (node.parentNode as Element) : null;
  }
  return { hidden: null, byName: false };
}

function sizeOf(element: Element, name: string): number {
  const value = attribute(element, name);
  return value === undefined ? Number.POSITIVE_INFINITY : Number.parseFloat(value);
}

const styleHides = (element: Element): boolean =>
  /(?:width|height)\s*:\s*[01](?:px)?\s*(?:;|$|!)/i.test(attribute(element, "style") ?? "");

function styleLoads({ source }: PageModel, base: URL | undefined, into: Reference[]): void {
  if (!source.includes("url(")) return;
  const isInStyle = styleTest(source);
  for (const match of source.matchAll(CSS_URL)) {
    if (into.length >= MAX_REFERENCES) return;
    const url = URL.parse(match[1]!, base?.href ?? "https://page.invalid/");
    if (!url || !isInStyle(match.index)) continue;
    into.push({
      url,
      means: "css",
      element: null,
      hidden: "style sheet",
      hiddenByName: false,
      start: match.index,
      end: match.index + match[0].length,
    });
  }
}

/**
 * Whether a place of the source is in a style sheet or a style attribute, and not in text that speaks of one. Asked for
 * ascending places, so that the source is read once.
 */
function styleTest(source: string): (at: number) => boolean {
  let open = -1;
  let close = -1;
  let from = 0;
  return (at) => {
    for (; from < at; from++) {
      const code = source.charCodeAt(from);
      if (code === 0x3c) open = from;
      else if (code === 0x3e) close = from;
    }
    return open > close || (open !== -1 && /^<style\b/i.test(source.slice(open, open + 7)));
  };
}
