/** The encoder of other languages: pieces of a text, their rows, and the graph that makes its vector of them. */
import { openSync, readFileSync, readSync } from "node:fs";
import { join } from "node:path";
import { MAX_PIECES } from "../messages.ts";
import { type OnnxRuntime, SESSION_OPTIONS } from "../runtime.ts";
import { FILES } from "./files.ts";
import { CONVOLUTION_WINDOWS, ROW_SIZE } from "./graph.ts";
import { UnigramTokenizer } from "./unigram-tokenizer.ts";

/** Ids of what stands before and behind every text. */
const [START, END] = [1, 2];

/** @param folder what deploy/encoder.ts installed */
export async function loadMultilingual(
  folder: string,
  { Tensor, InferenceSession }: OnnxRuntime,
): Promise<(text: string) => Promise<Float32Array>> {
  const at = (name: string) => join(folder, name);
  const pieces = readFileSync(at(FILES.pieces), "utf8").trimEnd().split("\n");
  const tokenizer = new UnigramTokenizer(pieces, floatsOf(at(FILES.scores)));
  const rowsOf = openRows(at(FILES.rows), floatsOf(at(FILES.scales)));
  const session = await InferenceSession.create(at(FILES.model), SESSION_OPTIONS);
  return async (text) => {
    const ids = [START, ...tokenizer.pieces(text).slice(0, MAX_PIECES - 2), END];
    const { length } = ids;
    const windows = CONVOLUTION_WINDOWS.map((window) => {
      const shape = [length, window.width];
      return [`windows${window.width}`, new Tensor("int64", windowsOf(length, window), shape)] as const;
    });
    const inputs = {
      rows: new Tensor("float32", rowsOf(ids), [length, ROW_SIZE]),
      ...Object.fromEntries(windows),
      root: new Tensor("float32", Float32Array.of(Math.sqrt(length)), [1, 1]),
    };
    const { vectors } = await session.run(inputs, ["vectors"]);
    return Float32Array.from(vectors!.data);
  };
}

function floatsOf(file: string): Float32Array {
  const bytes = readFileSync(file);
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
}

/**
 * Reads a row where it is needed: 65 MB stay in the file, which the system keeps as far as it is used. A row's components are
 * whole numbers, times a scale, plus an offset; both are those of the id's remainder.
 */
function openRows(file: string, scales: Float32Array) {
  const descriptor = openSync(file, "r");
  const codes = new Uint8Array(ROW_SIZE);
  const groups = scales.length / 2;
  return (ids: readonly number[]): Float32Array => {
    const rows = new Float32Array(ids.length * ROW_SIZE);
    ids.forEach((id, place) => {
      const read = readSync(descriptor, codes, 0, ROW_SIZE, id * ROW_SIZE);
      if (read < ROW_SIZE) throw new Error(`The file of rows ends before ${id}.`);
      const [scale, least] = [scales[id % groups]!, scales[groups + (id % groups)]!];
      for (let i = 0; i < ROW_SIZE; i++) rows[place * ROW_SIZE + i] = codes[i]! * scale + least;
    });
    return rows;
  };
}

/** For each piece the numbers of the rows that a window about it sees; `length`, the row of zeros, for none. */
const windowsOf = (length: number, { width, before }: (typeof CONVOLUTION_WINDOWS)[number]): BigInt64Array =>
  BigInt64Array.from({ length: length * width }, (_, i) => {
    const place = Math.floor(i / width) + (i % width) - before;
    return BigInt(place < 0 || place >= length ? length : place);
  });
