import { describe, expect, it } from "vitest";
import { FIRST_PLANS, inForce } from "../../src/stores/plans.ts";

const featuresOf = (plan: Parameters<typeof inForce>[0]): string[] => JSON.parse(inForce(plan).features);

describe("a plan in force", () => {
  it("says of its figures what they are, after an operator changed them too", () => {
    const [free] = FIRST_PLANS;
    expect(featuresOf({ ...free!, max_actions_per_month: 70, max_sites: 2 })).toEqual([
      "2 sites",
      "70 actions a month",
      "60 actions a minute",
      "100 gateway calls a day and key",
    ]);
    expect(featuresOf({ ...free!, max_actions_per_month: -1, rate_limit: 1 })).toEqual([
      "1 site",
      "any number of actions",
      "1 action a minute",
      "100 gateway calls a day and key",
    ]);
  });

  it("says what an operator wrote besides, and nothing that figures say already", () => {
    const features = JSON.stringify(["3 sites", "PRO keys of the module gateway", "A person to call"]);
    expect(featuresOf({ ...FIRST_PLANS[1]!, features }).slice(-2)).toEqual([
      "10,000 gateway calls a day and key",
      "A person to call",
    ]);
  });

  it("has no more sites than an account can hold", () => {
    const enterprise = FIRST_PLANS.at(-1)!;
    expect(inForce(enterprise)).toMatchObject({ max_sites: 500, max_actions_per_month: -1 });
    expect(featuresOf(enterprise)[0]).toBe("500 sites");
    expect(inForce({ ...enterprise, max_sites: 9_999 }).max_sites).toBe(500);
  });
});
