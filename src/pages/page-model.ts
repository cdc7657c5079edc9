/** A page as the modules' rules read it: every piece of text with the way it reaches a reader and what hides it. */
import type { DefaultTreeAdapterTypes as Dom } from "parse5";
import { type Channel, channelOf, isNotable, type Kind, kindOf } from "./channels.ts";
import { type Concealment, type Look, lookOf, ROOT_LOOK } from "./computed-style.ts";
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
  readonly look: Look;
}

export interface PageModel {
  readonly source: string;
  readonly segments: readonly Segment[];
  /** Links, controls, frames, pictures, scripts and whatever calls itself a dialog, banner or timer; in order. */
  readonly elements: readonly Notable[];
  /** Looks of those elements that look otherwise than their parents. */
  readonly looks: ReadonlyMap<Element, Look>;
  readonly idCounts: ReadonlyMap<string, number>;
  readonly baseHref: string | null;
  readonly language: string | null;
  /** Style sheets that are not part of the page: what only they hide is not seen. */
  readonly externalStyles: number;
  readonly stylesIncomplete: boolean;
  /** False when a bound was met and something of the page is not here. */
  readonly complete: boolean;
}

export const MAX_SEGMENTS = 50_000;
export const MAX_SEGMENT_CHARS = 8_192;
const MAX_ELEMENTS = 50_000;
const MAX_JSON_STRINGS = 500;

const HTML_NS = "http://www.w3.org/1999/xhtml";
const SVG_NS = "http://www.w3.org/2000/svg";
/** Whether there is a letter, of any script. Most texts begin with one. */
const hasWords = (text: string): boolean => {
  const first = text.charCodeAt(0) | 32;
  return (first >= 97 && first <= 122) || /[A-Za-z\u00aa-\uffff]/.test(text);
};

const NONE: Text[] = [];

/** Collects segments while the tree is walked. */
class PageBuilder {
  readonly segments: Segment[] = [];
  readonly elements: Notable[] = [];
  readonly looks = new Map<Element, Look>();
  readonly idCounts = new Map<string, number>();
  readonly sheet = new StyleSheet();
  externalStyles = 0;
  language: string | null = null;
  baseHref: string | null = null;
  full = false;
  /** Something was left out. */
  cut = false;
  readonly #below = new Map<Look, Map<Declarations, Look>>();
  #pieces: Text[] = NONE;
  #length = 0;
  #concealment: Concealment | null = null;
  #channel: Channel = "text";
  #owner: Element | null = null;

  /** Joins a text node to the run that is open, if it reaches the reader the same way. */
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
    look: Look,
    element: Element | null,
    at: number,
    pointer?: string,
  ): void {
    if (text.length < 3 || !hasWords(text)) return;
    for (let start = 0; start < text.length && !this.full; start += MAX_SEGMENT_CHARS) {
      const segment: Segment = {
        text: text.length <= MAX_SEGMENT_CHARS ? text : text.slice(start, start + MAX_SEGMENT_CHARS),
        channel,
        concealment: look.concealment,
        element,
        at: at + start,
        pieces: NONE,
      };
      this.#push(pointer === undefined ? segment : { ...segment, pointer });
    }
  }

  #push(segment: Segment): void {
    if (this.segments.length >= MAX_SEGMENTS) this.full = true;
    else this.segments.push(segment);
  }

  /** The look that a style sheet gives to elements below such a parent: worked out once for all of them. */
  lookBelow(parent: Look, sheet: Declarations): Look {
    const below = this.#below.get(parent) ?? new Map<Declarations, Look>();
    const look = below.get(sheet) ?? lookOf(parent, sheet, undefined);
    this.#below.set(parent, below.set(sheet, look));
    return look;
  }

  attributes(element: Element, look: Look): void {
    for (const attr of element.attrs) {
      const { name, value } = attr;
      if (name === "id") this.idCounts.set(value, (this.idCounts.get(value) ?? 0) + 1);
      const channel = channelOf(attr);
      if (channel) this.add(value, channel, look, element, element.at);
    }
  }

  notable(element: Element, look: Look, kind: Kind): void {
    if (!kind.isNotable && !element.attrs.some(isNotable)) return;
    if (this.elements.length >= MAX_ELEMENTS) this.full = true;
    else this.elements.push({ element, look });
  }

  /** What is special about some elements; their children are walked all the same, unless this says no. */
  enter(element: Element, look: Look): boolean {
    const { tagName } = element;
    switch (tagName) {
      case "html":
        this.language = attribute(element, "lang")?.slice(0, 35) ?? null;
        return true;
      case "base":
        this.baseHref ??= attribute(element, "href") ?? null;
        return false;
      case "meta":
        this.add(attribute(element, "content") ?? "", "meta", look, element, element.at);
        return false;
      case "script":
        if (/ld\+json/i.test(attribute(element, "type") ?? "")) this.#json(element, look);
        return false;
      case "style":
        return false;
      case "input": {
        const type = attribute(element, "type")?.toLowerCase() ?? "text";
        const seen = type === "hidden" ? { ...look, concealment: "hidden-attribute" as const } : look;
        this.add(attribute(element, "value") ?? "", "value", seen, element, element.at);
        return false;
      }
      default:
        return true;
    }
  }

  #json(element: Element, look: Look): void {
    const node = element.childNodes[0];
    if (!node || !("value" in node)) return;
    const at = (node as Text).at;
    let value: unknown;
    try {
      value = JSON.parse(node.value.slice(0, 256 * 1024));
    } catch {
      this.add(node.value, "json-ld", look, element, at);
      return;
    }
    const pending: [unknown, string][] = [[value, ""]];
    for (let left = MAX_JSON_STRINGS; pending.length > 0 && left > 0; left--) {
      const [one, pointer] = pending.pop()!;
      if (typeof one === "string") this.add(one, "json-ld", look, element, at, pointer);
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
  look: Look;
  channel: Channel;
}

/** The way from the root to where a walk is. A step that was left is used again for the next one at its depth. */
class Path {
  readonly #steps: Step[];
  #depth = 1;
  top: Step | undefined;

  constructor(root: Step) {
    this.#steps = [root];
    this.top = root;
  }

  push(node: Dom.ParentNode, isInline: boolean, look: Look, channel: Channel): void {
    const left = this.#steps[this.#depth];
    if (left) {
      left.node = node;
      left.isInline = isInline;
      left.next = 0;
      left.look = look;
      left.channel = channel;
      this.top = left;
    } else {
      this.top = { node, isInline, next: 0, look, channel };
      this.#steps.push(this.top);
    }
    this.#depth++;
  }

  pop(): void {
    this.#depth--;
    this.top = this.#depth === 0 ? undefined : this.#steps[this.#depth - 1];
  }
}

const readStyles = (styles: readonly Element[], builder: PageBuilder): void => {
  for (const element of styles) {
    const [text] = element.childNodes;
    if (element.tagName === "style" && text && "value" in text) builder.sheet.add(text.value);
    else if (/\bstylesheet\b/i.test(attribute(element, "rel") ?? "")) builder.externalStyles++;
  }
};

const HIDDEN: Look = { ...ROOT_LOOK, concealment: "hidden-attribute" };
const COLLAPSED: Look = { ...ROOT_LOOK, concealment: "collapsed" };

const lookOfElement = (element: Element, parent: Look, builder: PageBuilder): Look => {
  let inline: string | undefined;
  let hidden = false;
  for (const { name, value } of element.attrs) {
    if (name === "style") inline = value;
    else if (name === "hidden") hidden = true;
  }
  if (hidden && parent.concealment === null) return { ...parent, concealment: HIDDEN.concealment };
  const { tagName } = element;
  const closed = tagName === "dialog" && attribute(element, "open") === undefined;
  if (closed && parent.concealment === null) return { ...parent, concealment: COLLAPSED.concealment };
  const style = inline === undefined ? undefined : readInlineStyle(inline);
  const font = tagName === "font" ? attribute(element, "color") : undefined;
  const own = font === undefined ? style : { color: font.toLowerCase(), ...style };
  const sheet = builder.sheet.matching(element);
  return own ? lookOf(parent, sheet, own) : sheet ? builder.lookBelow(parent, sheet) : parent;
};

/** One pass over the tree, depth first, with a stack of our own: a page may be nested deeper than the call stack. */
const walk = (document: Dom.Document, builder: PageBuilder, within: number): void => {
  const root: Look = builder.externalStyles > 0 ? { ...ROOT_LOOK, background: null } : ROOT_LOOK;
  // What there is after the document's last child is flushed in the end.
  const path = new Path({ node: document, isInline: true, next: 0, look: root, channel: "text" });
  for (let top = path.top; top !== undefined && !builder.full; top = path.top) {
    const child = top.node.childNodes[top.next++];
    if (child === undefined) {
      if (!top.isInline) builder.flush();
      path.pop();
    } else if ((child as Element).at >= within) {
      builder.cut = true;
    } else if ("value" in child) {
      if ("tagName" in top.node)
        builder.text(child as Text, top.node as Element, top.channel, top.look.concealment);
    } else if ("tagName" in child) {
      const element = child as Element;
      const kind = kindOf(element.tagName);
      if (!kind.isInline) builder.flush();
      const look =
        element.attrs.length === 0 && builder.sheet.isEmpty && element.tagName !== "dialog"
          ? top.look
          : lookOfElement(element, top.look, builder);
      if (look !== top.look) builder.looks.set(element, look);
      builder.attributes(element, look);
      builder.notable(element, look, kind);
      const html = element.namespaceURI === HTML_NS;
      if (html && !builder.enter(element, look)) continue;
      const dim = html ? kind.dim : element.namespaceURI === SVG_NS ? "svg" : undefined;
      const node =
        element.tagName === "template" ? (element as Dom.Element as Dom.Template).content : element;
      if (!node) continue;
      const step = node === element ? element : ownedBy(node, element);
      path.push(step, kind.isInline, look, dim ?? top.channel);
    } else if ("data" in child) {
      builder.add(
        child.data,
        "comment",
        top.look,
        "tagName" in top.node ? (top.node as Element) : null,
        (child as unknown as Element).at,
      );
    }
  }
  builder.flush();
};

/** A template's content is a fragment of its own; its text belongs to the template. */
const ownedBy = (fragment: Dom.ParentNode, template: Element): Dom.ParentNode => ({
  ...template,
  childNodes: fragment.childNodes,
});

/**
 * Reads a page. Never throws; 2 MiB of anything takes less than a second.
 * @param html the page, or what parseHtml made of it
 * @param within what begins later in the source is left out, UTF-16 units
 */
export const readPageModel = (html: string | ParsedHtml, within = Number.POSITIVE_INFINITY): PageModel => {
  const { source, document, styles, complete } = typeof html === "string" ? parseHtml(html) : html;
  const builder = new PageBuilder();
  readStyles(
    styles.filter(({ at }) => at < within),
    builder,
  );
  walk(document, builder, within);
  return {
    source,
    segments: builder.segments,
    elements: builder.elements,
    looks: builder.looks,
    idCounts: builder.idCounts,
    baseHref: builder.baseHref,
    language: builder.language,
    externalStyles: builder.externalStyles,
    stylesIncomplete: builder.sheet.incomplete || builder.sheet.exhausted,
    complete: complete && !builder.full && !builder.cut,
  };
};
