/** Words whose letters are set apart, struck through or replaced by digits: read by machines, and passed over by rules. Linear. */
import { OPENING_WORDS } from "./openings.ts";

/** Eight letters or digits by themselves, with at most four other characters after each. */
const APART =
  /(?<![\p{L}\p{N}])(?:[\p{L}\p{N}]\p{M}{0,4}[^\p{L}\p{N}\p{M}]{1,4}){7,}[\p{L}\p{N}](?![\p{L}\p{N}\p{M}])/gu;
const MAX_RUN_CHARS = 16_384;
const GAPS = /[^\p{L}\p{N}\p{M}]+/gu;
/** What belongs between words of an address, or within a word. */
const KEPT = /[@'’.]/;

export interface Joined {
  text: string;
  from: number;
  to: number;
}

/** Words that orders are made of: those of openings, and the commonest of English. */
const WORDS: ReadonlySet<string> = new Set([
  ...OPENING_WORDS,
  ..."a ai an and as at be by do for from go hidden him his if in is it me my new no not now of on or our page please reply say so that the then there they this to tell transfer up us user users we what when which will with write you your".split(
    " ",
  ),
]);
const LONGEST_WORD = 16;
const LEAST_RUN = 16;
/** A character of no known word costs more than a word. */
const UNKNOWN_COST = 1.5;

const STRUCK = /(?:[A-Za-z]\p{M}{1,20}){4}/u;

const LEET: Record<string, string> = {
  "0": "o",
  "3": "e",
  "4": "a",
  "5": "s",
  "7": "t",
  "@": "a",
  $: "s",
  "!": "i",
};
const LETTERS_AND_SIGNS = /^[a-z013457@$!]+$/i;
const MAX_WORD_CHARS = 40;
const LEAST_MIXED_WORDS = 3;
/** Other words between two that are mixed. */
const MAX_PLAIN_WORDS = 5;
/** Marks after a word, which are no letters. */
const MARKS_AFTER = "!,.?:;\"')";

/** Words whose letters stand apart: "i g n o r e  a l l". */
export function* lettersApart(text: string): Generator<Joined> {
  for (const { 0: run, index } of text.matchAll(APART))
    yield { text: joinLetters(run.slice(0, MAX_RUN_CHARS)), from: index, to: index + run.length };
}

/** The commonest gap stands between letters, any other between words; where all are alike, words are told by themselves. */
function joinLetters(run: string): string {
  const counts = new Map<string, number>();
  let commonest = "";
  for (const [gap] of run.matchAll(GAPS)) {
    const count = (counts.get(gap) ?? 0) + 1;
    counts.set(gap, count);
    if (count > (counts.get(commonest) ?? 0)) commonest = gap;
  }
  const joined = run.replace(GAPS, (gap) => (gap === commonest ? "" : (KEPT.exec(gap)?.[0] ?? " ")));
  return joined.split(" ").map(withBlanks).join(" ");
}

/** Letters that stand together as words, as few and as known as can be. */
function withBlanks(letters: string): string {
  if (letters.length < LEAST_RUN) return letters;
  const lower = letters.toLowerCase();
  const costs = new Float64Array(letters.length + 1);
  const starts = new Int32Array(letters.length + 1);
  for (let end = 1; end <= letters.length; end++) {
    costs[end] = costs[end - 1]! + UNKNOWN_COST;
    starts[end] = -1;
    for (let start = Math.max(0, end - LONGEST_WORD); start < end; start++)
      if (costs[start]! + 1 < costs[end]! && WORDS.has(lower.slice(start, end))) {
        costs[end] = costs[start]! + 1;
        starts[end] = start;
      }
  }
  let words = "";
  for (let end = letters.length; end > 0; ) {
    const isWord = starts[end]! >= 0;
    const start = isWord ? starts[end]! : end - 1;
    words = `${isWord ? " " : ""}${letters.slice(start, end)}${isWord ? " " : ""}${words}`;
    end = start;
  }
  return words.replace(/ {2,}/g, " ").trim();
}

/** The text without marks over and through its letters, where several in a row have some. */
export const withoutMarks = (text: string): string | undefined =>
  STRUCK.test(text) ? text.normalize("NFD").replace(/\p{M}+/gu, "") : undefined;

/** Words with digits and signs for letters: "1gn0r3 4ll". A 1 is an i or an l: one reading for each. */
export function* leetReadings(text: string): Generator<Joined> {
  for (const { from, to } of mixedStretches(text)) {
    const stretch = text.slice(from, Math.min(to, from + MAX_RUN_CHARS));
    const [asI, asL] = (["i", "l"] as const).map((one) =>
      stretch.replace(/\S+/g, (word) => asLetters(word, one)),
    );
    yield { text: asI!, from, to };
    if (asL !== asI) yield { text: asL!, from, to };
  }
}

/** Stretches with at least three words that mix letters with digits and signs. */
function* mixedStretches(text: string): Generator<{ from: number; to: number }> {
  let from = 0;
  let to = 0;
  let mixed = 0;
  let plain = 0;
  for (const { 0: word, index } of text.matchAll(/\S+/g)) {
    if (endOfMixed(word) === undefined) {
      plain++;
      continue;
    }
    if (mixed > 0 && plain > MAX_PLAIN_WORDS) {
      if (mixed >= LEAST_MIXED_WORDS) yield { from, to };
      mixed = 0;
    }
    if (mixed++ === 0) from = index;
    to = index + word.length;
    plain = 0;
  }
  if (mixed >= LEAST_MIXED_WORDS) yield { from, to };
}

/** Where a word's letters end, if it mixes them with digits and signs. */
function endOfMixed(word: string): number | undefined {
  if (word.length > MAX_WORD_CHARS) return undefined;
  let end = word.length;
  while (end > 0 && MARKS_AFTER.includes(word[end - 1]!)) end--;
  const stem = word.slice(0, end);
  return LETTERS_AND_SIGNS.test(stem) && /[a-z]/i.test(stem) && /[013457@$!]/.test(stem) ? end : undefined;
}

function asLetters(word: string, one: "i" | "l"): string {
  const end = endOfMixed(word);
  if (end === undefined) return word;
  return word.slice(0, end).replace(/[013457@$!]/g, (char) => LEET[char] ?? one) + word.slice(end);
}
