/**
 * How likely a name's letters follow each other in words: the likelihood ratio of letters drawn at random against letters as words
 * have them, by what follows two letters. The table is counted from models/embeddings/vocabulary.txt by `npm run train -- urls`.
 */

/** The alphabet, and the end of a word as its last. */
const SYMBOLS = 27;
const END = 26;
/** Bits are kept as a character each, in steps of this size. */
const STEP_BITS = 0.25;
const FIRST_CODE = 35;
const MAX_CODE = 126;
/** Letters at random, of 26. */
const RANDOM_BITS = Math.log2(26);
const LEAST_LETTERS = 6;
const MAX_LETTERS = 63;

/** @param words lower-case letters only @returns a character for each two symbols and the one after them */
export function countLetters(words: readonly string[]): string {
  const pairs = new Float64Array(SYMBOLS ** 2);
  const triples = new Float64Array(SYMBOLS ** 3);
  const after = new Float64Array(SYMBOLS ** 2);
  for (const word of words)
    for (let at = 0; at < word.length; at++) {
      const [one, two, three] = [symbolAt(word, at - 2), symbolAt(word, at - 1), symbolAt(word, at)];
      triples[(one * SYMBOLS + two) * SYMBOLS + three]! += 1;
      pairs[one * SYMBOLS + two]! += 1;
      after[two * SYMBOLS + three]! += 1;
    }
  return Array.from(triples, (count, index) => {
    const [pair, three] = [Math.floor(index / SYMBOLS), index % SYMBOLS];
    const two = pair % SYMBOLS;
    const seen = after.subarray(two * SYMBOLS, (two + 1) * SYMBOLS).reduce((sum, value) => sum + value, 0);
    // What follows two letters, drawn to what follows the last of them, and that to anything (Witten and Bell's way, with fixed counts).
    const shorter = (after[two * SYMBOLS + three]! + 1) / (seen + SYMBOLS);
    const bits = -Math.log2((count + 5 * shorter) / (pairs[pair]! + 5));
    return String.fromCharCode(Math.min(MAX_CODE, FIRST_CODE + Math.round(bits / STEP_BITS)));
  }).join("");
}

function symbolAt(word: string, at: number): number {
  const code = word.charCodeAt(at) - 97;
  return code >= 0 && code < END ? code : END;
}

/** @returns log-likelihood ratio of random letters to words, of the run of letters where it is greatest; 0 or less: like words */
export function randomness(table: string, label: string): number {
  const ratios = runsOf(label.slice(0, MAX_LETTERS))
    .filter(({ length }) => length >= LEAST_LETTERS)
    .map((run) => (bitsOf(table, run) - run.length * RANDOM_BITS) * Math.LN2);
  return ratios.length === 0 ? 0 : Math.max(...ratios);
}

/** Runs of letters; where digits stand among them, the letters of the whole part between hyphens. */
const runsOf = (label: string): string[] =>
  label.split("-").flatMap((part) => {
    const switches = part.match(/[a-z]\d|\d[a-z]/g)?.length ?? 0;
    return switches >= 2 ? [part.replace(/[^a-z]/g, "")] : (part.match(/[a-z]+/g) ?? []);
  });

function bitsOf(table: string, word: string): number {
  let bits = 0;
  for (let at = 0; at < word.length; at++) {
    const index = (symbolAt(word, at - 2) * SYMBOLS + symbolAt(word, at - 1)) * SYMBOLS + symbolAt(word, at);
    bits += (table.charCodeAt(index) - FIRST_CODE) * STEP_BITS;
  }
  return bits;
}
