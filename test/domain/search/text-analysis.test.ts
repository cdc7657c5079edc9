import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  analyzeQuery,
  analyzeText,
  exactForm,
  MAX_QUERY_TERMS,
  MAX_TERM_LENGTH,
  MAX_TERMS,
} from "../../../src/domain/search/text-analysis.ts";
import { anyCharacter } from "../../support/any-character.ts";
import { processorWatch } from "../../support/processor-watch.ts";

describe("analysis", () => {
  const cases: [string, string, string[]][] = [
    ["keeps order and repeats", "red blue red", ["red", "blue", "red"]],
    ["drops words that carry no subject", "the best of the rest and der Hund", ["best", "rest", "hund"]],
    ["stems English words", "booking bookings booked", ["book", "book", "book"]],
    [
      "yields parts and whole of a hyphenated name",
      "mcp-server-adfin",
      ["mcp", "server", "adfin", "mcpserveradfin"],
    ],
    ["yields parts and whole of camelCase", "camelCase", ["camel", "case", "camelcas"]],
    ["sees an acronym before a word", "HTTPServer", ["http", "server", "httpserver"]],
    ["yields parts and whole of a dotted name", "node.js", ["node", "js", "nodej"]],
    ["keeps the sign of a language", "C++, C# and f#", ["c", "c++", "c", "c#", "f", "f#"]],
    ["drops a possessive", "Joe's café’s", ["joe", "cafe"]],
    ["ends a sentence at its full stop", "One. Two", ["on", "two"]],
    ["folds case beyond ASCII", "STRASSE Straße ΣΊΣΥΦΟΣ", ["strass", "strass", "σισυφοσ"]],
    ["drops diacritics of Latin, Greek and Cyrillic", "Übung ά Ёлка", ["ubung", "α", "елка"]],
    ["folds compatibility forms", "ﬁne ＡＢＣ ①", ["fine", "abc", "1"]],
    ["keeps vowel signs where they are vowels", "हिन्दी", ["हिन्दी"]],
    ["reads decomposed text as composed", "cafe\u0301", ["cafe"]],
    ["splits CJK into bigrams", "東京タワー", ["東京", "京タ", "タワ", "ワー"]],
    ["keeps a single CJK character", "茶 tea", ["茶", "tea"]],
    ["segments Thai by its dictionary", "ภาษาไทย", ["ภาษา", "ไทย"]],
    ["ignores what is no word", "🎉 — ... \0 \ud800", []],
  ];
  for (const [what, text, terms] of cases)
    it(what, () => {
      expect(analyzeText(text)).toEqual(terms);
    });

  it("never yields an empty, overlong, spaced or ill-formed term", () => {
    const text = fc.string({ unit: anyCharacter, maxLength: 300 });
    fc.assert(
      fc.property(text, (found) => {
        for (const term of analyzeText(found)) {
          expect(term.length).toBeGreaterThan(0);
          expect(term.length).toBeLessThanOrEqual(MAX_TERM_LENGTH);
          expect(term.isWellFormed()).toBe(true);
          expect(term).not.toMatch(/\s/);
        }
      }),
    );
  });

  it("does not depend on case or on the form of composition", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-zäöüéñа-яα-ω ]{0,40}$/), (text) => {
        expect(analyzeText(text.toUpperCase())).toEqual(analyzeText(text));
        expect(analyzeText(text.normalize("NFD"))).toEqual(analyzeText(text));
      }),
    );
  });

  it("finds every query term of a text in that text", () => {
    fc.assert(
      fc.property(fc.lorem({ maxCount: 20 }), fc.constantFrom("-", ".", " ", "_"), (text, joint) => {
        const joined = text.replaceAll(" ", joint);
        const terms = new Set(analyzeText(joined));
        for (const term of analyzeQuery(joined)) expect(terms).toContain(term);
      }),
    );
  });

  const heavy = [
    "a-",
    "aB",
    "ก",
    "東",
    "é",
    "\ufdfa",
    "a\u0301",
    "\u0301\u0316",
    "a\u0301\u0316",
    "😀",
    "x ",
  ];
  for (const unit of heavy)
    it(`reads a million characters of ${JSON.stringify(unit)} in bounded time and terms`, () => {
      const tookMs = processorWatch();
      expect(analyzeText(unit.repeat(1_000_000 / unit.length)).length).toBeLessThanOrEqual(MAX_TERMS);
      expect(tookMs()).toBeLessThan(3_000);
    });
});

describe("a query", () => {
  it("has each term once, and at most 32", () => {
    expect(analyzeQuery("tea TEA teas")).toEqual(["tea"]);
    expect(analyzeQuery(Array.from({ length: 99 }, (_, i) => `w${i}`).join(" "))).toHaveLength(
      MAX_QUERY_TERMS,
    );
  });

  it("takes camelCase as the word that most people write", () => {
    expect(analyzeQuery("GitHub")).toEqual(["github"]);
  });

  it("of ten thousand characters is read at once", () => {
    const tookMs = processorWatch();
    for (const unit of heavyUnits) analyzeQuery(unit.repeat(10_000));
    expect(tookMs()).toBeLessThan(1_000);
  });
  const heavyUnits = ["a-", "東", "ก", "\u0301", "w "];
});

describe("the exact form", () => {
  it("has one case, single spaces, no diacritics and plain apostrophes", () => {
    expect(exactForm("  Café\u00a0 JOE’S\n")).toBe("cafe joe's");
    expect(exactForm("The  Who")).toBe(exactForm("the who"));
  });

  it("tells signs apart, so that C is not C++", () => {
    expect(exactForm("C++")).not.toBe(exactForm("C"));
  });

  it("is its own exact form", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 60 }), (name) => {
        expect(exactForm(exactForm(name))).toBe(exactForm(name));
      }),
    );
  });
});
