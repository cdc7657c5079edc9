/**
 * Text into search terms, once and the same for every engine: NFKC, case folding, no diacritics on Latin,
 * Greek and Cyrillic, words by Unicode classes, bigrams for scripts written without spaces, stop words, stems.
 */
import { stemmer } from "stemmer";
import { fold, hasNonAscii } from "./folding.ts";
import { functionWordsAmong } from "./function-words.ts";

/** Longest term, in UTF-16 units: longer words are cut, longer compounds are dropped (their parts stay). */
export const MAX_TERM_LENGTH = 64;
/** Most terms of one text; what follows is not searched. */
export const MAX_TERMS = 20_000;
/** Most characters of one text that are read. */
export const MAX_TEXT_LENGTH = 1_000_000;
export const MAX_QUERY_LENGTH = 10_000;
export const MAX_QUERY_TERMS = 32;

/**
 * Words that carry no subject. Only those which are no word of another common language or a name in disguise:
 * French "pour", Spanish "con" and German "für" (folded: "fur") are left in.
 */
const STOP_WORDS = new Set(
  (
    "a an and are as at be been but by can do does for from has have how if in into is it its of on or our so " +
    "than that the their then there these they this to was we were what when where which will with you your " +
    "der das und oder eine einer nicht auf des les une avec dans el los las del una"
  ).split(" "),
);

const OTHER = 0;
const LOWER = 1;
const UPPER = 2;
/** Letters without case, marks and digits. */
const PLAIN = 3;
/** Han, kana and Hangul: bigrams. */
const CJK = 4;
/** Thai, Lao, Khmer, Burmese: no spaces, and words need a dictionary. */
const SPACELESS = 5;
/** Holds the parts of one identifier together when it stands between two of them. */
const JOINER = 6;

const UNKNOWN = 255;
const classes = new Uint8Array(0x110000).fill(UNKNOWN);

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;

/** Longer rows of marks make normalization quadratic; no language stacks nine (UAX #15, stream-safe text). */
const MARK_PILE = /(\p{M}{8})\p{M}+/gu;

/** Longest word that is folded whole; what is cut off could not be part of a term. */
const SMALL_A = 0x61;
const SMALL_Z = 0x7a;
const MAX_WORD_LENGTH = 4 * MAX_TERM_LENGTH;

/** NFKC without soft hyphens and joiners, which are invisible inside words. */
const normalize = (text: string): string =>
  hasNonAscii(text)
    ? text
        .toWellFormed()
        .replace(MARK_PILE, "$1")
        .normalize("NFKC")
        .replace(/\u00ad|\u034f|\u200b|\u200c|\u200d|\u2060|\ufeff|[\ufe00-\ufe0f]/g, "")
    : text;

const STEMMABLE = /^[a-z]{3,}$/;
const stems = new Map<string, string>();
const MAX_STEMS = 50_000;

/** A word of several parts: either spelling says the other ("tea-shop": tea, shop; teashop). */
export interface Compound {
  whole: string;
  parts: string[];
}

/** One reading of a text: collects terms until there are enough of them. */
class Reader {
  readonly terms: string[] = [];
  readonly compounds: Compound[] = [];
  readonly #text: string;
  readonly #camelParts: boolean;
  readonly #words: Map<string, string> | undefined;
  #at = 0;

  /** @param words takes every word, folded, with its term; that of a stop word is empty */
  constructor(text: string, camelParts: boolean, words?: Map<string, string>) {
    this.#text = text;
    this.#camelParts = camelParts;
    this.#words = words;
  }

  read(maxTerms: number): string[] {
    const text = this.#text;
    while (this.#at < text.length && this.terms.length < maxTerms) {
      const found = classAt(text, this.#at);
      if (found === CJK) this.#bigrams();
      else if (found === SPACELESS) this.#segmented();
      else if (found === LOWER || found === UPPER || found === PLAIN) {
        if (!this.#plainWord()) this.#identifier();
      } else this.#at += isHighSurrogate(text.charCodeAt(this.#at)) ? 2 : 1;
    }
    if (this.terms.length > maxTerms) this.terms.length = maxTerms;
    return this.terms;
  }

  #emit(folded: string): void {
    if (folded.length === 0) return;
    const term = STOP_WORDS.has(folded) ? "" : stem(cut(folded));
    this.#words?.set(folded, term);
    if (term !== "") this.terms.push(term);
  }

  /** End of the run of class `wanted` that begins here. */
  #runEnd(wanted: number): number {
    let end = this.#at;
    while (end < this.#text.length && classAt(this.#text, end) === wanted)
      end += isHighSurrogate(this.#text.charCodeAt(end)) ? 2 : 1;
    return end;
  }

  #bigrams(): void {
    const end = this.#runEnd(CJK);
    const chars = Array.from(this.#text.slice(this.#at, Math.min(end, this.#at + 2 * MAX_TERMS)));
    if (chars.length === 1) this.terms.push(chars[0]!);
    for (let i = 0; i + 1 < chars.length; i++) this.terms.push(chars[i]! + chars[i + 1]!);
    this.#at = end;
  }

  #segmented(): void {
    const end = this.#runEnd(SPACELESS);
    // One run without a space may be a whole text; the segmenter's time grows with it.
    const run = this.#text.slice(this.#at, Math.min(end, this.#at + MAX_TERMS));
    for (const { segment, isWordLike } of segmenter().segment(run)) if (isWordLike) this.#emit(segment);
    this.#at = end;
  }

  /** Takes a word of small letters of ASCII that nothing goes on in or is joined to: most words, for a third of the work. */
  #plainWord(): boolean {
    const text = this.#text;
    const start = this.#at;
    let end = start;
    for (let code = text.charCodeAt(end); code >= SMALL_A && code <= SMALL_Z; code = text.charCodeAt(++end));
    if (end === start || end - start > MAX_TERM_LENGTH || this.#wordAt(end)) return false;
    if (end < text.length) {
      const isJoined = classAt(text, end) === JOINER && this.#wordAt(end + 1);
      if (isJoined || text[end] === "+" || text[end] === "#") return false;
    }
    this.#at = end;
    this.#emit(text.slice(start, end));
    return true;
  }

  /** A word, or words joined by single signs ("node.js", "mcp-server"): every part, then the whole without its signs. */
  #identifier(): void {
    const text = this.#text;
    const parts: string[] = [];
    let whole = "";
    for (;;) {
      const start = this.#at;
      const camel = this.#word();
      const word = fold(text.slice(start, Math.min(this.#at, start + MAX_WORD_LENGTH)));
      if (camel.length > 0 && this.#camelParts) {
        let from = start;
        for (const to of [...camel, this.#at]) {
          parts.push(fold(text.slice(from, Math.min(to, from + MAX_WORD_LENGTH))));
          from = to;
        }
      } else parts.push(word);
      if (whole.length <= MAX_TERM_LENGTH) whole += word;
      const joiner = text.charCodeAt(this.#at);
      if (!(classAt(text, this.#at) === JOINER && this.#wordAt(this.#at + 1))) break;
      this.#at++;
      if ((joiner === 0x27 || joiner === 0x2019) && this.#possessive()) break;
    }
    const before = this.terms.length;
    for (const part of parts) this.#emit(part);
    if (parts.length > 1 && whole.length <= MAX_TERM_LENGTH) {
      const held = this.terms.slice(before);
      this.#emit(whole);
      if (this.terms.length > before + held.length)
        this.compounds.push({ whole: this.terms.at(-1)!, parts: held });
    }
    this.#sign(parts[parts.length - 1]!);
  }

  #wordAt(at: number): boolean {
    if (at >= this.#text.length) return false;
    const found = classAt(this.#text, at);
    return found === LOWER || found === UPPER || found === PLAIN;
  }

  /** Skips the s of "joe's" (the apostrophe is behind us). */
  #possessive(): boolean {
    const char = this.#text.charCodeAt(this.#at) | 0x20;
    if (char !== 0x73 || this.#wordAt(this.#at + 1)) return false;
    this.#at++;
    return true;
  }

  /** "c++", "c#", "f#": the sign makes another language of it. */
  #sign(last: string): void {
    const two = this.#text.startsWith("++", this.#at);
    if (!two && this.#text[this.#at] !== "#") return;
    this.#at += two ? 2 : 1;
    if (last.length < MAX_TERM_LENGTH - 2) this.terms.push(last + (two ? "++" : "#"));
  }

  /** Moves past one word and returns where its camelCase parts begin (fooBar: 3; HTTPServer: 4). */
  #word(): number[] {
    const text = this.#text;
    const bounds: number[] = [];
    const start = this.#at;
    let previous = OTHER;
    let before = OTHER;
    let previousAt = start;
    while (this.#at < text.length) {
      const found = classAt(text, this.#at);
      if (found !== LOWER && found !== UPPER && found !== PLAIN) break;
      if (found === UPPER && previous === LOWER) bounds.push(this.#at);
      else if (found === LOWER && previous === UPPER && before === UPPER && previousAt > start)
        bounds.push(previousAt);
      before = previous;
      previous = found;
      previousAt = this.#at;
      this.#at += isHighSurrogate(text.charCodeAt(this.#at)) ? 2 : 1;
    }
    return bounds;
  }
}

let thaiAndKin: Intl.Segmenter | undefined;

/** Porter's stem of an English-looking word; anything with digits, signs or other letters stays as it is. */
export function stem(word: string): string {
  if (!STEMMABLE.test(word)) return word;
  let found = stems.get(word);
  if (found === undefined) {
    found = stemmer(word);
    if (stems.size >= MAX_STEMS) stems.clear();
    stems.set(word, found);
  }
  return found;
}

/**
 * Search terms of a text, in order, repeats kept. Identifiers yield their parts and their whole without signs
 * ("node.js": node, js, nodejs), so that either spelling finds the other. At most 20,000 terms of at most 64
 * characters, from the first million characters.
 */
export const analyzeText = (text: string): string[] =>
  new Reader(normalize(text.slice(0, MAX_TEXT_LENGTH)), true).read(MAX_TERMS);

/**
 * Search terms of what someone typed: as `analyzeText`, the first 32 distinct ones of the first 10,000 characters.
 * camelCase counts as one word here: texts hold the whole as well, and most write "github" small.
 */
export function analyzeQuery(query: string): string[] {
  const reader = new Reader(normalize(query.slice(0, MAX_QUERY_LENGTH)), false);
  return [...new Set(reader.read(MAX_QUERY_LENGTH))].slice(0, MAX_QUERY_TERMS);
}

export interface QueryTerms {
  /** Distinct terms that say something: without the function words of the query's language. */
  terms: string[];
  compounds: Compound[];
  /** Of each term the word, folded, that it was typed as last. */
  typed: ReadonlyMap<string, string>;
}

/** The terms that a search goes by: as `analyzeQuery`, without words that say nothing in their language. */
export function readTerms(query: string): QueryTerms {
  const words = new Map<string, string>();
  const reader = new Reader(normalize(query.slice(0, MAX_QUERY_LENGTH)), false, words);
  const all = new Set(reader.read(MAX_QUERY_LENGTH));
  for (const word of functionWordsAmong([...words.keys()])) all.delete(words.get(word)!);
  const terms = [...all].slice(0, MAX_QUERY_TERMS);
  const typed = new Map([...words].map(([word, term]) => [term, word]));
  return { terms, compounds: reader.compounds, typed };
}

/** Every word of a text, folded, with its term; that of a stop word is empty. Of as much text as a query may have. */
export function queryWords(text: string): ReadonlyMap<string, string> {
  const words = new Map<string, string>();
  new Reader(normalize(text.slice(0, MAX_QUERY_LENGTH)), false, words).read(MAX_QUERY_LENGTH);
  return words;
}

/** The whole of a name for exact look-ups: folded, single spaces, at most 256 characters. */
export const exactForm = (name: string): string =>
  fold(normalize(name.slice(0, 1024)))
    .replace(/[‘’]/g, "'")
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, 256)
    .toWellFormed();

/** Class of the code point at `at`: a table filled as characters are met, so that most cost one look-up. */
function classAt(text: string, at: number): number {
  const code = text.codePointAt(at);
  if (code === undefined) return OTHER;
  let found = classes[code]!;
  if (found === UNKNOWN) {
    found = classify(String.fromCodePoint(code));
    classes[code] = found;
  }
  return found;
}

function classify(char: string): number {
  if (/[-_.'’@&]/u.test(char)) return JOINER;
  if (/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}ー々〆]/u.test(char))
    return /[\p{L}\p{N}]/u.test(char) ? CJK : OTHER;
  if (/[\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u.test(char))
    return /[\p{L}\p{N}\p{M}]/u.test(char) ? SPACELESS : OTHER;
  if (/\p{Lu}|\p{Lt}/u.test(char)) return UPPER;
  if (/\p{Ll}/u.test(char)) return LOWER;
  return /[\p{L}\p{N}\p{M}]/u.test(char) ? PLAIN : OTHER;
}

function cut(word: string): string {
  if (word.length <= MAX_TERM_LENGTH) return word;
  const splits = isHighSurrogate(word.charCodeAt(MAX_TERM_LENGTH - 1));
  return word.slice(0, splits ? MAX_TERM_LENGTH - 1 : MAX_TERM_LENGTH);
}

function segmenter(): Intl.Segmenter {
  thaiAndKin ??= new Intl.Segmenter("th", { granularity: "word" });
  return thaiAndKin;
}
