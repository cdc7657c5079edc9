/** Terms that a mistyped one may stand for: which they are, and in what order, whatever engine found them. */
import { clamp, MOST } from "./query.ts";

/** Characters from which on typing errors are looked for, and from which on two of them. */
export const MIN_TYPO = 4;
const MIN_TWO_TYPOS = 8;
/** Of two typing errors, both in the first and the last characters are none: so many of either are as they were typed. */
export const KEPT_END = 3;

/** Most edits by which a term of this many characters is looked for. */
export const mostEdits = (length: number): number => (length < MIN_TYPO ? 0 : length < MIN_TWO_TYPOS ? 1 : 2);

/**
 * The nearest terms by edits, those of more documents first; at most `limit`, and at most 64.
 * @param others those that may be near; what is not, or is in no document, is left out
 * @param documentsOf how many hold a term; asked of near ones alone
 */
export function similarOf(
  term: string,
  others: Iterable<string>,
  documentsOf: (term: string) => number,
  limit: number,
): string[] {
  const typed = Array.from(term);
  const most = mostEdits(typed.length);
  const found = new Map<string, { term: string; edits: number; documents: number }>();
  for (const other of others) {
    // An edit changes two code units at most: most are seen to be too long or too short without being read.
    if (found.has(other) || Math.abs(other.length - term.length) > 2 * most) continue;
    const edits = editsOf(typed, Array.from(other), most);
    if (edits > 0 && edits <= most) found.set(other, { term: other, edits, documents: documentsOf(other) });
  }
  const held = [...found.values()].filter(({ documents }) => documents > 0);
  const least = Math.min(...held.map(({ edits }) => edits));
  return held
    .filter(({ edits }) => edits === least)
    .sort((a, b) => b.documents - a.documents || (a.term < b.term ? -1 : 1))
    .slice(0, clamp(limit, MOST.similarTerms))
    .map(({ term }) => term);
}

function editsOf(typed: string[], other: string[], most: number): number {
  const edits = distance(typed, other, most);
  const keeps = (a: string[], b: string[]) => a.slice(0, KEPT_END).every((char, at) => char === b[at]);
  return edits < 2 || keeps(typed, other) || keeps(typed.toReversed(), other.toReversed())
    ? edits
    : Number.POSITIVE_INFINITY;
}

/**
 * Characters added, left out or changed, and neighbors swapped, that make b of a (optimal string alignment), from these places
 * on; more than `most` is some number above it. Linear for a given `most`: what is alike costs no edit, and each edit is one of four.
 */
function distance(a: string[], b: string[], most: number, i = 0, j = 0): number {
  let [at, other] = [i, j];
  while (at < a.length && other < b.length && a[at] === b[other]) {
    at++;
    other++;
  }
  const [restA, restB] = [a.length - at, b.length - other];
  if (restA === 0 || restB === 0) return restA + restB;
  if (most === 0 || Math.abs(restA - restB) > most) return most + 1;
  const changed = distance(a, b, most - 1, at + 1, other + 1);
  const less = distance(a, b, most - 1, at + 1, other);
  const more = distance(a, b, most - 1, at, other + 1);
  const isSwap = a[at] === b[other + 1] && a[at + 1] === b[other];
  const swapped = isSwap ? distance(a, b, most - 1, at + 2, other + 2) : changed;
  return 1 + Math.min(changed, less, more, swapped);
}
