/** What readers see of a page, the same for every door: search, sessions, page-info, read-page, modules. */
import { type DefaultTreeAdapterTypes as Dom, html as names } from "parse5";
import { isInline, isTextOf } from "./channels.ts";
import { type Concealment, isShown } from "./computed-style.ts";
import type { Notable, PageModel } from "./page-model.ts";
import { attribute } from "./parse-html.ts";

/** Every run of white space and control characters as one space, and none at the ends. */
export const oneLine = (text: string): string =>
  (/[^\S ]|[\u0000-\u001f\u007f-\u009f]| {2}/.test(text)
    ? text.replace(/[\s\u0000-\u001f\u007f-\u009f]+/g, " ")
    : text
  )
    .trim()
    .toWellFormed();

type Styled = Pick<PageModel, "styles">;

/** Read by their state, not by their content. */
const FORM_TEXT: ReadonlySet<string> = new Set(["select", "textarea"]);
/** What nothing inside the element undoes: what is below need not be looked at. */
const WHOLLY: ReadonlySet<Concealment | null> = new Set([
  "display-none",
  "hidden-attribute",
  "on-request",
] as const);

/** Told what is seen of a node, in its order, until it has enough. */
export interface TextVisitor {
  readonly isFull: boolean;
  open(element: Dom.Element): void;
  close(element: Dom.Element): void;
  text(value: string): void;
}

/** Elements that begin and end a line. */
const BLOCKS: ReadonlySet<string> = new Set(
  "address article aside blockquote body br caption dd details dialog div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol option p pre section summary table tbody tfoot thead tr ul".split(
    " ",
  ),
);

const NODES_PER_CHAR = 16;

class TextReader implements TextVisitor {
  said = "";
  #gap: "" | " " | "\n" = "";
  readonly #maxChars: number;
  readonly #onElement: ((element: Dom.Element, offset: number) => void) | undefined;

  constructor(maxChars: number, onElement?: (element: Dom.Element, offset: number) => void) {
    this.#maxChars = maxChars;
    this.#onElement = onElement;
  }

  get isFull(): boolean {
    return this.said.length > this.#maxChars;
  }

  open(element: Dom.Element): void {
    this.#part(element.tagName);
    this.#onElement?.(element, this.said === "" ? 0 : this.said.length + this.#gap.length);
    if (element.tagName === "img" || element.tagName === "area") this.text(attribute(element, "alt") ?? "");
  }

  close(element: Dom.Element): void {
    this.#part(element.tagName);
  }

  text(words: string): void {
    const plain = oneLine(words);
    if (plain === "") {
      if (words !== "" && this.#gap === "") this.#gap = " ";
      return;
    }
    if (this.#gap === "" && /^\s/.test(words)) this.#gap = " ";
    this.said += (this.said === "" ? "" : this.#gap) + plain;
    this.#gap = /\s$/.test(words) ? " " : "";
  }

  /** Blocks stand on lines of their own; cells, controls and whatever is no inline element are words of their own. */
  #part(tagName: string): void {
    if (BLOCKS.has(tagName)) this.#gap = "\n";
    else if (this.#gap === "" && !isInline(tagName)) this.#gap = " ";
  }
}

export const isHtml = (element: Dom.Element): boolean => element.namespaceURI === names.NS.HTML;

/** All character data below a node, whatever element it is in. */
export function rawText(node: Dom.Node, maxChars = 65_536): string {
  let text = "";
  const stack: Dom.Node[] = [node];
  for (let top = stack.pop(); top !== undefined && text.length < maxChars; top = stack.pop()) {
    if ("value" in top) text += top.value;
    else if ("childNodes" in top)
      for (let i = top.childNodes.length - 1; i >= 0; i--) stack.push(top.childNodes[i]!);
  }
  return text.slice(0, maxChars);
}

/** Whether readers see an element that rules look at, as a part of the page's text. */
export const isSeen = ({ style, channel }: Notable): boolean =>
  channel === "text" && isShown(style.concealment);

/**
 * The text that readers see of a node, block by block on lines of their own; images are their alternative text. What is asked
 * for little is looked at little: a page may hold as many links and headings in one another as it likes.
 * @param onElement is told where each element's text begins, in characters
 */
export function visibleText(
  page: Styled,
  root: Dom.Node,
  maxChars: number,
  onElement?: (element: Dom.Element, offset: number) => void,
): { text: string; cut: boolean } {
  const reader = new TextReader(maxChars, onElement);
  const isWhole = readShown(page, root, reader, 1_000 + NODES_PER_CHAR * maxChars);
  return { text: cutAt(reader.said, maxChars).toWellFormed(), cut: !isWhole };
}

/**
 * Reads what is seen of a node. Of an element that is concealed itself: what would be seen if it were shown, since controls are
 * called by words that only assistive technology reads. Linear, without recursion.
 * @param mostNodes that are looked at
 * @returns whether all was
 */
export function readShown(
  { styles }: Styled,
  root: Dom.Node,
  reader: TextVisitor,
  mostNodes = Number.POSITIVE_INFINITY,
): boolean {
  let left = mostNodes;
  const own = isElement(root) ? concealmentOf({ styles }, root) : null;
  const path: { node: Dom.Node; next: number; concealment: Concealment | null; shown: boolean }[] = [
    { node: root, next: -1, concealment: own, shown: true },
  ];
  for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
    if (reader.isFull) return false;
    const { node, shown, concealment } = top;
    if (top.next === -1) {
      top.next = 0;
      if (--left < 0) return false;
      if (isElement(node)) {
        if (node !== root && (isSilent(node) || (!shown && WHOLLY.has(concealment)))) {
          path.pop();
          continue;
        }
        if (shown) reader.open(node);
      } else if (shown && "value" in node) reader.text(node.value);
    }
    const child = "childNodes" in node ? node.childNodes[top.next++] : undefined;
    if (child === undefined) {
      if (shown && isElement(node)) reader.close(node);
      path.pop();
      continue;
    }
    const style = isElement(child) ? styles.get(child) : undefined;
    const below = style ? style.concealment : concealment;
    path.push({ node: child, next: -1, concealment: below, shown: isShown(below) || below === own });
  }
  return true;
}

export const isElement = (node: Dom.Node | null | undefined): node is Dom.Element =>
  node !== null && node !== undefined && "tagName" in node;

/** What conceals an element; null for nothing. One walk up to where its style is said: as deep as the page is. */
export function concealmentOf({ styles }: Styled, element: Dom.Element): Concealment | null {
  for (let at: Dom.Node | null = element; isElement(at); at = at.parentNode) {
    const style = styles.get(at);
    if (style) return style.concealment;
  }
  return null;
}

/** Elements whose content is no text of the page: it is state, or never shown. */
const isSilent = (element: Dom.Element): boolean =>
  !isHtml(element) || !isTextOf(element.tagName) || FORM_TEXT.has(element.tagName);

/** The beginning of a text, never ending in the middle of a surrogate pair. */
function cutAt(text: string, max: number): string {
  const last = text.charCodeAt(max - 1);
  return text.slice(0, last >= 0xd8_00 && last <= 0xdb_ff && text.length > max ? max - 1 : max);
}
