/** Terms that a half-typed or mistyped one may stand for: which they are, and in what order, whatever engine found them. */
import { clamp, MOST } from "./query.ts";

/** Characters from which on longer terms that begin alike are looked for, and typing errors. */
export const MIN_PREFIX = 2;
export const MIN_TYPO = 4;

export interface TermCount {
  term: string;
  /** Documents that hold it. */
  documents: number;
}

/**
 * At most `limit` terms, and at most 64: those one edit away first, then the longer ones, each by falling count of
 * documents.
 * @param near those that may be one edit away; what is not is left out
 * @param longer those that begin with the term
 */
export function similarOf(term: string, near: TermCount[], longer: TermCount[], limit: number): string[] {
  const edits = near.filter((found) => isOneEdit(term, found.term)).sort(byDocuments);
  const found = new Set([...edits, ...longer.sort(byDocuments)].map((each) => each.term));
  found.delete(term);
  return [...found].slice(0, clamp(limit, MOST.similarTerms));
}

/** Whether one edit makes b of a: a character added, left out or changed, or two neighbors swapped. */
function isOneEdit(one: string, other: string): boolean {
  const [a, b] = [Array.from(one), Array.from(other)];
  if (Math.abs(a.length - b.length) > 1) return false;
  const start = shared(a, b);
  const restA = a.slice(start).reverse();
  const restB = b.slice(start).reverse();
  const end = shared(restA, restB);
  const [left, right] = [restA.length - end, restB.length - end];
  if (left <= 1 && right <= 1) return left + right > 0;
  return left === 2 && right === 2 && restA[end] === restB[end + 1] && restA[end + 1] === restB[end];
}

function shared(a: string[], b: string[]): number {
  let at = 0;
  while (at < a.length && at < b.length && a[at] === b[at]) at++;
  return at;
}

const byDocuments = (a: TermCount, b: TermCount): number =>
  b.documents - a.documents || (a.term < b.term ? -1 : a.term > b.term ? 1 : 0);
