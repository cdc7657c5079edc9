/**
 * Universal Sentence Encoder multilingual v3 (Yang et al. 2020; convolutions over pieces, their sum, a residual network) as a
 * graph of 2.9 million weights. The rows of its pieces, 65 million, stay in their file (encode.ts). Its end is the space of
 * the static vectors, as the English encoder's is.
 */
import { Builder, type Projection } from "../graph-builder.ts";
import { type Graph, writeModel } from "../onnx-format.ts";
import type { NumpyArray } from "./archive.ts";

/** Components of a piece's row, and of a sentence. */
export const ROW_SIZE = 512;
const CHANNELS = 256;
const FEATURES = ROW_SIZE + 3 * CHANNELS;
/** Pieces that a convolution sees at once, and how many of them stand before the one that it is about. */
export const CONVOLUTION_WINDOWS = [
  { width: 2, before: 0 },
  { width: 3, before: 1 },
  { width: 5, before: 2 },
] as const;
const EPSILON = 1e-12;

type Arrays = ReadonlyMap<string, NumpyArray>;

class Source {
  readonly builder = new Builder();
  readonly #arrays: Arrays;

  constructor(arrays: Arrays) {
    this.#arrays = arrays;
  }

  #bytes(name: string, shape: readonly number[]): Buffer {
    const array = this.#arrays.get(name);
    if (array?.type !== "<f4" || array.shape.join() !== shape.join())
      throw new Error(`The package's model has another ${name}.`);
    return array.bytes;
  }

  take(name: string, ...shape: number[]): string {
    return this.takeAs(name, name, ...shape);
  }

  /** Under a name of its own, where another has the package's. */
  takeAs(own: string, name: string, ...shape: number[]): string {
    this.builder.weights.set(own, { elements: "float", shape, bytes: this.#bytes(name, shape) });
    return own;
  }

  /** What the three convolutions have of a kind, side by side. */
  beside(name: string, rows: number): string {
    const width = 4 * CHANNELS;
    const parts = CONVOLUTION_WINDOWS.map(({ width: pieces }) =>
      this.#bytes(`${name}${pieces}`, rows === 1 ? [CHANNELS] : [rows, CHANNELS]),
    );
    const bytes = Buffer.concat(
      Array.from({ length: rows }, (_, row) => row).flatMap((row) =>
        parts.map((part) => part.subarray(row * width, (row + 1) * width)),
      ),
    );
    const all = CONVOLUTION_WINDOWS.length * CHANNELS;
    this.builder.weights.set(name, { elements: "float", shape: rows === 1 ? [all] : [rows, all], bytes });
    return name;
  }

  norm(x: string, gain: string, bias: string): string {
    const floats = { epsilon: EPSILON };
    return this.builder.add("LayerNormalization", [x, gain, bias], { floats, integers: { axis: 1 } });
  }

  multiply(x: string, name: string, from: number, to: number): string {
    return this.builder.add("MatMul", [x, this.take(name, from, to)]);
  }

  add(a: string, b: string): string {
    return this.builder.add("Add", [a, b]);
  }

  relu(x: string): string {
    return this.builder.add("Relu", [x]);
  }
}

/**
 * The model. Inputs of one text: `rows` of its pieces, length × ROW_SIZE; for each of WINDOWS `windows<width>`, length × width
 * numbers of rows, `length` for none; `root` of the length, 1 × 1. Output: `vectors`, 1 × projection's size, of unit length.
 * @param arrays those of the package (archive.ts)
 * @throws for others
 */
export function multilingualModel(arrays: Arrays, projection: Projection): Uint8Array {
  const source = new Source(arrays);
  const { builder } = source;
  builder.floats("zeros", new Float32Array(CHANNELS), [1, CHANNELS]);
  builder.whole("flat", [0, -1]);
  builder.whole("columns", [1]);
  const product = builder.add("MatMul", ["rows", source.beside("proj", ROW_SIZE)]);
  const biased = source.add(product, source.beside("proj_b", 1));
  const channels = source.norm(biased, source.beside("ln_g", 1), source.beside("ln_b", 1));
  const seen = CONVOLUTION_WINDOWS.map(({ width }, i) => {
    const begin = builder.whole(`begin${width}`, [i * CHANNELS]);
    const end = builder.whole(`end${width}`, [(i + 1) * CHANNELS]);
    return convolved(source, builder.add("Slice", [channels, begin, end, "columns"]), width);
  });
  const features = builder.add("Concat", ["rows", ...seen], { integers: { axis: 1 } });
  const gains = source.takeAs("all.gain", "ln_g", FEATURES);
  const normed = source.norm(features, gains, source.takeAs("all.bias", "ln_b", FEATURES));
  const sum = builder.add("ReduceSum", [normed, builder.whole("pieces", [0])], { integers: { keepdims: 1 } });
  builder.project(sentenceOf(source, sum), projection);
  const windows = CONVOLUTION_WINDOWS.map(
    ({ width }) => [`windows${width}`, { elements: "int64", shape: ["length", width] }] as const,
  );
  const inputs: Graph["inputs"] = {
    rows: { elements: "float", shape: ["length", ROW_SIZE] },
    ...Object.fromEntries(windows),
    root: { elements: "float", shape: [1, 1] },
  };
  const outputs: Graph["outputs"] = { vectors: { elements: "float", shape: [1, projection.size] } };
  const { weights, operations } = builder;
  return writeModel({ weights, operations, inputs, outputs });
}

/** Two convolutions, each added to what it saw. A place beyond the text is the row of zeros behind the last. */
function convolved(source: Source, x: string, width: number): string {
  const { builder } = source;
  let seen = x;
  for (const step of [1, 2]) {
    const ended = builder.add("Concat", [seen, "zeros"], { integers: { axis: 0 } });
    const windows = builder.add("Gather", [ended, `windows${width}`]);
    const flat = builder.add("Reshape", [windows, "flat"]);
    const product = source.multiply(flat, `w${step}_${width}`, width * CHANNELS, CHANNELS);
    seen = source.add(source.relu(source.add(product, source.take(`b${step}_${width}`, CHANNELS))), seen);
  }
  return seen;
}

/** The residual network behind the sum of the pieces. */
function sentenceOf(source: Source, sum: string): string {
  const { builder } = source;
  const product = builder.add("Div", [source.multiply(sum, "cnn_W", FEATURES, ROW_SIZE), "root"]);
  const pooled = source.add(product, builder.add("Mul", [source.take("cnn_b", ROW_SIZE), "root"]));
  const first = source.relu(source.multiply(pooled, "d0", ROW_SIZE, 320));
  const second = source.relu(
    source.add(source.multiply(pooled, "p1", ROW_SIZE, 320), source.multiply(first, "d1", 320, 320)),
  );
  const third = source.relu(source.multiply(second, "d2", 320, ROW_SIZE));
  const last = source.add(
    source.multiply(second, "p3", 320, ROW_SIZE),
    source.multiply(third, "d3", ROW_SIZE, ROW_SIZE),
  );
  return builder.unit(builder.add("Tanh", [last]));
}
