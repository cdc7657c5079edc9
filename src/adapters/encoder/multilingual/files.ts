/** What is made of the multilingual encoder's package: its files, in the folder of the English encoder. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Projection } from "../graph-builder.ts";
import { type NumpyArray, readArrays, readPieces } from "./archive.ts";
import { multilingualModel, ROW_SIZE } from "./graph.ts";

export const FILES = {
  model: "multilingual.onnx",
  /** A line each; the line's number is its id. */
  pieces: "multilingual-pieces.txt",
  /** Float32 a piece. */
  scores: "multilingual-scores.bin",
  /** ROW_SIZE bytes a piece. */
  rows: "multilingual-rows.bin",
  /** Float32: a scale for each group of ids (the remainder by their number), then an offset for each. */
  scales: "multilingual-scales.bin",
} as const;

/**
 * @param archive the package's weights.npz
 * @param vocabulary its sp.model
 * @throws for other files
 */
export function layOutMultilingual(
  folder: string,
  archive: Buffer,
  vocabulary: Uint8Array,
  projection: Projection,
): void {
  const arrays = readArrays(archive);
  const { pieces, scores } = readPieces(vocabulary);
  const [scale, least] = ["scale", "lo"].map((name) => arrays.get(name)?.bytes);
  if (!scale || !least || pieces.some((piece) => piece.includes("\n")))
    throw new Error("The package's model is not the one whose weights are known.");
  const write = (name: string, bytes: string | Uint8Array): void => writeFileSync(join(folder, name), bytes);
  write(FILES.pieces, `${pieces.join("\n")}\n`);
  write(FILES.scores, new Uint8Array(scores.buffer, scores.byteOffset, scores.byteLength));
  write(FILES.scales, Buffer.concat([scale, least]));
  write(FILES.rows, rowsOf(arrays, scale.length / 4, pieces.length));
  write(FILES.model, multilingualModel(arrays, projection));
}

/** Rows by their ids: the package has those of each remainder together. */
function rowsOf(arrays: ReadonlyMap<string, NumpyArray>, groups: number, pieces: number): Buffer {
  const rows = Buffer.alloc(pieces * ROW_SIZE);
  for (let group = 0; group < groups; group++) {
    const part = arrays.get(`q${group + 1}`);
    if (part?.type !== "|u1" || part.shape[1] !== ROW_SIZE)
      throw new Error("The package's rows are not those that are known.");
    for (let id = group, from = 0; id < pieces; id += groups, from += ROW_SIZE)
      part.bytes.copy(rows, id * ROW_SIZE, from, from + ROW_SIZE);
  }
  return rows;
}
