import { describe, expect, it } from "vitest";
import { PhraseFinder, requiredLiterals } from "../../src/classifiers/phrase-finder.ts";
import { CHOICES } from "../../src/detectors/dark-pattern/choices.ts";
import { MONEY } from "../../src/detectors/dark-pattern/money.ts";
import { PRESSING } from "../../src/detectors/dark-pattern/pressure.ts";
import { FIXTURES } from "../workers/gateway/dark-pattern/fixtures.ts";

describe("what a match must have", () => {
  it.each([
    [/only a few left/i, ["only a few left"]],
    [/\b(?:hurry|act now)\b/, ["hurry", "act now"]],
    [/(?:sale|deal)\b[^.\n]{0,24}\bexpires? soon/, ["expire"]],
    [/promo\w*|tr[iy]al/, ["promo", "tr"]],
    [/colou?r/, ["colo"]],
    [/(?:very )?long(?! gone)/, ["long"]],
    [/\d{1,2}\s*:\s*[0-5]\d/, [":"]],
    [/[$€]\s?\d+\.99/, [".00"]],
    [/(?:ha){2,}!/, ["ha"]],
    [/[^a]bc[\d3-5]/, ["bc0"]],
    [/\p{L}x/u, ["x"]],
  ])("%s: one of %j", (pattern, literals) => {
    expect(requiredLiterals(pattern)).toEqual(literals);
  });

  it("an expression that may match without any is refused", () => {
    expect(() => requiredLiterals(/(?:free)?|trial/)).toThrow("matches without a literal");
  });
});

describe("a finder", () => {
  const [FEW, CLOCK, TWO_WORDS] = [/\bonly \d left\b/i, /\d:\d/, /big\s+red|red dog/];
  const finder = new PhraseFinder([FEW, CLOCK, TWO_WORDS]);
  const named = (text: string) =>
    [FEW, CLOCK, TWO_WORDS].filter((pattern) => (finder.read(text) & finder.bitOf(pattern)) !== 0);

  it.each([
    ["Hurry: ONLY 3 left, 9:59", [FEW, CLOCK]],
    ["only\n 3\tleft", [FEW]],
    ["a red \u00a0dog", [TWO_WORDS]],
    ["nothing of it", []],
    ["", []],
  ])("sees in %j what may match", (text, patterns) => {
    expect(named(text)).toEqual(patterns);
  });

  it("does not miss what the engine takes for other letter cases", () => {
    const asked = /kiss/iu;
    const one = new PhraseFinder([asked]);
    for (const text of ["KISS", "\u212aiss", "ki\u017fs"])
      expect([asked.test(text), one.read(text)]).toEqual([true, 1]);
  });

  it("is not asked for what it does not look for, nor for too much", () => {
    expect(() => finder.bitOf(/other/)).toThrow("not among the patterns");
    expect(() => new PhraseFinder(Array.from({ length: 32 }, () => /a/))).toThrow("more than 31");
  });

  it("sees each pattern of the dark-pattern rules in every text that matches it", () => {
    const patterns = [...PRESSING, ...MONEY, ...CHOICES];
    const rules = new PhraseFinder(patterns);
    const texts = FIXTURES.flatMap(({ dark, benign }) => [dark, benign])
      .flatMap(({ first, later }) => [first.html, later?.html])
      .flatMap((html) => html?.split(/<[^>]*>/) ?? []);
    const met = new Set<RegExp>();
    for (const text of texts)
      for (const pattern of patterns.filter((one) => one.test(text))) {
        met.add(pattern);
        expect(rules.read(text) & rules.bitOf(pattern), `${pattern} in ${text}`).not.toBe(0);
      }
    expect(met.size).toBeGreaterThan(15);
  });
});
