/** Filling controls: what an agent sets, as a browser would let it be set. Pure. */
import { attribute } from "../pages/parse-html.ts";
import {
  controlLabel,
  type FieldState,
  type FormState,
  isCheckable,
  isDisabled,
  isSubmittable,
  isTextual,
  labeledControl,
  optionsOf,
  optionText,
  optionValue,
  type Page,
  type PageElement,
  radioGroup,
  selectableOptions,
  selectedOptions,
  typeOf,
} from "./controls.ts";
import { targetSelector } from "./page.ts";
import { typedFault, valueFault } from "./submission.ts";

export type FillFailure =
  | "not_a_field"
  | "not_editable"
  | "file_input_refused"
  | "value_invalid"
  | "option_not_found"
  | "form_too_large";

export type FillResult = { ok: true; fields: FormState } | { ok: false; code: FillFailure; message: string };

/** Characters of one value, and fields and characters of a whole session's forms. */
export const MAX_VALUE_CHARS = 16_384;
const MAX_FIELDS = 500;
const MAX_FIELDS_CHARS = 65_536;
/** Options named when none fits. */
const MAX_NAMED = 20;

const CHECKED: ReadonlySet<string> = new Set(["true", "on", "1", "yes", "checked"]);
const UNCHECKED: ReadonlySet<string> = new Set(["false", "off", "0", "no", "unchecked", ""]);

/** Sets a checkbox or radio button; checking a radio button lets go of the others of its group. */
export function setChecked(page: Page, fields: FormState, element: PageElement, on: boolean): FillResult {
  if (isDisabled(element)) return refuse("not_editable", "The control is disabled.");
  if (typeOf(element) !== "radio") return changed(page, fields, [[element, { checked: on }]]);
  if (!on) return refuse("value_invalid", "A radio button is let go of by choosing another one.");
  return changed(
    page,
    fields,
    radioGroup(page, element).map((radio) => [radio, { checked: radio === element }]),
  );
}

const refuse = (code: FillFailure, message: string): FillResult => ({ ok: false, code, message });

function changed(page: Page, fields: FormState, changes: readonly [PageElement, FieldState][]): FillResult {
  const next: Record<string, FieldState> = { ...fields };
  for (const [element, change] of changes) {
    const number = String(page.numberOf.get(element));
    next[number] = { ...next[number], ...change };
  }
  const tooLarge = Object.keys(next).length > MAX_FIELDS || JSON.stringify(next).length > MAX_FIELDS_CHARS;
  return tooLarge
    ? refuse("form_too_large", `Forms of one page hold at most ${MAX_FIELDS} changed fields and 64 KiB.`)
    : { ok: true, fields: next };
}

/** The control that filling this element means: itself, or the one that it labels. */
export function fieldOf(page: Page, element: PageElement): PageElement | undefined {
  if (element.tagName === "label") {
    const control = labeledControl(page, element);
    return control && isSubmittable(control) ? control : undefined;
  }
  return isSubmittable(element) ? element : undefined;
}

/**
 * Fills a control with a value: text; true, false or a value for checkboxes and radio buttons; an option's value or words
 * for lists (several in an array where the list takes several).
 */
export function fill(
  page: Page,
  fields: FormState,
  element: PageElement,
  value: string | readonly string[],
): FillResult {
  const values = typeof value === "string" ? [value] : value;
  if (element.tagName === "select") return choose(page, fields, element, values);
  if (values.length !== 1) return refuse("value_invalid", "The control takes exactly one value.");
  if (typeOf(element) === "file")
    return refuse("file_input_refused", "Files are not sent from here: a session has none.");
  if (isCheckable(element)) return fillCheckable(page, fields, element, values[0]!);
  if (isTextual(element)) return fillText(page, fields, element, values[0]!);
  return refuse("not_editable", "Hidden controls and buttons have the value that the page gave them.");
}

/** Chooses options by value or by their words; several for a list that takes several. */
export function choose(
  page: Page,
  fields: FormState,
  element: PageElement,
  values: readonly string[],
): FillResult {
  if (isDisabled(element)) return refuse("not_editable", "The list is disabled.");
  const options = selectableOptions(page, element);
  const multiple = attribute(element, "multiple") !== undefined;
  if (values.length !== 1 && !multiple) return refuse("value_invalid", "The list takes exactly one option.");
  const chosen: PageElement[] = [];
  for (const value of values) {
    const option =
      options.find((each) => optionValue(each) === value) ??
      options.find((each) => optionText(each) === value.trim());
    if (!option) {
      const named = options.slice(0, MAX_NAMED).map((each) => `${optionValue(each)} (${optionText(each)})`);
      return refuse(
        "option_not_found",
        `No option is called that. There are: ${named.join(", ")}.`.slice(0, 800),
      );
    }
    chosen.push(option);
  }
  return changed(page, fields, [[element, { selected: chosen.map((option) => page.numberOf.get(option)!) }]]);
}

function fillCheckable(page: Page, fields: FormState, element: PageElement, value: string): FillResult {
  const said = value.trim().toLowerCase();
  const sameName = radioGroup(page, element);
  if (typeOf(element) === "radio") {
    const chosen =
      sameName.find((radio) => (attribute(radio, "value") ?? "on") === value) ??
      sameName.find((radio) => controlLabel(page, radio) === value);
    if (chosen) return setChecked(page, fields, chosen, true);
  } else if (attribute(element, "value") === value) return setChecked(page, fields, element, true);
  if (CHECKED.has(said) || UNCHECKED.has(said)) return setChecked(page, fields, element, CHECKED.has(said));
  const values = sameName.map((radio) => attribute(radio, "value") ?? "on").slice(0, MAX_NAMED);
  return refuse("value_invalid", `Use true or false, or one of: ${values.join(", ")}.`);
}

function fillText(page: Page, fields: FormState, element: PageElement, value: string): FillResult {
  if (isDisabled(element) || attribute(element, "readonly") !== undefined)
    return refuse("not_editable", "The control is disabled or read-only.");
  const text = element.tagName === "textarea" ? value : value.replace(/[\r\n]/g, "");
  const most = Number(attribute(element, "maxlength") || Number.NaN);
  if (text.length > Math.min(MAX_VALUE_CHARS, Number.isFinite(most) && most >= 0 ? most : MAX_VALUE_CHARS))
    return refuse(
      "value_invalid",
      `The value is longer than the control takes${most >= 0 ? ` (${most})` : ""}.`,
    );
  const fault = valueFault(element, text) ?? typedFault(element, text);
  if (fault) return refuse("value_invalid", `The value ${fault}.`);
  return changed(page, fields, [[element, { value: text }]]);
}

/** Clicking on an option chooses it, and in a list that takes several lets go of it again. */
export function toggleOption(
  page: Page,
  fields: FormState,
  select: PageElement,
  option: PageElement,
): FillResult {
  const number = page.numberOf.get(option)!;
  if (!selectableOptions(page, select).includes(option) || isDisabled(select))
    return refuse("not_editable", "The option is disabled.");
  if (attribute(select, "multiple") === undefined)
    return changed(page, fields, [[select, { selected: [number] }]]);
  const now = selectedOptions(page, fields, select).map((each) => page.numberOf.get(each)!);
  const selected = now.includes(number) ? now.filter((each) => each !== number) : [...now, number];
  return changed(page, fields, [[select, { selected }]]);
}

/** As the page gave them: forgets what was set in these controls. */
export function reset(page: Page, fields: FormState, controls: readonly PageElement[]): FormState {
  const numbers = new Set(controls.map((element) => String(page.numberOf.get(element))));
  return Object.fromEntries(Object.entries(fields).filter(([number]) => !numbers.has(number)));
}

/** What a control is and holds, for replies. A password is not repeated. */
export const describeField = (
  page: Page,
  fields: FormState,
  element: PageElement,
  value: string,
  checked: boolean,
) => ({
  target: targetSelector(page, element),
  name: attribute(element, "name") ?? "",
  type: typeOf(element),
  label: controlLabel(page, element),
  required: attribute(element, "required") !== undefined,
  disabled: isDisabled(element),
  value: typeOf(element) === "password" && value !== "" ? "••••" : value.slice(0, 500),
  ...(isCheckable(element) && { checked }),
  ...(element.tagName === "select" && {
    selected: selectedOptions(page, fields, element).map(optionValue).slice(0, MAX_NAMED),
    options: optionsOf(page, element)
      .slice(0, 100)
      .map((option) => ({
        value: optionValue(option).slice(0, 200),
        text: optionText(option).slice(0, 200),
      })),
  }),
});
