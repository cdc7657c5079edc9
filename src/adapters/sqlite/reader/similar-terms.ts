/** Terms of the dictionary that a mistyped one may stand for. */
import type { SimilarTermsQuery } from "../../../ports/index.ts";
import { KEPT_END, mostEdits, similarOf, type TermCount } from "../../index/similar-terms.ts";
import { hashOf, tokenOf } from "../../index/tokens.ts";
import type { Searcher } from "./searcher.ts";

/** Terms looked at for each beginning or end: the rest of a very common beginning is passed over. */
const MAX_LOOKED_AT = 2_000;

/** Where terms are found by how they begin, and backwards by how they end. */
const SPELLINGS = {
  forwards: `SELECT w.hash, w.word, w.documents FROM word_starts AS s JOIN words AS w ON w.hash = s.hash
    WHERE s.word >= ? AND s.word < ? LIMIT ?`,
  backwards: `SELECT w.hash, w.word, w.documents FROM word_ends AS e JOIN words AS w ON w.hash = e.hash
    WHERE e.backwards >= ? AND e.backwards < ? LIMIT ?`,
} as const;

/**
 * One edit leaves the first or the second half of a term as it is, and of two edits those count that leave its first or last
 * three characters: terms that share one of these are looked at, and no others need be.
 */
export const similarTerms = (searcher: Searcher, { term, limit }: SimilarTermsQuery): string[] =>
  searcher.connection.snapshot(() => {
    searcher.columns.refresh(searcher.connection);
    const chars = Array.from(term);
    const most = mostEdits(chars.length);
    const half = Math.floor((chars.length - 1) / 2);
    const near = (most === 0 ? [] : most === 1 ? [half] : [half, KEPT_END]).flatMap((kept) => [
      ...termsWhere(searcher, "forwards", chars.slice(0, kept).join("")),
      ...termsWhere(searcher, "backwards", chars.slice(-kept).reverse().join("")),
    ]);
    return similarOf(term, near, limit);
  });

/** Terms that begin (or, read backwards, end) with `start`, and their documents. */
function termsWhere(
  { connection, columns }: Searcher,
  reading: keyof typeof SPELLINGS,
  start: string,
): TermCount[] {
  const flushed = connection.all(SPELLINGS[reading], [start, past(start), MAX_LOOKED_AT]).map((row) => ({
    term: String(row.word),
    documents: Number(row.documents) + columns.unflushed(Number(row.hash)),
  }));
  const end = [...start].reverse().join("");
  const since = [...columns.newTerms]
    .filter((term) => (reading === "forwards" ? term.startsWith(start) : term.endsWith(end)))
    .slice(0, MAX_LOOKED_AT)
    .map((term) => ({ term, documents: columns.frequency(connection, hashOf(tokenOf(term))) }));
  const byTerm = new Map([...flushed, ...since].map((found) => [found.term, found]));
  // A term stays written until a segment is flushed, whoever holds it.
  return [...byTerm.values()].filter(({ documents }) => documents > 0);
}

/** Above every string that begins with `start`, in SQLite's order of UTF-8 bytes. */
const past = (start: string): string => `${start}\u{10ffff}`;
