/**
 * What all-MiniLM-L6-v2 learned from questions (train/embeddings/tuning.py): to the weights of its layers' products are
 * added those of a low rank (LoRA: Hu et al. 2021). Done once, when the graph is made, so a text takes no longer.
 */
import type { Weights } from "./onnx-format.ts";

/** Rank of what is added. */
export const RANK = 16;
const LARGEST_CODE = 127;

/** Reads a file's factors in their order. */
export class TuningReader {
  readonly #values: Float32Array;
  #at = 0;

  /** @param bytes little-endian float32: of each product in the graph's order `from × RANK`, then `RANK × to` */
  constructor(bytes: Uint8Array) {
    this.#values = new Float32Array(Uint8Array.from(bytes).buffer);
  }

  #take(count: number): Float32Array {
    const end = this.#at + count;
    if (end > this.#values.length) throw new Error("The encoder's tuning is shorter than its products.");
    const taken = this.#values.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }

  /** What the next product has more: `from × to` numbers, row by row. */
  next(from: number, to: number): Float32Array {
    const [left, right] = [this.#take(from * RANK), this.#take(RANK * to)];
    const added = new Float32Array(from * to);
    for (let row = 0; row < from; row++)
      for (let k = 0; k < RANK; k++) {
        const factor = left[row * RANK + k]!;
        for (let column = 0; column < to; column++)
          added[row * to + column]! += factor * right[k * to + column]!;
      }
    return added;
  }
}

/** Codes of weights and their scales, one an output, with `added` to the weights: quantized anew. */
export function addTo(
  codes: Weights,
  scales: Weights,
  added: Float32Array,
): { codes: Weights; scales: Weights } {
  const to = scales.bytes.byteLength / Float32Array.BYTES_PER_ELEMENT;
  const old = new Int8Array(Uint8Array.from(codes.bytes).buffer);
  const oldScales = new Float32Array(Uint8Array.from(scales.bytes).buffer);
  const sums = added.map((more, i) => old[i]! * oldScales[i % to]! + more);
  const newScales = new Float32Array(to);
  for (const [i, sum] of sums.entries())
    newScales[i % to] = Math.max(newScales[i % to]!, Math.abs(sum) / LARGEST_CODE);
  const quantized = Int8Array.from(sums, (sum, i) => Math.round(sum / (newScales[i % to]! || 1)));
  return {
    codes: { ...codes, bytes: new Uint8Array(quantized.buffer) },
    scales: { ...scales, bytes: new Uint8Array(newScales.buffer) },
  };
}
