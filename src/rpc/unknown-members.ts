/**
 * Parameters and members that an operation does not have, each with the name that was probably meant. Found by the JSON
 * Schema that the documentation shows, so that both say the same. Linear in what a caller sent.
 */
import type { z } from "zod";
import { type Json, jsonSchemaOf } from "./json-schema.ts";

export interface UnknownMember {
  path: (string | number)[];
  message: string;
}

interface Shape {
  $ref?: string;
  $defs?: Record<string, Shape>;
  properties?: Record<string, Shape>;
  additionalProperties?: boolean | Json;
  items?: Shape;
  anyOf?: Shape[];
}

/** Where there is nothing to send, there is no name. */
const EMPTY: Shape = { properties: {}, additionalProperties: false };

/** Most that are looked for: a problem lists no more. */
const MOST = 20;
/** Longest name that is compared with others, and repeated. */
const MAX_NAME = 40;
const MOST_SHOWN = 12;

/** Names of one meaning, of which an operation has one, as `plain` writes them. */
const SYNONYMS = [
  ["siteid", "domain", "site", "host", "hostname"],
  ["q", "query", "intent"],
];

const shapes = new WeakMap<z.ZodObject, Shape>();

/**
 * The one of `names` that was probably meant by `name`: written otherwise, misspelled, cut short, or of the same meaning.
 * @param slips most letters that a misspelled one is away; then nothing but that counts. Default: a third of the name
 */
export function probablyMeant(name: string, names: readonly string[], slips?: number): string | undefined {
  if (name.length > MAX_NAME) return undefined;
  const said = plain(name);
  const most = slips ?? (said.length < 3 ? 0 : Math.max(1, Math.floor(said.length / 3)));
  const [closest] = names
    .map((each) => ({ each, steps: distance(said, plain(each)) }))
    .filter(({ steps }) => steps <= most)
    .toSorted((a, b) => a.steps - b.steps);
  if (closest) return closest.each;
  if (slips !== undefined) return undefined;
  const same = SYNONYMS.find((group) => group.includes(said));
  return (
    names.find((each) => same?.includes(plain(each))) ??
    (said.length < 3 ? undefined : names.find((each) => plain(each).includes(said)))
  );
}

const plain = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, "");

/** Levenshtein's distance, of a name no longer than MAX_NAME and one of the operation's own. */
function distance(a: string, b: string): number {
  let above = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++)
      row.push(Math.min(above[j]! + 1, row[j - 1]! + 1, above[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)));
    above = row;
  }
  return above[b.length]!;
}

/**
 * What `value` holds that `schema` does not name, at any depth.
 * @param schema undefined: nothing is taken at all
 */
export function unknownMembers(schema: z.ZodObject | undefined, value: unknown): UnknownMember[] {
  const shape = schema ? (shapes.get(schema) ?? (jsonSchemaOf(schema, "input") as Shape)) : EMPTY;
  if (schema) shapes.set(schema, shape);
  const found: UnknownMember[] = [];
  findUnknown(shape, shape, value, [], found);
  return found;
}

function findUnknown(
  shape: Shape,
  root: Shape,
  value: unknown,
  path: (string | number)[],
  found: UnknownMember[],
): void {
  if (typeof value !== "object" || value === null || found.length >= MOST) return;
  const list = Array.isArray(value);
  const fitting = shapesOf(shape, root).find((each) => (list ? each.items : each.properties));
  if (!fitting) return;
  if (list) {
    for (const [i, each] of value.entries())
      if (typeof each === "object") findUnknown(fitting.items!, root, each, [...path, i], found);
    return;
  }
  const { properties = {}, additionalProperties } = fitting;
  for (const name of Object.keys(value)) {
    if (found.length >= MOST) return;
    const inner = (value as Record<string, unknown>)[name];
    if (Object.hasOwn(properties, name)) findUnknown(properties[name]!, root, inner, [...path, name], found);
    else if (additionalProperties === false)
      found.push({ path: [...path, cut(name)], message: messageOf(name, Object.keys(properties)) });
  }
}

/** The schemas that a schema is of: itself, what it refers to, its alternatives (such as null). */
function shapesOf(shape: Shape, root: Shape): Shape[] {
  if (shape.$ref !== undefined) return [root.$defs?.[shape.$ref.slice("#/$defs/".length)] ?? {}];
  return [shape, ...(shape.anyOf ?? [])];
}

const cut = (name: string): string => (name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name);

function messageOf(name: string, names: readonly string[]): string {
  const meant = probablyMeant(name, names);
  if (meant !== undefined) return `is unknown; did you mean ${meant}?`;
  if (names.length === 0) return "is unknown; nothing is taken here";
  const more = names.length > MOST_SHOWN ? ", …" : "";
  return `is unknown; known are ${names.slice(0, MOST_SHOWN).join(", ")}${more}`;
}
