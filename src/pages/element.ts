/** What an element says, and where it is. */
import type { DefaultTreeAdapterTypes as Dom } from "parse5";
import { attribute } from "./parse-html.ts";

const MAX_ELEMENT_TEXT = 600;

const MAX_SELECTOR_STEPS = 40;

/** Types of scripts that browsers run (WHATWG MIME Sniffing, JavaScript MIME types); others hold data. */
const SCRIPT_TYPE =
  /^(?:module|(?:application|text)\/(?:x-)?(?:java|ecma)script|text\/(?:javascript1\.[0-5]|jscript|livescript))$/i;

/** Text of an element and what is in it, white space collapsed, at most 600 characters. No recursion. */
export function elementText(element: Dom.Element): string {
  const only = element.childNodes[0];
  if (element.childNodes.length === 1 && only && "value" in only && isRead(element))
    return collapsed(only.value.slice(0, MAX_ELEMENT_TEXT));
  let text = "";
  const pending: Dom.ChildNode[] = [element];
  for (let seen = 0; pending.length > 0 && text.length < MAX_ELEMENT_TEXT && seen < 2_000; seen++) {
    const node = pending.pop()!;
    if ("value" in node) text += node.value;
    else if ("tagName" in node && isRead(node)) {
      if (node.tagName === "img") text += ` ${attribute(node, "alt") ?? ""} `;
      if (node.tagName === "br") text += " ";
      const first = Math.max(0, node.childNodes.length - 2_000);
      for (let i = node.childNodes.length - 1; i >= first; i--) pending.push(node.childNodes[i]!);
    }
  }
  return collapsed(text.slice(0, MAX_ELEMENT_TEXT));
}

const isRead = ({ tagName }: Dom.Element): boolean => tagName !== "script" && tagName !== "style";

/** A text with every run of white space as one space, and none at its ends. Most texts are so already. */
export const collapsed = (text: string): string =>
  /[^\S ]| {2}/.test(text) ? text.replace(/\s+/g, " ").trim() : text.trim();

/** A selector that finds this element: from the nearest ancestor whose id is its alone, or from the root. */
export function evidenceSelector(
  element: Dom.Element,
  idCounts: ReadonlyMap<string, number>,
): string | undefined {
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
}

function stepOf(element: Dom.Element): string {
  const siblings = element.parentNode?.childNodes ?? [];
  let place = 0;
  let same = 0;
  for (const sibling of siblings) {
    if (!("tagName" in sibling) || sibling.tagName !== element.tagName) continue;
    same++;
    if (sibling === element) place = same;
  }
  return same > 1 ? `${element.tagName}:nth-of-type(${place})` : element.tagName;
}

/** Whether a browser runs a script element: what consent tools hold back has a type that is none (HTML section 4.12.1). */
export function isRunScript(script: Dom.Element): boolean {
  const type = attribute(script, "type");
  if (type === undefined || type === "application/json" || type === "application/ld+json")
    return type === undefined;
  const trimmed = type.trim();
  return trimmed === "" || SCRIPT_TYPE.test(trimmed.split(";", 1)[0]!);
}
