/** Inputs that no contract takes, derived from the contracts: an operation that is new is covered by being there. */
import type { OperationSpec } from "../../src/rpc/contract.ts";
import { jsonSchemaOf } from "../../src/rpc/json-schema.ts";

interface Member {
  type?: string;
  /** "text": prose, which may be empty and has line breaks. */
  format?: string;
  properties?: Record<string, Member>;
  additionalProperties?: unknown;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  maxItems?: number;
  enum?: unknown[];
  items?: Member;
  anyOf?: Member[];
  required?: string[];
  /** Any text is taken, and judged in the reply. */
  "x-any-text"?: true;
}
interface ObjectSchema {
  properties?: Record<string, Member>;
  required?: string[];
  additionalProperties?: unknown;
}

export interface BadInput {
  name: string;
  path: string;
  /** Sent as JSON. */
  body?: unknown;
}

export interface Example {
  path: string;
  body?: Record<string, unknown>;
}

/** An example as its parts: path with query, and body. */
export function partsOf(example: string): Example {
  const [path = "", ...body] = example.split(" ");
  return body.length > 0 ? { path, body: JSON.parse(body.join(" ")) } : { path };
}

/** Largest number of characters that is tried: below the limit of a request's header fields. */
const MAX_TRIED = 50_000;
const tooLong = (member: Member, unit = "x"): string[] =>
  member.maxLength !== undefined && member.maxLength < MAX_TRIED ? [unit.repeat(member.maxLength + 1)] : [];

const isNumeric = ({ type }: Member): boolean => type === "integer" || type === "number";
const outside = ({ minimum, maximum }: Member, value: number): boolean =>
  (minimum !== undefined && value < minimum) || (maximum !== undefined && value > maximum);

/** Texts of a query or path parameter that do not fit, percent-encoded already. */
function badTexts(member: Member): string[] {
  if (isNumeric(member)) {
    const ranged = [0, -1, (member.minimum ?? 0) - 1, (member.maximum ?? 0) + 1, 1e9].filter((value) =>
      outside(member, value),
    );
    const odd = [
      "",
      "abc",
      "1e1",
      "0x1",
      "Infinity",
      "NaN",
      "null",
      "%201",
      "1%00",
      "%EF%BC%91",
      "1,2",
      "true",
    ];
    return [...ranged.map(String), ...(member.type === "integer" ? ["1.5"] : []), "9".repeat(400), ...odd];
  }
  if (member.type === "boolean") return ["", "yes", "1", "TRUE"];
  if (member.enum) return ["", "no-such-value"];
  return [
    "",
    "%20",
    "%00",
    "a%00b",
    "%0a",
    "a%0d%0ab",
    "%1f",
    "%7f",
    "%c2%85",
    ...tooLong(member),
    "x".repeat(MAX_TRIED),
  ];
}

const JSON_SAMPLES: Record<string, unknown> = {
  null: null,
  boolean: true,
  integer: 7,
  number: 1.5,
  string: "x",
  array: [],
  object: {},
};

/** Values of a body's member that do not fit. */
function badValues(member: Member): [string, unknown][] {
  const fits = (type: string): boolean =>
    [member, ...(member.anyOf ?? [])].some(
      (one) => one.type === type || (type === "integer" && one.type === "number"),
    );
  const wrongTypes = Object.entries(JSON_SAMPLES).filter(([type]) => !fits(type));
  const values: [string, unknown][] = wrongTypes.map(([type, value]) => [`of type ${type}`, value]);
  if (isNumeric(member))
    for (const value of [(member.minimum ?? 0) - 1, (member.maximum ?? 0) + 1, 1e9, -1e9])
      if (outside(member, value)) values.push([String(value), value]);
  if (member.type === "string" && !member["x-any-text"])
    for (const text of [
      ...(member.format === "text" ? [] : ["", " ", "a\nb"]),
      "\u0000",
      "\u001f",
      ...tooLong(member),
    ])
      values.push([JSON.stringify(text).slice(0, 20), text]);
  if (member.properties && member.additionalProperties === false)
    values.push(["with a member of no name", { "": 1 }]);
  if (member.type === "array") {
    const one = badValues(member.items ?? {});
    for (const [name, item] of one) values.push([`holding one ${name}`, [item]]);
    if (member.items?.required) values.push(["holding an empty object", [{}]]);
    if (member.maxItems !== undefined) values.push(["too many items", Array(member.maxItems + 1).fill("x")]);
  }
  return values;
}

function withParameter(path: string, name: string, texts: string[]): string {
  const [before = "", query = ""] = path.split("?");
  const kept = query.split("&").filter((part) => part !== "" && part.split("=")[0] !== name);
  return `${before}?${[...kept, ...texts.map((text) => `${name}=${text}`)].join("&")}`;
}

/** Everything that `operation` must refuse, each with one fault in an else valid request. */
export function badInputs(operation: OperationSpec, example: Example): BadInput[] {
  const inputs: BadInput[] = [];
  const query: ObjectSchema = operation.query ? jsonSchemaOf(operation.query, "input") : {};
  for (const [name, member] of Object.entries(query.properties ?? {})) {
    for (const text of badTexts(member))
      inputs.push({
        name: `query ${name}=${text.slice(0, 20)} (${text.length} characters)`,
        ...example,
        path: withParameter(example.path, name, [text]),
      });
    inputs.push({
      name: `query ${name} twice`,
      ...example,
      path: withParameter(example.path, name, ["1", "2"]),
    });
  }
  for (const name of query.required ?? [])
    inputs.push({ name: `without query ${name}`, ...example, path: withParameter(example.path, name, []) });
  if (!operation.body) return inputs;
  const body: ObjectSchema = jsonSchemaOf(operation.body, "input");
  if (body.additionalProperties === false)
    inputs.push({ name: "an unknown member", ...example, body: { ...example.body, noSuchMember: 1 } });
  for (const [name, member] of Object.entries(body.properties ?? {}))
    for (const [what, value] of badValues(member))
      inputs.push({ name: `body ${name} ${what}`, ...example, body: { ...example.body, [name]: value } });
  for (const name of body.required ?? []) {
    const { [name]: _, ...rest } = example.body ?? {};
    inputs.push({ name: `without body ${name}`, ...example, body: rest });
  }
  for (const whole of [null, [], "x", 1, true, [example.body]])
    inputs.push({ name: `body ${JSON.stringify(whole)}`, ...example, body: whole });
  return inputs;
}

/** Bodies of an operation's limit and beyond that are no JSON of one meaning or no body at all. */
export function badBytes(limitBytes: number): [name: string, body: Uint8Array, contentType: string][] {
  const json = "application/json";
  const text = (value: string): Uint8Array => Buffer.from(value);
  return [
    ["half a text", text('{"a":'), json],
    ["ill-formed UTF-8", Buffer.from('{"a":"\xc3\x28"}', "latin1"), json],
    ["a lone surrogate", text('{"domain":"\\udfff.example"}'), json],
    ["depth", text(`${'{"a":'.repeat(1_000)}1${"}".repeat(1_000)}`), json],
    ["a prototype", text('{"__proto__":{"polluted":true}}'), json],
    ["a form", text("domain=shop.example"), "application/x-www-form-urlencoded"],
    ["plain text", text("{}"), "text/plain"],
    ["XML", text("<a/>"), "application/xml"],
    ["one byte too many", Buffer.alloc(limitBytes + 1, " "), json],
  ];
}
