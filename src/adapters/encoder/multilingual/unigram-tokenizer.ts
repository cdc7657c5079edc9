/**
 * SentencePiece's unigram segmentation (Kudo 2018): of all ways to cut a text into pieces, the likeliest. The vocabulary lies
 * in typed arrays and not in a map of strings, which would take ten times the memory of the encoder's process.
 */
import { DROPPED } from "../../../domain/search/embeddings/tokenizer.ts";

/** What stands for spaces, and before the first word. */
const SPACE = "\u2581";
/** UTF-16 units that are cut: more than 128 pieces of any ordinary text. What is beyond is not read. */
const MAX_UNITS = 2_000;
/** An unknown sign costs so much more than the unlikeliest piece. */
const UNKNOWN_PENALTY = 10;
export const UNKNOWN_PIECE = 0;
/** Ids below are no pieces of text. */
const FIRST_PIECE = 6;
const WHITESPACE = /\s+/gu;
const FACTOR = 31;

const isHighSurrogate = (unit: number): boolean => (unit & 0xfc00) === 0xd800;

export class UnigramTokenizer {
  /** The pieces' UTF-16 units, one after the other, and where each begins. */
  readonly #units: Uint16Array;
  readonly #starts: Uint32Array;
  readonly #scores: Float32Array;
  /** Open addressing: id + 1 of a piece at the place of its hash or the next free one. */
  readonly #slots: Int32Array;
  readonly #unknownScore: number;
  #longest = 1;

  /** @param scores of each piece, its likelihood's logarithm */
  constructor(pieces: readonly string[], scores: Float32Array) {
    this.#scores = scores;
    this.#unknownScore = scores.reduce((least, score) => Math.min(least, score), 0) - UNKNOWN_PENALTY;
    this.#units = new Uint16Array(pieces.reduce((sum, { length }) => sum + length, 0));
    this.#starts = new Uint32Array(pieces.length + 1);
    this.#slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * pieces.length + 1)));
    for (const [id, piece] of pieces.entries()) this.#add(piece, id);
  }

  #add(piece: string, id: number): void {
    const start = this.#starts[id]!;
    let hash = 0;
    for (let i = 0; i < piece.length; i++) {
      const unit = piece.charCodeAt(i);
      this.#units[start + i] = unit;
      hash = (Math.imul(hash, FACTOR) + unit) | 0;
    }
    this.#starts[id + 1] = start + piece.length;
    if (id < FIRST_PIECE) return;
    this.#longest = Math.max(this.#longest, piece.length);
    let slot = this.#slotOf(hash);
    while (this.#slots[slot] !== 0) slot = (slot + 1) & (this.#slots.length - 1);
    this.#slots[slot] = id + 1;
  }

  /** Neighboring hashes are far apart, so that no run of slots grows long. */
  #slotOf(hash: number): number {
    const mixed = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
    return (mixed ^ (mixed >>> 13)) & (this.#slots.length - 1);
  }

  /** The piece that is text from `from` to `to`; −1: there is none. */
  #find(text: string, from: number, to: number, hash: number): number {
    for (let slot = this.#slotOf(hash); ; slot = (slot + 1) & (this.#slots.length - 1)) {
      const id = this.#slots[slot]! - 1;
      if (id < 0) return -1;
      const start = this.#starts[id]!;
      let same = this.#starts[id + 1]! - start === to - from;
      for (let i = from; same && i < to; i++) same = this.#units[start + i - from] === text.charCodeAt(i);
      if (same) return id;
    }
  }

  /** The ids of a text's pieces in order; an unknown sign is UNKNOWN_PIECE, and so is a text that says nothing. Linear. */
  pieces(text: string): number[] {
    const read = written(text);
    const { length } = read;
    const best = new Float64Array(length + 1).fill(Number.NEGATIVE_INFINITY);
    const from = new Int32Array(length + 1);
    const last = new Int32Array(length + 1);
    const reach = (at: number, to: number, id: number, score: number): void => {
      if (score <= best[to]!) return;
      best[to] = score;
      from[to] = at;
      last[to] = id;
    };
    best[0] = 0;
    for (let at = 0; at < length; at++) {
      const before = best[at]!;
      // Between the halves of a sign.
      if (before === Number.NEGATIVE_INFINITY) continue;
      const sign = isHighSurrogate(read.charCodeAt(at)) && at + 1 < length ? 2 : 1;
      let [hash, isKnown] = [0, false];
      for (let to = at + 1; to <= Math.min(length, at + this.#longest); to++) {
        hash = (Math.imul(hash, FACTOR) + read.charCodeAt(to - 1)) | 0;
        const id = this.#find(read, at, to, hash);
        if (id < 0) continue;
        reach(at, to, id, before + this.#scores[id]!);
        if (to === at + sign) isKnown = true;
      }
      if (!isKnown) reach(at, at + sign, UNKNOWN_PIECE, before + this.#unknownScore);
    }
    const ids: number[] = [];
    for (let at = length; at > 0; at = from[at]!) ids.push(last[at]!);
    return ids.length === 0 ? [UNKNOWN_PIECE] : ids.reverse();
  }
}

/** A text as the vocabulary writes it: compatibility forms are resolved, spaces are one sign each, controls go. */
function written(text: string): string {
  const plain = text.slice(0, MAX_UNITS).replace(WHITESPACE, " ").replace(DROPPED, "").normalize("NFKC");
  const words = plain.replace(WHITESPACE, " ").trim();
  return words === "" ? "" : `${SPACE}${words.replaceAll(" ", SPACE)}`.slice(0, MAX_UNITS);
}
