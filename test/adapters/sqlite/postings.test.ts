import { describe, expect, it } from "vitest";
import { codesOf, encodeTerms } from "../../../src/adapters/index/term-vectors.ts";
import { hashOf } from "../../../src/adapters/index/tokens.ts";
import {
  evidenceWeights,
  postingWeightClass,
  SEGMENT_SITES,
  siteOf,
  visitPostings,
} from "../../../src/adapters/sqlite/segments/postings.ts";

type Fields = Partial<Record<"name" | "domain" | "tags" | "description" | "text", string[]>>;

/** The posting of the term "tea" for a site with these fields. */
function postingOf(fields: Fields, id = 0): number {
  const none = { name: [], domain: [], tags: [], description: [], text: [] };
  let found: number | undefined;
  visitPostings(id, encodeTerms(codesOf({ ...none, ...fields })).blob, (hash, posting) => {
    if (hash === hashOf("tea")) found = posting;
  });
  return found!;
}

const weights = evidenceWeights(100);
const weightOf = (fields: Fields): number => weights[postingWeightClass(postingOf(fields))]!;
const texts = (teas: number, length: number): string[] =>
  Array.from({ length }, (_, i) => (i < teas ? "tea" : `other${i}`));

describe("a posting", () => {
  it("names its site, in whatever segment that is", () => {
    for (const id of [0, 1, SEGMENT_SITES - 1, SEGMENT_SITES, 1_000_003])
      expect(siteOf(Math.floor(id / SEGMENT_SITES), postingOf({ text: ["tea"] }, id))).toBe(id);
  });

  it("weighs a name and a tag that the pages bear out above a text, and that above what they do not", () => {
    const inOrder = [
      weightOf({ name: ["tea"], text: texts(1, 100) }),
      weightOf({ text: texts(1, 100) }),
      weightOf({ name: ["tea"] }),
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
    visitPostings(0, encodeTerms(codesOf(none), ["__cfood"]).blob, (hash, posting) => {
      if (hash === hashOf("__cfood")) seen.push(weights[postingWeightClass(posting)]!);
    });
    expect(seen).toEqual([0]);
  });
});
