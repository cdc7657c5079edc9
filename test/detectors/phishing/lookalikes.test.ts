import { describe, expect, it } from "vitest";
import { looksLike, slipOf, suspectOf } from "../../../src/detectors/phishing/lookalikes.ts";

const isLookalike = (word: string, name: string): boolean => looksLike(suspectOf(word), suspectOf(name));

describe("a word", () => {
  it.each([
    ["paypa1", "paypal"],
    ["paypai", "paypal"],
    ["rnicrosoft", "microsoft"],
    ["m1crosoft", "microsoft"],
    ["b00king", "booking"],
    ["aclobe3", "adobe3"],
    ["app1e", "apple"],
    ["qoogle", "google"],
  ])("%s looks like %s", (word, name) => {
    expect(isLookalike(word, name)).toBe(true);
  });

  it.each([
    ["paypal", "paypal"],
    // Letters alone for letters: too many words of five letters would look like others.
    ["appie", "apple"],
    ["1ng", "ing"],
    ["maple", "apple"],
  ])("%s does not look like %s", (word, name) => {
    expect(isLookalike(word, name)).toBe(false);
  });

  it.each([
    ["ebbay", "ebay", "doubled"],
    ["netfllix", "netflix", "doubled"],
    ["chsae", "chase", "exchanged"],
    ["tsripe", "stripe", "exchanged"],
    ["chse", "chase", "omitted"],
    ["netflx", "netflix", "other"],
    ["etflix", "netflix", "other"],
    ["betflix", "netflix", "other"],
    ["netflixs", "netflix", undefined],
    ["bankofamrica", "bankofamerica", "other"],
    ["bankoffamericca", "bankofamerica", "two"],
  ])("%s misspells %s: %s", (word, name, slip) => {
    expect(slipOf(word, name)).toBe(slip);
  });

  it.each([
    ["hsb", "hsbc"],
    ["hbc", "hsbc"],
    ["xetflix", "netflix"],
    ["netfax", "netflix"],
    ["lloydds", "lloyds1"],
  ])("%s does not misspell %s", (word, name) => {
    expect(slipOf(word, name)).toBe(undefined);
  });
});
