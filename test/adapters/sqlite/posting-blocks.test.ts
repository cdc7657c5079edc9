import fc from "fast-check";
import { expect, it } from "vitest";
import {
  encodeBlock,
  inOrderOfTerms,
  listIn,
  withList,
} from "../../../src/adapters/sqlite/segments/postings.ts";

const number = fc.integer({ min: 0, max: 2 ** 32 - 1 });
/** Few terms, so that some have long lists, among them the least and the greatest. */
const hash = fc.constantFrom(0, 7, 65_535, 65_536, 2 ** 31, 2 ** 32 - 1);
const pairs = fc.array(fc.tuple(hash, number), { minLength: 1, maxLength: 60 });

const blockOf = (given: [number, number][]): Uint8Array =>
  encodeBlock(
    inOrderOfTerms({
      hashes: Uint32Array.from(given, ([word]) => word),
      postings: Uint32Array.from(given, ([, entry]) => entry),
    }),
  );
const listOf = (given: [number, number][], word: number): number[] =>
  given.filter(([each]) => each === word).map(([, entry]) => entry);

it("gives each term's postings in the order that they came in", () => {
  const run = fc.property(pairs, hash, (given, word) => {
    expect(Array.from(listIn(blockOf(given), word))).toEqual(listOf(given, word));
  });
  fc.assert(run);
});

it("takes another list in the place of one, and is gone with the last", () => {
  const run = fc.property(pairs, hash, fc.array(number, { maxLength: 5 }), (given, word, list) => {
    const others = given.filter(([each]) => each !== word);
    const now: [number, number][] = [...others, ...list.map((entry): [number, number] => [word, entry])];
    const block = withList(blockOf(given), word, list);
    expect(block).toEqual(now.length === 0 ? undefined : blockOf(now));
  });
  fc.assert(run);
  expect(Array.from(listIn(withList(undefined, 9, [1, 2])!, 9))).toEqual([1, 2]);
  expect(withList(undefined, 9, [])).toBeUndefined();
});
