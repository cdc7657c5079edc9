import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  binomialTail,
  compare,
  type Pair,
  paymentVerdict,
  toMinute,
} from "../../../../workers/gateway/notary/rules.ts";

const pair = (control: number, treatment: number, controlAgain: number | null = control): Pair => ({
  control,
  treatment,
  controlAgain,
});
const times = (count: number, one: Pair): Pair[] => Array.from({ length: count }, () => one);

describe("a comparison", () => {
  it("is discrimination when the treatment differs and identical controls do not", () => {
    expect(compare("signed_in", times(5, pair(1_000, 1_200)))).toMatchObject({
      verdict: "claimed_discrimination",
      pairs: 5,
      controlled_pairs: 5,
      treatment_differs: 5,
      control_differs: 0,
      p_value: 0.03125,
      median_difference_minor: 200,
    });
  });

  it.each([
    ["four pairs are too few", times(4, pair(1_000, 1_200))],
    ["without a second control nothing is known of the noise", times(100, pair(1_000, 1_200, null))],
    [
      "controls that differ as often show noise",
      [...times(10, pair(1_000, 1_200)), ...times(10, pair(1_000, 1_000, 1_100))],
    ],
    ["differences that come with noise count for nothing", times(50, pair(1_000, 1_200, 1_100))],
    ["one pair in many is chance", [...times(99, pair(1_000, 1_000)), pair(1_000, 1_200)]],
  ])("is a difference and no more: %s", (_, pairs) => {
    expect(compare("device", pairs).verdict).toBe("claimed_difference");
  });

  it("is none where the treatment saw what the control saw", () => {
    expect(compare("device", times(20, pair(500, 500)))).toMatchObject({
      verdict: "claimed_no_difference",
      p_value: 1,
    });
    expect(compare("device", times(20, pair(500, 500, 600))).verdict).toBe("claimed_no_difference");
    expect(compare("device", [pair(500, 500, null)])).toMatchObject({
      verdict: "claimed_no_difference",
      p_value: null,
    });
  });

  it("calls noise alone discrimination no more often than its level", () => {
    // Treatment and both controls draw from the same two prices.
    let found = 0;
    let seed = 1;
    const coin = () => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % 2 === 0 ? 1_000 : 1_100;
    };
    for (let run = 0; run < 2_000; run++) {
      const pairs = Array.from({ length: 40 }, () => pair(coin(), coin(), coin()));
      if (compare("none", pairs).verdict === "claimed_discrimination") found++;
    }
    expect(found / 2_000).toBeLessThan(0.05);
  });
});

describe("the tail of fair coins", () => {
  it("is what counting gives", () => {
    const choose = (n: number, k: number): number => (k === 0 ? 1 : (choose(n - 1, k - 1) * n) / k);
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 25 }), fc.nat(25), (trials, hits) => {
        const wanted = Array.from({ length: trials + 1 }, (_, k) => (k >= hits ? choose(trials, k) : 0));
        const sum = wanted.reduce((a, b) => a + b, 0) / 2 ** trials;
        expect(binomialTail(hits, trials)).toBeCloseTo(sum, 10);
      }),
    );
    expect(binomialTail(600, 1_000)).toBeCloseTo(1.364e-10, 12);
  });
});

describe("a payment", () => {
  it.each([
    [790, 790, "EUR", "claimed_as_agreed", 0],
    [790, 840, "EUR", "claimed_charged_more", 50],
    [790, 700, "EUR", "claimed_charged_less", -90],
    [790, 790, "USD", "claimed_other_currency", null],
  ])("of %i agreed and %i %s paid is %s", (agreed, paid, currency, verdict, difference) => {
    expect(paymentVerdict({ minor: agreed, currency: "EUR" }, { minor: paid, currency })).toEqual({
      verdict,
      difference,
    });
  });

  it("is dated to the minute", () => {
    expect(toMinute(Date.UTC(2026, 0, 31, 12, 30, 59, 999))).toBe("2026-01-31T12:30:00.000Z");
  });
});
