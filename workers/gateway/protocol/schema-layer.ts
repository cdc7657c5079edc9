/** First layer: JSON Schema 2020-12, as it is published; each fault with a patch that brings the value into bounds. */

import { Ajv2020, type ErrorObject } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import schema from "../../../schemas/discovery-document.schema.json" with { type: "json" };
import { iso } from "../../../src/ports/time.ts";
import {
  type Diagnosis,
  errorAt,
  type PatchOperation,
  pointerOf,
  pointerSteps,
  valueAt,
} from "./diagnostics.ts";

type Schema = Record<string, unknown>;

export interface SchemaContext {
  now: number;
  /** Canonical host the document is for, where it is known. */
  domain: string | undefined;
}

/** A document that is wrong everywhere needs no longer list to be mended. */
const MAX_FAULTS = 100;

const ajv = new Ajv2020({ allErrors: true, strict: true, verbose: true, allowMatchingProperties: true });
(addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
const validate = ajv.compile(schema);

/** Every fault, one a place: what follows from another at the same place is not said twice. */
export function schemaFaults(document: unknown, context: SchemaContext): Diagnosis[] {
  if (validate(document)) return [];
  const faults = new Map<string, Diagnosis>();
  for (const error of validate.errors ?? []) {
    const fault = faultOf(error, context);
    if (!faults.has(fault.pointer)) faults.set(fault.pointer, fault);
    if (faults.size >= MAX_FAULTS) break;
  }
  return [...faults.values()];
}

function faultOf(error: ErrorObject, context: SchemaContext): Diagnosis {
  const { instancePath, keyword, message = keyword } = error;
  const at = (pointer: string, fix: PatchOperation[]): Diagnosis => {
    // A signature with a hole in it cannot be mended, only made again.
    const patch = isInManifest(pointer) ? [{ op: "remove" as const, path: "/manifest" }] : fix;
    return errorAt(
      `schema.${keyword}`,
      pointer,
      `${pointer || "The document"} ${keyword === "required" ? "is missing" : message}.`,
      patch,
    );
  };
  if (keyword === "required") {
    const name = (error.params as { missingProperty: string }).missingProperty;
    const pointer = instancePath + pointerOf([name]);
    const { properties = {} } = error.parentSchema as { properties?: Record<string, Schema> };
    return at(pointer, [
      { op: "add", path: pointer, value: plainest(properties[name] ?? {}, name, context) },
    ]);
  }
  if (keyword === "additionalProperties") {
    const name = (error.params as { additionalProperty: string }).additionalProperty;
    const pointer = instancePath + pointerOf([name]);
    return errorAt(`schema.${keyword}`, pointer, `${pointer} is not known here.`, [
      { op: "remove", path: pointer },
    ]);
  }
  if (keyword === "propertyNames" || error.propertyName !== undefined) {
    const pointer =
      instancePath +
      pointerOf([String(error.propertyName ?? (error.params as { propertyName: string }).propertyName)]);
    return errorAt("schema.propertyNames", pointer, `${pointer}: the name is too long.`, [
      { op: "remove", path: pointer },
    ]);
  }
  const name = pointerSteps(instancePath).at(-1) ?? "";
  return at(instancePath, [{ op: "replace", path: instancePath, value: replacement(error, name, context) }]);
}

const isInManifest = (pointer: string): boolean =>
  pointer === "/manifest" || pointer.startsWith("/manifest/");

/** The plainest value that a schema takes: nothing claimed, nothing allowed. */
function plainest(part: Schema, name: string, { now, domain }: SchemaContext): unknown {
  const {
    type,
    format,
    minLength,
    minimum,
    enum: values,
    examples,
    required,
    properties,
  } = resolve(part) as {
    type?: string;
    format?: string;
    minLength?: number;
    minimum?: number;
    enum?: unknown[];
    examples?: unknown[];
    required?: string[];
    properties?: Record<string, Schema>;
  };
  if (values) return values.at(-1);
  if (format === "date-time") return iso(now);
  switch (type) {
    case "string":
      if (name === "domain" || (name === "name" && minLength)) return domain ?? "example.com";
      if (name === "bridge_version") return examples?.[0];
      return minLength ? (examples?.[0] ?? name) : "";
    case "integer":
    case "number":
      return minimum ?? 0;
    case "boolean":
      return false;
    case "array":
      return [];
    case "object":
      return Object.fromEntries(
        (required ?? []).map((member) => [
          member,
          plainest(properties?.[member] ?? {}, member, { now, domain }),
        ]),
      );
    default:
      return "";
  }
}

function resolve(part: Schema): Schema {
  const { $ref } = part as { $ref?: string };
  return $ref ? ((valueAt(schema, $ref.slice(1)) as Schema | undefined) ?? {}) : part;
}

function replacement(error: ErrorObject, name: string, context: SchemaContext): unknown {
  const part = error.parentSchema as Schema;
  const { data, keyword, schema: bound } = error;
  switch (keyword) {
    case "type":
      return coerced(data, part) ?? plainest(part, name, context);
    case "maxLength":
      // Half a name is nobody's.
      if (name === "domain") return plainest(part, name, context);
      return cut(data as string, bound as number);
    case "maxItems":
      return (data as unknown[]).slice(0, bound as number);
    case "minimum":
    case "maximum":
      return bound;
    case "enum":
      return closest(data, bound as unknown[]);
    case "format":
    case "pattern":
      return (part.format === "date-time" ? asTime(data) : undefined) ?? plainest(part, name, context);
    default:
      return plainest(part, name, context);
  }
}

/** The value in the type that is wanted, where it plainly means one. */
function coerced(value: unknown, part: Schema): unknown {
  const {
    type,
    minimum = -Infinity,
    maximum = Infinity,
  } = part as { type?: string; minimum?: number; maximum?: number };
  const number = typeof value === "number" ? value : asNumber(value);
  const inRange = number !== undefined && number >= minimum && number <= maximum;
  if (type === "integer" && inRange) return Math.round(number);
  if (type === "number" && inRange) return number;
  if (type === "boolean" && (value === "true" || value === 1)) return true;
  if (type === "boolean" && (value === "false" || value === 0)) return false;
  if (type === "string" && (typeof value === "number" || typeof value === "boolean")) return String(value);
  const { items, maxItems = 1 } = part as { items?: Schema; maxItems?: number };
  if (type === "array" && typeof value === "string" && resolve(items ?? {}).type === "string" && maxItems > 0)
    return value === "" ? [] : [value];
  return undefined;
}

function asNumber(value: unknown): number | undefined {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : Number.NaN;
  return Number.isFinite(number) ? number : undefined;
}

const cut = (text: string, length: number): string => text.slice(0, length).toWellFormed();

function closest(value: unknown, allowed: unknown[]): unknown {
  const text = String(value).trim().toLowerCase();
  return allowed.find((one) => String(one).toLowerCase() === text) ?? allowed.at(-1);
}

/** A time that says the same in the form that is wanted, where it says one. */
function asTime(value: unknown): string | undefined {
  const ms = typeof value === "string" ? Date.parse(value) : Number.NaN;
  return Number.isFinite(ms) && Math.abs(ms) < 8.64e15 && /^\d{4}-/.test(iso(ms)) ? iso(ms) : undefined;
}
