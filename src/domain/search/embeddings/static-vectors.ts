/**
 * Texts as vectors: the sum of a table's rows for a text's pieces, at unit length (train/embeddings/distill.py makes the
 * table). The cosine of two such vectors says how near two texts are in meaning, also where they share no word.
 */
import { VECTOR_SIZE } from "../../../../schemas/common.ts";

/** A word of more code points, or with a part that no piece matches, is one unknown piece. */
const MAX_WORD_LENGTH = 100;
const UNKNOWN = "[UNK]";

const PLAIN = /^[\t\n\r\x20-\x7e]*$/;
/** Tab and line ends are spaces, not controls. */
export const DROPPED = /(?![\t\n\r])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\ufffd]/gu;
/** CJK ideographs; kana and hangul are words as in other scripts. */
const IDEOGRAPH =
  /[\u4e00-\u9fff\u3400-\u4dbf\u{20000}-\u{2a6df}\u{2a700}-\u{2b73f}\u{2b740}-\u{2b81f}\u{2b920}-\u{2ceaf}\uf900-\ufaff\u{2f800}-\u{2fa1f}]/gu;
const ACCENT = /\p{Mn}/gu;
const UPPER_SIGMA = /Σ/g;
/** Punctuation of Unicode, and every sign of ASCII. */
const WORD = /[\p{P}$+<=>^`|~]|[^\p{White_Space}\p{P}$+<=>^`|~]+/gu;
const PLAIN_WORD = /[a-z0-9]+|[^\sa-z0-9]/g;

/** Lower case sign by sign: JavaScript's own knows that a sigma at a word's end is written otherwise. */
const lower = (text: string): string => text.replace(UPPER_SIGMA, "σ").toLowerCase();

const normalize = (text: string): string =>
  lower(text.replace(DROPPED, "").replace(IDEOGRAPH, " $& ").normalize("NFD").replace(ACCENT, ""));

const wordsOf = (text: string): string[] => {
  const isPlain = PLAIN.test(text);
  return (isPlain ? text.toLowerCase() : normalize(text)).match(isPlain ? PLAIN_WORD : WORD) ?? [];
};

/**
 * BERT's uncased WordPiece tokenizer (Devlin et al. 2019), cut for cut as the model's own: texts are cleaned, characters
 * of Chinese script stand alone, accents go, and words are cut into the longest pieces the vocabulary has. Only special
 * tokens differ: "[CLS]" in a text is text.
 */
class Tokenizer {
  readonly #starts = new Map<string, number>();
  readonly #continuations = new Map<string, number>();
  readonly #unknown: number;
  /** UTF-16 units of the longest piece. */
  #longest = 1;

  /** @param vocabulary pieces by their ids; those that go on a word begin with "##" */
  constructor(vocabulary: readonly string[]) {
    vocabulary.forEach((piece, id) => {
      const isContinuation = piece.startsWith("##") && piece.length > 2;
      const text = isContinuation ? piece.slice(2) : piece;
      (isContinuation ? this.#continuations : this.#starts).set(text, id);
      this.#longest = Math.max(this.#longest, text.length);
    });
    this.#unknown = this.#starts.get(UNKNOWN) ?? 0;
  }

  /** The ids of a text's pieces in order, without [CLS] and [SEP], not cut at any length. */
  pieces(text: string): number[] {
    const ids: number[] = [];
    for (const word of wordsOf(text)) this.#cut(word, ids);
    return ids;
  }

  /** The same, the pieces of each word and sign by themselves. */
  words(text: string): number[][] {
    return wordsOf(text).map((word) => {
      const ids: number[] = [];
      this.#cut(word, ids);
      return ids;
    });
  }

  #cut(word: string, ids: number[]): void {
    const whole = this.#starts.get(word);
    if (whole !== undefined && word.length <= MAX_WORD_LENGTH) {
      ids.push(whole);
      return;
    }
    const before = ids.length;
    if (this.#isTooLong(word) || !this.#cutPieces(word, ids)) {
      ids.length = before;
      ids.push(this.#unknown);
    }
  }

  #isTooLong(word: string): boolean {
    return (
      word.length > 2 * MAX_WORD_LENGTH ||
      (word.length > MAX_WORD_LENGTH && Array.from(word).length > MAX_WORD_LENGTH)
    );
  }

  /** Longest piece first; false when a part has none. */
  #cutPieces(word: string, ids: number[]): boolean {
    for (let at = 0; at < word.length; ) {
      const known = at === 0 ? this.#starts : this.#continuations;
      let end = Math.min(word.length, at + this.#longest);
      let id: number | undefined;
      for (; end > at; end--) {
        id = known.get(word.slice(at, end));
        if (id !== undefined) break;
      }
      if (id === undefined) return false;
      ids.push(id);
      at = end;
    }
    return true;
  }
}

/** What the table is called; another table has another name. */
export const EMBEDDING_MODEL = "bridge-static-256-v2";
/**
 * Texts that are less alike than this have nothing to do with each other: nine of ten that have not are, and the right
 * answers of the practice questions (test/eval/search) lie between 0.11 and 0.27 in the middle half.
 */
export const LEAST_SIMILARITY = 0.1;
/** Two components a byte: half of the memory, and as good at finding. */
const ROW_BYTES = VECTOR_SIZE / 2;
const BYTES_A_TOKEN = 4 + ROW_BYTES;
/** What is added to a component so that four bits hold it. */
const OFFSET = 8;
const HIGHEST = 127;

export class StaticVectors {
  readonly tokenizer: Tokenizer;
  readonly #scales: Float32Array;
  readonly #rows: Uint8Array;

  /**
   * @param vocabulary tokens by id
   * @param table for each token a little-endian float32 scale, then for each token 128 bytes: components 2j and 2j + 1,
   * each plus 8, in the low and the high half of byte j; row = scale × component
   * @throws Error when the table does not fit the vocabulary
   */
  constructor(vocabulary: readonly string[], table: Uint8Array) {
    const tokens = vocabulary.length;
    if (table.length !== tokens * BYTES_A_TOKEN)
      throw new Error(
        `A table of ${tokens} tokens has ${tokens * BYTES_A_TOKEN} bytes, not ${table.length}.`,
      );
    const view = new DataView(table.buffer, table.byteOffset, table.byteLength);
    this.#scales = Float32Array.from({ length: tokens }, (_, id) => view.getFloat32(4 * id, true));
    this.#rows = table.subarray(4 * tokens);
    this.tokenizer = new Tokenizer(vocabulary);
  }

  /** The vector of a text, 256 components of unit length; all zero where no piece of the text means anything. */
  embed(text: string): Float32Array {
    return this.embedPieces(this.tokenizer.pieces(text));
  }

  /** The vector of pieces that `tokenizer` gave. */
  embedPieces(ids: readonly number[]): Float32Array {
    return toUnitLength(this.#sum(ids));
  }

  /** How much pieces say: the length of the sum of their rows. */
  strength(ids: readonly number[]): number {
    return Math.hypot(...this.#sum(ids));
  }

  #sum(ids: readonly number[]): Float32Array {
    const sum = new Float32Array(VECTOR_SIZE);
    const rows = this.#rows;
    for (const id of ids) {
      const scale = this.#scales[id]!;
      if (scale === 0) continue;
      const from = id * ROW_BYTES;
      for (let i = 0; i < ROW_BYTES; i++) {
        const pair = rows[from + i]!;
        sum[2 * i]! += scale * ((pair & 15) - OFFSET);
        sum[2 * i + 1]! += scale * ((pair >> 4) - OFFSET);
      }
    }
    return sum;
  }
}

const toUnitLength = (vector: Float32Array): Float32Array => {
  let squares = 0;
  for (const component of vector) squares += component * component;
  if (squares === 0) return vector;
  const factor = 1 / Math.sqrt(squares);
  for (let i = 0; i < vector.length; i++) vector[i]! *= factor;
  return vector;
};

/** A vector in a byte a component, scaled to the whole range: its direction is kept, its length is not. */
export const quantize = (vector: Float32Array): Int8Array => {
  let most = 0;
  for (const component of vector) most = Math.max(most, Math.abs(component));
  const factor = most === 0 ? 0 : HIGHEST / most;
  return Int8Array.from(vector, (component) => Math.round(component * factor));
};

/** Cosine of two vectors of one size, −1 to 1; 0 where either is all zero. */
export const cosine = (a: ArrayLike<number>, b: ArrayLike<number>): number => {
  let dot = 0;
  let squaresA = 0;
  let squaresB = 0;
  for (let i = 0; i < a.length; i++) {
    const x = a[i]!;
    const y = b[i]!;
    dot += x * y;
    squaresA += x * x;
    squaresB += y * y;
  }
  return squaresA === 0 || squaresB === 0 ? 0 : dot / Math.sqrt(squaresA * squaresB);
};
