/** A page as the rules for dark patterns read it: visible text, controls, dialogs, scripts. */
import type { DefaultTreeAdapterTypes as Dom } from "parse5";
import type { PatternId } from "../../../schemas/dark-pattern.ts";
import type { Evidence } from "../../../schemas/finding.ts";
import type { ComputedStyle } from "../../pages/computed-style.ts";
import { isShown } from "../../pages/computed-style.ts";
import { collapsed, elementText } from "../../pages/element.ts";
import { evidenceAt, evidenceIn } from "../../pages/evidence.ts";
import type { Notable, PageModel, Segment } from "../../pages/page-model.ts";
import { attribute, type Element } from "../../pages/parse-html.ts";

export interface Control {
  element: Element;
  style: ComputedStyle;
  kind: "button" | "link" | "checkbox" | "radio" | "input" | "select";
  /** What it says, or what its label says. */
  text: string;
  checked: boolean;
}

export interface SeenText {
  text: string;
  segment: Segment;
}

export interface View {
  page: PageModel;
  /** Text that can be seen, in order. */
  texts: SeenText[];
  controls: Control[];
  /** Dialogs, banners and whatever lies over the page. */
  dialogs: { element: Element; text: string; controls: Control[] }[];
  /** Inline scripts, joined. */
  script: string;
  /** All that can be seen, one line a block. */
  whole: string;
}

/** Something found: `deceptive` says that more than presence was seen. */
export interface Hit {
  pattern: PatternId;
  rule: string;
  deceptive: boolean;
  confidence: number;
  evidence: Evidence;
}

/** Findings of one pattern: more of them say no more, and each costs a walk to where it stands. */
export const MAX_HITS = 3;
const MAX_TEXT = 1_000;
const MAX_SCRIPT = 256 * 1024;
const MAX_DIALOGS = 50;
const MAX_CONTROLS = 5_000;

const DIALOG_NAME = /modal|popup|pop-up|overlay|dialog|interstitial|cookie|consent|gdpr/i;

/** Ancestors that are searched for a dialog. */
const MAX_DIALOG_DEPTH = 40;

/** Up to so many ancestors, nearest first. */
export function* ancestors(element: Element, most: number): Generator<Element> {
  let at = parentElement(element);
  for (let n = 0; at && n < most; n++) {
    yield at;
    at = parentElement(at);
  }
}

export const parentElement = (element: Dom.Element): Element | undefined =>
  element.parentNode && "tagName" in element.parentNode ? (element.parentNode as Element) : undefined;

/** Texts shorter than `length` that match, in order. */
export const textsLike = (view: View, pattern: RegExp, length = MAX_TEXT + 1): SeenText[] =>
  view.texts.filter(({ text }) => text.length < length && pattern.test(text));

/** Whether all that can be seen matches, lines together. */
export const isSaid = (view: View, pattern: RegExp): boolean => pattern.test(view.whole);

export function viewOf(page: PageModel): View {
  const labels = new Map<string, string>();
  for (const { element } of page.elements) {
    const target = element.tagName === "label" ? attribute(element, "for") : undefined;
    if (target !== undefined) labels.set(target, elementText(element));
  }
  const controls: Control[] = [];
  for (const notable of page.elements) {
    const control = controlOf(notable, labels);
    if (control) controls.push(control);
    if (controls.length >= MAX_CONTROLS) break;
  }
  const texts = textsOf(page);
  return {
    page,
    texts,
    controls,
    dialogs: dialogsOf(page, controls),
    script: scriptOf(page),
    whole: texts.map(({ text }) => text).join("\n"),
  };
}

function controlOf({ element, style }: Notable, labels: ReadonlyMap<string, string>): Control | undefined {
  const kind = kindOf(element);
  if (!kind) return undefined;
  const isChoice = kind === "checkbox" || kind === "radio";
  const own = element.tagName === "input" ? (attribute(element, "value") ?? "") : elementText(element);
  const text = isChoice || kind === "input" || kind === "select" ? labelOf(element, labels) : own;
  const shown = text || attribute(element, "aria-label") || "";
  return {
    element,
    style,
    kind,
    text: shown.slice(0, 300),
    checked: attribute(element, "checked") !== undefined,
  };
}

function kindOf(element: Element): Control["kind"] | undefined {
  const { tagName } = element;
  if (tagName === "a") return "link";
  if (tagName === "button" || attribute(element, "role") === "button") return "button";
  if (tagName === "select") return "select";
  if (tagName !== "input") return undefined;
  const type = attribute(element, "type")?.toLowerCase() ?? "text";
  if (type === "checkbox" || type === "radio") return type;
  if (type === "submit" || type === "button") return "button";
  return type === "hidden" ? undefined : "input";
}

function labelOf(element: Element, labels: ReadonlyMap<string, string>): string {
  const id = attribute(element, "id");
  const named = id === undefined ? undefined : labels.get(id);
  if (named) return named;
  for (const ancestor of ancestors(element, 3)) {
    if (ancestor.tagName === "label") return elementText(ancestor);
    // The words that stand beside it.
    const text = elementText(ancestor);
    if (text !== "" && text.length < 300 && /^(?:p|li|div|span|td|dd|fieldset)$/.test(ancestor.tagName))
      return text;
  }
  return attribute(element, "aria-label") ?? attribute(element, "name") ?? "";
}

/** Text that can be seen, each once: cards and menus repeat. */
function textsOf(page: PageModel): SeenText[] {
  const seen = new Set<string>();
  const texts: SeenText[] = [];
  for (const segment of page.segments) {
    if (segment.channel !== "text" || !isShown(segment.concealment)) continue;
    const text = collapsed(segment.text).slice(0, MAX_TEXT);
    if (text.length < 2 || seen.has(text)) continue;
    seen.add(text);
    texts.push({ text, segment });
  }
  return texts;
}

function dialogsOf(page: PageModel, controls: readonly Control[]): View["dialogs"] {
  const found: View["dialogs"] = [];
  const dialogs = new Set<Element>();
  const controlsIn = controls.length > 2_000 ? new Map<Element, Control[]>() : controlsByAncestor(controls);
  for (const { element } of page.elements) {
    if (found.length >= MAX_DIALOGS) break;
    const inside = controlsIn.get(element);
    if (!inside || !isDialog(element) || isInsideAny(element, dialogs)) continue;
    dialogs.add(element);
    found.push({ element, text: elementText(element), controls: inside });
  }
  return found;
}

/** The controls inside each element, in order: one walk up from each control. */
function controlsByAncestor(controls: readonly Control[]): Map<Element, Control[]> {
  const inside = new Map<Element, Control[]>();
  for (const control of controls)
    for (const ancestor of ancestors(control.element, MAX_DIALOG_DEPTH)) {
      const known = inside.get(ancestor);
      if (known) known.push(control);
      else inside.set(ancestor, [control]);
    }
  return inside;
}

function isDialog(element: Element): boolean {
  if (element.tagName === "dialog") return true;
  const role = attribute(element, "role");
  if (role !== undefined && /^(?:alert)?dialog$/.test(role)) return true;
  const names = attribute(element, "class");
  const id = attribute(element, "id");
  return (
    (names !== undefined || id !== undefined) && DIALOG_NAME.test(`${names ?? ""} ${id ?? ""}`.slice(0, 400))
  );
}

function isInsideAny(element: Element, outer: ReadonlySet<Element>): boolean {
  for (const ancestor of ancestors(element, MAX_DIALOG_DEPTH)) if (outer.has(ancestor)) return true;
  return false;
}

function scriptOf(page: PageModel): string {
  let script = "";
  for (const { element } of page.elements) {
    const node = element.tagName === "script" ? element.childNodes[0] : undefined;
    if (node && "value" in node) script += `${node.value}\n`;
    if (script.length > MAX_SCRIPT) break;
  }
  return script.slice(0, MAX_SCRIPT);
}

/** The whole segment that matches as evidence. */
export const inText = (view: View, segment: Segment): Evidence => evidenceIn(view.page, segment);

export const atElement = (view: View, element: Element, snippet?: string): Evidence =>
  evidenceAt(view.page, element, snippet);

export const hit = (
  pattern: PatternId,
  rule: string,
  deceptive: boolean,
  confidence: number,
  evidence: Evidence,
): Hit => ({ pattern, rule, deceptive, confidence, evidence });
