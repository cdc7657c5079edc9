/** CSS selectors over a page's tree, within a budget: a selector is a program that a stranger wrote for a page that another wrote. */
import { type Options, selectAll } from "css-select";
import type { DefaultTreeAdapterTypes as Dom } from "parse5";
import { attribute } from "../pages/parse-html.ts";

const MAX_SELECTOR_CHARS = 1_024;
/** Looks at nodes that one selection may take: some 0.2 s. Six descendant combinators on a deep page would take years. */
const MAX_STEPS = 2_000_000;

export type Selection =
  | { ok: true; elements: Dom.Element[] }
  | { ok: false; code: "invalid_selector" | "selector_too_costly"; message: string };

class OutOfSteps extends Error {}

/**
 * The elements that `selector` matches, in document order. Pseudo-elements, namespaces and what css-select does not know
 * are `invalid_selector`.
 */
export function select(document: Dom.Document, selector: string, maxSteps = MAX_STEPS): Selection {
  if (selector.length > MAX_SELECTOR_CHARS)
    return {
      ok: false,
      code: "invalid_selector",
      message: `A selector has at most ${MAX_SELECTOR_CHARS} characters.`,
    };
  try {
    const adapter = createAdapter(maxSteps);
    return { ok: true, elements: selectAll<Dom.Node, Dom.Element>(selector, document, { adapter }) };
  } catch (error) {
    if (error instanceof OutOfSteps)
      return {
        ok: false,
        code: "selector_too_costly",
        message: "The selector asks for too much work on this page.",
      };
    // css-what throws for whatever it cannot read: a stranger's mistake, not a fault of ours.
    return {
      ok: false,
      code: "invalid_selector",
      message: `Not a CSS selector: ${(error as Error).message}`.slice(0, 300),
    };
  }
}

/** css-select's view of parse5's own tree; every question costs a step. */
function createAdapter(maxSteps: number): Options<Dom.Node, Dom.Element>["adapter"] {
  let left = maxSteps;
  const spend = () => {
    if (--left < 0) throw new OutOfSteps();
  };
  return {
    isTag: (node): node is Dom.Element => {
      spend();
      return isElement(node);
    },
    getName: (element) => element.tagName,
    getAttributeValue: (element, name) => attribute(element, name),
    hasAttrib: (element, name) => attribute(element, name) !== undefined,
    getChildren: (node) => {
      spend();
      return childrenOf(node);
    },
    getParent: (element) => {
      spend();
      return element.parentNode;
    },
    getSiblings: (node) => {
      spend();
      return "parentNode" in node && node.parentNode ? node.parentNode.childNodes : [node as Dom.ChildNode];
    },
    getText: (node) => textWithin(node, spend),
    removeSubsets: (nodes) => nodes,
  };
}

const isElement = (node: Dom.Node): node is Dom.Element => "tagName" in node;
const childrenOf = (node: Dom.Node): Dom.ChildNode[] => ("childNodes" in node ? node.childNodes : []);

function textWithin(node: Dom.Node, spend: () => void): string {
  let text = "";
  const stack: Dom.Node[] = [node];
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    spend();
    if ("value" in top) text += top.value;
    else stack.push(...childrenOf(top).toReversed());
  }
  return text;
}
