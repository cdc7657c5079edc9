/** Members of an operation's input or reply, those of objects in it to be opened. */
import type { z } from "zod";
import { type Json, jsonSchemaOf } from "../../../src/rpc/json-schema.ts";
import { type Html, html, nothing } from "../../pages/html.ts";
import type { Texts } from "../../pages/texts.ts";
import { proseHtml } from "./prose.ts";

interface Member {
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  items?: Member;
  anyOf?: Member[];
  oneOf?: Member[];
  $ref?: string;
  description?: string;
  default?: unknown;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  maxItems?: number;
  properties?: Record<string, Member>;
  required?: string[];
}

/** What a page shows of a schema: deeper and wider than this, the OpenAPI document has it. */
const MOST_DEPTH = 4;
const MOST_MEMBERS = 170;
const MOST_VALUES = 24;

interface Reading {
  texts: Texts;
  definitions: Record<string, Member>;
  isInput: boolean;
  /** Members that may still be shown. */
  left: number;
}

/** A schema's members as a list. */
export function membersHtml(texts: Texts, schema: z.ZodType | undefined, io: "input" | "output"): Html {
  if (!schema) return nothing;
  const { $defs = {}, ...json } = jsonSchemaOf(schema, io) as Json & { $defs?: Record<string, Member> };
  const reading: Reading = { texts, definitions: $defs, isInput: io === "input", left: MOST_MEMBERS };
  const objects = objectsIn(reading, json as Member, []);
  return objects.length === 0
    ? html`<p class="soft">${texts.docs.noMembers}</p>`
    : html`<div class="mem">${objects.map(([object, names]) => listHtml(reading, object, names, 1))}</div>`;
}

/** The objects that a member is, or is a list of. @param above names of the types around it, which may be in themselves */
function objectsIn(reading: Reading, member: Member, above: readonly string[]): [Member, string[]][] {
  if (member.$ref) {
    const name = nameOf(member.$ref);
    const found = reading.definitions[name];
    return !found || above.includes(name) ? [] : objectsIn(reading, found, [...above, name]);
  }
  if (member.properties) return [[member, [...above]]];
  const inside = member.anyOf ?? member.oneOf ?? (member.items ? [member.items] : []);
  return inside.flatMap((each) => objectsIn(reading, each, above));
}

const nameOf = ($ref: string): string => $ref.split("/").at(-1)!;

function listHtml(reading: Reading, object: Member, above: readonly string[], depth: number): Html {
  const { properties = {}, required = [] } = object;
  return html`<ul>${Object.entries(properties).map((entry) =>
    memberHtml(reading, entry, reading.isInput && required.includes(entry[0]), above, depth),
  )}</ul>`;
}

function memberHtml(
  reading: Reading,
  [name, member]: [string, Member],
  isRequired: boolean,
  above: readonly string[],
  depth: number,
): Html {
  const { docs } = reading.texts;
  reading.left--;
  const about = [member.description, boundsOf(member)].filter(Boolean).join("; ");
  const objects = objectsIn(reading, member, above);
  const isCut = objects.length > 0 && (depth >= MOST_DEPTH || reading.left <= 0);
  const inside = isCut
    ? html`<p>${docs.deeper}</p>`
    : objects.length > 0 &&
      html`<details><summary>${docs.members}<span class="visually-hidden">: ${name}</span></summary>${objects.map(([object, names]) => listHtml(reading, object, names, depth + 1))}</details>`;
  return html`<li><code>${name}</code> <span class="soft">${typeOf(member)}</span>${isRequired && html` <b class="small">${docs.required}</b>`}${about !== "" && html`<p>${proseHtml(about)}</p>`}${inside}</li>`;
}

const boundsOf = ({ default: fallback, minimum, maximum, maxLength, maxItems }: Member): string =>
  [
    fallback === undefined ? "" : `default ${JSON.stringify(fallback)}`,
    rangeOf(minimum, maximum),
    maxLength === undefined ? "" : `at most ${maxLength} characters`,
    maxItems === undefined ? "" : `at most ${maxItems}`,
  ]
    .filter(Boolean)
    .join(", ");

/** What every number of JSON stays within is no bound. */
function rangeOf(least: number | undefined, most: number | undefined): string {
  const isLeast = least !== undefined && least > Number.MIN_SAFE_INTEGER;
  const isMost = most !== undefined && most < Number.MAX_SAFE_INTEGER;
  if (isLeast && isMost) return `${least} to ${most}`;
  return isLeast ? `at least ${least}` : isMost ? `at most ${most}` : "";
}

function typeOf(member: Member): string {
  if (member.$ref) return nameOf(member.$ref);
  if (member.const !== undefined) return JSON.stringify(member.const);
  if (member.enum) {
    const more = member.enum.length > MOST_VALUES ? " | …" : "";
    return `${member.enum.slice(0, MOST_VALUES).map(String).join(" | ")}${more}`;
  }
  const variants = member.anyOf ?? member.oneOf;
  if (variants) return [...new Set(variants.map(typeOf))].join(" | ");
  if (member.type === "array") return `${typeOf(member.items ?? {})}[]`;
  return [member.type ?? "any"].flat().join(" | ");
}
