/** The text of a finding's evidence. */
import { MAX_SNIPPET_CHARS } from "../../schemas/finding.ts";

/** A snippet short enough for a reply, never cut inside a character; control characters become spaces. */
export function snippetOf(text: string): string {
  const flat = text
    .slice(0, MAX_SNIPPET_CHARS * 4)
    .replace(/[\p{Cc}\s]+/gu, " ")
    .trim();
  if (flat.length <= MAX_SNIPPET_CHARS) return flat.toWellFormed();
  const last = flat.charCodeAt(MAX_SNIPPET_CHARS - 1);
  const end = last >= 0xd8_00 && last <= 0xdb_ff ? MAX_SNIPPET_CHARS - 1 : MAX_SNIPPET_CHARS;
  return `${flat.slice(0, end).toWellFormed()}…`;
}
