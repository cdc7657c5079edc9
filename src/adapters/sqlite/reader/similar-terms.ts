/** Words of the index that a half-typed or mistyped one may stand for. */
import type { SimilarTermsQuery } from "../../../ports/index.ts";
import { hashOf, tokenOf } from "../../index/tokens.ts";
import type { Finder } from "./candidates.ts";

const MIN_PREFIX = 2;
const MIN_TYPO = 4;
/** Words looked at for each beginning or end: the rest of a very common beginning is passed over. */
const MAX_LOOKED_AT = 2_000;
const MAX_LIMIT = 64;

/** Above every string that begins with `start`, in SQLite's order of UTF-8 bytes. */
const past = (start: string): string => `${start}\u{10ffff}`;

const shared = (a: string[], b: string[]): number => {
  let at = 0;
  while (at < a.length && at < b.length && a[at] === b[at]) at++;
  return at;
};

/** Whether one edit makes b of a: a character added, left out or changed, or two neighbours swapped. */
export const isOneEdit = (one: string, other: string): boolean => {
  const [a, b] = [Array.from(one), Array.from(other)];
  if (Math.abs(a.length - b.length) > 1) return false;
  const start = shared(a, b);
  const restA = a.slice(start).reverse();
  const restB = b.slice(start).reverse();
  const end = shared(restA, restB);
  const [left, right] = [restA.length - end, restB.length - end];
  if (left <= 1 && right <= 1) return left + right > 0;
  return left === 2 && right === 2 && restA[end] === restB[end + 1] && restA[end + 1] === restB[end];
};

interface Found {
  word: string;
  documents: number;
}

/** Where words are found by how they begin, and backwards by how they end. */
const SPELLINGS = {
  word: `SELECT w.hash, w.word, w.documents FROM word_starts AS s JOIN words AS w ON w.hash = s.hash
    WHERE s.word >= ? AND s.word < ? LIMIT ?`,
  backwards: `SELECT w.hash, w.word, w.documents FROM word_ends AS e JOIN words AS w ON w.hash = e.hash
    WHERE e.backwards >= ? AND e.backwards < ? LIMIT ?`,
} as const;

/** Words that begin (or, read backwards, end) with `start`, and their documents. */
const wordsWhere = (
  { connection, roster }: Finder,
  column: keyof typeof SPELLINGS,
  start: string,
): Found[] => {
  const sealed = connection.all(SPELLINGS[column], [start, past(start), MAX_LOOKED_AT]).map((row) => ({
    word: String(row.word),
    documents: Number(row.documents) + roster.unsealed(Number(row.hash)),
  }));
  const end = [...start].reverse().join("");
  const since = [...roster.newWords]
    .filter((word) => (column === "word" ? word.startsWith(start) : word.endsWith(end)))
    .slice(0, MAX_LOOKED_AT)
    .map((word) => ({ word, documents: roster.frequency(connection, hashOf(tokenOf(word))) }));
  const byWord = new Map([...sealed, ...since].map((found) => [found.word, found]));
  // A word stays written until a chunk is sealed, whoever holds it.
  return [...byWord.values()].filter(({ documents }) => documents > 0);
};

/**
 * One edit leaves the first or the second half of a word as it is: words that share either half are looked at, and no
 * others need be. At most 64 words: those one edit away first, then beginnings, each by falling count of documents.
 */
export const similarTerms = (finder: Finder, { term, limit }: SimilarTermsQuery): string[] =>
  finder.connection.snapshot(() => {
    finder.roster.refresh(finder.connection);
    const chars = Array.from(term);
    const most = Math.max(0, Math.min(MAX_LIMIT, limit));
    const byDocuments = (a: Found, b: Found) =>
      b.documents - a.documents || (a.word < b.word ? -1 : a.word > b.word ? 1 : 0);
    const near = new Map<string, Found>();
    if (chars.length >= MIN_TYPO) {
      const half = Math.floor((chars.length - 1) / 2);
      const start = chars.slice(0, half).join("");
      const end = chars.slice(-half).reverse().join("");
      for (const found of [...wordsWhere(finder, "word", start), ...wordsWhere(finder, "backwards", end)])
        if (isOneEdit(term, found.word)) near.set(found.word, found);
    }
    const words = [...near.values()].sort(byDocuments).map(({ word }) => word);
    if (chars.length >= MIN_PREFIX)
      for (const { word } of wordsWhere(finder, "word", term).sort(byDocuments))
        if (word !== term && !near.has(word)) words.push(word);
    return words.slice(0, most);
  });
