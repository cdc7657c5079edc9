/**
 * The n-grams of texts, hashed to buckets: words and runs of words, and the characters within words. One instance is one
 * scratch memory, which holds one text.
 */
import { unitsOf } from "../pages/units.ts";
import type { FeatureOptions } from "./model-card.ts";

/** UTF-16 units of one text that are read. */
export const MAX_CHARS = 8_192;

const FNV_PRIME = 0x01000193;
const FNV_START = 0x811c9dc5;
const CHARS_START = Math.imul(FNV_START ^ 77, FNV_PRIME);
const LENGTH_SEED = 0x5bd1e995;
const SPACE = 32;
const EDGE = 1;
const DIGIT = 48;

/** How a unit is read: lower case, one digit for all, 0 for what separates words; other scripts and marks as they are. */
const CLASS = new Uint16Array(0x1_00_00);
for (let code = 0; code < CLASS.length; code++) {
  const lower = String.fromCharCode(code).toLowerCase().charCodeAt(0);
  if (code >= 48 && code <= 57) CLASS[code] = DIGIT;
  else if (lower >= 97 && lower <= 122) CLASS[code] = lower;
  else if (code < 128) CLASS[code] = code <= SPACE ? 0 : code;
  else CLASS[code] = /[\s\u00a0\p{Cc}]/u.test(String.fromCharCode(code)) ? 0 : lower;
}
const isWordUnit = (unit: number): boolean =>
  (unit >= 97 && unit <= 122) || unit === DIGIT || unit === 39 || (unit >= 128 && unit < 0x20_00);
/** Scripts without spaces: every character is a word. */
const isAlone = (unit: number): boolean => unit >= 0x20_00 || (unit !== 0 && !isWordUnit(unit));

export class FeatureReader {
  readonly #options: FeatureOptions;
  readonly #mask: number;
  /** The text's number beside each bucket that it has: bytes, so that they stay in the processor's cache. */
  readonly #stamps: Uint8Array;
  #stamp = 0;
  readonly #found: Uint32Array;
  #count = 0;
  /** The text as it is read, a place kept free at either end for the marks of a word's ends. */
  readonly #units = new Uint16Array(MAX_CHARS + 2);
  /** Words of the text that is open, marks and signs of scripts without blanks each one by itself. */
  words = 0;
  /** Where each word begins and ends in the text, and its hash. */
  readonly starts = new Uint16Array(MAX_CHARS);
  readonly ends = new Uint16Array(MAX_CHARS);
  readonly hashes = new Int32Array(MAX_CHARS);
  /** Buckets of the runs of characters in the words, word after word, and where those of each word begin. */
  readonly runs: Uint32Array;
  readonly runStarts = new Uint32Array(MAX_CHARS + 1);

  constructor(options: FeatureOptions) {
    this.#options = options;
    this.#mask = options.buckets - 1;
    this.#stamps = new Uint8Array(options.buckets);
    this.#found = new Uint32Array(options.buckets);
    const [shortest, longest] = options.chars;
    // A word of n units has n + 2 places for a run to begin; most words are one unit.
    this.runs = new Uint32Array(longest > 0 ? 3 * MAX_CHARS * (longest - shortest + 1) : 0);
  }

  /** Reads a text, which stays open until the next one is read. */
  open(text: string): void {
    const units = this.#units;
    const length = Math.min(text.length, MAX_CHARS);
    const written = unitsOf(length === text.length ? text : text.slice(0, length));
    for (let i = 0; i < length; i++) units[i + 1] = CLASS[written[i]!]!;
    const end = length + 1;
    const hasRuns = this.#options.chars[1] > 0;
    let words = 0;
    for (let i = 1; i < end; ) {
      const unit = units[i]!;
      if (unit === 0) {
        i++;
        continue;
      }
      const start = i++;
      let hash = Math.imul(FNV_START ^ unit, FNV_PRIME);
      if (!isAlone(unit))
        for (let next = units[i]!; i < end && isWordUnit(next); next = units[++i]!)
          hash = Math.imul(hash ^ next, FNV_PRIME);
      this.hashes[words] = hash;
      this.starts[words] = start - 1;
      this.ends[words] = i - 1;
      if (hasRuns) this.runStarts[words + 1] = this.#readRuns(start, i, this.runStarts[words]!);
      words++;
    }
    this.words = words;
  }

  /** Puts down the buckets of the runs of words that end with a word, the shortest first. @returns how many there are */
  gramsOf(word: number, into: Uint32Array): number {
    let hash = FNV_START;
    let count = 0;
    for (let at = word; at >= 0 && count < this.#options.words; at--) {
      hash = Math.imul(hash ^ this.hashes[at]!, FNV_PRIME) ^ (word - at + 1);
      into[count++] = bucketOf(hash) & this.#mask;
    }
    return count;
  }

  /** Buckets of the n-grams of a text, each once, and one of how many words it has. The array is valid until the next call. */
  read(text: string): Uint32Array {
    this.open(text);
    this.#begin();
    const grams = new Uint32Array(this.#options.words);
    for (let word = 0; word < this.words; word++) {
      const count = this.gramsOf(word, grams);
      for (let i = 0; i < count; i++) this.#add(grams[i]!);
    }
    const runs = this.#options.chars[1] > 0 ? this.runStarts[this.words]! : 0;
    for (let i = 0; i < runs; i++) this.#add(this.runs[i]!);
    // How long it is says much: a button, a line, a paragraph.
    this.#add(bucketOf(LENGTH_SEED + Math.ceil(2 * Math.log2(1 + this.words))) & this.#mask);
    return this.#found.subarray(0, this.#count);
  }

  #begin(): void {
    this.#count = 0;
    if (++this.#stamp < 256) return;
    this.#stamps.fill(0);
    this.#stamp = 1;
  }

  #add(bucket: number): void {
    if (this.#stamps[bucket] === this.#stamp) return;
    this.#stamps[bucket] = this.#stamp;
    this.#found[this.#count++] = bucket;
  }

  /** Puts down the runs of characters in the word from `start` to before `end`, its ends marked. @returns where they end */
  #readRuns(start: number, end: number, at: number): number {
    const [shortest, longest] = this.#options.chars;
    const units = this.#units;
    const runs = this.runs;
    const mask = this.#mask;
    const before = units[start - 1]!;
    const after = units[end]!;
    units[start - 1] = EDGE;
    units[end] = EDGE;
    let next = at;
    for (let i = start - 1; i + shortest <= end + 1; i++) {
      let hash = CHARS_START;
      const first = i + shortest - 1;
      const stop = Math.min(i + longest, end + 1);
      for (let place = i; place < stop; place++) {
        hash = Math.imul(hash ^ units[place]!, FNV_PRIME);
        if (place >= first) runs[next++] = bucketOf(hash) & mask;
      }
    }
    units[start - 1] = before;
    units[end] = after;
    return next;
  }
}

/** The hash of a single word, as the reader has it. */
export function wordHash(word: string): number {
  let hash = FNV_START;
  for (let i = 0; i < word.length; i++) hash = Math.imul(hash ^ CLASS[word.charCodeAt(i)]!, FNV_PRIME);
  return hash;
}

/** Before it is cut to the number of buckets. */
function bucketOf(hash: number): number {
  const mixed = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return mixed ^ (mixed >>> 13);
}
