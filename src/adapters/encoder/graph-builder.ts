/** Puts a graph together, operation by operation, each known by the name of its output. */
import type { OnnxNode, Weights } from "./onnx-format.ts";

type Floats = Float32Array<ArrayBufferLike>;
const bytesOf = ({ buffer, byteOffset, byteLength }: Floats | BigInt64Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

/** From unit vectors of an encoder to those of the static table: less `mean`, times `axes` (mean's length × size). */
export interface Projection {
  mean: Float32Array;
  axes: Float32Array;
  size: number;
}

export class Builder {
  readonly weights = new Map<string, Weights>();
  readonly operations: OnnxNode[] = [];
  #names = 0;

  add(
    type: string,
    inputs: string[],
    more: Pick<OnnxNode, "integers" | "floats" | "domain"> & { output?: string } = {},
  ): string {
    const { output = `${type}_${++this.#names}`, ...options } = more;
    this.operations.push({ type, inputs, output, ...options });
    return output;
  }

  floats(name: string, values: Floats, shape = [values.length]): string {
    this.weights.set(name, { elements: "float", shape, bytes: bytesOf(values) });
    return name;
  }

  whole(name: string, values: number[]): string {
    const bytes = bytesOf(BigInt64Array.from(values, BigInt));
    this.weights.set(name, { elements: "int64", shape: [values.length], bytes });
    return name;
  }

  /** The rows of x at unit length. */
  unit(x: string, output?: string): string {
    return this.add("LpNormalization", [x], { integers: { axis: 1, p: 2 }, ...(output && { output }) });
  }

  /** The graph's end: `vectors`, what sentences of unit length are in the static vectors' space. */
  project(sentences: string, { mean, axes, size }: Projection): void {
    const centered = this.add("Sub", [sentences, this.floats("mean", mean)]);
    const projected = this.add("MatMul", [centered, this.floats("axes", axes, [mean.length, size])]);
    this.unit(projected, "vectors");
  }
}
