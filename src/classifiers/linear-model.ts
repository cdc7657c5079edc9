/**
 * Small linear classifiers over hashed n-grams: words and pairs of words, and the characters within words. A text is the
 * set of its n-grams, its vector of length one; a class's score is the logistic of weights times vector plus bias.
 * Weights are 8-bit, one scale a class. Trained by train/linear.ts.
 */
import { readFileSync } from "node:fs";
import { unitsOf } from "../pages/units.ts";
import { type FeatureOptions, MODELS, type ModelCard, readCard } from "./model-card.ts";

/** UTF-16 units of one text that are read. */
const MAX_CHARS = 8_192;

const FNV_PRIME = 0x01000193;
const FNV_START = 0x811c9dc5;
const CHARS_START = Math.imul(FNV_START ^ 77, FNV_PRIME);
const LENGTH_SEED = 0x5bd1e995;
const SPACE = 32;
const EDGE = 1;
/** No word is so. */
const NONE = -1;
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

/** Finds the n-grams of texts; one instance is one scratch memory, which holds one text. */
export class FeatureReader {
  readonly #options: FeatureOptions;
  readonly #mask: number;
  /** The part's number beside each bucket that it has: bytes, so that they stay in the processor's cache. */
  readonly #stamps: Uint8Array;
  #stamp = 0;
  /** Buckets of the part that was read last: the first `count` of them. */
  readonly found: Uint32Array;
  #count = 0;
  /** The part that was found last: the words from `first` to before `after`, of which the last ends by `to`. */
  #first = NONE;
  #after = 0;
  #to = 0;
  /** The text as it is read, a place kept free at either end for the marks of a word's ends. */
  readonly #units = new Uint16Array(MAX_CHARS + 2);
  #words = 0;
  readonly #starts = new Uint16Array(MAX_CHARS);
  readonly #ends = new Uint16Array(MAX_CHARS);
  readonly #hashes = new Int32Array(MAX_CHARS);
  /** Buckets of the runs of characters in the words, word after word, and where those of each word end. */
  readonly #runs: Uint32Array;
  readonly #runEnds = new Uint32Array(MAX_CHARS + 1);

  constructor(options: FeatureOptions) {
    this.#options = options;
    this.#mask = options.buckets - 1;
    this.#stamps = new Uint8Array(options.buckets);
    this.found = new Uint32Array(options.buckets);
    const [shortest, longest] = options.chars;
    // A word of n units has n + 2 places for a run to begin; most words are one unit.
    this.#runs = new Uint32Array(longest > 0 ? 3 * MAX_CHARS * (longest - shortest + 1) : 0);
  }

  /** Buckets of the n-grams of a text, each once. The array is valid until the next call. */
  read(text: string): Uint32Array {
    this.open(text);
    return this.found.subarray(0, this.part(0, text.length));
  }

  /** Reads a text, of which parts may be asked for until the next one is. */
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
      this.#hashes[words] = hash;
      this.#starts[words] = start - 1;
      this.#ends[words] = i - 1;
      if (hasRuns) this.#runEnds[words + 1] = this.#readRuns(start, i, this.#runEnds[words]!);
      words++;
    }
    this.#words = words;
    this.#first = NONE;
  }

  /**
   * Finds the n-grams of the part that begins and ends there, where no word does otherwise; each once. A part that only
   * ends later than the one before is read on from there.
   * @returns how many there are in `found`
   */
  part(from: number, to: number): number {
    const first = this.#wordFrom(from);
    if (first !== this.#first || to < this.#to) this.#begin(first);
    const known = this.#after;
    let after = known;
    while (after < this.#words && this.#ends[after]! <= to) after++;
    this.#addWords(first, known, after);
    if (this.#options.chars[1] > 0) this.#addRuns(this.#runEnds[known]!, this.#runEnds[after]!);
    this.#after = after;
    this.#to = to;
    // How long it is says much: a button, a line, a paragraph. Of a longer part it is no longer true.
    const length = bucketOf(LENGTH_SEED + Math.ceil(2 * Math.log2(1 + after - first))) & this.#mask;
    if (this.#stamps[length] === this.#stamp) return this.#count;
    this.found[this.#count] = length;
    return this.#count + 1;
  }

  #begin(first: number): void {
    if (++this.#stamp === 256) {
      this.#stamps.fill(0);
      this.#stamp = 1;
    }
    this.#count = 0;
    this.#first = first;
    this.#after = first;
  }

  /** The first word that begins there or later. */
  #wordFrom(from: number): number {
    let low = 0;
    let high = this.#words;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#starts[middle]! < from) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Puts down the runs of characters in the word from `start` to before `end`, its ends marked. @returns where they end */
  #readRuns(start: number, end: number, at: number): number {
    const [shortest, longest] = this.#options.chars;
    const units = this.#units;
    const runs = this.#runs;
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

  // The next two are where the time goes: they add by themselves, with nothing to ask this object for.

  /** Those of a part from word `first` on that end with a word from `known` on. */
  #addWords(first: number, known: number, after: number): void {
    const hashes = this.#hashes;
    const stamps = this.#stamps;
    const found = this.found;
    const stamp = this.#stamp;
    const mask = this.#mask;
    const longest = this.#options.words;
    let count = this.#count;
    for (let word = known; word < after; word++) {
      const last = Math.max(first, word - longest + 1);
      let run = FNV_START;
      for (let at = word; at >= last; at--) {
        run = Math.imul(run ^ hashes[at]!, FNV_PRIME) ^ (word - at + 1);
        const bucket = bucketOf(run) & mask;
        if (stamps[bucket] === stamp) continue;
        stamps[bucket] = stamp;
        found[count++] = bucket;
      }
    }
    this.#count = count;
  }

  #addRuns(first: number, after: number): void {
    const runs = this.#runs;
    const stamps = this.#stamps;
    const found = this.found;
    const stamp = this.#stamp;
    let count = this.#count;
    for (let i = first; i < after; i++) {
      const bucket = runs[i]!;
      if (stamps[bucket] === stamp) continue;
      stamps[bucket] = stamp;
      found[count++] = bucket;
    }
    this.#count = count;
  }
}

export class LinearModel {
  readonly card: ModelCard;
  readonly #weights: Int8Array;
  readonly #reader: FeatureReader;
  #text = "";
  #isRead = false;

  /** @param weights class after class, a byte a bucket */
  constructor(card: ModelCard, weights: Int8Array) {
    this.card = card;
    this.#weights = weights;
    this.#reader = new FeatureReader(card.features);
  }

  /** Logit of each class, in the card's order. */
  logits(text: string): number[] {
    this.#reader.open(text);
    const count = this.#reader.part(0, text.length);
    return this.card.classes.map((_, index) => this.#logitOf(count, index));
  }

  /** Takes a text, of which parts may be asked for until the next one is taken. It is read once, when it is first asked for. */
  open(text: string): void {
    this.#text = text;
    this.#isRead = false;
  }

  /** Logit of the first class for a part of the text that is open; a part begins and ends where no word does otherwise. */
  partLogit(from: number, to: number): number {
    // Of more than is read at once, each part is read by itself.
    const isLong = this.#text.length > MAX_CHARS;
    if (isLong) this.#reader.open(this.#text.slice(from, to));
    else if (!this.#isRead) this.#reader.open(this.#text);
    this.#isRead = true;
    return this.#logitOf(isLong ? this.#reader.part(0, to - from) : this.#reader.part(from, to), 0);
  }

  /** Logit of a class from the first `count` buckets that were found. */
  #logitOf(count: number, index: number): number {
    const { found } = this.#reader;
    const weights = this.#weights;
    const offset = index * this.card.features.buckets;
    let sum = 0;
    for (let i = 0; i < count; i++) sum += weights[offset + found[i]!]!;
    const norm = 1 / Math.sqrt(Math.max(1, count));
    return sum * this.card.scales[index]! * norm + this.card.biases[index]!;
  }

  /** Probability of each class by itself, 0 to 1. */
  scores(text: string): number[] {
    return this.logits(text).map(logistic);
  }
}

export const logistic = (x: number): number => 1 / (1 + Math.exp(-x));

/** The probability that a logit stands for, by what the model got right of texts that it did not learn from. */
export const calibrated = ({ calibration }: ModelCard, logit: number): number =>
  logistic(calibration ? calibration.scale * logit + calibration.bias : logit);

/** A model that is committed under models/. @throws Error when it is not there */
export function loadModel(name: string): LinearModel {
  const folder = new URL(`${name}/`, MODELS);
  const card = readCard(name);
  const bytes = readFileSync(new URL("weights.bin", folder));
  if (bytes.length !== card.classes.length * card.features.buckets)
    throw new Error(`models/${name}: the weights do not fit the card`);
  return new LinearModel(card, new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length));
}

/** Before it is cut to the number of buckets. */
function bucketOf(hash: number): number {
  const mixed = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return mixed ^ (mixed >>> 13);
}
