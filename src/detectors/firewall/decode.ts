/** Text inside text: what is written so that people do not see it and machines do. Each decoding is bounded. */

import { latinOf } from "../../domain/names/lookalike-letters.ts";
import { unitsOf } from "../../pages/units.ts";
import { leetReadings, lettersApart, withoutMarks } from "./letters.ts";

export type Encoding =
  | "unicode-tags"
  | "variation-selectors"
  | "zero-width"
  | "bidi"
  | "confusables"
  | "spaced"
  | "struck"
  | "leet"
  | "base64"
  | "hex"
  | "percent"
  | "rot13"
  | "reversed";

export interface Decoded {
  encoding: Encoding;
  text: string;
  /** The part of the text that says it, UTF-16 units. */
  from: number;
  to: number;
}

const MAX_DECODED = 16;
const MAX_CHARS = 4_096;

/** Shown as a blank, and no white space to a program: fillers of Hangul, an empty braille cell, an object that is not there. */
const FILLERS = /[\u115f\u1160\u3164\uffa0\u2800\ufffc\u{1d159}]+/gu;
/** Not shown at all: default-ignorable (Unicode 3.13.2), interlinear marks, and controls other than white space. */
const UNSEEN = "\\p{Default_Ignorable_Code_Point}\\ufff9-\\ufffb\\0-\\x08\\x0e-\\x1f\\x7f-\\x84\\x86-\\x9f";
/** Most texts have none of it. */
const UNUSUAL = new RegExp(`[${UNSEEN}\\u2800\\ufffc\\u{1d159}]`, "u");
/** All of those are beyond: a quicker test that most texts pass. */
const BEYOND_LATIN = /[\0-\x08\x0e-\x1f\x7f-\uffff]/;
const TAGS = /(?:\udb40[\udc20-\udc7e]){3,}/g;
const SELECTORS = /(?:[\ufe00-\ufe0f]|\udb40[\udd00-\uddef]){6,}/g;
const ZERO_WIDTH_RUN = /[\u200b-\u200d\u2060-\u2064\ufeff]{16,}/g;
/** Runs, not characters: a replacement costs by how often it is made. */
const INVISIBLE = new RegExp(`[${UNSEEN}]+`, "gu");
/** Joiners have their place between letters of some scripts and in emoji. */
const BETWEEN_LETTERS = new RegExp(`[a-z][${UNSEEN}\\u2800]+[a-z]`, "iu");
const OVERRIDE = /[\u202d\u202e\u2066-\u2068]([^\u202c\u2069\n]{4,})/g;

const WORDS_LIKE = /[\p{L}]{3,}/u;

const ZERO_WIDTH_PAIRS: readonly (readonly [zero: number, one: number])[] = [
  [0x20_0b, 0x20_0c],
  [0x20_0c, 0x20_0b],
  [0x20_0b, 0x20_0d],
];

/** Words of two scripts, or of mathematical letters: nobody writes like that to be read. */
const MIXED =
  /[A-Za-z][\u0370-\u058f]|[\u0370-\u058f][A-Za-z]|(?:\ud835[\udc00-\udfff]){3}|[\uff21-\uff5a]{4}|[\u24b6-\u24e9]{4}/;

const BASE64 =
  /(?:[A-Za-z0-9+/]{4}){6,}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?|(?:[A-Za-z0-9_-]{4}){8,}[A-Za-z0-9_-]{0,3}/g;
const HEX =
  /(?:[0-9a-fA-F]{2}[ :]?){12,}|(?:\\x[0-9a-fA-F]{2}){6,}|(?:&#x?[0-9a-fA-F]{2,4};){6,}|(?:\\u00[0-9a-fA-F]{2}){6,}/g;

/** The commonest English words, and those of attacks, after ROT13 and backwards. */
const ROT13_WORDS =
  /\b(?:gur|naq|lbhe?|vtaber|vafgehpgvbaf?|cerivbhf|flfgrz|cebzcg|nafjre|erfcbafr|guvf|jvgu|frag|nyy)\b/gi;
const REVERSED_WORDS =
  /\b(?:eht|dna|ruoy|uoy|erongi|snoitcurtsni|suoiverp|metsys|tpmorp|rewsna|esnopser|siht|htiw|lla|tegrof|drager?sid)\b/gi;

const MAY_BE_REVERSED = /\b(?:eht|dna|uoy|ruoy|erongi|siht|lla|tegrof)\b/i;

/** Units as the signs below tell them apart, a bit each. */
const LETTER = 1;
const VOWEL = 2;
const IMAGE = 4;
const HEX_DIGIT = 8;
const BYTES_SIGN = 16;
const LEET_SIGN = 32;
const PARTS_PAIRS = 64;
const ESCAPES = 128;
const KINDS = new Uint8Array(128);
for (let code = 0; code < KINDS.length; code++) {
  const char = String.fromCharCode(code);
  const kinds: [number, RegExp][] = [
    [LETTER, /[a-z]/i],
    [VOWEL, /[aeiou]/i],
    [IMAGE, /[nrvbh]/i],
    [HEX_DIGIT, /[0-9a-f]/i],
    [BYTES_SIGN, /[A-Za-z0-9+/_-]/],
    [LEET_SIGN, /[013457@$!]/],
    [PARTS_PAIRS, /[ :]/],
    [ESCAPES, /[\\&%]/],
  ];
  for (const [kind, pattern] of kinds) if (pattern.test(char)) KINDS[code]! |= kind;
}

/** What a text must have for one of the encodings above to be in it, from one pass over its characters. */
interface Signs {
  isAscii: boolean;
  /** As many single letters in a row as words set apart have. */
  isSpaced: boolean;
  /** As many digits and signs beside letters as words written with them have. */
  hasLeet: boolean;
  /** A long run of digits and letters, or pairs of digits. */
  hasBytes: boolean;
  /** A mark that escapes begin with. */
  hasEscapes: boolean;
  /** Letters among the first 400 units, and how many of them are vowels or images of vowels. */
  letters: number;
  vowels: number;
  images: number;
}

const ESCAPE = /\\[xu]|&#|%[0-9a-fA-F]{2}/;
const LETTERS_COUNTED = 400;
const LONG_RUN = 24;
const SPACED_LETTERS = 7;
const LEET_SIGNS = 4;

const NOTHING: readonly Decoded[] = [];

/** What a machine would print for a text that has invisible characters in it. */
export const withoutInvisible = (text: string): string =>
  BEYOND_LATIN.test(text) && UNUSUAL.test(text) ? text.replace(FILLERS, " ").replace(INVISIBLE, "") : text;

/** Everything that is said in a text by other means, at most 16 of them. */
export function decodeHidden(text: string): readonly Decoded[] {
  const signs = signsOf(text);
  const ways: Generator<Decoded>[] = [];
  if (!signs.isAscii && UNUSUAL.test(text)) ways.push(fromInvisible(text));
  if (!signs.isAscii || signs.isSpaced) ways.push(fromShapes(text));
  if (signs.hasBytes || (signs.hasEscapes && ESCAPE.test(text))) ways.push(fromBytes(text));
  if (isRot13(text, signs) || isReversed(text) || signs.hasLeet) ways.push(fromLetters(text, signs));
  if (ways.length === 0) return NOTHING;
  const found: Decoded[] = [];
  for (const way of ways)
    for (const item of way) {
      if (found.length >= MAX_DECODED) return found;
      found.push({ ...item, text: item.text.slice(0, MAX_CHARS) });
    }
  return found;
}

function signsOf(text: string): Signs {
  const signs: Signs = {
    isAscii: true,
    isSpaced: false,
    hasLeet: false,
    hasBytes: false,
    hasEscapes: false,
    letters: 0,
    vowels: 0,
    images: 0,
  };
  const units = unitsOf(text);
  const kindAt = (i: number): number => (units[i]! < 128 ? KINDS[units[i]!]! : 0);
  /** Where the run of signs of bytes began that goes on here, and the run of letters. */
  let runFrom = 0;
  let lettersFrom = 0;
  let single = 0;
  let leet = 0;
  let pairAt = -9;
  const counted = Math.min(text.length, LETTERS_COUNTED);
  for (let i = 0; i < text.length; i++) {
    const kind = kindAt(i);
    if (kind & LETTER) {
      if (i < counted) {
        signs.letters++;
        if (kind & VOWEL) signs.vowels++;
        else if (kind & IMAGE) signs.images++;
      }
      continue;
    }
    if (units[i]! >= 128) signs.isAscii = false;
    if (!(kind & BYTES_SIGN)) {
      if (i - runFrom >= LONG_RUN) signs.hasBytes = true;
      runFrom = i + 1;
    }
    if (kind & ESCAPES) signs.hasEscapes = true;
    if (kind & PARTS_PAIRS && i >= 2 && kindAt(i - 1) & kindAt(i - 2) & HEX_DIGIT) {
      if (pairAt === i - 3) signs.hasBytes = true;
      pairAt = i;
    }
    if (i > lettersFrom) {
      single = i - lettersFrom === 1 ? single + 1 : 0;
      if (single >= SPACED_LETTERS) signs.isSpaced = true;
    }
    if (kind & LEET_SIGN && (i > lettersFrom || (i + 1 < text.length && kindAt(i + 1) & LETTER)))
      if (++leet >= LEET_SIGNS) signs.hasLeet = true;
    lettersFrom = i + 1;
  }
  if (text.length - runFrom >= LONG_RUN) signs.hasBytes = true;
  return signs;
}

function* fromInvisible(text: string): Generator<Decoded> {
  yield* fromTags(text);
  yield* fromSelectors(text);
  yield* fromZeroWidth(text);
  for (const run of text.matchAll(OVERRIDE))
    yield {
      encoding: "bidi",
      text: [...run[1]!].reverse().join(""),
      from: run.index,
      to: run.index + run[0].length,
    };
  if (!BETWEEN_LETTERS.test(text)) return;
  const place = { encoding: "zero-width", from: 0, to: text.length } as const;
  yield { ...place, text: text.replace(FILLERS, "").replace(INVISIBLE, "") };
  // Where there are more of them than white space, they stand between words.
  const blanks = text.split(INVISIBLE).length;
  if (blanks > 3 && blanks > text.split(/\s+/).length) yield { ...place, text: text.replace(INVISIBLE, " ") };
}

function* fromTags(text: string): Generator<Decoded> {
  for (const run of text.matchAll(TAGS)) {
    const decoded = [...run[0]].map((char) => String.fromCharCode(char.codePointAt(0)! - 0xe00_00)).join("");
    yield { encoding: "unicode-tags", text: decoded, from: run.index, to: run.index + run[0].length };
  }
}

/** A byte a selector: 0 to 15 in the basic plane, 16 to 255 in the supplement. */
function* fromSelectors(text: string): Generator<Decoded> {
  for (const run of text.matchAll(SELECTORS)) {
    const bytes = [...run[0]].map((char) => {
      const code = char.codePointAt(0)!;
      return code >= 0xe01_00 ? code - 0xe01_00 + 16 : code - 0xfe_00;
    });
    const decoded = Buffer.from(bytes).toString("utf8");
    if (isReadable(decoded))
      yield {
        encoding: "variation-selectors",
        text: decoded,
        from: run.index,
        to: run.index + run[0].length,
      };
  }
}

function isReadable(text: string): boolean {
  if (text.length < 6 || !WORDS_LIKE.test(text)) return false;
  let odd = 0;
  for (const char of text) if (/[\p{Cc}\ufffd\p{Co}\p{Cn}]/u.test(char) && !/\s/.test(char)) odd++;
  return odd * 20 < text.length;
}

/** Bits as two kinds of invisible characters; eight or seven a letter. */
function* fromZeroWidth(text: string): Generator<Decoded> {
  for (const run of text.matchAll(ZERO_WIDTH_RUN))
    for (const [zero, one] of zeroWidthPairs(run[0])) {
      const bits = bitsOf(run[0], zero, one);
      for (const width of [8, 7, 16]) {
        const letters = lettersOf(bits, width);
        const decoded =
          width === 16
            ? String.fromCharCode(...letters.slice(0, MAX_CHARS))
            : Buffer.from(letters).toString("utf8");
        if (isReadable(decoded)) {
          yield { encoding: "zero-width", text: decoded, from: run.index, to: run.index + run[0].length };
          return;
        }
      }
    }
}

/** Two kinds of characters are zero and one, whichever is which; of more kinds, or one, the usual ones are. */
function zeroWidthPairs(run: string): typeof ZERO_WIDTH_PAIRS {
  const first = run.charCodeAt(0);
  let other: number | undefined;
  for (let i = 1; i < run.length; i++) {
    const code = run.charCodeAt(i);
    if (code === first || code === other) continue;
    if (other !== undefined) return ZERO_WIDTH_PAIRS;
    other = code;
  }
  if (other === undefined) return ZERO_WIDTH_PAIRS;
  return [
    [first, other],
    [other, first],
  ];
}

/** Zeros and ones in their order, a byte each; other characters left out. */
function bitsOf(run: string, zero: number, one: number): Uint8Array {
  const bits = new Uint8Array(run.length);
  let count = 0;
  for (let i = 0; i < run.length; i++) {
    const code = run.charCodeAt(i);
    if (code === zero || code === one) bits[count++] = code === one ? 1 : 0;
  }
  return bits.subarray(0, count);
}

const count = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;

/** Letters of so many bits each, the highest first; bits that make no whole letter are left out. */
const lettersOf = (bits: Uint8Array, width: number): number[] =>
  Array.from({ length: Math.floor(bits.length / width) }, (_, at) => {
    let letter = 0;
    for (let i = at * width; i < (at + 1) * width; i++) letter = 2 * letter + bits[i]!;
    return letter;
  });

function* fromShapes(text: string): Generator<Decoded> {
  const whole = { from: 0, to: text.length };
  if (MIXED.test(text)) yield { encoding: "confusables", text: latinOf(text), ...whole };
  const unmarked = withoutMarks(text);
  if (unmarked !== undefined) yield { encoding: "struck", text: unmarked, ...whole };
  for (const joined of lettersApart(text)) yield { encoding: "spaced", ...joined };
}

function* fromBytes(text: string): Generator<Decoded> {
  for (const run of text.matchAll(BASE64)) {
    if (!/[a-z]/.test(run[0]) || !/[A-Z]/.test(run[0])) continue;
    const decoded = Buffer.from(run[0].slice(0, MAX_CHARS), "base64").toString("utf8");
    if (isReadable(decoded))
      yield { encoding: "base64", text: decoded, from: run.index, to: run.index + run[0].length };
  }
  for (const run of text.matchAll(HEX)) {
    const digits = run[0].replace(/\\x|\\u00|&#x?|[;: ]/g, "").slice(0, MAX_CHARS);
    const decoded = Buffer.from(digits, "hex").toString("utf8");
    if (isReadable(decoded))
      yield { encoding: "hex", text: decoded, from: run.index, to: run.index + run[0].length };
  }
  yield* fromPercent(text);
}

/** Escapes of addresses, word by word. */
function* fromPercent(text: string): Generator<Decoded> {
  if (!text.includes("%")) return;
  let from = 0;
  for (const word of text.split(/(?<=[\s"'<>])/)) {
    const to = from + word.length;
    if (/%[0-9a-fA-F]{2}/.test(word) && word.split("%").length > 4) {
      const bytes = word
        .replaceAll("+", " ")
        .replace(/%([0-9a-fA-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
      const decoded = Buffer.from(bytes, "latin1").toString("utf8");
      if (/ /.test(decoded) && isReadable(decoded)) yield { encoding: "percent", text: decoded, from, to };
    }
    from = to;
  }
}

const isRot13 = (text: string, signs: Signs): boolean =>
  looksRot13(signs) || (text.length < 60 && count(text, ROT13_WORDS) >= 2);

/** Vowels are 38 % of English letters and their images 21 %; after ROT13 it is the other way round. */
const looksRot13 = ({ letters, vowels, images }: Signs): boolean =>
  letters >= 20 && images > 0.31 * letters && vowels < 0.27 * letters;

const isReversed = (text: string): boolean => MAY_BE_REVERSED.test(text) && count(text, REVERSED_WORDS) >= 2;

function* fromLetters(text: string, signs: Signs): Generator<Decoded> {
  const whole = { from: 0, to: text.length };
  if (isRot13(text, signs)) yield { encoding: "rot13", text: rot13(text), ...whole };
  if (signs.hasLeet) for (const reading of leetReadings(text)) yield { encoding: "leet", ...reading };
  if (isReversed(text)) yield { encoding: "reversed", text: [...text].reverse().join(""), ...whole };
}

const rot13 = (text: string): string =>
  text.replace(/[a-z]/gi, (char) => {
    const base = char <= "Z" ? 65 : 97;
    return String.fromCharCode(((char.charCodeAt(0) - base + 13) % 26) + base);
  });
