/**
 * A page as a session holds it: the page's model with all elements numbered in document order, never executed. The numbers
 * name elements in a session's record: the page's bytes are kept, so that every worker counts alike.
 */
import type { DefaultTreeAdapterTypes as Dom } from "parse5";
import { type PageModel, readPageModel } from "../pages/page-model.ts";
import { baseOf, pageTitle } from "../pages/page-parts.ts";
import { attribute, parseHtml } from "../pages/parse-html.ts";
import { isElement } from "../pages/visible-text.ts";
import { isMarkup, type PageSource } from "./page-source.ts";

const MAX_HTML_CHARS = 1024 * 1024;
const MAX_NODES = 60_000;
/** Browsers go no deeper either; what lies below is cut off. */
const MAX_DEPTH = 512;

export interface BrowserPage {
  source: PageSource;
  model: PageModel;
  url: URL;
  base: URL;
  /** HTML elements and others, in document order; an element's number is its place here. */
  elements: readonly Dom.Element[];
  numberOf: ReadonlyMap<Dom.Element, number>;
  /** Controls → their form, as the parser had it (HTML section 4.10.17.3, parser-inserted). */
  parserForms: ReadonlyMap<Dom.Element, Dom.Element>;
  byId: ReadonlyMap<string, Dom.Element>;
  /** Label elements by the id that their `for` names. */
  labels: ReadonlyMap<string, Dom.Element>;
  title: string;
  language: string | null;
  /** A limit was met: something of the page is not here. */
  truncated: boolean;
}

/** Elements that may belong to a form. */
const CONTROLS: ReadonlySet<string> = new Set([
  "button",
  "fieldset",
  "input",
  "object",
  "output",
  "select",
  "textarea",
]);

const IDENTIFIER = /^-?[A-Za-z_][A-Za-z0-9_-]*$/;

const stepsBelow = new WeakMap<Dom.Node, Map<Dom.Element, string>>();

/** Parses what came. Never throws; a megabyte of anything takes less than half a second. */
export function readBrowserPage(source: PageSource): BrowserPage {
  const parserForms = new Map<Dom.Element, Dom.Element>();
  const markup = isMarkup(source.mediaType) ? source.text : `<pre>${escapeText(source.text)}</pre>`;
  const html = parseHtml(markup, {
    maxHtmlChars: MAX_HTML_CHARS,
    maxNodes: MAX_NODES,
    onElement: (element, form) => {
      if (form && CONTROLS.has(element.tagName)) parserForms.set(element, form);
    },
  });
  const elements: Dom.Element[] = [];
  const cut = number(html.document, elements);
  const model = readPageModel(html);
  const url = new URL(source.url);
  const byId = new Map<string, Dom.Element>();
  const labels = new Map<string, Dom.Element>();
  for (const element of elements) {
    const id = attribute(element, "id");
    if (id && !byId.has(id)) byId.set(id, element);
    const names = element.tagName === "label" ? attribute(element, "for") : undefined;
    if (names && !labels.has(names)) labels.set(names, element);
  }
  return {
    source,
    model,
    url,
    base: baseOf(model, url),
    elements,
    numberOf: new Map(elements.map((element, index) => [element, index])),
    parserForms,
    byId,
    labels,
    title: pageTitle(model),
    language: model.language,
    truncated: source.cut === true || !html.complete || cut,
  };
}

const escapeText = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

/** Lists the elements in document order; a subtree that is too deep is taken off. @returns whether any was */
function number(document: Dom.Document, elements: Dom.Element[]): boolean {
  let cut = false;
  const path: { node: Dom.ParentNode; next: number }[] = [{ node: document, next: 0 }];
  for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
    const child = top.node.childNodes[top.next++];
    if (child === undefined) path.pop();
    else if (isElement(child)) {
      elements.push(child);
      if (path.length < MAX_DEPTH) path.push({ node: child, next: 0 });
      else if (child.childNodes.length > 0) {
        child.childNodes = [];
        cut = true;
      }
    }
  }
  return cut;
}

/** A selector that matches this element alone: by its id where that is unique, else by its place. */
export function targetSelector(page: BrowserPage, element: Dom.Element): string {
  const steps: string[] = [];
  for (let at: Dom.Node | null = element; isElement(at); at = at.parentNode) {
    const id = attribute(at, "id");
    if (id && IDENTIFIER.test(id) && page.byId.get(id) === at) {
      steps.unshift(`#${id}`);
      break;
    }
    steps.unshift(stepOf(at));
    if (at.tagName === "body" || steps.length >= 24) break;
  }
  return steps.join(" > ");
}

/** An element's place among its siblings; those of one parent are counted once, however many are asked for. */
function stepOf(element: Dom.Element): string {
  const parent: Dom.Node = element.parentNode ?? element;
  let steps = stepsBelow.get(parent);
  if (!steps) {
    const siblings = "childNodes" in parent ? parent.childNodes.filter(isElement) : [];
    const alike = Map.groupBy(siblings, ({ tagName }) => tagName);
    steps = new Map();
    for (const [tagName, those] of alike) {
      const name = IDENTIFIER.test(tagName) ? tagName : "*";
      for (const [i, each] of those.entries())
        steps.set(each, those.length > 1 ? `${name}:nth-of-type(${i + 1})` : name);
    }
    stepsBelow.set(parent, steps);
  }
  return steps.get(element) ?? element.tagName;
}
