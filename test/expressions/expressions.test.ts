/** Regular expressions that strangers' text meets: recheck asks each, and what may stay by exception is measured. */
import { describe, expect, it } from "vitest";
import { EXCEPTIONS } from "../../deploy/expressions/exceptions.ts";
import { expressionsIn, inventory } from "../../deploy/expressions/inventory.ts";
import { isExcepted, refusals } from "../../deploy/expressions/refusals.ts";
import {
  attackOf,
  checkExpression,
  type ExpressionVerdict,
  expressionKey,
  keptVerdicts,
} from "../../deploy/expressions/verdicts.ts";
import { processorWatch } from "../support/processor-watch.ts";

const expressions = await inventory();
const verdicts = keptVerdicts();
const named = (source: string, places = ["src/a.ts:1"]) => ({ source, flags: "", places });

/** Processor time of one run, milliseconds: as many runs as one can tell from none. */
function timeOf(run: () => void): number {
  run();
  const spentMs = processorWatch();
  let runs = 0;
  do {
    run();
    runs++;
  } while (spentMs() < 40);
  return spentMs() / runs;
}

describe("the inventory", () => {
  it("holds literals, what modules build as they load, and the patterns of schemas", () => {
    const at = (file: string) =>
      expressions.filter(({ places }) => places.some((place) => place.startsWith(file)));
    expect(expressions.length).toBeGreaterThan(500);
    expect(at("src/egress/robots.ts").length).toBeGreaterThan(3);
    expect(at("src/detectors/firewall/openings.ts").some(({ source }) => source.includes("im_start"))).toBe(
      true,
    );
    expect(at("schemas/openapi.json").length).toBeGreaterThan(5);
  });

  it("names the places that build an expression from a string", () => {
    const text = 'new RegExp(a);\nRegExp("x");\ntext.match("y+");\ntext.match(/z/);\ntext.search(`q`);';
    const { literals, built } = expressionsIn("a.ts", text);
    expect(literals).toEqual([{ source: "z", flags: "", place: "a.ts:4" }]);
    expect(built).toEqual(["a.ts:1", "a.ts:2", "a.ts:3", "a.ts:5"]);
  });
});

describe("recheck", () => {
  it.each([
    [String.raw`^\s*(?:[a-z-]+\s*:\s*[#\w.%\s-]+(?:;|$)\s*)*$`, "exponential"],
    [String.raw`\s*,\s*`, "polynomial"],
    [String.raw`;\s*charset\s*=\s*"?\s*([^\s";,]+)`, "polynomial"],
    [String.raw`\s+$`, "polynomial"],
    [String.raw`^\s+`, "linear"],
  ])("says of %s that it is %s", async (source, says) => {
    expect(await checkExpression({ source, flags: "" })).toMatchObject({ says });
  });

  it("has been asked about every expression here, and none is refused", () => {
    expect(refusals(expressions, verdicts, EXCEPTIONS)).toEqual([]);
  });

  it.each([
    ["exponential", { says: "exponential", attack: { pumps: [], suffix: "" } }],
    ["polynomial, of degree 2", { says: "polynomial", degree: 2, attack: { pumps: [], suffix: "" } }],
    ["recheck cannot decide", { says: "unknown" }],
    ["not asked about", undefined],
  ] as [string, ExpressionVerdict | undefined][])("refuses what is %s", (said, verdict) => {
    const one = named("(a+)+$");
    const faults = refusals([one], verdict ? new Map([[expressionKey(one), verdict]]) : new Map(), []);
    expect(faults).toEqual([`src/a.ts:1: ${said}: /(a+)+$/`]);
  });

  it("refuses exceptions that nothing needs, and those for more than one expression", () => {
    const exception = { file: "src/a.ts", begins: "a", maxChars: 1, worstMs: 1, why: "" };
    const linear = named("ab");
    expect(
      refusals([linear], new Map([[expressionKey(linear), { says: "linear" }]]), [exception]),
    ).toHaveLength(1);
    expect(refusals([named("ab"), named("ac")], new Map(), [exception])).toHaveLength(1);
    expect(refusals([named("ab")], new Map(), [exception])).toEqual([]);
  });
});

describe("an exception", () => {
  it.each(EXCEPTIONS.map((exception) => [exception.file, exception.begins, exception] as const))(
    "of %s, %s, takes its stated time at most for an attack of its longest input",
    (_, __, exception) => {
      const expression = expressions.find((one) => isExcepted(one, exception))!;
      const verdict = verdicts.get(expressionKey(expression))!;
      const attacks = [exception.attack, "attack" in verdict ? verdict.attack : undefined].filter(
        (attack) => attack !== undefined,
      );
      expect(attacks, "an exception needs an attack to be measured by").not.toEqual([]);
      for (const attack of attacks) {
        const text = attackOf(attack, exception.maxChars);
        expect(text.length).toBeGreaterThan(exception.maxChars * 0.8);
        const tookMs = timeOf(() => {
          new RegExp(expression.source, expression.flags).exec(text);
        });
        expect(tookMs).toBeLessThan(exception.worstMs);
      }
    },
  );
});

describe("every expression", () => {
  /** Of one character: what an expression has in it, white space, and what it does not name. */
  const CHARS = 20_000;
  const MAX_MS = 150;

  it("takes the time of its input for a run of any character that it names", { timeout: 120_000 }, () => {
    const slow: string[] = [];
    for (const expression of expressions) {
      if (EXCEPTIONS.some((exception) => isExcepted(expression, exception))) continue;
      const pattern = new RegExp(expression.source, expression.flags);
      for (const char of new Set([..." \t\n0a-", ...expression.source.slice(0, 200)])) {
        const text = `${char.repeat(CHARS)}\u0001`;
        const spentMs = processorWatch();
        pattern.lastIndex = 0;
        pattern.exec(text);
        if (spentMs() > MAX_MS)
          slow.push(`${expressionKey(expression).slice(0, 80)} for ${JSON.stringify(char)}: ${spentMs()} ms`);
      }
    }
    expect(slow).toEqual([]);
  });
});
