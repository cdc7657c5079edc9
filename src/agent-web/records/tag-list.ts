/** Records that are lists of `key=value` between semicolons, as those of DKIM (RFC 6376 section 3.2). */
import type { Findings } from "../formats/document.ts";
import { MAX_RECORD_CHARS, MAX_RECORDS } from "./record-format.ts";

/** Keys in lower case; of one that is doubled the first value. */
export type Tags = ReadonlyMap<string, string>;

const MAX_TAGS = 50;

/** A record as one text and as its tags. */
export interface TagList {
  tags: Tags;
  doubled: readonly string[];
}

/** The records of an answer whose version is one of these. */
export const recordsOf = (texts: readonly string[], version: RegExp): TagList[] =>
  texts
    .filter((text) => text.length <= MAX_RECORD_CHARS)
    .map(tagListOf)
    .filter(({ tags }) => version.test(tags.get("v") ?? tags.get("version") ?? ""))
    .slice(0, MAX_RECORDS);

function tagListOf(text: string): TagList {
  const tags = new Map<string, string>();
  const doubled: string[] = [];
  for (const part of text.split(";", MAX_TAGS)) {
    const equals = part.indexOf("=");
    const key = part.slice(0, Math.max(0, equals)).trim().toLowerCase();
    if (key === "" || !/^[\w-]{1,40}$/.test(key)) continue;
    if (tags.has(key)) doubled.push(key);
    else tags.set(key, part.slice(equals + 1).trim());
  }
  return { tags, doubled };
}

/** What breaks every kind of record: a key that stands there twice. @param at place of the record */
export function checkDoubled({ doubled }: TagList, at: string, findings: Findings): void {
  for (const key of doubled) findings.breaks("doubled_key", `${at}/${key}`, `Give ${key} once.`);
}

/** 32 bytes in base64url without padding (RFC 4648 section 5): the `x` of an Ed25519 JWK (RFC 8037). */
export const isEd25519Key = (text: string): boolean =>
  /^[\w-]{43}$/.test(text) && Buffer.from(text, "base64url").length === 32;
