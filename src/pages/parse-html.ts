/** HTML parsed like a browser does (parse5), within bounds, every node with its place in the source. */
import { type DefaultTreeAdapterTypes as Dom, defaultTreeAdapter, Parser } from "parse5";
import { MAX_HTML_CHARS } from "../../schemas/common.ts";
import { PlacingParser } from "../patches/parse5-parser.ts";
import { NO_ATTRIBUTES } from "../patches/parse5-tokenizer.ts";

/** Where a node begins and its opening markup ends in the source, UTF-16 units. */
interface Placed {
  at: number;
  until: number;
}

export type Element = Dom.Element & Placed;
export type Text = Dom.TextNode & Placed;
export type Comment = Dom.CommentNode & Placed;

export interface ParseOptions {
  /** UTF-16 units of HTML that are parsed. */
  maxHtmlChars?: number;
  /** Nodes that parsing may make. Misnested formatting elements make many nodes from few characters. */
  maxNodes?: number;
  /** parse5 with our patches (src/patches). Default: true; a test compares. */
  patched?: boolean;
  /**
   * Called with each element as it is made, with the form that is open for the parser then (HTML section 13.2.4.4): a form in a
   * table is closed as an element long before the controls that belong to it.
   */
  onElement?: (element: Element, openForm: Dom.Element | null) => void;
}

/** A node costs up to a kilobyte: a page of so many fits into a thread (src/threads/pool.ts), whatever its nodes are. */
export const MAX_NODES = 120_000;

class OutOfNodes extends Error {}

/** parse5 as it is published: places come from its own location objects. */
class PlainParser extends Parser<Dom.DefaultTreeAdapterMap> {
  /** Of the last node that has a location. */
  textAt = 0;
  tagAt = 0;
}

export interface ParsedHtml {
  source: string;
  document: Dom.Document;
  /** Its style and link elements, in order. */
  sheets: Element[];
  complete: boolean;
}

/** Of every element that has none. */
const NO_CHILDREN: Dom.ChildNode[] = [];

/** A document while it is parsed. */
interface Building {
  readonly document: Dom.Document;
  readonly sheets: Element[];
  /** Nodes that may still be made. */
  left: number;
  parser: PlacingParser | PlainParser | undefined;
  readonly onElement: ParseOptions["onElement"];
}

/**
 * Parses until the document has as many nodes as it may have, and keeps what is there by then.
 * @returns `complete` false when something of the page is not in the tree
 */
export function parseHtml(
  source: string,
  { maxHtmlChars = MAX_HTML_CHARS, maxNodes = MAX_NODES, patched = true, onElement }: ParseOptions = {},
): ParsedHtml {
  const html = source.length > maxHtmlChars ? source.slice(0, maxHtmlChars) : source;
  const document = defaultTreeAdapter.createDocument();
  const sheets: Element[] = [];
  const building: Building = { document, sheets, left: maxNodes, parser: undefined, onElement };
  const makers = nodeMakers(building);
  const scriptingEnabled = false;
  const parser = patched
    ? new PlacingParser({ treeAdapter: makers, scriptingEnabled })
    : new PlainParser({
        treeAdapter: { ...makers, ...plainPlaces(building) },
        scriptingEnabled,
        sourceCodeLocationInfo: true,
      });
  building.parser = parser;
  try {
    parser.tokenizer.write(html, true);
    return { source, document, sheets, complete: html.length === source.length };
  } catch (error) {
    if (!(error instanceof OutOfNodes)) throw error;
    return { source, document, sheets, complete: false };
  }
}

function nodeMakers(building: Building): typeof defaultTreeAdapter {
  const spend = (): void => {
    if (--building.left < 0) throw new OutOfNodes();
  };
  const makeText = (value: string): Text => {
    spend();
    const { textAt } = building.parser!;
    return { nodeName: "#text" as Text["nodeName"], value, parentNode: null, at: textAt, until: textAt };
  };
  return {
    ...defaultTreeAdapter,
    ...insertions(makeText),
    createDocument: () => building.document,
    createElement: (tagName, namespaceURI, attrs) => {
      spend();
      const parser = building.parser!;
      const element: Element = {
        nodeName: tagName,
        tagName,
        attrs,
        namespaceURI,
        childNodes: NO_CHILDREN,
        parentNode: null,
        at: parser.tagAt,
        until: parser.textAt,
      };
      if (tagName === "style" || tagName === "link") building.sheets.push(element);
      building.onElement?.(element, parser.formElement);
      return element;
    },
    createCommentNode: (data) => {
      spend();
      const { tagAt: at, textAt: until } = building.parser!;
      const nodeName = "#comment" as Comment["nodeName"];
      const comment: Comment = { nodeName, data, parentNode: null, at, until };
      return comment;
    },
    adoptAttributes: (recipient, attrs) => {
      if (recipient.attrs === NO_ATTRIBUTES) recipient.attrs = [];
      defaultTreeAdapter.adoptAttributes(recipient, attrs);
    },
    appendChild,
  };
}

/** Where text and what is misplaced go; a text beside another goes on in it. */
function insertions(
  makeText: (value: string) => Text,
): Pick<typeof defaultTreeAdapter, "insertText" | "insertBefore" | "insertTextBefore"> {
  const append = (text: string, before: Dom.ChildNode | undefined): Text | undefined => {
    if (!before || !("value" in before)) return makeText(text);
    before.value += text;
    return undefined;
  };
  return {
    insertText: (parent, text) => {
      const node = append(text, parent.childNodes[parent.childNodes.length - 1]);
      if (node) appendChild(parent, node);
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
}

/** Most elements have one child: a list made for one is a tenth of what the first push makes room for. */
function appendChild(parent: Dom.ParentNode, node: Dom.ChildNode): void {
  if (parent.childNodes.length === 0) parent.childNodes = [node];
  else parent.childNodes.push(node);
  node.parentNode = parent;
}

/** The plain parser's locations, as the places that the patched one gives by itself. */
const plainPlaces = (building: Building): Partial<typeof defaultTreeAdapter> => ({
  getNodeSourceCodeLocation: (node) => node.sourceCodeLocation,
  setNodeSourceCodeLocation: (node, location) => {
    node.sourceCodeLocation = location;
    if (!location || !("at" in node)) return;
    const { startOffset, endOffset } =
      "startTag" in location && location.startTag ? location.startTag : location;
    building.parser!.tagAt = startOffset;
    building.parser!.textAt = endOffset;
    Object.assign(node, { at: startOffset, until: "value" in node ? startOffset : endOffset });
  },
});

export function attribute(element: Dom.Element, name: string): string | undefined {
  for (const attr of element.attrs) if (attr.name === name) return attr.value;
  return undefined;
}
