/**
 * JSON-LD of a page (JSON-LD 1.1) as a graph of schema.org's terms: what is needed to read what a page offers, without
 * fetching any context. Pure; one pass over the bytes, bounded in nodes. `jsonld` and
 * `jsonld-streaming-parser` load remote contexts, bound neither nodes nor nesting, and refuse a block for one wrong context.
 */

type Json = Record<string, unknown>;
/** A node: its members by schema.org's local names and JSON-LD's keywords, each as the values that were said of it. */
export type LdNode = ReadonlyMap<string, readonly LdValue[]>;
export type LdValue = string | number | boolean | LdNode;

/** Objects and arrays of all blocks that are read; what is nested by the thousand ends here as well. */
const MAX_VALUES = 20_000;
const MAX_LEVELS = 64;
/** Values of one member. */
const MAX_MEMBER_VALUES = 2_000;

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const SCHEMA_ORG = /^https?:\/\/(?:www\.)?schema\.org\/?#?/i;

/** What a context says of terms: keywords and schema.org's terms by other names, and prefixes of schema.org. */
type Context = ReadonlyMap<string, string>;
const NO_CONTEXT: Context = new Map([["schema", ""]]);
const MAX_TERMS = 500;

/** Members whose text values are terms of schema.org as well: enumerations. */
const ENUMERATED = new Set(["@type", "priceType", "itemCondition", "availability", "priceComponentType"]);
const CONTAINERS = ["@value", "@list", "@set"] as const;

class GraphReader {
  readonly nodes: LdNode[] = [];
  /** Nodes by `@id`: what several objects say of one is said of it once. */
  readonly #byId = new Map<string, Map<string, LdValue[]>>();
  #left = MAX_VALUES;

  /** The values that a member's value stands for. */
  values(value: unknown, member: string, context: Context, level: number): LdValue[] {
    if (level > MAX_LEVELS || this.#left-- <= 0) return [];
    if (typeof value === "string") return [ENUMERATED.has(member) ? termOf(value, context) : value];
    if (typeof value === "number" || typeof value === "boolean") return [value];
    if (Array.isArray(value))
      return value
        .slice(0, MAX_MEMBER_VALUES)
        .flatMap((one: unknown) => this.values(one, member, context, level + 1));
    if (!isObject(value)) return [];
    // What PHP makes of a list with a hole or a name in it: {"0": …, "priceCurrency": …}.
    if (Object.hasOwn(value, "0") && !Object.hasOwn(value, "@type"))
      return this.values(indexed(value), member, context, level + 1);
    for (const container of CONTAINERS)
      if (Object.hasOwn(value, container)) return this.values(value[container], member, context, level + 1);
    return [this.#node(value, context, level)];
  }

  #node(value: Json, outer: Context, level: number): LdNode {
    const context = contextOf(value["@context"], outer);
    const entries = Object.entries(value)
      .slice(0, MAX_MEMBER_VALUES)
      .map(([key, one]): [string, unknown] => [termOf(key, context), one]);
    const id = entries.find(([key]) => key === "@id")?.[1];
    const known = typeof id === "string" ? this.#byId.get(id) : undefined;
    const node = known ?? new Map<string, LdValue[]>();
    if (!known) this.nodes.push(node);
    if (!known && typeof id === "string") this.#byId.set(id, node);
    for (const [key, one] of entries) {
      if (key === "@id" || key === "@context") continue;
      const values = this.values(one, key, context, level + 1);
      const before = node.get(key);
      if (before === undefined) node.set(key, values);
      else if (before.length + values.length <= MAX_MEMBER_VALUES) before.push(...values);
    }
    return node;
  }
}

const indexed = (value: Json): unknown[] =>
  Object.entries(value)
    .filter(([key]) => /^\d{1,4}$/.test(key))
    .map(([, one]) => one);

/** Whether a script's type says JSON-LD, with or without parameters such as a profile (RFC 6838, JSON-LD 1.1 section 10.1). */
export const isJsonLd = (type: string | undefined): boolean =>
  type !== undefined && /^\s{0,9}application\/ld\+json\s{0,9}(?:;|$)/i.test(type);

/** A block as JSON, with the slips mended that pages make often; undefined for what is none. */
export function parseJsonLd(text: string): unknown {
  const block = unwrapped(text);
  for (const form of [block, mended(block)])
    try {
      return JSON.parse(form) as unknown;
    } catch {
      // A stranger's mistake: mended once, else it says nothing.
    }
  return undefined;
}

/** Without what surrounds a block in pages: a byte order mark, an HTML comment, CDATA marks, a semicolon at its end. */
const unwrapped = (block: string): string =>
  block
    .trim()
    .replace(/^(?:\/\/\s{0,9})?(?:<!--|<!\[CDATA\[|\/\*\s{0,9}<!\[CDATA\[\s{0,9}\*\/)/, "")
    .replace(/(?:\/\/\s{0,9})?(?:-->|\]\]>|\/\*\s{0,9}\]\]>\s{0,9}\*\/)$/, "")
    .trim()
    .replace(/;$/, "");

/**
 * With line feeds and tabs in strings as spaces, without comments of scripts between, and without commas before a closing
 * bracket: one pass.
 */
function mended(block: string): string {
  const parts: string[] = [];
  let from = 0;
  let isInString = false;
  for (let at = 0; at < block.length; at++) {
    const code = block.charCodeAt(at);
    if (code === 0x22) isInString = !isInString;
    else if (code === 0x5c) at++;
    else if (isInString && code < 0x20) {
      parts.push(block.slice(from, at), " ");
      from = at + 1;
    } else if (!isInString && code === 0x2f) {
      const end = commentEnd(block, at);
      if (end === undefined) continue;
      parts.push(block.slice(from, at));
      from = end;
      at = end - 1;
    } else if (!isInString && (code === 0x7d || code === 0x5d)) {
      const before = block.slice(from, at).trimEnd();
      parts.push(before.endsWith(",") ? before.slice(0, -1) : before);
      from = at;
    }
  }
  return [...parts, block.slice(from)].join("");
}

/** Where a comment ends that begins here; undefined where none does. */
function commentEnd(block: string, at: number): number | undefined {
  const opening = block.slice(at, at + 2);
  if (opening !== "//" && opening !== "/*") return undefined;
  const end = opening === "//" ? block.indexOf("\n", at) : block.indexOf("*/", at + 2);
  return end === -1 ? block.length : end + (opening === "//" ? 0 : 2);
}

/** All nodes of a page's blocks, in their order, references resolved. @param blocks as parseJsonLd gives them */
export function readGraph(blocks: readonly unknown[]): readonly LdNode[] {
  const reader = new GraphReader();
  for (const block of blocks) reader.values(block, "", NO_CONTEXT, 0);
  return reader.nodes;
}

export const ldNodes = (node: LdNode, member: string): LdNode[] => (node.get(member) ?? []).filter(isNode);

export const isNode = (value: LdValue | undefined): value is LdNode => typeof value === "object";

/** Whether one of the node's types, or a value of an enumeration, is one of these. */
export const isOneOf = (node: LdNode, member: string, names: ReadonlySet<string>): boolean =>
  (node.get(member) ?? []).some((one) => typeof one === "string" && names.has(one));

/** The first text or number that is said; undefined for none. */
export function ldText(node: LdNode, member: string): string | undefined {
  const value = (node.get(member) ?? []).find((one) => typeof one === "string" || typeof one === "number");
  return value === undefined ? undefined : String(value).trim() || undefined;
}

/** A term, a compact or a whole IRI as schema.org's local name or as a keyword; others stay as they are. */
function termOf(text: string, context: Context): string {
  const known = context.get(text);
  if (known) return known;
  const colon = text.indexOf(":");
  if (colon === -1) return text;
  return context.get(text.slice(0, colon)) === "" ? text.slice(colon + 1) : text.replace(SCHEMA_ORG, "");
}

/** The context of a node, below that of its parent. Remote contexts are never fetched: they are taken for schema.org's. */
function contextOf(said: unknown, outer: Context): Context {
  const definitions = [said].flat().slice(0, 20).filter(isObject);
  if (definitions.length === 0) return outer;
  const terms = new Map(outer);
  for (const [term, meaning] of definitions.flatMap((one) => Object.entries(one).slice(0, MAX_TERMS))) {
    const iri = isObject(meaning) ? meaning["@id"] : meaning;
    if (typeof iri !== "string" || term.startsWith("@") || terms.size > MAX_TERMS) continue;
    if (SCHEMA_ORG.test(iri)) terms.set(term, iri.replace(SCHEMA_ORG, ""));
    else if (iri.startsWith("@")) terms.set(term, iri);
    else {
      const prefix = terms.get(iri.split(":", 1)[0]!);
      if (iri.includes(":") && prefix === "") terms.set(term, iri.slice(iri.indexOf(":") + 1));
    }
  }
  return terms;
}
