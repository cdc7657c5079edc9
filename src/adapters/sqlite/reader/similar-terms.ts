/** Terms of the dictionary that a mistyped one may stand for. */
import type { SimilarTermsQuery } from "../../../ports/index.ts";
import { KEPT_END, mostEdits, similarOf } from "../../index/similar-terms.ts";
import { hashOf, tokenOf } from "../../index/tokens.ts";
import type { Searcher } from "./searcher.ts";

/** Terms looked at for each beginning or end: the rest of a very common beginning is passed over. */
const MAX_LOOKED_AT = 2_000;

/** Where terms are found by how they begin, and backwards by how they end. */
const SPELLINGS = {
  forwards: "SELECT word FROM word_starts WHERE word >= ? AND word < ? LIMIT ?",
  backwards: "SELECT backwards AS word FROM word_ends WHERE backwards >= ? AND backwards < ? LIMIT ?",
} as const;

/**
 * One edit leaves the first or the second half of a term as it is, and of two edits those count that leave its first or last
 * three characters: terms that share one of these are looked at, and no others need be.
 */
export function similarTerms(searcher: Searcher, { term, limit }: SimilarTermsQuery): string[] {
  const { connection, columns } = searcher;
  return connection.snapshot(() => {
    columns.refresh(connection);
    const chars = Array.from(term);
    const most = mostEdits(chars.length);
    const half = Math.floor((chars.length - 1) / 2);
    const near = (most === 0 ? [] : most === 1 ? [half] : [half, KEPT_END]).flatMap((kept) => [
      ...termsWhere(searcher, "forwards", chars.slice(0, kept).join("")),
      ...termsWhere(searcher, "backwards", chars.slice(-kept).reverse().join("")),
    ]);
    // A term stays written until a segment is flushed, whoever holds it: the count says whether any does.
    const documentsOf = (other: string) => columns.frequency(connection, hashOf(tokenOf(other)));
    return similarOf(term, near, documentsOf, limit);
  });
}

/** Terms that begin (or, read backwards, end) with `start`. */
function termsWhere(
  { connection, columns }: Searcher,
  reading: keyof typeof SPELLINGS,
  start: string,
): string[] {
  const flushed = connection
    .all(SPELLINGS[reading], [start, past(start), MAX_LOOKED_AT])
    .map(({ word }) => (reading === "forwards" ? String(word) : reversed(String(word))));
  const end = reversed(start);
  const since = [...columns.newTerms]
    .filter((term) => (reading === "forwards" ? term.startsWith(start) : term.endsWith(end)))
    .slice(0, MAX_LOOKED_AT);
  return [...flushed, ...since];
}

const reversed = (text: string): string => Array.from(text).reverse().join("");

/** Above every string that begins with `start`, in SQLite's order of UTF-8 bytes. */
const past = (start: string): string => `${start}\u{10ffff}`;
