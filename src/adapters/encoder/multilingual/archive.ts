/** What the multilingual encoder's package holds: arrays of numpy (.npy) in a zip archive (.npz), and SentencePiece's vocabulary. */
import { inflateRawSync } from "node:zlib";
import { fieldsOf } from "../onnx-format.ts";

/** No array of the package unpacks to more. */
const MAX_BYTES = 8_000_000;
const END_OF_DIRECTORY = 0x06054b50;
const DIRECTORY_ENTRY = 0x02014b50;
const DEFLATED = 8;
const NPY_HEADER = /'descr': '([<|][a-z][0-9])', 'fortran_order': (True|False), 'shape': \(([0-9, ]*)\)/;

export interface NumpyArray {
  type: string;
  shape: number[];
  /** Row by row, little-endian. */
  bytes: Buffer;
}

const PIECES = 1;
const [PIECE_TEXT, PIECE_SCORE] = [1, 2];

/** The arrays of an .npz file by their names. @throws for another file */
export function readArrays(archive: Buffer): Map<string, NumpyArray> {
  const end = archive.length - 22;
  if (end < 0 || archive.readUInt32LE(end) !== END_OF_DIRECTORY)
    throw new Error("The package's file is no zip archive.");
  const found = new Map<string, NumpyArray>();
  let at = archive.readUInt32LE(end + 16);
  for (let entries = archive.readUInt16LE(end + 10); entries > 0; entries--) {
    if (archive.readUInt32LE(at) !== DIRECTORY_ENTRY) throw new Error("The package's archive is damaged.");
    const [packed, name, extra, comment] = [20, 28, 30, 32].map((place, i) =>
      i === 0 ? archive.readUInt32LE(at + place) : archive.readUInt16LE(at + place),
    ) as [number, number, number, number];
    const header = archive.readUInt32LE(at + 42);
    const data = header + 30 + archive.readUInt16LE(header + 26) + archive.readUInt16LE(header + 28);
    const bytes = archive.subarray(data, data + packed);
    const isPacked = archive.readUInt16LE(at + 10) === DEFLATED;
    const file = isPacked ? inflateRawSync(bytes, { maxOutputLength: MAX_BYTES }) : bytes;
    found.set(archive.toString("utf8", at + 46, at + 46 + name).replace(/\.npy$/, ""), numpyArray(file));
    at += 46 + name + extra + comment;
  }
  return found;
}

function numpyArray(file: Buffer): NumpyArray {
  const start = 10 + file.readUInt16LE(8);
  const [, type, isFortran, sizes] = NPY_HEADER.exec(file.toString("latin1", 10, start)) ?? [];
  if (type === undefined || sizes === undefined) throw new Error("The package's file is no array of numpy.");
  const shape = sizes.split(",").flatMap((size) => (size.trim() === "" ? [] : [Number(size)]));
  const bytes = file.subarray(start);
  const isTurned = isFortran === "True" && shape.length === 2;
  return { type, shape, bytes: isTurned ? transposed(bytes, shape, Number(type[2])) : bytes };
}

/** Columns one after the other become rows one after the other. */
function transposed(bytes: Buffer, [rows = 1, columns = 1]: number[], size: number): Buffer {
  const turned = Buffer.alloc(bytes.length);
  for (let column = 0; column < columns; column++)
    for (let row = 0; row < rows; row++)
      bytes.copy(
        turned,
        (row * columns + column) * size,
        (column * rows + row) * size,
        (column * rows + row + 1) * size,
      );
  return turned;
}

/** The pieces of a SentencePiece model by their ids, and their scores. @throws for another file */
export function readPieces(model: Uint8Array): { pieces: string[]; scores: Float32Array } {
  const pieces: string[] = [];
  const scores: number[] = [];
  for (const [field, value] of fieldsOf(model)) {
    if (field !== PIECES || typeof value === "number") continue;
    let [text, score] = ["", 0];
    for (const [part, bytes] of fieldsOf(value)) {
      if (typeof bytes === "number") continue;
      if (part === PIECE_TEXT) text = Buffer.from(bytes).toString();
      if (part === PIECE_SCORE) score = Buffer.from(bytes).readFloatLE();
    }
    pieces.push(text);
    scores.push(score);
  }
  if (pieces.length === 0) throw new Error("The package's vocabulary is none of SentencePiece.");
  return { pieces, scores: Float32Array.from(scores) };
}
