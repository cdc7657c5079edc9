/**
 * A page as a text browser holds it: the tree of parse5 with its elements numbered in document order, never executed. The
 * numbers name elements in a session's record: the page's bytes are kept, so that every worker counts alike.
 */
import { type DefaultTreeAdapterTypes as Dom, html as names } from "parse5";
import { isHidden, NOT_TEXT, webUrl } from "../pages/page-text.ts";
import { attribute, parseHtml } from "../pages/parse-html.ts";
import { isMarkup, type PageSource } from "./page-source.ts";

const MAX_HTML_CHARS = 1024 * 1024;
const MAX_NODES = 60_000;
/** Browsers go no deeper either; what lies below is cut off. */
const MAX_DEPTH = 512;

export interface PageModel {
  source: PageSource;
  url: URL;
  base: URL;
  document: Dom.Document;
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

const escapeText = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

/** Parses what came. Never throws; a megabyte of anything takes less than half a second. */
export const readPageModel = (source: PageSource): PageModel => {
  const parserForms = new Map<Dom.Element, Dom.Element>();
  const markup = isMarkup(source.mediaType) ? source.text : `<pre>${escapeText(source.text)}</pre>`;
  const { document, complete } = parseHtml(markup, {
    maxHtmlChars: MAX_HTML_CHARS,
    maxNodes: MAX_NODES,
    onElement: (element, form) => {
      if (form && CONTROLS.has(element.tagName)) parserForms.set(element, form);
    },
  });
  const elements: Dom.Element[] = [];
  const cut = number(document, elements);
  const url = new URL(source.url);
  const byId = new Map<string, Dom.Element>();
  const labels = new Map<string, Dom.Element>();
  for (const element of elements) {
    const id = attribute(element, "id");
    if (id && !byId.has(id)) byId.set(id, element);
    const names = element.tagName === "label" ? attribute(element, "for") : undefined;
    if (names && !labels.has(names)) labels.set(names, element);
  }
  const find = (tagName: string) =>
    elements.find((element) => element.tagName === tagName && isHtml(element));
  const title = find("title");
  return {
    source,
    url,
    base: baseOf(elements, url),
    document,
    elements,
    numberOf: new Map(elements.map((element, index) => [element, index])),
    parserForms,
    byId,
    labels,
    title: title ? oneLine(rawText(title)).slice(0, 512) : "",
    language: find("html") ? attribute(find("html")!, "lang")?.trim().slice(0, 64) || null : null,
    truncated: source.cut === true || !complete || cut,
  };
};

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

export const isHtml = (element: Dom.Element): boolean => element.namespaceURI === names.NS.HTML;
export const isElement = (node: Dom.Node | null | undefined): node is Dom.Element =>
  node !== null && node !== undefined && "tagName" in node;

/** Lists the elements in document order; a subtree that is too deep is taken off. @returns whether any was */
const number = (document: Dom.Document, elements: Dom.Element[]): boolean => {
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
};

/** The first base element with an href counts (HTML section 4.2.3). */
const baseOf = (elements: readonly Dom.Element[], url: URL): URL => {
  for (const element of elements) {
    const href = element.tagName === "base" && isHtml(element) ? attribute(element, "href") : undefined;
    if (href !== undefined) return webUrl(href, url) ?? url;
  }
  return url;
};

export const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim().toWellFormed();

/** All character data below a node, whatever element it is in. */
export const rawText = (node: Dom.Node, maxChars = 65_536): string => {
  let text = "";
  const stack: Dom.Node[] = [node];
  for (let top = stack.pop(); top !== undefined && text.length < maxChars; top = stack.pop()) {
    if ("value" in top) text += top.value;
    else if ("childNodes" in top)
      for (let i = top.childNodes.length - 1; i >= 0; i--) stack.push(top.childNodes[i]!);
  }
  return text.slice(0, maxChars);
};

/** Elements that begin and end a line. */
const BLOCKS: ReadonlySet<string> = new Set(
  "address article aside blockquote body br caption dd details dialog div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol option p pre section summary table tbody tfoot thead tr ul".split(
    " ",
  ),
);
const CELLS: ReadonlySet<string> = new Set(["td", "th"]);
/** Read by their state, not by their content. */
const FORM_TEXT: ReadonlySet<string> = new Set(["select", "textarea"]);

/** Elements whose content is no text of the page: it is state, or never shown. */
export const isSilent = (element: Dom.Element): boolean =>
  !isHtml(element) ||
  element.tagName === "head" ||
  NOT_TEXT.has(element.tagName) ||
  FORM_TEXT.has(element.tagName);

/**
 * What a reader sees of a node, block by block on lines of their own; images are their alternative text. `onElement` is told
 * where each element's text begins, in characters.
 */
export const visibleText = (
  root: Dom.Node,
  maxChars: number,
  onElement?: (element: Dom.Element, offset: number) => void,
): { text: string; cut: boolean } => {
  let text = "";
  let gap: "" | " " | "\n" = "";
  const add = (words: string) => {
    if (words.trim() === "") {
      if (words !== "" && gap === "") gap = " ";
      return;
    }
    if (gap === "" && /^\s/.test(words)) gap = " ";
    text += (text === "" ? "" : gap) + oneLine(words);
    gap = /\s$/.test(words) ? " " : "";
  };
  const path: { node: Dom.Node; next: number }[] = [{ node: root, next: -1 }];
  for (let top = path.at(-1); top !== undefined && text.length <= maxChars; top = path.at(-1)) {
    const { node } = top;
    const block = isElement(node) && BLOCKS.has(node.tagName);
    if (top.next === -1) {
      top.next = 0;
      if ("value" in node) add(node.value);
      if (isElement(node)) {
        if ((isSilent(node) && node !== root) || isHidden(node)) {
          path.pop();
          continue;
        }
        if (block) gap = "\n";
        else if (CELLS.has(node.tagName) && gap === "") gap = " ";
        onElement?.(node, text === "" ? 0 : text.length + gap.length);
        if (node.tagName === "img") add(attribute(node, "alt") ?? "");
      }
    }
    const child = "childNodes" in node ? node.childNodes[top.next++] : undefined;
    if (child) path.push({ node: child, next: -1 });
    else {
      if (block) gap = "\n";
      path.pop();
    }
  }
  return { text: text.slice(0, maxChars).toWellFormed(), cut: text.length > maxChars };
};

const IDENTIFIER = /^-?[A-Za-z_][A-Za-z0-9_-]*$/;

const stepsBelow = new WeakMap<Dom.Node, Map<Dom.Element, string>>();

/** An element's place among its siblings; those of one parent are counted once, however many are asked for. */
const stepOf = (element: Dom.Element): string => {
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
};

/** A selector that matches this element alone: by its id where that is unique, else by its place. */
export const selectorOf = (page: PageModel, element: Dom.Element): string => {
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
};
