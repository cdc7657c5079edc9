/**
 * One parser for both ends of the wire: it coerces query strings to the contract's types and locates faults by JSON
 * Pointer.
 */
import { z } from "zod";
import { emailIdentity } from "../domain/names/email.ts";
import type { OperationSpec } from "./contract.ts";
import { Failure, type Fault, fail } from "./errors.ts";
import { membersOf } from "./json-schema.ts";
import { unknownMembers } from "./unknown-members.ts";

type Part = "params" | "query" | "body";
type RawInput = Partial<Record<Part, unknown>>;
type ParsedInput = Record<Part, unknown>;

/**
 * What plainTextSchema accepts, as a JSON Schema pattern: `\p{Cc}` and the white space of String.prototype.trim, spelled out
 * because Python and Rust read ECMA-262's classes differently. Linear time: what follows the leading white space is not
 * white space.
 */
const PLAIN_TEXT_PATTERN =
  "^[ \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff]*[^\\u0000-\\u0020\\u007f-\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff][^\\u0000-\\u001f\\u007f-\\u009f]*$";
const PROSE_PATTERN = "^[^\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f]*$";

/** An e-mail address that `emailIdentity` accepts. */
export const emailText = z
  .email({ pattern: /^[^\s@]+@[^\s@]+$/u, error: "must be an e-mail address" })
  .max(254)
  .refine((text) => emailIdentity(text) !== undefined, { error: "must be an e-mail address" });

/** The four label separators (RFC 3490 section 3.1). */
const DOTS = ".\\u3002\\uff0e\\uff61";
const NO_NAME = "\\u0000-\\u0020\\u007f-\\u00a0 !\"#$%&'()*+,/:;<=>?@\\[\\\\\\]^_`{|}~";

/** The start of an absolute http or https address; URL parsers skip blanks before it. */
export const WEB_ADDRESS_PATTERN = "^[\\u0000-\\u0020]*[Hh][Tt][Tt][Pp][Ss]?:";

interface Member {
  type?: string;
  minimum?: number;
  maximum?: number;
}
const knownMembers = new WeakMap<z.ZodObject, Record<string, Member>>();

/** Most faults that one problem lists. */
const MOST_FAULTS = 20;

/** The query parameter that an API key may be sent in (app/front/access/access.ts). */
const KEY_PARAMETER = "api_key";

/** What services that send visitors on add to an address: it says nothing to an operation, and changes no answer. */
const TRACKING = new Set([
  ...[
    "gclid",
    "gbraid",
    "wbraid",
    "dclid",
    "gad_source",
    "_ga",
    "_gl",
    "fbclid",
    "msclkid",
    "yclid",
    "twclid",
  ],
  ...["ttclid", "li_fat_id", "igshid", "igsh", "mc_cid", "mc_eid", "_hsenc", "_hsmi", "mkt_tok", "srsltid"],
]);

/**
 * A host name as parseHost (src/domain/names/domain-name.ts) accepts it. The pattern is necessary, not sufficient: it
 * is for documentation, and parseHost fails with its own code.
 */
export const hostText = (maxLength: number) =>
  plainTextSchema(maxLength).meta({
    minLength: 3,
    pattern: `^[^${DOTS}${NO_NAME}]+[${DOTS}][^${NO_NAME}]+$`,
  });

/** Untrusted text: no control characters, no lone surrogates, not blank. Length in UTF-16 code units. */
export const plainTextSchema = (maxLength: number) =>
  z
    .string()
    .max(maxLength)
    .refine((text) => !/\p{Cc}/u.test(text), { error: "must not contain control characters" })
    .refine((text) => text.isWellFormed(), { error: "must be well-formed Unicode" })
    .refine((text) => text.trim() !== "", { error: "must not be empty" })
    .meta({ pattern: PLAIN_TEXT_PATTERN });

/** A host name in any pasted form (src/domain/names/pasted-domain.ts); the pattern as for hostText. */
export const pastedHostText = (maxLength: number) =>
  plainTextSchema(maxLength).meta({
    minLength: 3,
    pattern: `^[^${DOTS}\\u0000-\\u001f\\u007f-\\u009f]+[${DOTS}][^\\u0000-\\u001f\\u007f-\\u009f]+$`,
  });

/** A pagination cursor that the service signed (workers/search/rules.ts): payload and MAC in base64url. */
export const sealedCursor = (maxLength: number) =>
  plainTextSchema(maxLength).meta({ minLength: 3, pattern: "^[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]{22}$" });

/** Prose: may be empty; line breaks and tabs are the only control characters. */
export const proseText = (maxLength: number) =>
  z
    .string()
    .max(maxLength)
    .refine((text) => !/[^\P{Cc}\t\n\r]/u.test(text), { error: "must not contain control characters" })
    .refine((text) => text.isWellFormed(), { error: "must be well-formed Unicode" })
    .meta({ format: "text", pattern: PROSE_PATTERN });

/**
 * Coerces query strings to the JSON types of the schema. What does not fit stays a string and fails validation; so does
 * what the schema does not name.
 */
export function decodeStrings(
  schema: z.ZodObject | undefined,
  raw: Record<string, unknown>,
): Record<string, unknown> {
  const members = schema ? typesOf(schema) : {};
  // fromEntries makes own members of all names, `__proto__` included.
  return Object.fromEntries(
    Object.entries(raw).map(([name, value]) => {
      const { type = "string" } = (Object.hasOwn(members, name) && members[name]) || {};
      return [name, typeof value === "string" ? decodeScalar(type, value) : value];
    }),
  );
}

/** Type and range of each member of an object schema. */
function typesOf(schema: z.ZodObject): Record<string, Member> {
  let members = knownMembers.get(schema);
  if (!members) {
    members = membersOf<Member>(schema, "input").properties;
    knownMembers.set(schema, members);
  }
  return members;
}

function decodeScalar(type: string, text: string): unknown {
  if (type === "integer" || type === "number")
    return /^-?\d{1,15}(\.\d{1,15})?$/.test(text) ? Number(text) : text;
  if (type === "boolean") return text === "true" ? true : text === "false" ? false : text;
  return text;
}

/**
 * Parses what a caller sent: `parseInput`, and unknown parameters and members are refused. For the caller's end of the
 * wire alone: a worker drops what a front of a newer version adds.
 */
export function parseRequest(
  operation: OperationSpec,
  raw: RawInput,
): ParsedInput | Failure<"invalid_request" | "unknown_parameter"> {
  const parsed = parseInput(operation, raw);
  const unknown = unknownFaults(operation, raw);
  if (unknown.length === 0) return parsed;
  return refused("unknown_parameter", [...unknown, ...((parsed instanceof Failure && parsed.errors) || [])]);
}

/**
 * Parses the parts of a request with the operation's schemas.
 * @returns the parsed input, or an `invalid_request` failure that lists every fault (at most 20).
 */
export function parseInput(
  operation: OperationSpec,
  raw: RawInput,
): ParsedInput | Failure<"invalid_request"> {
  const parsed: ParsedInput = { params: undefined, query: undefined, body: undefined };
  const faults: Fault[] = [];
  for (const part of ["params", "query", "body"] as const) {
    const schema = operation[part];
    if (!schema) continue;
    // A missing query string counts as empty. A missing body counts as an empty object only if the contract says so;
    // `null` never does.
    const mayBeAbsent = part !== "body" || operation.bodyOptional;
    const result = schema.safeParse(raw[part] === undefined && mayBeAbsent ? {} : raw[part], {
      reportInput: true,
    });
    if (result.success) parsed[part] = result.data;
    else
      faults.push(
        ...result.error.issues.map((issue) => ({
          pointer: pointer(part, issue.path),
          code: issue.code,
          message: sentenceOf(schema, issue),
        })),
      );
  }
  return faults.length === 0 ? parsed : refused("invalid_request", faults);
}

const pointer = (part: Part, path: PropertyKey[]): string =>
  `/${[part, ...path].map((step) => String(step).replaceAll("~", "~0").replaceAll("/", "~1")).join("/")}`;

/** A message for the caller: what is missing, or the whole allowed range. */
function sentenceOf(schema: z.ZodObject, issue: z.core.$ZodIssue): string {
  const { minimum, maximum } = typesOf(schema)[String(issue.path[0])] ?? {};
  const ofNumber = (issue.code === "too_small" || issue.code === "too_big") && issue.path.length === 1;
  if (ofNumber && minimum !== undefined && maximum !== undefined)
    return `must be from ${minimum} to ${maximum}`;
  if (issue.code === "invalid_type" && issue.input === undefined) return "is required";
  return issue.message;
}

/** A failure with its faults; the first one is its detail. */
function refused<C extends "invalid_request" | "unknown_parameter">(code: C, faults: Fault[]): Failure<C> {
  const first = faults[0]!;
  return fail(code, `${first.pointer.slice(1).replaceAll("/", ".")}: ${first.message}`, {
    errors: faults.slice(0, MOST_FAULTS),
  });
}

const unknownFaults = (operation: OperationSpec, raw: RawInput): Fault[] =>
  (["query", "body"] as const).flatMap((part) => {
    if (part === "query" && operation.anyQuery) return [];
    const sent = part === "query" && operation.method === "GET" ? withoutTracking(raw.query) : raw[part];
    return unknownMembers(operation[part], sent)
      .filter(({ path }) => !(part === "query" && operation.auth === "key" && path[0] === KEY_PARAMETER))
      .map(({ path, message }) => ({ pointer: pointer(part, path), code: "unknown_parameter", message }));
  });

/** A query without what was added on its way here; the same object where nothing was. */
function withoutTracking(query: unknown): unknown {
  if (typeof query !== "object" || query === null || !Object.keys(query).some(isTracking)) return query;
  return Object.fromEntries(Object.entries(query).filter(([name]) => !isTracking(name)));
}

const isTracking = (name: string): boolean => name.startsWith("utm_") || TRACKING.has(name);
