import fc from "fast-check";
import { expect, it } from "vitest";
import {
  HammingDistances,
  MOST_DISTANCE,
  NONE,
  ROW_BYTES,
} from "../../../src/adapters/sqlite/vectors/binary-vectors.ts";

const bitsOf = (byte: number): number => byte.toString(2).replaceAll("0", "").length;
const differing = (a: Uint8Array, b: Uint8Array): number =>
  a.reduce((sum, byte, i) => sum + bitsOf(byte ^ b[i]!), 0);

const vector = fc.uint8Array({ minLength: ROW_BYTES, maxLength: ROW_BYTES });
const row = fc.record({ vector, known: fc.boolean(), asked: fc.boolean() });

it("counts the bits that differ as counting bit by bit does, of the rows that are there and asked for", () => {
  const run = fc.property(vector, fc.array(row, { maxLength: 50 }), (query, rows) => {
    const all = new HammingDistances(64);
    rows.forEach((each, id) => {
      all.rows.set(each.vector, id * ROW_BYTES);
      all.known[id] = each.known ? 1 : 0;
    });
    const mask = Uint8Array.from(rows, ({ asked }) => (asked ? 1 : 0));
    // The second time as the first: what was counted before is forgotten.
    for (let time = 0; time < 2; time++) all.measure(query, mask, rows.length);
    const expected = rows.map((each) => (each.known && each.asked ? differing(each.vector, query) : NONE));
    expect(Array.from(all.distances.subarray(0, rows.length))).toEqual(expected);
    for (let distance = 0; distance <= MOST_DISTANCE; distance++)
      expect(all.sizes[distance]).toBe(expected.filter((found) => found === distance).length);
  });
  fc.assert(run, { numRuns: 100 });
});

it("counts none and all", () => {
  const all = new HammingDistances(2);
  all.rows.fill(0xff, ROW_BYTES);
  all.known.fill(1);
  all.measure(new Uint8Array(ROW_BYTES), Uint8Array.of(1, 1), 2);
  expect(Array.from(all.distances)).toEqual([0, MOST_DISTANCE]);
});
