/**
 * Texts as vectors: the sum of a table's rows for a text's pieces, at unit length (train/embeddings/distill.py makes the
 * table). The cosine of two such vectors says how near two texts are in meaning, also where they share no word.
 */
import { VECTOR_SIZE } from "../../../../schemas/common.ts";
import { Tokenizer } from "./tokenizer.ts";

/** What the table is called; another table has another name. */
export const EMBEDDING_MODEL = "bridge-static-256-v3";
/** Tokens of the table from this id on are of other languages (train/embeddings/languages.py). */
export const ENGLISH_TOKENS = 56_838;
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
  readonly #foreign: Int8Array;

  /**
   * @param vocabulary tokens by id
   * @param table for each token a little-endian float32 scale, then for each token 128 bytes: components 2j and 2j + 1,
   * each plus 8, in the low and the high half of byte j; row = scale × component
   * @param foreign for each token how much likelier it is in other languages than in English (models/embeddings/model.json);
   * default: nothing is known of it
   * @throws Error when a table does not fit the vocabulary
   */
  constructor(vocabulary: readonly string[], table: Uint8Array, foreign = new Int8Array(vocabulary.length)) {
    const tokens = vocabulary.length;
    if (table.length !== tokens * BYTES_A_TOKEN)
      throw new Error(
        `A table of ${tokens} tokens has ${tokens * BYTES_A_TOKEN} bytes, not ${table.length}.`,
      );
    if (foreign.length !== tokens) throw new Error(`Of ${tokens} tokens, ${foreign.length} have a language.`);
    const view = new DataView(table.buffer, table.byteOffset, table.byteLength);
    this.#scales = Float32Array.from({ length: tokens }, (_, id) => view.getFloat32(4 * id, true));
    this.#rows = table.subarray(4 * tokens);
    this.#foreign = foreign;
    this.tokenizer = new Tokenizer(vocabulary);
  }

  /** How much likelier a token is in other languages than in English: −127 to 127, 0 where nothing is known. */
  foreignness(id: number): number {
    return this.#foreign[id]!;
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

/** A vector in a byte a component, scaled to the whole range: its direction is kept, its length is not. */
export function quantize(vector: Float32Array): Int8Array {
  let most = 0;
  for (const component of vector) most = Math.max(most, Math.abs(component));
  const factor = most === 0 ? 0 : HIGHEST / most;
  return Int8Array.from(vector, (component) => Math.round(component * factor));
}

/** Cosine of two vectors of one size, −1 to 1; 0 where either is all zero. */
export function cosine(a: ArrayLike<number>, b: ArrayLike<number>): number {
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
}

function toUnitLength(vector: Float32Array): Float32Array {
  let squares = 0;
  for (const component of vector) squares += component * component;
  if (squares === 0) return vector;
  const factor = 1 / Math.sqrt(squares);
  for (let i = 0; i < vector.length; i++) vector[i]! *= factor;
  return vector;
}
