/** Form controls and their state, by HTML section 4.10: which form, what value, checked, selected, disabled. */
import type { DefaultTreeAdapterTypes as Dom } from "parse5";
import { attribute } from "../pages/parse-html.ts";
import { toolName } from "../pages/tool-form.ts";
import { isElement, isHtml, oneLine, rawText, visibleText } from "../pages/visible-text.ts";
import type { BrowserPage } from "./page.ts";
import { sanitized } from "./sanitize.ts";

/** What an agent changed, by element number. What is not here is as the page has it. */
export interface FieldState {
  value?: string | undefined;
  checked?: boolean | undefined;
  /** Numbers of the selected option elements. */
  selected?: number[] | undefined;
}
export type FormState = Readonly<Record<string, FieldState>>;

export type Page = BrowserPage;
export type PageElement = Dom.Element;

/** Elements whose value goes into a submission. */
const SUBMITTABLE: ReadonlySet<string> = new Set(["button", "input", "select", "textarea"]);
const INPUT_TYPES: ReadonlySet<string> = new Set(
  "hidden text search tel url email password date month week time datetime-local number range color checkbox radio file submit image reset button".split(
    " ",
  ),
);

const byForm = new WeakMap<Page, Map<PageElement | undefined, PageElement[]>>();

interface RadioGroup {
  radios: PageElement[];
  /** Of several that are checked in the page, the last one is. */
  declared: PageElement | undefined;
}
const radioGroups = new WeakMap<Page, Map<PageElement, RadioGroup>>();

const labelTexts = new WeakMap<PageElement, string>();

/** A form's controls in document order; `undefined` asks for those of no form. */
export function controlsOf(page: Page, form: PageElement | undefined): readonly PageElement[] {
  let grouped = byForm.get(page);
  if (!grouped) {
    // Once a page: asking each control again for each form would take a hostile page's square.
    grouped = Map.groupBy(page.elements.filter(isSubmittable), (element) => formOf(page, element));
    byForm.set(page, grouped);
  }
  return grouped.get(form) ?? [];
}

export const isSubmittable = (element: PageElement): boolean =>
  isHtml(element) && SUBMITTABLE.has(element.tagName);

/** The form owner (section 4.10.17.3): the form attribute, else the parser's form, else the nearest one around. */
export function formOf(page: Page, element: PageElement): PageElement | undefined {
  const id = attribute(element, "form");
  if (id !== undefined) {
    const named = page.byId.get(id);
    return named?.tagName === "form" ? named : undefined;
  }
  return page.parserForms.get(element) ?? ancestorOf(element, ({ tagName }) => tagName === "form");
}

export function ancestorOf(
  element: PageElement,
  matches: (ancestor: PageElement) => boolean,
): PageElement | undefined {
  for (let at: Dom.Node | null = element.parentNode; isElement(at); at = at.parentNode)
    if (matches(at)) return at;
  return undefined;
}

/** Section 4.10.18.5: by itself, or in a disabled fieldset but not in its first legend. */
export function isDisabled(element: PageElement): boolean {
  if (attribute(element, "disabled") !== undefined) return true;
  let below: PageElement = element;
  for (let at: Dom.Node | null = element.parentNode; isElement(at); at = at.parentNode) {
    if (at.tagName === "fieldset" && attribute(at, "disabled") !== undefined) {
      const legend = at.childNodes.find((child) => isElement(child) && child.tagName === "legend");
      if (legend !== below) return true;
    }
    below = at;
  }
  return false;
}

export const selectableOptions = (page: Page, select: PageElement): PageElement[] =>
  optionsOf(page, select).filter((option) => !isDisabledOption(option));

export function optionsOf(page: Page, select: PageElement): PageElement[] {
  const from = page.numberOf.get(select)!;
  const options: PageElement[] = [];
  for (let i = from + 1; i < page.elements.length; i++) {
    const element = page.elements[i]!;
    if (!ancestorOf(element, (ancestor) => ancestor === select)) break;
    if (element.tagName === "option") options.push(element);
  }
  return options;
}

const isDisabledOption = (option: PageElement): boolean =>
  attribute(option, "disabled") !== undefined ||
  (isElement(option.parentNode) &&
    option.parentNode.tagName === "optgroup" &&
    attribute(option.parentNode, "disabled") !== undefined);

/** The radio buttons of which at most one is checked. */
export const radioGroup = (page: Page, radio: PageElement): readonly PageElement[] =>
  groupOf(page, radio).radios;

/** Same form, same name (section 4.10.5.1.16); grouped once a page. */
function groupOf(page: Page, radio: PageElement): RadioGroup {
  let groups = radioGroups.get(page);
  if (!groups) {
    groups = new Map();
    const byName = new Map<PageElement | undefined, Map<string, RadioGroup>>();
    for (const element of page.elements) {
      if (element.tagName !== "input" || typeOf(element) !== "radio") continue;
      const name = attribute(element, "name");
      const form = formOf(page, element);
      const named = byName.get(form) ?? new Map<string, RadioGroup>();
      byName.set(form, named);
      const group = (name && named.get(name)) || { radios: [], declared: undefined };
      if (name) named.set(name, group);
      group.radios.push(element);
      if (attribute(element, "checked") !== undefined) group.declared = element;
      groups.set(element, group);
    }
    radioGroups.set(page, groups);
  }
  return groups.get(radio) ?? { radios: [radio], declared: undefined };
}

/** The control's type: that of an input or button, else its element's name. */
export function typeOf(element: PageElement): string {
  const type = attribute(element, "type")?.toLowerCase() ?? "";
  if (element.tagName === "input") return INPUT_TYPES.has(type) ? type : "text";
  if (element.tagName === "button") return type === "reset" || type === "button" ? type : "submit";
  return element.tagName;
}

export function isChecked(page: Page, state: FormState, element: PageElement): boolean {
  const own = stateOf(page, state, element).checked;
  if (own !== undefined) return own;
  if (attribute(element, "checked") === undefined) return false;
  if (typeOf(element) === "checkbox") return true;
  return groupOf(page, element).declared === element;
}

const stateOf = (page: Page, state: FormState, element: PageElement): FieldState =>
  state[String(page.numberOf.get(element))] ?? {};

/** What the control holds now, as it would be submitted; of a select, its first selected option's value. */
export function currentValue(page: Page, state: FormState, element: PageElement): string {
  const own = stateOf(page, state, element).value;
  if (own !== undefined) return own;
  if (element.tagName === "textarea") return rawText(element).replace(/^\n/, "");
  if (element.tagName === "select") {
    const [option] = selectedOptions(page, state, element);
    return option ? optionValue(option) : "";
  }
  const value = attribute(element, "value");
  if (isCheckable(element)) return value ?? "on";
  return isTextual(element)
    ? sanitized(typeOf(element), value ?? "", (name) => attribute(element, name))
    : (value ?? "");
}

/** The options that are selected now; a drop-down list always has one (section 4.10.7). */
export function selectedOptions(page: Page, state: FormState, select: PageElement): PageElement[] {
  const options = optionsOf(page, select);
  const chosen = stateOf(page, state, select).selected;
  if (chosen) return options.filter((option) => chosen.includes(page.numberOf.get(option)!));
  const declared = options.filter((option) => attribute(option, "selected") !== undefined);
  if (attribute(select, "multiple") !== undefined) return declared;
  if (declared.length > 0) return declared.slice(-1);
  if (Number(attribute(select, "size") ?? 1) > 1) return [];
  return options.filter((option) => !isDisabledOption(option)).slice(0, 1);
}

export const optionValue = (option: PageElement): string => attribute(option, "value") ?? optionText(option);

export const optionText = (option: PageElement): string => oneLine(rawText(option));

export const isCheckable = (element: PageElement): boolean =>
  element.tagName === "input" && /^(?:checkbox|radio)$/.test(typeOf(element));

/** Whether somebody can write into it. */
export const isTextual = (element: PageElement): boolean =>
  element.tagName === "textarea" ||
  (element.tagName === "input" &&
    !/^(?:hidden|checkbox|radio|file|submit|image|reset|button)$/.test(typeOf(element)));

/** What a control is called: its label, else aria-label, placeholder, title or the words on a button. */
export function controlLabel(page: Page, element: PageElement): string {
  const id = attribute(element, "id");
  const label = (id && page.labels.get(id)) || ancestorOf(element, ({ tagName }) => tagName === "label");
  const own = element.tagName === "button" ? wordsOf(page, element) : "";
  const said = label ? wordsOf(page, label) : own;
  return (
    said ||
    oneLine(
      attribute(element, "aria-label") ??
        attribute(element, "placeholder") ??
        attribute(element, "title") ??
        (isSubmitButton(element) ? (attribute(element, "value") ?? attribute(element, "alt")) : "") ??
        "",
    ).slice(0, 300)
  );
}

/** A label's words, read once however many controls it is around. */
function wordsOf({ model }: Page, label: PageElement): string {
  let words = labelTexts.get(label);
  if (words === undefined) {
    words = oneLine(visibleText(model, label, 300).text);
    labelTexts.set(label, words);
  }
  return words;
}

export const isSubmitButton = (element: PageElement): boolean =>
  (element.tagName === "button" && typeOf(element) === "submit") ||
  (element.tagName === "input" && /^(?:submit|image)$/.test(typeOf(element)));

/** The control that a label names: by `for`, else the first one in it. */
export function labeledControl(page: Page, label: PageElement): PageElement | undefined {
  const id = attribute(label, "for");
  if (id !== undefined) return page.byId.get(id);
  return page.elements.find(
    (element) =>
      isSubmittable(element) && ancestorOf(element, (ancestor) => ancestor === label) !== undefined,
  );
}

/**
 * A name that a page gives an element of its own: binds a declared action to a form or link. A form may have it as the
 * name of a tool (tool-form.ts).
 */
export function ownName(element: PageElement): string | undefined {
  const name = attribute(element, "data-bridge-action")?.trim();
  if (name && name.length <= 64) return name;
  return toolName(element);
}
