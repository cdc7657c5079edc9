/** Submitting a form: entry list, constraint check, address and body, by HTML section 4.10.21. */
import { webUrl } from "../pages/page-parts.ts";
import { attribute } from "../pages/parse-html.ts";
import {
  ancestorOf,
  controlLabel,
  controlsOf,
  currentValue,
  type FormState,
  isCheckable,
  isChecked,
  isDisabled,
  isSubmitButton,
  isTextual,
  optionValue,
  type Page,
  type PageElement,
  radioGroup,
  selectableOptions,
  selectedOptions,
  typeOf,
} from "./controls.ts";
import {
  type Enctype,
  encodeBody,
  encodingName,
  type FormEntry,
  pickEncoding,
  urlencode,
} from "./form-data.ts";
import { targetSelector } from "./page.ts";
import { fitsPattern } from "./pattern.ts";
import { isFloat, sanitized } from "./sanitize.ts";

/** A request as a page's link or form makes it. */
export interface PageRequest {
  method: "GET" | "POST";
  url: URL;
  contentType?: string;
  body?: Uint8Array;
}

export interface FieldFault {
  target: string;
  name: string;
  message: string;
}

export type Submission =
  | { ok: true; request: PageRequest }
  | { ok: false; code: "requires_script" | "unsupported_address"; message: string }
  | { ok: false; code: "validation_failed"; message: string; faults: FieldFault[] };

/** Entries that one form may send. */
const MAX_ENTRIES = 2_000;
const MAX_FAULTS = 20;

/** Types whose values have one form, with what a value that is none is told. */
const FORMS: Readonly<Record<string, string>> = {
  date: "is not a date like 2026-01-31",
  time: "is not a time like 09:30",
  month: "is not a month like 2026-01",
  week: "is not a week like 2026-W05",
  "datetime-local": "is not a date and time like 2026-01-31T09:30",
};

const ENCTYPES: ReadonlySet<string> = new Set(["multipart/form-data", "text/plain"]);

/** What somebody typed is too short, or not of the page's pattern; a pattern that is not plain (pattern.ts) is left to the server. */
export function typedFault(element: PageElement, value: string): string | undefined {
  if (value === "" || !isText(element)) return undefined;
  const least = Number(attribute(element, "minlength") || Number.NaN);
  if (value.length < least) return `is shorter than ${least} characters`;
  const pattern = attribute(element, "pattern");
  const isOne = typeOf(element) !== "textarea" && attribute(element, "multiple") === undefined;
  if (!pattern || !isOne || fitsPattern(pattern, value) !== false) return undefined;
  return `does not fit the pattern ${pattern}`;
}

/** Types whose values have a length and a pattern (HTML section 4.10.5.1). */
const isText = (element: PageElement): boolean =>
  /^(?:text|search|tel|url|email|password|textarea)$/.test(typeOf(element));

/** Why a value does not suit its control, or undefined. */
export function valueFault(element: PageElement, value: string): string | undefined {
  if (value === "") return undefined;
  const type = typeOf(element);
  const number = Number(value);
  const bound = (name: string): number => Number(attribute(element, name) || Number.NaN);
  const form = Object.hasOwn(FORMS, type) ? FORMS[type] : undefined;
  if (form) return sanitized(type, value, () => undefined) === "" ? form : undefined;
  switch (type) {
    case "email":
      return addressesIn(element, value).every(isAddress) ? undefined : "is not an e-mail address";
    case "url":
      return URL.canParse(value) ? undefined : "is not an absolute address";
    case "number":
    case "range":
      if (!isFloat(value)) return "is not a number";
      if (number < bound("min")) return `is less than ${bound("min")}`;
      return number > bound("max") ? `is more than ${bound("max")}` : stepFault(element, number);
    case "color":
      return /^#[0-9a-fA-F]{6}$/.test(value) ? undefined : "is not a color like #a0b1c2";
    default:
      return undefined;
  }
}

const addressesIn = (element: PageElement, value: string): string[] =>
  attribute(element, "multiple") === undefined ? [value] : value.split(",");

const isAddress = (text: string): boolean => /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)*$/.test(text);

/** Section 4.10.5.3.8: a number is so many steps from its minimum, else from the value in the page. */
function stepFault(element: PageElement, number: number): string | undefined {
  const said = attribute(element, "step")?.trim().toLowerCase();
  if (said === "any") return undefined;
  const step = Number(said) > 0 ? Number(said) : 1;
  const base = [attribute(element, "min"), attribute(element, "value")]
    .map((text) => (text?.trim() ? Number(text) : Number.NaN))
    .find(Number.isFinite);
  const steps = (number - (base ?? 0)) / step;
  // What a computer's fractions are off by is no fault.
  if (Math.abs(steps - Math.round(steps)) <= 1e-9 * Math.max(1, Math.abs(steps))) return undefined;
  return `is no multiple of ${step}${base === undefined || base === 0 ? "" : ` from ${base}`}`;
}

/** The button that Enter would press: the first one (section 4.10.21.2, implicit submission). */
export const defaultButton = (page: Page, form: PageElement): PageElement | undefined =>
  controlsOf(page, form).find((element) => isSubmitButton(element) && !isDisabled(element));

/** The request that submitting the form by this button makes (section 4.10.21.3). */
export function submissionOf(
  page: Page,
  state: FormState,
  form: PageElement,
  submitter: PageElement | undefined,
  boundary: string,
): Submission {
  const of = (name: string): string | undefined =>
    (submitter && attribute(submitter, `form${name}`)) ?? attribute(form, name);
  const unchecked =
    attribute(form, "novalidate") !== undefined ||
    (submitter && attribute(submitter, "formnovalidate") !== undefined);
  const faults = unchecked ? [] : faultsOf(page, state, form);
  if (faults.length > 0)
    return {
      ok: false,
      code: "validation_failed",
      message: faults
        .map(({ message }) => message)
        .join("; ")
        .slice(0, 500),
      faults,
    };
  const method = of("method")?.trim().toLowerCase();
  if (method === "dialog")
    return {
      ok: false,
      code: "requires_script",
      message: "The form closes a dialog, which only a script opens.",
    };
  // An empty or absent action is the page's own address, whatever the base is.
  const action = of("action")?.trim() || page.url.href;
  const url = webUrl(action, page.base);
  if (!url) {
    const script = /^javascript:/i.test(action);
    return script
      ? { ok: false, code: "requires_script", message: "The form's action is a script." }
      : { ok: false, code: "unsupported_address", message: "The form goes to no web address." };
  }
  const encoding = pickEncoding(attribute(form, "accept-charset"), page.source.encoding);
  const entries = entryList(page, state, form, submitter, encoding);
  if (method !== "post") {
    url.search = `?${urlencode(entries, encoding)}`;
    return { ok: true, request: { method: "GET", url } };
  }
  const asked = of("enctype")?.trim().toLowerCase() ?? "";
  const enctype = (ENCTYPES.has(asked) ? asked : "application/x-www-form-urlencoded") as Enctype;
  return { ok: true, request: { method: "POST", url, ...encodeBody(entries, enctype, encoding, boundary) } };
}

/** Section 4.10.21.2: what a browser would show instead of sending. */
export function faultsOf(page: Page, state: FormState, form: PageElement): FieldFault[] {
  const faults: FieldFault[] = [];
  const groups = new Set<readonly PageElement[]>();
  for (const element of controlsOf(page, form)) {
    if (faults.length >= MAX_FAULTS) break;
    const type = typeOf(element);
    if (isDisabled(element) || isButton(element) || type === "hidden") continue;
    if (attribute(element, "readonly") !== undefined) continue;
    const required = attribute(element, "required") !== undefined;
    if (type === "radio" && required) {
      // A group is empty or it is not: asked once, however many buttons it has.
      const group = radioGroup(page, element);
      if (groups.has(group)) continue;
      groups.add(group);
    }
    const message =
      required && isEmpty(page, state, element) ? "is required" : faultOfValue(page, state, element);
    const name = attribute(element, "name") ?? "";
    if (message)
      faults.push({
        target: targetSelector(page, element),
        name,
        message: `${controlLabel(page, element) || name} ${message}`,
      });
  }
  return faults;
}

const isButton = (element: PageElement): boolean =>
  element.tagName === "button" || /^(?:submit|image|reset|button)$/.test(typeOf(element));

function isEmpty(page: Page, state: FormState, element: PageElement): boolean {
  const type = typeOf(element);
  if (type === "file") return true;
  if (type === "checkbox") return !isChecked(page, state, element);
  if (type === "radio") return !radioGroup(page, element).some((radio) => isChecked(page, state, radio));
  return currentValue(page, state, element) === "";
}

/** Lengths and patterns are asked of what somebody typed; a page's own value may be anything of its type. */
function faultOfValue(page: Page, state: FormState, element: PageElement): string | undefined {
  if (isCheckable(element)) return undefined;
  const value = currentValue(page, state, element);
  const isTyped = state[String(page.numberOf.get(element))]?.value !== undefined;
  // A slider stands where it can stand.
  if (typeOf(element) === "range" && !isTyped) return undefined;
  return valueFault(element, value) ?? (isTyped ? typedFault(element, value) : undefined);
}

/** Section 4.10.21.4: the names and values of the successful controls, in document order. */
export function entryList(
  page: Page,
  state: FormState,
  form: PageElement,
  submitter: PageElement | undefined,
  encoding: string,
): FormEntry[] {
  const entries: FormEntry[] = [];
  for (const element of controlsOf(page, form)) {
    if (entries.length >= MAX_ENTRIES) break;
    if (isDisabled(element) || (isButton(element) && element !== submitter)) continue;
    if (ancestorOf(element, ({ tagName }) => tagName === "datalist")) continue;
    entries.push(...entriesOf(page, state, element, encoding));
  }
  return entries;
}

function entriesOf(page: Page, state: FormState, element: PageElement, encoding: string): FormEntry[] {
  const type = typeOf(element);
  const name = attribute(element, "name") ?? "";
  if (type === "image") {
    const prefix = name === "" ? "" : `${name}.`;
    return ["x", "y"].map((axis) => ({ name: prefix + axis, value: "0" }));
  }
  if (name === "" || (isCheckable(element) && !isChecked(page, state, element))) return [];
  if (type === "select") {
    const selectable = new Set(selectableOptions(page, element));
    return selectedOptions(page, state, element)
      .filter((option) => selectable.has(option))
      .map((option) => ({ name, value: optionValue(option) }));
  }
  // An agent has no files: what a browser sends for an input that was left alone.
  if (type === "file") return [{ name, value: "", file: true }];
  if (type === "hidden" && name.toLowerCase() === "_charset_")
    return [{ name, value: encodingName(encoding) }];
  const entry = { name, value: currentValue(page, state, element) };
  const direction = attribute(element, "dirname");
  return direction && isTextual(element) ? [entry, { name: direction, value: "ltr" }] : [entry];
}
