/** The JSON Schema (2020-12) of an action's parameters, from a form's controls. Pure. */
import { attribute } from "../pages/parse-html.ts";
import { currentValue, isCheckable, isChecked, type Page, type PageElement, typeOf } from "./controls.ts";
import { MAX_VALUE_CHARS } from "./filling.ts";
import { described, type InputSchema, objectOf, type Parameter } from "./parameters-schema.ts";
import { plainPattern } from "./pattern.ts";

const MAX_DEFAULT_CHARS = 200;

/** Formats and patterns of the values that `valueFault` (submission.ts) takes. */
const OF_TYPE: Readonly<Record<string, InputSchema>> = {
  email: { format: "email" },
  url: { format: "uri" },
  date: { format: "date" },
  time: { pattern: "^\\d\\d:\\d\\d(?::\\d\\d)?$" },
  month: { pattern: "^\\d{4}-\\d\\d$" },
  week: { pattern: "^\\d{4}-W\\d\\d$" },
  "datetime-local": { pattern: "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d" },
  color: { pattern: "^#[0-9a-fA-F]{6}$" },
};

/**
 * The schema of a form's parameters. Required is what must be given: what must be filled in and is empty so far.
 * @param controlsNamed the controls of each parameter's name
 */
export function schemaOfForm(
  page: Page,
  parameters: readonly Parameter[],
  controlsNamed: (name: string) => readonly PageElement[],
): InputSchema {
  const required: string[] = [];
  const properties = parameters.map((parameter) => {
    const controls = controlsNamed(parameter.name);
    const control = controls[0]!;
    const mustAgree = parameter.required && typeOf(control) === "checkbox";
    const given =
      controls.map((each) => defaultOf(page, each)).find((each) => each.default !== undefined) ?? {};
    if (parameter.required && given.default === undefined) required.push(parameter.name);
    const schema = {
      ...valueSchema(control, parameter),
      ...(mustAgree && { const: true }),
      ...described(parameter.description.split("; one of:", 1)[0]!),
      ...given,
    };
    return [parameter.name, schema] as const;
  });
  return objectOf(Object.fromEntries(properties), required);
}

function defaultOf(page: Page, control: PageElement): { default?: unknown } {
  const type = typeOf(control);
  if (type === "password" || attribute(control, "multiple") !== undefined) return {};
  if (type === "checkbox") return isChecked(page, {}, control) ? { default: true } : {};
  if (isCheckable(control) && !isChecked(page, {}, control)) return {};
  const value = currentValue(page, {}, control);
  if (value === "" || value.length > MAX_DEFAULT_CHARS) return {};
  if (type !== "number" && type !== "range") return { default: value.toWellFormed() };
  return Number.isFinite(Number(value)) ? { default: Number(value) } : {};
}

function valueSchema(control: PageElement, { enum: choices }: Parameter): InputSchema {
  const type = typeOf(control);
  if (type === "select" && attribute(control, "multiple") !== undefined)
    return { type: "array", items: { type: "string", ...(choices && { enum: choices }) }, uniqueItems: true };
  if (type === "select" || type === "radio") return { type: "string", ...(choices && { enum: choices }) };
  if (type === "checkbox") return { type: "boolean" };
  return type === "number" || type === "range" ? numberSchema(control) : textSchema(control);
}

/** A number's step is 1 unless it says otherwise (HTML section 4.10.5.3.8). */
function numberSchema(control: PageElement): InputSchema {
  const [minimum, maximum] = [numberOf(control, "min"), numberOf(control, "max")];
  const step =
    attribute(control, "step")?.trim().toLowerCase() === "any" ? undefined : (numberOf(control, "step") ?? 1);
  const whole = step !== undefined && Number.isInteger(step) && Number.isInteger(minimum ?? 0);
  const base = minimum ?? 0;
  return {
    type: whole ? "integer" : "number",
    ...(minimum !== undefined && { minimum }),
    ...(maximum !== undefined && { maximum }),
    ...(whole && step !== undefined && step > 1 && base % step === 0 && { multipleOf: step }),
  };
}

function numberOf(element: PageElement, name: string): number | undefined {
  const value = attribute(element, name)?.trim();
  return value !== undefined && value !== "" && Number.isFinite(Number(value)) ? Number(value) : undefined;
}

function textSchema(control: PageElement): InputSchema {
  const pattern = attribute(control, "pattern");
  const plain = pattern && typeOf(control) !== "textarea" ? plainPattern(pattern) : undefined;
  const minLength = lengthOf(control, "minlength");
  return {
    type: "string",
    ...(minLength !== undefined && { minLength }),
    maxLength: Math.min(lengthOf(control, "maxlength") ?? MAX_VALUE_CHARS, MAX_VALUE_CHARS),
    ...(plain && { pattern: plain }),
    ...OF_TYPE[typeOf(control)],
  };
}

function lengthOf(element: PageElement, name: string): number | undefined {
  const length = numberOf(element, name);
  return length !== undefined && Number.isInteger(length) && length >= 0 ? length : undefined;
}
