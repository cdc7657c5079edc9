/** HTML parsed like a browser does (parse5), within bounds, every node with its place in the source. */
import { type DefaultTreeAdapterTypes as Dom, defaultTreeAdapter, Parser, type Token } from "parse5";

/** Where a node begins and its opening markup ends in the source, UTF-16 units. */
interface Placed {
  at: number;
  until: number;
}

export type Element = Dom.Element & Placed;
export type Text = Dom.TextNode & Placed;
export type Comment = Dom.CommentNode & Placed;

/** Longest HTML that is parsed, UTF-16 units. */
export const MAX_HTML_CHARS = 2 * 1024 * 1024;
/** Misnested formatting elements make many nodes from few characters. */
const MAX_NODES = 200_000;

class OutOfNodes extends Error {}

/**
 * Knows where the token that is being handled began. The parser's own location objects say the same, at the price of
 * half as much time again.
 */
class PlacingParser extends Parser<Dom.DefaultTreeAdapterMap> {
  /** End of the last tag or comment: where text begins. */
  textAt = 0;
  tagAt = 0;

  override onStartTag(token: Token.TagToken): void {
    this.#tag();
    super.onStartTag(token);
  }

  override onEndTag(token: Token.TagToken): void {
    this.#tag();
    super.onEndTag(token);
  }

  override onComment(token: Token.CommentToken): void {
    this.#tag();
    super.onComment(token);
  }

  override onDoctype(token: Token.DoctypeToken): void {
    this.#tag();
    super.onDoctype(token);
  }

  #tag(): void {
    this.tagAt = this.textAt;
    this.textAt = this.tokenizer.preprocessor.offset + 1;
  }
}

export interface ParsedHtml {
  document: Dom.Document;
  /** Its style and link elements, in order. */
  styles: Element[];
  complete: boolean;
}

/**
 * Parses until the document has as many nodes as it may have, and keeps what is there by then.
 * @returns `complete` false when something of the page is not in the tree
 */
export const parseHtml = (html: string): ParsedHtml => {
  const source = html.length > MAX_HTML_CHARS ? html.slice(0, MAX_HTML_CHARS) : html;
  const document = defaultTreeAdapter.createDocument();
  const styles: Element[] = [];
  let left = MAX_NODES;
  const spend = (): void => {
    if (--left < 0) throw new OutOfNodes();
  };
  const append = (text: string, before: Dom.ChildNode | undefined): Text | undefined => {
    if (before && "value" in before) {
      before.value += text;
      return undefined;
    }
    spend();
    return {
      nodeName: "#text" as Text["nodeName"],
      value: text,
      parentNode: null,
      at: parser.textAt,
      until: parser.textAt,
    };
  };
  const adapter: typeof defaultTreeAdapter = {
    ...defaultTreeAdapter,
    createDocument: () => document,
    createElement: (tagName, namespaceURI, attrs) => {
      spend();
      const element: Element = {
        nodeName: tagName,
        tagName,
        attrs,
        namespaceURI,
        childNodes: [],
        parentNode: null,
        at: parser.tagAt,
        until: parser.textAt,
      };
      if (tagName === "style" || tagName === "link") styles.push(element);
      return element;
    },
    createCommentNode: (data) => {
      spend();
      const comment: Comment = {
        nodeName: "#comment" as Comment["nodeName"],
        data,
        parentNode: null,
        at: parser.tagAt,
        until: parser.textAt,
      };
      return comment;
    },
    insertText: (parent, text) => {
      const node = append(text, parent.childNodes.at(-1));
      if (!node) return;
      node.parentNode = parent;
      parent.childNodes.push(node);
    },
    insertBefore: (parent, node, reference) => {
      parent.childNodes.splice(parent.childNodes.lastIndexOf(reference), 0, node);
      node.parentNode = parent;
    },
    // The reference is a table that is still open, so it is among the last.
    insertTextBefore: (parent, text, reference) => {
      const index = parent.childNodes.lastIndexOf(reference);
      const node = append(text, parent.childNodes[index - 1]);
      if (!node) return;
      node.parentNode = parent;
      parent.childNodes.splice(index, 0, node);
    },
  };
  const parser = new PlacingParser({ treeAdapter: adapter, scriptingEnabled: false });
  try {
    parser.tokenizer.write(source, true);
    return { document, styles, complete: source.length === html.length };
  } catch (error) {
    if (!(error instanceof OutOfNodes)) throw error;
    return { document, styles, complete: false };
  }
};

export const attribute = (element: Dom.Element, name: string): string | undefined => {
  for (const attr of element.attrs) if (attr.name === name) return attr.value;
  return undefined;
};

const MAX_ELEMENT_TEXT = 600;

/** Text of an element and what is in it, white space collapsed, at most 600 characters. No recursion. */
export const textOf = (element: Dom.Element): string => {
  let text = "";
  const pending: Dom.ChildNode[] = [element];
  for (let seen = 0; pending.length > 0 && text.length < MAX_ELEMENT_TEXT && seen < 2_000; seen++) {
    const node = pending.pop()!;
    if ("value" in node) text += node.value;
    else if ("tagName" in node && node.tagName !== "script" && node.tagName !== "style") {
      if (node.tagName === "img") text += ` ${attribute(node, "alt") ?? ""} `;
      if (node.tagName === "br") text += " ";
      const first = Math.max(0, node.childNodes.length - 2_000);
      for (let i = node.childNodes.length - 1; i >= first; i--) pending.push(node.childNodes[i]!);
    }
  }
  return text.slice(0, MAX_ELEMENT_TEXT).replace(/\s+/g, " ").trim();
};

const MAX_SELECTOR_STEPS = 40;

/** A selector that finds this element: from the nearest ancestor whose id is its alone, or from the root. */
export const selectorOf = (
  element: Dom.Element,
  idCounts: ReadonlyMap<string, number>,
): string | undefined => {
  const steps: string[] = [];
  for (let node: Dom.ParentNode | null = element; node && "tagName" in node; node = node.parentNode) {
    if (steps.length >= MAX_SELECTOR_STEPS) return undefined;
    const id = attribute(node, "id");
    if (id !== undefined && /^[A-Za-z][\w-]{0,63}$/.test(id) && idCounts.get(id) === 1) {
      steps.push(`#${id}`);
      break;
    }
    if (!/^[a-z][a-z0-9-]*$/i.test(node.tagName)) return undefined;
    steps.push(stepOf(node));
  }
  return steps.reverse().join(" > ");
};

const stepOf = (element: Dom.Element): string => {
  const siblings = element.parentNode?.childNodes ?? [];
  let place = 0;
  let same = 0;
  for (const sibling of siblings) {
    if (!("tagName" in sibling) || sibling.tagName !== element.tagName) continue;
    same++;
    if (sibling === element) place = same;
  }
  return same > 1 ? `${element.tagName}:nth-of-type(${place})` : element.tagName;
};
