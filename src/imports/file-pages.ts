/** Pages of a file: a dump of an MCP registry (JSON lines, `[…]` or `{"servers": […]}`), or hosts, one a line or ranked (`1,example.com`). */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { OFFICIAL_SOURCE } from "../../schemas/agent-web.ts";
import { parseListedHost, parseServer } from "./entry.ts";
import type { ImportSource } from "./import.ts";

const PAGE_ENTRIES = 500;
/** Of a longer line nothing is read. */
const MAX_LINE_CHARS = 1 << 20;
/** Of a file that is one JSON document. */
const MAX_DOCUMENT_BYTES = 256 << 20;

/** A dump of the official registry. @throws what reading the file throws */
export const dumpPages = (path: string): Promise<ImportSource> =>
  filePages(path, OFFICIAL_SOURCE, dumpEntries, (value) => parseServer(value, OFFICIAL_SOURCE));

/** A list of hosts. @throws what reading the file throws */
export const hostPages = (path: string): Promise<ImportSource> =>
  filePages(path, "hosts", hostEntries, (value) =>
    typeof value === "string" ? parseListedHost(value) : { ok: false, reason: "too_large" },
  );

/** A source whose cursor is how many entries were taken, and which is known again by what is in it. */
async function filePages(
  path: string,
  name: string,
  entriesOf: (path: string) => AsyncIterable<unknown>,
  parse: ImportSource["parse"],
): Promise<ImportSource> {
  let opened: { entries: AsyncIterator<unknown>; at: number } | undefined;
  const at = async (position: number): Promise<AsyncIterator<unknown>> => {
    if (opened?.at === position) return opened.entries;
    const entries = entriesOf(path)[Symbol.asyncIterator]();
    for (let skipped = 0; skipped < position; skipped++) if ((await entries.next()).done) break;
    return entries;
  };
  return {
    name,
    from: `sha256:${await digestOf(path)}`,
    hasChanges: false,
    parse,
    page: async (cursor) => {
      const position = Number(cursor || 0);
      const entries = await at(position);
      const page: unknown[] = [];
      while (page.length < PAGE_ENTRIES) {
        const { done, value } = await entries.next();
        if (done) return { ok: true, entries: page, next: undefined };
        page.push(value);
      }
      opened = { entries, at: position + page.length };
      return { ok: true, entries: page, next: String(opened.at) };
    },
  };
}

async function digestOf(path: string): Promise<string> {
  const digest = createHash("sha256");
  for await (const chunk of createReadStream(path)) digest.update(chunk as Buffer);
  return digest.digest("hex");
}

/** Parsed entries; undefined for what is no JSON. */
async function* dumpEntries(path: string): AsyncIterable<unknown> {
  const document = await documentOf(path);
  if (document) yield* document;
  else for await (const line of linesOf(path)) if (line?.trim() !== "") yield line && jsonOf(line);
}

/** The entries of a file that is one document; undefined: it is lines. */
async function documentOf(path: string): Promise<unknown[] | undefined> {
  if (!(await isDocument(path))) return undefined;
  if ((await stat(path)).size > MAX_DOCUMENT_BYTES) return [undefined];
  const document = jsonOf(await readFile(path, "utf8"));
  if (Array.isArray(document)) return document;
  const { servers } = (document ?? {}) as { servers?: unknown };
  return Array.isArray(servers) ? servers : [document];
}

/** Whether its first line is no entry of its own. */
async function isDocument(path: string): Promise<boolean> {
  for await (const line of linesOf(path)) {
    if (line === undefined) return true;
    if (line.trim() === "") continue;
    const first = jsonOf(line);
    return typeof first !== "object" || first === null || Array.isArray(first) || "servers" in first;
  }
  return false;
}

/** Names of hosts, without comments; undefined for a line that is too long. */
async function* hostEntries(path: string): AsyncIterable<string | undefined> {
  for await (const line of linesOf(path)) {
    const name = line === undefined ? undefined : hostOf(line);
    if (name !== "") yield name;
  }
}

/** The second field after a rank, otherwise the first; of an address, its host. */
function hostOf(line: string): string {
  const [first = "", second] = line
    .replace(/#.*/, "")
    .split(",")
    .map((field) => field.trim().replace(/^"(.*)"$/, "$1"));
  const name = second !== undefined && /^\d+$/.test(first) ? second : first;
  return name.replace(/^https?:\/\//, "").split("/", 1)[0]!;
}

/** Lines of a file, without their ends; undefined for one that is too long. */
async function* linesOf(path: string): AsyncIterable<string | undefined> {
  let rest = "";
  let isTooLong = false;
  for await (const chunk of createReadStream(path, "utf8")) {
    const lines = (rest + (chunk as string)).split("\n");
    rest = lines.pop()!;
    for (const line of lines) {
      yield isTooLong || line.length > MAX_LINE_CHARS ? undefined : line.replace(/^\uFEFF|\r$/g, "");
      isTooLong = false;
    }
    if (rest.length <= MAX_LINE_CHARS) continue;
    isTooLong = true;
    rest = "";
  }
  if (isTooLong) yield undefined;
  else if (rest !== "") yield rest.replace(/^\uFEFF|\r$/g, "");
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
