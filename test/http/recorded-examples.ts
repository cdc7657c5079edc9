/**
 * Writes schemas/examples.json: what each operation's documented example is sent and answers, for the OpenAPI document.
 * Values that differ from run to run are replaced, so that recording again changes only what an operation says otherwise.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import type { RecordedExample } from "../../app/front/openapi.ts";
import type { OperationSpec } from "../../src/rpc/contract.ts";

const FILE = new URL("../../schemas/examples.json", import.meta.url);

const ALPHABET = "0123456789abcdef";
const hexLike = (text: string): string => ALPHABET.repeat(Math.ceil(text.length / 16)).slice(0, text.length);
const isRandom = (text: string): boolean => /[A-Z]/.test(text) && /[a-z]/.test(text) && /\d/.test(text);

/** Pattern of a value that differs from run to run → what stands for it. */
const REPLACEMENTS: readonly [RegExp, string | ((found: string) => string)][] = [
  [/\beyJ[\w-]+\.[\w-]*\.[\w-]+/g, "eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJleGFtcGxlIn0.c2lnbmF0dXJl"],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, "2026-01-31T12:00:00.000Z"],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, "2026-01-31T12:00:00Z"],
  // A day, which the revision of a schema is not.
  [/(?<!schemas\/)\b2\d{3}-\d\d-\d\d(?!T)\b/g, "2026-01-31"],
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "01980000-0000-7000-8000-000000000000"],
  [/https?:\/\/127\.0\.0\.1:\d+/g, "https://registry.example"],
  [/wss?:\/\/127\.0\.0\.1:\d+/g, "wss://registry.example"],
  [/127\.0\.0\.1:\d+/g, "registry.example"],
  [/(?<=\.test):\d{4,5}\b/g, ""],
  [/(?<=\bbridge_(?:[a-z]+_)+)[\w-]{16,}/g, (found) => found.replace(/[A-Za-z0-9]/g, "0")],
  [/(?<=\bbridge_[a-z]{3}_)[\w-]{4}$/g, "0000"],
  [/(?<=^reporter-)[\w-]{8}$/g, "00000000"],
  [/\b[0-9a-f]{16,}\b/g, hexLike],
  [/[A-Za-z0-9+/_-]{22,}={0,2}/g, (found) => (isRandom(found) ? found.replace(/[^=]/g, "A") : found)],
];

/** Members whose numbers are measured. */
const MEASURED =
  /_ms$|^(?:age_days|iat|exp|nbf|remaining|reset_seconds|size|tree_size|index|leaf_index|uptime_seconds)$/;

function normalized(value: unknown, name = ""): unknown {
  if (typeof value === "string")
    return REPLACEMENTS.reduce(
      (text, [pattern, by]) => text.replace(pattern, by as (found: string) => string),
      value,
    );
  if (typeof value === "number") return MEASURED.test(name) ? 1 : value;
  if (Array.isArray(value)) return value.map((item) => normalized(item));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [normalized(key), normalized(member, key)]),
  );
}

/** Long lists and texts cut: an example shows what there is, not how much. */
function cut(value: unknown, items: number, characters: number): unknown {
  if (typeof value === "string")
    return value.length > characters ? `${value.slice(0, characters - 1)}…` : value;
  if (Array.isArray(value)) return value.slice(0, items).map((item) => cut(item, items, characters));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, cut(member, items, characters)]),
  );
}

const CUTS: readonly [items: number, characters: number][] = [
  [2, 300],
  [2, 10_000],
  [1_000, 300],
];

/** The shortest form that the contract takes, or undefined if it takes none. */
function exampleReply(reply: unknown, operation: OperationSpec): unknown {
  const { contentType = "application/json" } = operation;
  if (contentType !== "application/json") return undefined;
  const whole = normalized(reply);
  return CUTS.map(([items, characters]) => cut(whole, items, characters)).find(
    (shown) => operation.reply.safeParse(shown).success,
  );
}

/** @param sent the body, if any */
export function exampleOf(operation: OperationSpec, sent: unknown, reply: unknown): RecordedExample {
  const shown = exampleReply(reply, operation);
  return {
    ...(sent !== undefined && { request: normalized(sent) }),
    ...(shown !== undefined && { reply: shown }),
  };
}

const read = (): Record<string, RecordedExample> => JSON.parse(readFileSync(FILE, "utf8"));

/** Members whose values say by which rules a reply was made: examples of other rules are recorded anew. */
const BY_RULES = /^ruleset_version$/;

/** Names and kinds of what is in a value, without the values. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf);
  if (typeof value !== "object" || value === null) return value === null ? "null" : typeof value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, member]) => [name, BY_RULES.test(name) ? member : shapeOf(member)] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

/** An example that says the same as before stays as it is: lists take turns by the hour, and scores by the run. */
export function writeExamples(examples: Readonly<Record<string, RecordedExample>>): void {
  const before = read();
  const kept = Object.entries(examples).map(([id, example]) => {
    const was = before[id];
    return [id, was && isDeepStrictEqual(shapeOf(was), shapeOf(example)) ? was : example] as const;
  });
  writeFileSync(FILE, `${JSON.stringify(Object.fromEntries(kept), undefined, 2)}\n`);
}
