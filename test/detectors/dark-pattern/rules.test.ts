import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PATTERN_IDS, type PatternId } from "../../../schemas/dark-pattern.ts";
import { gradeOf } from "../../../src/detectors/dark-pattern/grade.ts";
import { LAWS, obligationsFor } from "../../../src/detectors/dark-pattern/law.ts";
import { scanDarkPatterns } from "../../../src/detectors/dark-pattern/rules.ts";
import { judgePatternText } from "../../../src/detectors/dark-pattern/texts.ts";
import { FIXTURES } from "../../workers/gateway/dark-pattern/fixtures.ts";

const found = (result: ReturnType<typeof scanDarkPatterns>): PatternId[] =>
  result.patterns
    .filter(({ verdict }) => verdict === "present" || verdict === "likely_deceptive")
    .map(({ pattern }) => pattern);
const scan = (html: string) =>
  scanDarkPatterns({ first: { html, text: undefined }, later: undefined, secondsLater: undefined });

describe("each pattern is found where it is", () => {
  it.each(FIXTURES.map((fixture) => [`${fixture.pattern}: ${fixture.name}`, fixture] as const))(
    "%s",
    (_, fixture) => {
      const result = scanDarkPatterns(fixture.dark);
      const judged = result.patterns.find(({ pattern }) => pattern === fixture.pattern);
      expect(judged).toMatchObject({ verdict: fixture.verdict });
      const [finding] = result.findings.filter(({ category }) => category === fixture.pattern);
      expect(finding!.evidence.snippet).not.toBe("");
      expect(finding!.evidence.selector ?? "").not.toBe("");
    },
  );

  it("and every one of the seventeen has a page here", () => {
    expect([...new Set(FIXTURES.map(({ pattern }) => pattern))].sort()).toEqual([...PATTERN_IDS].sort());
  });
});

describe("nothing is found in its benign twin", () => {
  it.each(FIXTURES.map((fixture) => [`${fixture.pattern}: not ${fixture.name}`, fixture] as const))(
    "%s",
    (_, fixture) => {
      expect(found(scanDarkPatterns(fixture.benign))).toEqual([]);
    },
  );
});

describe("honest pages", () => {
  it.each([
    [
      "a free edition beside one that costs something",
      '<script type="application/ld+json">{"offers":{"price":"0"}}</script><p>Pro: $4.99</p>',
    ],
    [
      "several prices, one of which is shown",
      '<script type="application/ld+json">[{"price":"4.00"},{"price":"9.00"}]</script><p>$9.00</p>',
    ],
    [
      "a question that is hidden as a whole",
      '<div style="display:none"><p>Deutsch?</p><button>Yes</button><button>No</button></div>',
    ],
  ])("deceive nobody by %s", (_, html) => {
    expect(found(scan(html))).toEqual([]);
  });
});

describe("what was not seen is not passed", () => {
  it("nothing can be said of no page", () => {
    const result = scanDarkPatterns({
      first: { html: undefined, text: undefined },
      later: undefined,
      secondsLater: undefined,
    });
    expect(result.patterns.every(({ verdict }) => verdict === "not_determinable")).toBe(true);
    expect(gradeOf(result)).toMatchObject({ score: null, grade: null });
  });

  it("costs that come late cannot be told from one page", () => {
    const costs = scan("<p>Boots, € 189</p>").patterns.find(({ pattern }) => pattern === "hidden-costs");
    expect(costs).toMatchObject({ verdict: "not_determinable" });
  });

  it("a page that says nothing has no grade, and a reason for that", () => {
    const result = scan("<p>Hello</p>");
    expect(found(result)).toEqual([]);
    expect(result.patterns.every(({ verdict }) => verdict === "not_determinable")).toBe(true);
    expect(gradeOf(result)).toEqual({
      score: null,
      grade: null,
      grade_reason: expect.stringContaining("Only 0 of 17"),
    });
  });

  it("a page without boxes is not called free of ticked ones, nor one without a basket of what is sneaked in", () => {
    const { patterns } = scanDarkPatterns(FIXTURES[0]!.benign);
    const verdictOf = (id: PatternId) => patterns.find(({ pattern }) => pattern === id);
    expect(verdictOf("preselection")).toMatchObject({
      verdict: "not_determinable",
      reason: expect.stringContaining("a box or an option"),
    });
    expect(verdictOf("sneak-into-basket")).toMatchObject({ verdict: "not_determinable" });
    expect(verdictOf("fake-urgency")).toMatchObject({ verdict: "not_found" });
  });

  it("the rest of a page is not called free by its beginning, and what stands there counts", () => {
    const { html } = FIXTURES[0]!.benign.first;
    const ofPart = (part: string) =>
      scanDarkPatterns({
        first: { html: part, text: undefined, isPart: true },
        later: undefined,
        secondsLater: undefined,
      });
    expect(gradeOf(ofPart(html!)).grade).toBeNull();
    expect(ofPart(html!).complete).toBe(false);
    expect(gradeOf(ofPart(FIXTURES[0]!.dark.first.html!)).grade).toBe("C");
  });

  it("an honest timer, which ran down between two visits, is not called deceptive", () => {
    const at = (text: string) => ({ html: `<p>Sale ends in ${text}</p>`, text: undefined });
    const result = scanDarkPatterns({ first: at("09:59"), later: at("08:59"), secondsLater: 60 });
    expect(result.patterns[0]).toMatchObject({ pattern: "fake-urgency", verdict: "present" });
  });
});

describe("score and law", () => {
  it("an honest page has the best grade, a page of everything the worst", () => {
    const best = { score: 100, grade: "A", grade_reason: null };
    expect(gradeOf(scanDarkPatterns(FIXTURES[0]!.benign))).toEqual(best);
    const all = FIXTURES.map(({ dark }) => dark.first.html).join("");
    expect(gradeOf(scan(all))).toMatchObject({ score: 0, grade: "F" });
  });

  it("every pattern has a law in the EU and the United States", () => {
    for (const pattern of PATTERN_IDS)
      for (const jurisdiction of ["EU", "US"])
        expect(LAWS.some((law) => law.jurisdiction === jurisdiction && law.patterns.includes(pattern))).toBe(
          true,
        );
  });

  it("obligations are those of what was found, where it was asked for", () => {
    const laws = obligationsFor(["hard-to-cancel"], ["EU"]);
    expect(laws.map(({ citation }) => citation)).toContain("Directive 2011/83/EU (CRD), article 11a");
    expect(laws.every(({ jurisdiction, patterns }) => jurisdiction === "EU" && patterns.length === 1)).toBe(
      true,
    );
    expect(obligationsFor([])).toEqual([]);
  });

  it("the rule that was vacated is no obligation", () => {
    expect(LAWS.some(({ citation }) => citation.includes("425"))).toBe(false);
  });
});

describe("the text classifier", () => {
  it.each([
    ["Hurry! Only 2 left in stock", "Scarcity"],
    ["Offer ends in 2 hours 12 minutes 5 seconds", "Urgency"],
    ["Maria in Austin, United States just purchased a lamp", "Social Proof"],
    ["No thanks, I like paying full price", "Misdirection"],
  ])("takes %j for %s", (text, kind) => {
    expect(judgePatternText(text)).toMatchObject({ kind });
    expect(judgePatternText(text).dark).toBeGreaterThan(0.9);
  });

  it.each(["International Shipping Policy", "Size guide", "All brands A-Z"])(
    "takes %j for harmless",
    (text) => {
      expect(judgePatternText(text).dark).toBeLessThan(0.5);
    },
  );
});

it("whatever a page is, it is judged", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom(..."<>/=\"' abinput type=checkbox checked0123:"), maxLength: 300 }),
      (html) => {
        expect(scan(html).patterns.length).toBe(17);
      },
    ),
    { numRuns: 50 },
  );
});
