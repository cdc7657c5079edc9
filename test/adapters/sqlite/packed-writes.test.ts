import { describe, expect, it } from "vitest";
import { DistinctHashes } from "../../../src/adapters/index/distinct-hashes.ts";
import { encodeTerms } from "../../../src/adapters/index/term-vectors.ts";
import { hashOf, tokenOf } from "../../../src/adapters/index/tokens.ts";
import { contentsOf, packWrites } from "../../../src/adapters/sqlite/writer/packed-writes.ts";
import { documentOf, remove, vectorOf } from "../../ports/index-document.ts";

const ODD = [
  "c++",
  "naïve",
  "東京",
  "\u{1f43e}\u{1f43e}",
  "o'neill",
  "\ud800",
  "x".repeat(300),
  "plain",
  "123",
];

describe("a packed batch", () => {
  it("gives every document its own terms and vector again, whatever stands between", () => {
    const first = documentOf({ domain: "a.example", vector: [1, 2, 3] });
    const second = documentOf({ domain: "b.example", text: "tea tea coffee" });
    const third = documentOf({ domain: "c.example", name: "Tea", vector: [-4] });
    const batch = packWrites([
      { kind: "put", document: first },
      { kind: "put", document: second },
      remove("gone.example", 2),
      { kind: "put", document: third },
    ]);
    const contents = [...contentsOf(batch)];
    expect(contents.map(({ vector }) => vector)).toEqual([vectorOf([1, 2, 3]), undefined, vectorOf([-4])]);
    const words = contents.map((content) => {
      const { terms, word } = encodeTerms(content);
      return Array.from({ length: terms }, (_, at) => word(at));
    });
    const distinct = [first, second, third].map(({ terms }) => [...new Set(Object.values(terms).flat())]);
    expect(words).toEqual(distinct);
  });

  it("hashes every term as its token is hashed, escapes and long ones too", () => {
    const document = documentOf({ domain: "a.example" });
    document.terms = {
      name: ODD,
      domain: [""],
      tags: [],
      description: ["plain", ""],
      text: ["c++", "plain"],
    };
    const [content] = contentsOf(packWrites([{ kind: "put", document }]));
    const { hashes, lengths } = encodeTerms(content!, ["__cfood"]);
    expect(hashes).toEqual([...ODD.map(tokenOf), "__cfood"].map((token) => hashOf(token) | 0));
    expect(lengths).toEqual([ODD.length, 0, 0, 1, 2]);
  });
});

describe("distinct hashes", () => {
  it("are numbered as they come, among them zero and those that end alike", () => {
    const hashes = [0, 1, -1, 256, 512, 1 << 30, -(2 ** 31), 0x7fffffff];
    const distinct = new DistinctHashes(hashes.length);
    expect(hashes.map((hash) => distinct.add(hash))).toEqual(hashes.map((_, at) => at));
    expect(distinct.isFull).toBe(true);
    expect(hashes.toReversed().map((hash) => distinct.add(hash))).toEqual(
      hashes.map((_, at) => hashes.length - 1 - at),
    );
    expect(distinct.hashes).toEqual(hashes);
  });
});
