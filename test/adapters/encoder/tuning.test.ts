/** What is added to the encoder's weights, and what is left of it when they are 8-bit again. */
import { describe, expect, it } from "vitest";
import type { Weights } from "../../../src/adapters/encoder/onnx-format.ts";
import { addTo, RANK, TuningReader } from "../../../src/adapters/encoder/tuning.ts";

const bytesOf = (values: Float32Array | Int8Array) => new Uint8Array(values.buffer);
const scalesOf = (...values: number[]): Weights => ({
  elements: "float",
  shape: [values.length],
  bytes: bytesOf(Float32Array.from(values)),
});
const floatsOf = ({ bytes }: Weights) => new Float32Array(bytes.slice().buffer);

describe("the encoder's tuning", () => {
  it("adds the product of two factors", () => {
    // Two inputs, three outputs: of the rows of the right factor only the first counts.
    const left = [2, ...new Array(RANK - 1).fill(0), 3, ...new Array(RANK - 1).fill(0)];
    const right = [1, 10, 100, ...new Array(3 * (RANK - 1)).fill(7)];
    const tuning = new TuningReader(bytesOf(Float32Array.from([...left, ...right])));
    expect([...tuning.next(2, 3)]).toEqual([2, 20, 200, 3, 30, 300]);
  });

  it("refuses a file that ends before the products do", () => {
    const tuning = new TuningReader(bytesOf(new Float32Array(2 * RANK + 3 * RANK)));
    tuning.next(2, 3);
    expect(() => tuning.next(2, 3)).toThrow("shorter than its products");
  });

  it("quantizes sums anew, each output by its own scale, to half a step", () => {
    const codes: Weights = { elements: "int8", shape: [2, 2], bytes: bytesOf(Int8Array.of(100, -50, 20, 0)) };
    const made = addTo(codes, scalesOf(0.01, 0.02), Float32Array.of(0.5, 0.25, -0.7, 3));
    const scales = floatsOf(made.scales);
    const values = [...new Int8Array(made.codes.bytes.slice().buffer)];
    const wanted = [1.5, -0.75, -0.5, 3];
    for (const [i, value] of values.entries())
      expect(Math.abs(value * scales[i % 2]! - wanted[i]!)).toBeLessThanOrEqual(scales[i % 2]! / 2 + 1e-6);
    expect(Math.max(...values.map(Math.abs))).toBe(127);
  });

  it("leaves weights to which nothing is added, an output of zeros too", () => {
    const codes: Weights = { elements: "int8", shape: [2, 2], bytes: bytesOf(Int8Array.of(127, 0, -64, 0)) };
    const made = addTo(codes, scalesOf(0.01, 0.02), new Float32Array(4));
    expect([...new Int8Array(made.codes.bytes.slice().buffer)]).toEqual([127, 0, -64, 0]);
    expect(floatsOf(made.scales)[0]).toBeCloseTo(0.01, 6);
  });
});
