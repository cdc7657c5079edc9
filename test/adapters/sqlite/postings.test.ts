import { describe, expect, it } from "vitest";
import { codesOf, encodeTerms } from "../../../src/adapters/index/term-vectors.ts";
import { hashOf } from "../../../src/adapters/index/tokens.ts";
import {
  CHUNK_SITES,
  evidenceOf,
  evidenceWeights,
  siteOf,
  visitEntries,
} from "../../../src/adapters/sqlite/segments/postings.ts";

type Fields = Partial<Record<"name" | "domain" | "tags" | "description" | "text", string[]>>;

/** The entry of the word "tea" for a site with these fields. */
const entryOf = (fields: Fields, id = 0): number => {
  const none = { name: [], domain: [], tags: [], description: [], text: [] };
  let found: number | undefined;
  visitEntries(id, encodeTerms(codesOf({ ...none, ...fields })).blob, (hash, entry) => {
    if (hash === hashOf("tea")) found = entry;
  });
  return found!;
};

const weights = evidenceWeights(100);
const weightOf = (fields: Fields): number => weights[evidenceOf(entryOf(fields))]!;
const texts = (teas: number, length: number): string[] =>
  Array.from({ length }, (_, i) => (i < teas ? "tea" : `other${i}`));

describe("an entry of a word's list", () => {
  it("names its site, in whatever chunk that is", () => {
    for (const id of [0, 1, CHUNK_SITES - 1, CHUNK_SITES, 1_000_003])
      expect(siteOf(Math.floor(id / CHUNK_SITES), entryOf({ text: ["tea"] }, id))).toBe(id);
  });

  it("weighs a tag that the pages bear out above a name, and that above a text, a description and a tag alone", () => {
    const inOrder = [
      weightOf({ name: ["tea"], text: texts(1, 100) }),
      weightOf({ name: ["tea"] }),
      weightOf({ text: texts(1, 100) }),
      weightOf({ description: ["tea"] }),
      weightOf({ tags: ["tea"] }),
    ];
    expect(inOrder).toEqual(inOrder.toSorted((a, b) => b - a));
    expect(weightOf({ tags: ["tea"], text: texts(1, 100) })).toBeGreaterThan(weightOf({ name: ["tea"] }));
  });

  it("weighs a text by how often it says the word for its length", () => {
    expect(weightOf({ text: texts(3, 100) })).toBeGreaterThan(weightOf({ text: texts(1, 100) }));
    expect(weightOf({ text: texts(1, 20) })).toBeGreaterThan(weightOf({ text: texts(1, 1_000) }));
    expect(weightOf({ text: texts(200, 300) })).toBe(weightOf({ text: texts(7, 300) }));
  });

  it("weighs a facet nothing", () => {
    const none = { name: [], domain: [], tags: [], description: [], text: ["tea"] };
    const seen: number[] = [];
    visitEntries(0, encodeTerms(codesOf(none), ["__cfood"]).blob, (hash, entry) => {
      if (hash === hashOf("__cfood")) seen.push(weights[evidenceOf(entry)]!);
    });
    expect(seen).toEqual([0]);
  });
});
