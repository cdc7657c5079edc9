import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isCurrency } from "../../../../schemas/currency.ts";
import { fromMinor, minorDigits, toMinor } from "../../../../src/domain/listing/money.ts";
import {
  assess,
  coverageOf,
  lowestWithin,
  type Point,
  priceSteps,
} from "../../../../workers/gateway/price/rules.ts";

const DAY = 86_400;
/** One observation a day for each price, then the day's price again until `days` are full. */
function daily(...runs: [days: number, price: number][]): Point[] {
  let day = 20_000;
  return runs.flatMap(([days, price]) => Array.from({ length: days }, () => [day++ * DAY, price] as const));
}

describe("a reduction", () => {
  it("of bananas at 1.29 with “−23 %” is none when they cost 1.29 within the 30 days (CJEU C-330/23)", () => {
    const points = daily([20, 129], [10, 169], [3, 129]);
    expect(assess(points, { percent: 23 })).toMatchObject({
      verdict: "no_reduction",
      priorMinor: 129,
      actualPercent: 0,
    });
  });

  it("of pineapples at 1.49 from a crossed-out 1.69 is none when they cost 1.39 within the 30 days (CJEU C-330/23)", () => {
    const points = daily([10, 139], [20, 169], [2, 149]);
    const assessment = assess(points, { wasMinor: 169 })!;
    expect(assessment).toMatchObject({ verdict: "no_reduction", priorMinor: 139 });
    expect(assessment.actualPercent).toBeCloseTo(-7.19, 2);
  });

  it("is genuine when it is announced as it is", () => {
    expect(assess(daily([40, 10_000], [2, 8_000]), { percent: 20 })).toMatchObject({
      verdict: "genuine",
      actualPercent: expect.closeTo(20),
      coverage: 1,
    });
  });

  it("is overstated when it is counted from a price that was not the lowest", () => {
    const points = daily([20, 10_000], [5, 9_000], [5, 10_000], [2, 8_000]);
    expect(assess(points, { wasMinor: 10_000 })).toMatchObject({ verdict: "overstated", priorMinor: 9_000 });
    expect(assess(points, { wasMinor: 9_000 })).toMatchObject({ verdict: "genuine" });
  });

  it("may be announced rounded to a whole percent", () => {
    expect(assess(daily([40, 2_999], [1, 1_999]), { percent: 33 })?.verdict).toBe("genuine");
    expect(assess(daily([40, 2_999], [1, 1_999]), { percent: 34 })?.verdict).toBe("overstated");
  });

  it("is not judged when less than four fifths of the 30 days are known, and says how much is", () => {
    const assessment = assess(daily([10, 10_000], [1, 8_000]), { percent: 20 })!;
    expect(assessment).toMatchObject({ verdict: "insufficient_history", priorMinor: 10_000 });
    expect(assessment.coverage).toBeCloseTo(1 / 3, 2);
    expect(assess([[20_000 * DAY, 100]])?.verdict).toBe("insufficient_history");
    expect(assess([])).toBeUndefined();
  });

  it("counts the price that was set before the 30 days and held into them", () => {
    const points = daily([35, 9_000], [29, 10_000], [1, 9_500]);
    expect(assess(points)).toMatchObject({ verdict: "no_reduction", priorMinor: 9_000 });
  });
});

describe("a history", () => {
  const points = fc
    .array(fc.tuple(fc.integer({ min: 0, max: 90 * DAY }), fc.integer({ min: 1, max: 5 })), { maxLength: 60 })
    .map((pairs) => [...new Map(pairs).entries()]);

  it("is covered between nothing and all of a time, and all where observations are dense", () => {
    fc.assert(
      fc.property(points, (told) => {
        const sorted = told.toSorted(([a], [b]) => a - b);
        const coverage = coverageOf(sorted, 10 * DAY, 40 * DAY);
        expect(coverage).toBeGreaterThanOrEqual(0);
        expect(coverage).toBeLessThanOrEqual(1);
        const lowest = lowestWithin(sorted, 10 * DAY, 40 * DAY);
        if (lowest !== undefined) expect(sorted.some(([, price]) => price === lowest)).toBe(true);
      }),
    );
  });

  it("keeps a gap apart from a price that held", () => {
    const steps = priceSteps([
      [0, 5],
      [DAY, 5],
      [20 * DAY, 5],
    ]);
    expect(steps.map(({ observations }) => observations)).toEqual([2, 1]);
  });
});

describe("an amount", () => {
  it.each([
    ["EUR", 19.99, 1_999],
    ["EUR", 0.29, 29],
    ["EUR", 1_000_000.1, 100_000_010],
    ["JPY", 1_500, 1_500],
    ["KWD", 1.234, 1_234],
    ["IQD", 1.234, 1_234],
    ["CLF", 1.2345, 12_345],
  ])("of %s %s is %s minor units, and back", (currency, amount, minor) => {
    expect(toMinor(amount, currency)).toBe(minor);
    expect(fromMinor(minor, currency)).toBe(amount);
  });

  it.each([
    ["EUR", 19.999],
    ["JPY", 1.5],
    ["EUR", -1],
    ["EUR", 1e15],
  ])("of %s %s is refused", (currency, amount) => {
    expect(toMinor(amount, currency)).toBeUndefined();
    expect(minorDigits(currency)).toBeLessThanOrEqual(2);
  });

  it.each("AFN ALL COP HUF IDR IRR KPW LAK LBP MGA MMK PKR SLL SOS SYP YER".split(" "))(
    "of %s has two digits, as ISO 4217 has it, whatever the host's ICU says of cash",
    (currency) => {
      expect(isCurrency(currency)).toBe(true);
      expect(toMinor(1_299.99, currency)).toBe(129_999);
      expect(toMinor(1_299.999, currency)).toBeUndefined();
    },
  );

  it("of gold, of a unit of account or of a code for tests is none: they have no minor unit", () => {
    for (const code of ["XAU", "XDR", "XTS", "XXX", "ABC"]) expect(isCurrency(code)).toBe(false);
  });
});
