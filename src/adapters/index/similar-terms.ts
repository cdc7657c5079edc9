/** Terms that a mistyped one may stand for: which they are, and in what order, whatever engine found them. */
import { clamp, MOST } from "./query.ts";

/** Characters from which on typing errors are looked for, and from which on two of them. */
export const MIN_TYPO = 4;
const MIN_TWO_TYPOS = 8;
/** Of two typing errors, both in the first and the last characters are none: so many of either are as they were typed. */
export const KEPT_END = 3;

export interface TermCount {
  term: string;
  /** Documents that hold it. */
  documents: number;
}

/** Most edits by which a term of this many characters is looked for. */
export const mostEdits = (length: number): number => (length < MIN_TYPO ? 0 : length < MIN_TWO_TYPOS ? 1 : 2);

/**
 * The nearest terms by edits, those of more documents first; at most `limit`, and at most 64.
 * @param near those that may be near; what is not is left out
 */
export function similarOf(term: string, near: readonly TermCount[], limit: number): string[] {
  const typed = Array.from(term);
  const found = new Map<string, TermCount & { edits: number }>();
  for (const one of near) {
    const edits = editsOf(typed, Array.from(one.term));
    if (edits > 0 && edits <= mostEdits(typed.length)) found.set(one.term, { ...one, edits });
  }
  const least = Math.min(...[...found.values()].map(({ edits }) => edits));
  return [...found.values()]
    .filter(({ edits }) => edits === least)
    .sort((a, b) => b.documents - a.documents || (a.term < b.term ? -1 : 1))
    .slice(0, clamp(limit, MOST.similarTerms))
    .map(({ term }) => term);
}

function editsOf(typed: string[], other: string[]): number {
  const edits = distance(typed, other, mostEdits(typed.length));
  const keeps = (a: string[], b: string[]) => a.slice(0, KEPT_END).every((char, at) => char === b[at]);
  return edits < 2 || keeps(typed, other) || keeps(typed.toReversed(), other.toReversed())
    ? edits
    : Number.POSITIVE_INFINITY;
}

/**
 * Characters added, left out or changed, and neighbors swapped, that make b of a (optimal string alignment); more than `most`
 * is some number above it. Linear: only cells that far from the diagonal are computed.
 */
function distance(a: string[], b: string[], most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1;
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const row = new Array<number>(b.length + 1).fill(most + 1);
    row[0] = i;
    for (let j = Math.max(1, i - most); j <= Math.min(b.length, i + most); j++) {
      const changed = last[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwap ? before[j - 2]! + 1 : changed;
      row[j] = Math.min(changed, last[j]! + 1, row[j - 1]! + 1, swapped);
    }
    [before, last] = [last, row];
  }
  return last[b.length]!;
}
