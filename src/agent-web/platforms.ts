/**
 * Whose words a document is: its owner's, or those of the platform or plugin that writes the same for everybody, told by marks that it
 * documents (tables/agent-platforms.json) and by digests of its templates, with hosts, names and dates taken out.
 */
import { createHash } from "node:crypto";
import { isWithin } from "../domain/names/domain-name.ts";
import { expressionOf, readTable } from "../tables/read-table.ts";
import { Findings, isMembers, itemsOf, readJson } from "./formats/document.ts";

export interface ServedDocument {
  /** Lower-case names. */
  headers: Readonly<Record<string, string>>;
  path: string;
  bytes: Uint8Array;
  host: string;
}

/** Marks stand at a document's beginning; templates are short. */
const MAX_LOOKED_AT = 65_536;
/** Members that hold names: whatever their values are, they are the owner's. */
const NAMES = /^(?:name|title|id|identifier|displayname|organization|slug|tags|issuer)$/i;
/** Any path, any value. */
const EVERY = "/^/";
const CONSTANT = /^[\w.+/-]{1,40}$/;

const PLATFORMS = readTable("agent-platforms").platforms.map((row) => ({
  name: row.name,
  own: row.own,
  hosts: row.hosts,
  headers: row.headers.map(({ name, value }) => ({ name, value: expressionOf(value ?? EVERY) })),
  texts: row.texts.map(({ path, text }) => ({ path: expressionOf(path ?? EVERY), text: expressionOf(text) })),
  templates: new Set(row.templates),
}));

/** @returns the platform's name in the table; null: nothing says that it is not its owner's */
export function documentPlatform(document: ServedDocument): string | null {
  const bytes = document.bytes.subarray(0, MAX_LOOKED_AT);
  const text = Buffer.from(bytes).toString("utf8");
  const digest = templateDigest(document.bytes, document.host);
  const others = PLATFORMS.filter(({ own }) => !own.some((domain) => isWithin(document.host, domain)));
  // What the document itself says comes before who serves it: a plugin's file on a hoster is the plugin's.
  const found =
    others.find(
      ({ texts, templates }) =>
        templates.has(digest) || texts.some((mark) => mark.path.test(document.path) && mark.text.test(text)),
    ) ??
    others.find(({ hosts }) => hosts.some((suffix) => isWithin(document.host, suffix))) ??
    others.find(({ headers }) => headers.some(({ name, value }) => isSaid(document.headers[name], value)));
  return found?.name ?? null;
}

const isSaid = (field: string | undefined, value: RegExp): boolean =>
  field !== undefined && value.test(field);

/**
 * Equal for documents that a platform made of one template: of JSON, its members with what is constant in them; of text, its words;
 * both without hosts, names, addresses, numbers and dates. Hexadecimal, 16 bytes.
 */
export function templateDigest(bytes: Uint8Array, host: string): string {
  const beginning = bytes.subarray(0, MAX_LOOKED_AT);
  const json = bytes.length > MAX_LOOKED_AT ? undefined : readJson(bytes, new Findings());
  const template =
    typeof json === "object" && json !== null
      ? membersTemplate(json, "")
      : textTemplate(Buffer.from(beginning).toString("utf8"), host);
  return createHash("sha256").update(template).digest("hex").slice(0, 32);
}

/** Free text is left out with its member, so that one owner's missing description makes no other template. */
function membersTemplate(value: unknown, name: string): string {
  if (Array.isArray(value)) {
    const items = new Set(itemsOf(value).map((item) => membersTemplate(item, name)));
    return `[${[...items].sort().join(",")}]`;
  }
  if (isMembers(value)) {
    const members = Object.entries(value).map(
      ([key, member]) => [key, membersTemplate(member, key)] as const,
    );
    const kept = members
      .filter(([, template]) => template !== "")
      .map(([key, template]) => `${key}:${template}`);
    return `{${kept.sort().join(",")}}`;
  }
  if (typeof value !== "string") return typeof value;
  return NAMES.test(name) || !CONSTANT.test(value) ? "" : value.replaceAll(/\d+/g, "0");
}

function textTemplate(text: string, host: string): string {
  const title = /^#{1,2}[ \t]+(\S[^\r\n]{0,200})/m.exec(text)?.[1]?.trim();
  const [label = host] = host.replace(/^www\./, "").split(".", 1);
  const withoutNames = [title, host, label]
    .filter((name) => name !== undefined && name.length > 2)
    .reduce<string>((rest, name) => rest.replaceAll(name!, ""), text);
  return withoutNames
    .replaceAll(/https?:\/\/[^\s)<>"]+/g, "u")
    .replaceAll(/\d+/g, "0")
    .replaceAll(/\s+/g, " ")
    .trim()
    .toLowerCase();
}
