/** The JSON Schema (2020-12) of what a document or script lists as an action's parameters, and what is given by it. Pure. */
import type { FoundAction } from "../../schemas/session.ts";

export type InputSchema = Record<string, unknown>;
export type Parameter = FoundAction["parameters"][number];

const MAX_LABEL_CHARS = 80;

const PRIMITIVES: ReadonlySet<string> = new Set([
  "string",
  "number",
  "integer",
  "boolean",
  "array",
  "object",
]);
const FORMATS: Readonly<Record<string, InputSchema>> = {
  email: { type: "string", format: "email" },
  url: { type: "string", format: "uri" },
  date: { type: "string", format: "date" },
};

/** The schema of what a document or script lists; types of no JSON Schema are texts. */
export const schemaOfParameters = (parameters: readonly Parameter[]): InputSchema =>
  objectOf(
    Object.fromEntries(
      parameters.map(({ name, type, description, enum: choices }) => [
        name,
        {
          ...(PRIMITIVES.has(type) ? { type } : (FORMATS[type] ?? { type: "string" })),
          ...(choices && { enum: choices }),
          ...described(description),
        },
      ]),
    ),
    parameters.filter(({ required }) => required).map(({ name }) => name),
  );

/** An object that takes these members and no others. */
export const objectOf = (
  properties: Record<string, InputSchema>,
  required: readonly string[],
): InputSchema => ({
  type: "object",
  properties,
  ...(required.length > 0 && { required }),
  additionalProperties: false,
});

/** A page's or document's own words as a description: short, on one line. */
export function described(description: string): { description?: string } {
  const text = description
    .replace(/\p{Cc}/gu, " ")
    .slice(0, MAX_LABEL_CHARS)
    .toWellFormed();
  return text === "" ? {} : { description: text };
}

/** What of a command's `context` does not suit an action's parameters, as sentences by name. */
export function contextFaults(
  parameters: readonly Parameter[],
  context: Readonly<Record<string, unknown>> = {},
): { name: string; message: string }[] {
  const known = new Map(parameters.map((parameter) => [parameter.name, parameter]));
  const given = Object.keys(context).map((name) => {
    const parameter = known.get(name);
    if (!parameter)
      return {
        name,
        message: `is no parameter; there are: ${[...known.keys()].slice(0, 20).join(", ") || "none"}`,
      };
    const type = PRIMITIVES.has(parameter.type) ? parameter.type : "string";
    const values = Array.isArray(context[name]) ? (context[name] as unknown[]) : [context[name]];
    if (!isOfType(context[name], type)) return { name, message: `must be ${type}` };
    if (parameter.enum && values.some((value) => !parameter.enum!.includes(String(value))))
      return { name, message: `must be one of ${parameter.enum.slice(0, 20).join(", ")}` };
    return undefined;
  });
  const missing = parameters
    .filter(({ name, required }) => required && !Object.hasOwn(context, name))
    .map(({ name }) => ({ name, message: "is required" }));
  return [...given.filter((fault) => fault !== undefined), ...missing].slice(0, 20);
}

function isOfType(value: unknown, type: string): boolean {
  if (type === "array") return Array.isArray(value);
  if (type === "integer") return Number.isInteger(value) || /^-?\d{1,15}$/.test(String(value));
  if (type === "number") return Number.isFinite(value) || /^-?\d{1,15}(?:\.\d{1,15})?$/.test(String(value));
  if (type === "boolean") return typeof value === "boolean" || value === "true" || value === "false";
  if (type === "object") return typeof value === "object" && value !== null && !Array.isArray(value);
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}
