/**
 * The one model of a page, which everybody asks who says something of it: its tree, the computed style of every element, every
 * piece of text with the channel by which it reaches a reader and what conceals it, and the elements that rules look at.
 * visible-text.ts says what readers see of it, page-parts.ts its links, headings, metadata and structured data.
 */
import type { DefaultTreeAdapterTypes as Dom } from "parse5";
import { type Channel, channelOf, type ElementKind, isNotable, kindOf } from "./channels.ts";
import {
  type ComputedStyle,
  type Concealment,
  computedStyle,
  isShown,
  ROOT_STYLE,
} from "./computed-style.ts";
import { NamedElements, whenAsked } from "./hiding.ts";
import { mediaHolds } from "./media-query.ts";
import { attribute, type Element, type ParsedHtml, parseHtml, type Text } from "./parse-html.ts";
import { type Declarations, readInlineStyle, StyleSheet } from "./style-sheet.ts";

/** One run of text: a block of a page, or one attribute, comment or JSON string. White space is as in the source. */
export interface Segment {
  readonly text: string;
  readonly channel: Channel;
  readonly concealment: Concealment | null;
  /** Null for plain text that came without HTML. */
  readonly element: Element | null;
  /** Place in the source of the node, attribute or comment that begins it. */
  readonly at: number;
  /** The text nodes it is made of, in order; empty for attributes, comments and plain text. */
  readonly pieces: readonly Text[];
  readonly pointer?: string;
}

export interface Notable {
  readonly element: Element;
  readonly style: ComputedStyle;
  /** Of what it stands in: "text" for the page itself. */
  readonly channel: Channel;
}

export interface PageModel {
  readonly source: string;
  /** The parser's tree; empty for plain text. */
  readonly document: Dom.Document;
  readonly segments: readonly Segment[];
  /** Links, headings, controls, frames, pictures, scripts and whatever calls itself a dialog, banner or timer; in order. */
  readonly elements: readonly Notable[];
  /** Styles of those elements whose style differs from their parents'. */
  readonly styles: ReadonlyMap<Dom.Element, ComputedStyle>;
  readonly idCounts: ReadonlyMap<string, number>;
  readonly baseHref: string | null;
  /** The first title element's text, as written. */
  readonly title: string | null;
  /** The html element's `lang`, where it is a language tag. */
  readonly language: string | null;
  /** Style sheets that are not part of the page: what only they hide is not seen. */
  readonly externalStyles: number;
  readonly stylesIncomplete: boolean;
  /** False when a limit was reached and part of the page is missing here. */
  readonly complete: boolean;
}

export const MAX_SEGMENTS = 50_000;
export const MAX_SEGMENT_CHARS = 8_192;
const MAX_ELEMENTS = 50_000;
const MAX_JSON_STRINGS = 500;
/** Of text that style sheets write. */
const MAX_GENERATED_CHARS = 2 * 1024 * 1024;

const HTML_NS = "http://www.w3.org/1999/xhtml";

const NONE: Text[] = [];

/** Collects segments while the tree is walked. */
class PageBuilder {
  readonly segments: Segment[] = [];
  readonly elements: Notable[] = [];
  readonly styles = new Map<Element, ComputedStyle>();
  readonly idCounts = new Map<string, number>();
  readonly sheet = new StyleSheet();
  readonly named: NamedElements;
  externalStyles = 0;
  language: string | null = null;
  baseHref: string | null = null;
  title: string | null = null;
  full = false;
  /** Something was left out. */
  cut = false;
  readonly #generated = new Set<string>();
  #generatedChars = 0;
  readonly #below = new Map<ComputedStyle, Map<Declarations, ComputedStyle>>();
  #pieces: Text[] = NONE;
  #length = 0;
  #concealment: Concealment | null = null;
  #channel: Channel = "text";
  #owner: Element | null = null;

  constructor(document: Dom.Document) {
    this.named = new NamedElements(document);
  }

  /** Joins a text node to the run that is open, if it has the same channel and concealment. */
  text(node: Text, owner: Element, channel: Channel, concealment: Concealment | null): void {
    if (concealment !== this.#concealment || channel !== this.#channel) this.flush();
    if (this.#length > MAX_SEGMENT_CHARS) this.flush();
    if (this.#pieces.length === 0) {
      this.#concealment = concealment;
      this.#channel = channel;
      this.#owner = owner;
      this.#pieces = [node];
    } else this.#pieces.push(node);
    this.#length += node.value.length;
  }

  flush(): void {
    const pieces = this.#pieces;
    if (pieces.length === 0) return;
    const text = pieces.length === 1 ? pieces[0]!.value : pieces.map(({ value }) => value).join("");
    if (hasWords(text))
      this.#push({
        text,
        channel: this.#channel,
        concealment: this.#concealment,
        element: this.#owner,
        at: pieces[0]!.at,
        pieces,
      });
    this.#pieces = NONE;
    this.#length = 0;
  }

  /** Text that is no text node: an attribute, a comment, a string of JSON. */
  add(
    text: string,
    channel: Channel,
    style: ComputedStyle,
    element: Element | null,
    at: number,
    pointer?: string,
  ): void {
    if (text.length < 3 || !hasWords(text)) return;
    for (let start = 0; start < text.length && !this.full; start += MAX_SEGMENT_CHARS) {
      const segment: Segment = {
        text: text.length <= MAX_SEGMENT_CHARS ? text : text.slice(start, start + MAX_SEGMENT_CHARS),
        channel,
        concealment: style.concealment,
        element,
        at: at + start,
        pieces: NONE,
      };
      this.#push(pointer === undefined ? segment : { ...segment, pointer });
    }
  }

  /** What the element's pseudo-elements say, with what conceals it. The same text in the same manner is one segment. */
  generated(element: Element | null, style: ComputedStyle, declared: Iterable<Declarations>): void {
    for (const declarations of declared) {
      if (this.#generatedChars > MAX_GENERATED_CHARS) {
        this.cut = true;
        return;
      }
      const { text, isOwn } = this.sheet.textOf(declarations, element);
      // What each element says by itself costs by what the style sheet says, too.
      if (isOwn) this.#generatedChars += text.length + declarations.content!.length;
      if (text.length < 3 || !hasWords(text)) continue;
      const own = computedStyle(style, declarations, undefined);
      const key = `${own.concealment} ${text}`;
      if (this.#generated.has(key)) continue;
      if (!isOwn) this.#generatedChars += text.length;
      this.#generated.add(key);
      this.add(text, "text", own, element, element?.at ?? 0);
    }
  }

  #push(segment: Segment): void {
    if (this.segments.length >= MAX_SEGMENTS) this.full = true;
    else this.segments.push(segment);
  }

  /** The style that a sheet gives to elements below such a parent: computed once for all of them. */
  styleBelow(parent: ComputedStyle, sheet: Declarations): ComputedStyle {
    const below = this.#below.get(parent) ?? new Map<Declarations, ComputedStyle>();
    const style = below.get(sheet) ?? computedStyle(parent, sheet, undefined);
    this.#below.set(parent, below.set(sheet, style));
    return style;
  }

  attributes(element: Element, style: ComputedStyle): void {
    for (const attr of element.attrs) {
      const { name, value } = attr;
      if (name === "id") this.idCounts.set(value, (this.idCounts.get(value) ?? 0) + 1);
      const channel = channelOf(attr);
      if (channel) this.add(value, channel, style, element, element.at);
    }
  }

  notable(element: Element, style: ComputedStyle, kind: ElementKind, channel: Channel): void {
    if (!kind.isNotable && !element.attrs.some(isNotable)) return;
    if (this.elements.length >= MAX_ELEMENTS) this.full = true;
    else this.elements.push({ element, style, channel });
  }

  /** What is special about some elements; their children are walked all the same, unless this says no. */
  enter(element: Element, style: ComputedStyle): boolean {
    const { tagName } = element;
    switch (tagName) {
      case "html":
        this.language = languageOf(element);
        return true;
      case "title":
        this.title ??= element.childNodes.map((node) => ("value" in node ? node.value : "")).join("");
        return true;
      case "base":
        this.baseHref ??= attribute(element, "href") ?? null;
        return false;
      case "meta":
        this.add(attribute(element, "content") ?? "", "meta", style, element, element.at);
        return false;
      case "script":
        if (/ld\+json/i.test(attribute(element, "type") ?? "")) this.#json(element, style);
        return false;
      case "style":
        return false;
      case "input": {
        const type = attribute(element, "type")?.toLowerCase() ?? "text";
        const seen = type === "hidden" ? { ...style, concealment: "hidden-attribute" as const } : style;
        this.add(attribute(element, "value") ?? "", "value", seen, element, element.at);
        return false;
      }
      default:
        return true;
    }
  }

  #json(element: Element, style: ComputedStyle): void {
    const node = element.childNodes[0];
    if (!node || !("value" in node)) return;
    const at = (node as Text).at;
    let value: unknown;
    try {
      value = JSON.parse(node.value.slice(0, 256 * 1024));
    } catch {
      this.add(node.value, "json-ld", style, element, at);
      return;
    }
    const pending: [unknown, string][] = [[value, ""]];
    for (let left = MAX_JSON_STRINGS; pending.length > 0 && left > 0; left--) {
      const [one, pointer] = pending.pop()!;
      if (typeof one === "string") this.add(one, "json-ld", style, element, at, pointer);
      else if (typeof one === "object" && one !== null)
        for (const [key, member] of Object.entries(one).slice(0, MAX_JSON_STRINGS))
          pending.push([member, `${pointer}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`]);
    }
  }
}

interface Step {
  node: Dom.ParentNode;
  /** Text before and after it is one run with its own. */
  isInline: boolean;
  next: number;
  style: ComputedStyle;
  channel: Channel;
}

/** The path from the root to where a walk is. A step that was left is used again for the next one at its depth. */
class Path {
  readonly #steps: Step[];
  #depth = 1;
  top: Step | undefined;

  constructor(root: Step) {
    this.#steps = [root];
    this.top = root;
  }

  push(node: Dom.ParentNode, isInline: boolean, style: ComputedStyle, channel: Channel): void {
    const left = this.#steps[this.#depth];
    if (left) {
      left.node = node;
      left.isInline = isInline;
      left.next = 0;
      left.style = style;
      left.channel = channel;
      this.top = left;
    } else {
      this.top = { node, isInline, next: 0, style, channel };
      this.#steps.push(this.top);
    }
    this.#depth++;
  }

  pop(): void {
    this.#depth--;
    this.top = this.#depth === 0 ? undefined : this.#steps[this.#depth - 1];
  }
}

/** Ancestors that are searched. */
const MAX_NOSCRIPT_DEPTH = 16;

/** Reads a page. Never throws; 2 MiB of anything takes less than a second. @param html the page, or what parseHtml made of it */
export function readPageModel(html: string | ParsedHtml): PageModel {
  const { source, document, sheets, complete } = typeof html === "string" ? parseHtml(html) : html;
  const builder = new PageBuilder(document);
  readStyles(sheets, builder);
  walk(document, builder);
  builder.generated(null, ROOT_STYLE, builder.sheet.unplaced);
  return {
    source,
    document,
    segments: builder.segments,
    elements: builder.elements,
    styles: builder.styles,
    idCounts: builder.idCounts,
    baseHref: builder.baseHref,
    title: builder.title,
    language: builder.language,
    externalStyles: builder.externalStyles,
    stylesIncomplete: builder.sheet.incomplete || builder.sheet.exhausted,
    complete: complete && !builder.full && !builder.cut,
  };
}

function readStyles(sheets: readonly Element[], builder: PageBuilder): void {
  for (const element of sheets) {
    const [text] = element.childNodes;
    if (!mediaHolds(attribute(element, "media") ?? "") || isWithoutScripts(element)) continue;
    if (element.tagName === "style" && text && "value" in text) builder.sheet.add(text.value);
    else if (/\bstylesheet\b/i.test(attribute(element, "rel") ?? "")) builder.externalStyles++;
  }
}

/** Whether an element is for browsers that run no scripts. */
function isWithoutScripts(element: Element): boolean {
  let at: Dom.ParentNode | null = element.parentNode;
  for (let n = 0; at && "tagName" in at && n < MAX_NOSCRIPT_DEPTH; n++) {
    if (at.tagName === "noscript") return true;
    at = at.parentNode;
  }
  return false;
}

/** One pass over the tree, depth first, with a stack of our own: a page may be nested deeper than the call stack. */
function walk(document: Dom.Document, builder: PageBuilder): void {
  const root: ComputedStyle = builder.externalStyles > 0 ? { ...ROOT_STYLE, background: null } : ROOT_STYLE;
  // What there is after the document's last child is flushed in the end.
  const path = new Path({ node: document, isInline: true, next: 0, style: root, channel: "text" });
  // To the end, even where no more is kept: whoever shows a text must know what conceals it.
  for (let top = path.top; top !== undefined; top = path.top) {
    const child = top.node.childNodes[top.next++];
    if (child === undefined) {
      if (!top.isInline) builder.flush();
      path.pop();
    } else if ("value" in child) {
      if ("tagName" in top.node)
        builder.text(child as Text, top.node as Element, top.channel, top.style.concealment);
    } else if ("tagName" in child) {
      const element = child as Element;
      const kind = kindOf(element.tagName);
      if (!kind.isInline) builder.flush();
      const style =
        element.attrs.length === 0 && builder.sheet.isEmpty && !mayHideByName(element)
          ? top.style
          : styleOfElement(element, top.style, builder);
      if (style !== top.style) builder.styles.set(element, style);
      builder.attributes(element, style);
      if (builder.sheet.generates) builder.generated(element, style, builder.sheet.generating(element));
      builder.notable(element, style, kind, top.channel);
      const html = element.namespaceURI === HTML_NS;
      if (html && !builder.enter(element, style)) continue;
      const dim = html ? kind.dim : "svg";
      const node =
        element.tagName === "template" ? (element as Dom.Element as Dom.Template).content : element;
      if (!node) continue;
      const step = node === element ? element : ownedBy(node, element);
      path.push(step, kind.isInline, style, dim ?? top.channel);
    } else if ("data" in child) {
      builder.add(
        child.data,
        "comment",
        top.style,
        "tagName" in top.node ? (top.node as Element) : null,
        (child as unknown as Element).at,
      );
    }
  }
  builder.flush();
}

/** A dialog, and what `details` hold. */
const mayHideByName = ({ tagName, parentNode }: Element): boolean =>
  tagName === "dialog" ||
  (parentNode !== null && "tagName" in parentNode && parentNode.tagName === "details");

function styleOfElement(element: Element, parent: ComputedStyle, builder: PageBuilder): ComputedStyle {
  const { tagName } = element;
  const isRoot = tagName === "html" || tagName === "body";
  const markup = isShown(parent.concealment) && !isRoot ? hiddenByMarkup(element) : null;
  const asked = (own: ComputedStyle): ComputedStyle => whenAsked(element, own, builder.sheet, builder.named);
  if (markup !== null && markup !== "folded") return asked({ ...parent, concealment: markup });
  const around = markup === null ? parent : { ...parent, concealment: markup };
  const inline = attribute(element, "style");
  const inlined = inline === undefined ? undefined : readInlineStyle(inline);
  const font = tagName === "font" ? attribute(element, "color") : undefined;
  const own = font === undefined ? inlined : { color: font.toLowerCase(), ...inlined };
  const sheet = builder.sheet.matching(element);
  const style = own ? computedStyle(around, sheet, own) : sheet ? builder.styleBelow(around, sheet) : around;
  if (isRoot) return withoutCurtain(style);
  return isShown(parent.concealment) ? asked(style) : style;
}

/** What an element's attributes and name hide of it, whatever style sheets say. */
function hiddenByMarkup(element: Element): Concealment | null {
  const { tagName } = element;
  let found: Concealment | null = null;
  for (const { name, value } of element.attrs) {
    if (name === "hidden")
      found ??= value.toLowerCase() === "until-found" ? "on-request" : "hidden-attribute";
    else if (name === "popover") found = "on-request";
  }
  if (tagName === "dialog" && attribute(element, "open") === undefined) found ??= "on-request";
  const parent = element.parentNode;
  if (found || tagName === "summary" || !parent || !("tagName" in parent) || parent.tagName !== "details")
    return found;
  return attribute(parent, "open") === undefined ? "folded" : null;
}

/** Scripts show a page that hides all of itself: else nobody would see anything of it. */
const withoutCurtain = (style: ComputedStyle): ComputedStyle =>
  style.concealment === null || style.concealment === "tiny" || style.concealment === "same-colour"
    ? style
    : { ...style, concealment: null, opacity: 1 };

/** A template's content is a fragment of its own; its text belongs to the template. */
const ownedBy = (fragment: Dom.ParentNode, template: Element): Dom.ParentNode => ({
  ...template,
  childNodes: fragment.childNodes,
});

/** What of a page begins within so many UTF-16 units of its source: for rules that look at no more. */
export function firstPart(page: PageModel, units: number): PageModel {
  if (page.source.length <= units) return page;
  const segments = page.segments.filter(({ at }) => at < units);
  const elements = page.elements.filter(({ element }) => element.at < units);
  return { ...page, segments, elements, complete: false };
}

/** Whether there is a letter, of any script. Most texts begin with one. */
function hasWords(text: string): boolean {
  const first = text.charCodeAt(0) | 32;
  return (first >= 97 && first <= 122) || /[A-Za-z\u00aa-\uffff]/.test(text);
}

/** A language tag by its form (RFC 5646 section 2.1), or none. */
function languageOf(element: Element): string | null {
  const language = attribute(element, "lang")?.trim() ?? "";
  return /^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8}){0,8}$/.test(language) ? language : null;
}
