/** How documents of strangers are taken apart: bounded in bytes, depth, values, names and counts. */
import { type DescriptorFinding, MAX_DESCRIPTOR_FINDINGS, MAX_TOOLS } from "../../../schemas/agent-web.ts";
import { parseWebAddress } from "../../domain/names/web-address.ts";
import { parseStrictJson } from "../../domain/protocols/strict-json.ts";
import {
  type DescribedService,
  type ListedItem,
  MAX_AGENT_DOCUMENT_BYTES,
  MAX_DESCRIBED,
  MAX_DOCUMENTS,
  type NamedDocument,
} from "./format.ts";

const MAX_DEPTH = 64;
const MAX_VALUES = 200_000;
const MAX_ENDPOINT = 2_048;
const MAX_NAME = 200;
const MAX_DESCRIPTION = 1_000;
/** Of one list in a document: what is beyond is not looked at. */
const MAX_ITEMS = 1_000;
/** Two readers may read such a text as two documents; it has a meaning all the same. */
const AMBIGUOUS = ["byte_order_mark", "doubled_key", "unsafe_number", "lone_surrogate", "forbidden_key"];

export type Members = Readonly<Record<string, unknown>>;

/** What a document's rules find, each with its place. */
export class Findings {
  readonly list: DescriptorFinding[] = [];
  /** No rule of the specification is broken. */
  conforms = true;

  /** A rule of the specification is broken. */
  breaks(rule: string, place: string, fix: string): void {
    this.conforms = false;
    this.advises(rule, place, fix);
  }

  /** Allowed, and of no use to agents, or a risk for its owner. */
  advises(rule: string, place: string, fix: string): void {
    if (this.list.length < MAX_DESCRIPTOR_FINDINGS)
      this.list.push({ rule, place: place.slice(0, 200), fix: fix.slice(0, 300) });
  }

  /** Members that the specification requires; null counts as missing. */
  requires(members: Members, names: readonly string[], place = ""): void {
    for (const name of names)
      if ((members[name] ?? null) === null)
        this.breaks("missing_member", `${place}/${pointerPart(name)}`, `Add the member ${name}.`);
  }

  /** A member that is there is of this type. @returns whether it is there and is */
  isA(type: "string" | "array" | "object" | "boolean", members: Members, name: string, place = ""): boolean {
    const value = members[name];
    if (value === undefined || value === null) return false;
    const is = Array.isArray(value) ? "array" : typeof value;
    if (is !== type)
      this.breaks("wrong_type", `${place}/${pointerPart(name)}`, `Make ${name} a JSON ${type}.`);
    return is === type;
  }

  /** The objects of a list, each with its place; what is none breaks a rule. */
  objectsIn(list: unknown, place: string): [item: Members, place: string][] {
    return itemsOf(list).flatMap((item, at): [Members, string][] => {
      if (isMembers(item)) return [[item, `${place}/${at}`]];
      this.breaks("wrong_type", `${place}/${at}`, "Make it a JSON object.");
      return [];
    });
  }

  /** A member that is there is an absolute address. */
  isAddress(members: Members, name: string, place = ""): void {
    const value = members[name] ?? undefined;
    if (value !== undefined && !/^[a-z][a-z0-9+.-]{0,20}:\/\/\S/i.test(memberText(value, 100)))
      this.breaks("bad_address", `${place}/${pointerPart(name)}`, "Write the whole address: https://….");
  }
}

/** A JSON document: an object, or undefined where the bytes are none. */
export function readObject(bytes: Uint8Array, findings: Findings): Members | undefined {
  const value = readJson(bytes, findings);
  return isMembers(value) ? value : undefined;
}

/** A JSON document; undefined: the bytes are none, or beyond the bounds. */
export function readJson(bytes: Uint8Array, findings: Findings): unknown {
  const limits = { maxBytes: MAX_AGENT_DOCUMENT_BYTES, maxDepth: MAX_DEPTH, maxValues: MAX_VALUES };
  const strict = parseStrictJson(bytes, limits);
  if (strict.ok) return strict.value;
  const text = readText(bytes);
  if (text === undefined || !AMBIGUOUS.includes(strict.reason)) return undefined;
  const [value, reason] = readAgain(text, limits);
  if (value !== undefined)
    findings.advises(reason ?? strict.reason, "", "Write JSON that all readers read alike (RFC 7493).");
  return value;
}

/** Text in UTF-8 without its byte order mark; undefined: binary, or beyond the bound. */
export function readText(bytes: Uint8Array): string | undefined {
  if (bytes.length > MAX_AGENT_DOCUMENT_BYTES) return undefined;
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return text.includes("\u0000") ? undefined : text;
  } catch {
    return undefined;
  }
}

/** A page for people, whatever its media type says. */
export const isHtmlPage = (text: string): boolean =>
  /^\s{0,1000}(?:<!--[^>]{0,1000}-->\s{0,1000})?<(?:!doctype\s+html|html|head|body)\b/i.test(
    text.slice(0, 4_096),
  );

export const isMembers = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const membersIn = (value: unknown): Members => (isMembers(value) ? value : {});

/** The items of a list, with their indices; those of an object are none. */
export const itemsOf = (value: unknown): unknown[] => (Array.isArray(value) ? value.slice(0, MAX_ITEMS) : []);

export const memberText = (value: unknown, most = MAX_DESCRIPTION): string =>
  typeof value === "string"
    ? value
        .slice(0, 2 * most)
        .trim()
        .slice(0, most)
        .toWellFormed()
    : "";

export const shortText = (value: unknown): string => memberText(value, MAX_NAME);

/** A document that says what it is of. One at a format's own path that says no more is told what it lacks; an error says not even that. */
export const saysWhatItIs = (document: Members): boolean =>
  ["name", "title", "description", "url", "version"].some((name) => memberText(document[name]) !== "");

/** An absolute address of the web, or undefined. Addresses with placeholders (`{…}`) are left as written. */
export function linkedAddress(value: unknown, base: URL): string | undefined {
  if (typeof value !== "string" || value === "" || value.length > MAX_ENDPOINT) return undefined;
  const text = value.trim();
  if (/[{}<>]/.test(text)) {
    if (/^https?:\/\//i.test(text)) return text;
    return /^\/(?!\/)/.test(text) ? base.origin + text : undefined;
  }
  const address = parseWebAddress(text, base);
  return address.ok && address.url.href.length <= MAX_ENDPOINT ? address.url.href : undefined;
}

/**
 * The skills, tools or operations of a list, each once, at most as many as a host may have: a text is a name, an object has it in one
 * of these members.
 * @param ids members that hold what programs call it by
 */
export function listedItems(
  items: readonly unknown[],
  names: readonly string[] = ["name"],
  ids: readonly string[] = names,
): ListedItem[] {
  const listed = new Map<string, ListedItem>();
  for (const item of items) {
    const members = membersIn(item);
    const first = (keys: readonly string[]): string =>
      typeof item === "string" ? item : (keys.map((key) => shortText(members[key])).find(Boolean) ?? "");
    const [name, id] = [shortText(first(names)), shortText(first(ids))];
    const key = id || name;
    const description = memberText(members.description ?? members.summary);
    if (key !== "" && !listed.has(key) && listed.size < MAX_TOOLS)
      listed.set(key, { name: name || id, id: key, description });
  }
  return [...listed.values()];
}

/** A JSON pointer's part (RFC 6901 section 3). */
export const pointerPart = (name: string): string => name.replaceAll("~", "~0").replaceAll("/", "~1");

/** A service of which only so much is said. */
export function describedService(
  protocol: DescribedService["protocol"],
  endpoint: string,
  more: Partial<DescribedService> = {},
): DescribedService {
  return {
    protocol,
    endpoint,
    transports: [],
    auth: "unknown",
    name: "",
    description: "",
    tools: [],
    ...more,
  };
}

/** Each protocol's endpoint once, the first ones; of all documents a host keeps fewer. */
export function servicesOf(services: Iterable<DescribedService>): DescribedService[] {
  const kept = new Map<string, DescribedService>();
  for (const service of services) {
    const key = `${service.protocol} ${service.endpoint}`;
    if (kept.size < MAX_DESCRIBED && !kept.has(key)) kept.set(key, service);
  }
  return [...kept.values()];
}

/** Documents that entries name by `url` (or `href`) and `type` (or `mediaType`). */
export function documentsOf(entries: readonly unknown[], base: URL): NamedDocument[] {
  const named = new Map<string, NamedDocument>();
  for (const entry of entries) {
    const { url, href, type, mediaType } = membersIn(entry);
    const address = linkedAddress(url ?? href, base);
    if (address === undefined || named.size >= MAX_DOCUMENTS) continue;
    if (!named.has(address)) named.set(address, { url: address, type: memberText(type ?? mediaType, 100) });
  }
  return [...named.values()];
}

/** The value behind what makes a text ambiguous, which is looked for once more without its byte order mark. */
function readAgain(text: string, limits: Parameters<typeof parseStrictJson>[1]): [unknown, string?] {
  const strict = parseStrictJson(text, limits);
  if (strict.ok) return [strict.value];
  if (!AMBIGUOUS.includes(strict.reason)) return [undefined];
  return [JSON.parse(text), strict.reason];
}
