/** Names and figures that a page holds: what its structured data calls by a type, and what has an unmistakable form. */
import { parseJsonLd } from "../../../src/pages/json-ld.ts";
import type { PageModel } from "../../../src/pages/page-model.ts";
import { jsonLdTexts } from "../../../src/pages/page-parts.ts";
import { attribute, type Element } from "../../../src/pages/parse-html.ts";
import { isSeen } from "../../../src/pages/visible-text.ts";
import type { EntityType } from "./contract.ts";

export interface NamedEntity {
  type: EntityType;
  text: string;
  /** How often it occurs. */
  count: number;
  source: "json-ld" | "link" | "text";
}

const MAX_ENTITIES = 100;
const MAX_NAME = 200;
const MAX_NODES = 2_000;
const MAX_NESTING = 20;

/** Types of schema.org by the ends of their names: LocalBusiness, MusicEvent and the like are kinds of these. */
const TYPES: readonly [pattern: RegExp, type: EntityType][] = [
  [
    /(?:organization|business|corporation|store|restaurant|brand|ngo|hotel|bakery|school|agency)$/i,
    "organization",
  ],
  [/person$/i, "person"],
  [/(?:product|productgroup|vehicle|book|softwareapplication)$/i, "product"],
  [/(?:place|city|country|postaladdress|landmark)$/i, "place"],
  [/event$/i, "event"],
];

const MAIL_HOST = /@(?:[\p{L}\p{N}-]{1,63}\.){1,5}\p{L}{2,24}/gu;
const MAIL_NAME = /^[\p{L}\p{N}._%+-]$/u;
const MAX_MAIL_NAME = 64;
const AMOUNT = String.raw`\d{1,3}(?:[., ]\d{3}){0,3}(?:[.,]\d{2})?|\d{1,9}(?:[.,]\d{2})?`;
const PRICE = new RegExp(
  String.raw`(?<![\p{L}\p{N}])(?:(?:[€$£¥₹]|EUR|USD|GBP|CHF)\s?(?:${AMOUNT})|(?:${AMOUNT})\s?(?:€|£|EUR|USD|GBP|CHF|zł|Kč))(?![\p{L}\p{N}])`,
  "gu",
);
const DATE = /(?<!\d)(?:19|20)\d{2}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?!\d)/g;

/** Entities in order of their first occurrence, each once. */
class Entities {
  readonly #found = new Map<string, NamedEntity>();

  add(type: EntityType, name: unknown, source: NamedEntity["source"]): void {
    if (typeof name !== "string") return;
    const text = name
      .slice(0, 4 * MAX_NAME)
      .replace(/[\p{Cc}\s]+/gu, " ")
      .trim()
      .slice(0, MAX_NAME)
      .toWellFormed();
    if (text === "") return;
    const key = `${type}\n${text.toLowerCase()}`;
    const known = this.#found.get(key);
    if (known) known.count++;
    else if (this.#found.size < MAX_ENTITIES) this.#found.set(key, { type, text, count: 1, source });
  }

  list(): NamedEntity[] {
    return [...this.#found.values()];
  }
}

/** Entities of a page and of its visible text, at most 100: those of structured data first, then links, then the text's. */
export function entitiesOf(page: PageModel | undefined, text: string): NamedEntity[] {
  const entities = new Entities();
  if (page) {
    for (const json of jsonLdTexts(page)) readJsonLd(json, entities);
    for (const notable of page.elements) if (isSeen(notable)) readElement(notable.element, entities);
  }
  for (const mail of mailsIn(text)) entities.add("email", mail, "text");
  for (const [pattern, type] of [
    [PRICE, "price"],
    [DATE, "date"],
  ] as const)
    for (const [found] of text.matchAll(pattern)) entities.add(type, found, "text");
  return entities.list();
}

/** Every object of structured data with a type and a name, nested ones too. */
function readJsonLd(json: string, entities: Entities): void {
  const pending: [unknown, number][] = [[parseJsonLd(json), 0]];
  for (let left = MAX_NODES; pending.length > 0 && left > 0; left--) {
    const [node, depth] = pending.pop()!;
    if (depth > MAX_NESTING) continue;
    if (Array.isArray(node)) {
      for (const item of node.slice(0, MAX_NODES).toReversed()) pending.push([item, depth + 1]);
      continue;
    }
    if (!isObject(node)) continue;
    const types = [node["@type"]].flat().filter((type) => typeof type === "string");
    const kind = TYPES.find(([pattern]) => types.some((type) => pattern.test(type)));
    if (kind) entities.add(kind[1], node.name ?? node.addressLocality, "json-ld");
    for (const member of Object.values(node).toReversed())
      if (typeof member === "object") pending.push([member, depth + 1]);
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function readElement(element: Element, entities: Entities): void {
  const href = element.tagName === "a" ? (attribute(element, "href") ?? "") : "";
  const link = /^(mailto|tel):([^?]{1,256})/i.exec(href.trim());
  if (link)
    entities.add(link[1]!.toLowerCase() === "tel" ? "phone" : "email", percentDecoded(link[2]!), "link");
  if (element.tagName === "time") entities.add("date", attribute(element, "datetime")?.slice(0, 10), "text");
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Mail addresses of a text: each `@` before a host is read back to where its name begins. */
export function* mailsIn(text: string): Generator<string> {
  let end = 0;
  for (const { 0: host, index: at } of text.matchAll(MAIL_HOST)) {
    const name = nameBefore(text, at, end);
    if (name === "") continue;
    yield name + host;
    end = at + host.length;
  }
}

/** Up to 64 characters before `at` that a name may have. */
function nameBefore(text: string, at: number, from: number): string {
  let start = at;
  for (let left = MAX_MAIL_NAME; left > 0 && start > from; left--) {
    const isPair = start - 2 >= from && /[\udc00-\udfff]/.test(text[start - 1]!);
    const char = text.slice(isPair ? start - 2 : start - 1, start);
    if (!MAIL_NAME.test(char)) break;
    start -= char.length;
  }
  return text.slice(start, at);
}
