import { describe, expect, it } from "vitest";
import { DAY_MS, HOUR_MS } from "../../src/ports/time.ts";
import { EARLIER_FORMS } from "./earlier-forms.ts";
import { simulate } from "./simulate.ts";

/** Visits all the time, and a fault every few seconds; `npm run faults -- simulate` has the long forms. */
const RUSH = { hosts: 6, days: 0.25 * (HOUR_MS / DAY_MS), rushEveryMs: 10_000, faultEveryMs: 15_000 };
/** Days, with most faults in the middle of visits. */
const DAYS = { hosts: 6, days: 3, faultEveryMs: 4 * HOUR_MS };

describe("a simulated registry", () => {
  it("has one history for one seed, to the last event", async () => {
    const minutes = { ...RUSH, days: 0.08 * (HOUR_MS / DAY_MS), seed: 11 };
    const [one, again] = [await simulate(minutes), await simulate(minutes)];
    expect(again).toEqual(one);
    expect(one.faults).toBeGreaterThan(10);
    expect((await simulate({ ...RUSH, days: 0.002, seed: 12 })).trace).not.toBe(one.trace);
  });

  it.each([
    ["days", { ...DAYS, seed: 21 }],
    ["a rush", { ...RUSH, seed: 22 }],
  ])("keeps every host, every pause and every listing true through faults: %s", async (_, settings) => {
    const { violations, visits, faults } = await simulate(settings);
    expect(violations).toEqual([]);
    expect(visits).toBeGreaterThan(settings.hosts);
    expect(faults).toBeGreaterThan(5);
  });
});

/** Those that show themselves within seconds; `npm run faults -- simulate --earlier-forms` looks for all of them. */
const SHORT = EARLIER_FORMS.filter(({ isQuick }) => isQuick);
/** Some seeds show more of one form than others do; a history ends with the first thing that it shows. */
const SEEDS = [1, 2, 3, 4, 5, 6];

describe("the simulation", () => {
  it.each(SHORT)(
    "finds an earlier form in which $name",
    async ({ variants, faults, kinds, isRush, breaks }) => {
      const settings = isRush ? { ...RUSH, days: HOUR_MS / DAY_MS } : { ...DAYS, days: 6 };
      const rules: string[] = [];
      for (const seed of SEEDS) {
        const { violations } = await simulate({
          ...settings,
          ...(kinds && { kinds }),
          seed,
          variants,
          faults,
          endsEarly: true,
        });
        rules.push(...violations.map(({ rule }) => rule));
        if (rules.some((rule) => breaks.test(rule))) break;
      }
      expect(rules.join()).toMatch(breaks);
    },
  );
});
