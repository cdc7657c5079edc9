/** Terms of the dictionary that a half-typed or mistyped one may stand for. */
import type { SimilarTermsQuery } from "../../../ports/index.ts";
import { MIN_PREFIX, MIN_TYPO, similarOf, type TermCount } from "../../index/similar-terms.ts";
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
 * One edit leaves the first or the second half of a term as it is: terms that share either half are looked at, and no
 * others need be.
 */
export const similarTerms = (searcher: Searcher, { term, which, limit }: SimilarTermsQuery): string[] =>
  searcher.connection.snapshot(() => {
    searcher.columns.refresh(searcher.connection);
    const chars = Array.from(term);
    const near: TermCount[] = [];
    if (which !== "longer" && chars.length >= MIN_TYPO) {
      const half = Math.floor((chars.length - 1) / 2);
      const start = chars.slice(0, half).join("");
      const end = chars.slice(-half).reverse().join("");
      near.push(...termsWhere(searcher, "forwards", start), ...termsWhere(searcher, "backwards", end));
    }
    const wantsLonger = which !== "edited" && chars.length >= MIN_PREFIX;
    const longer = wantsLonger ? termsWhere(searcher, "forwards", term) : [];
    return similarOf(term, near, longer, limit);
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
