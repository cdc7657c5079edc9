import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Tier } from "../../schemas/license.ts";
import { openCounters } from "../../src/adapters/nats/counters.ts";
import type { NatsBroker } from "../../src/adapters/nats/nats-broker.ts";
import { takeLimits } from "../../src/rpc/limits.ts";
import { actionLimits } from "../../src/stores/action-limits.ts";
import { FIRST_PLANS, inForce, openPlans, type Plans, planKey } from "../../src/stores/plans.ts";
import { joinBroker } from "../support/gate.ts";

let broker: NatsBroker;
let other: NatsBroker;
let now = Date.UTC(2026, 0, 20, 12);
const clock = () => now;
let plans: Plans;
beforeAll(async () => {
  broker = await joinBroker();
  other = await joinBroker(broker.prefix);
  plans = openPlans(broker.buckets.accounts, clock);
  await plans.ensure();
});
afterAll(() => Promise.all([broker?.close(), other?.close()]));

/** Small figures under the name of a tier, as an operator would set them. */
async function given(tier: Tier, rate_limit: number, max_actions_per_month: number) {
  const plan = FIRST_PLANS.find((each) => each.tier === tier)!;
  const changed = { ...plan, rate_limit, max_actions_per_month };
  await plans.records.put(planKey(tier), { v: 1, active: true, plan: changed });
  now += 5_000;
}

async function act(tier: Tier, accountId: string, licenseId: string, at = broker) {
  const counters = openCounters(at.connection, at.jsm, at.prefix, clock);
  return takeLimits(counters, await actionLimits(plans, { accountId, licenseId, tier }), clock);
}

describe("what an agent's actions are counted against", () => {
  it("is, by the minute, the license: exactly the plan's figure, over several fronts at once", async () => {
    await given("free", 7, -1);
    const admissions = await Promise.all(
      Array.from({ length: 12 }, (_, i) => act("free", "a1", "l1", i % 2 ? broker : other)),
    );
    expect(admissions.filter(({ ok }) => ok)).toHaveLength(7);
    const refused = admissions.find(({ ok }) => !ok)!;
    expect(!refused.ok && [refused.failure.code, refused.failure.retryAfterSeconds]).toEqual([
      "rate_limited",
      (60_000 - (now % 60_000)) / 1_000,
    ]);
    now += 60_000;
    expect((await act("free", "a1", "l1")).ok).toBe(true);
    expect((await act("free", "a1", "l2")).ok).toBe(true);
  });

  it("is, by the month, the account with all its licenses", async () => {
    await given("starter", -1, 5);
    const outcomes = [];
    for (let i = 0; i < 8; i++) outcomes.push(await act("starter", "a2", `m${i}`, i % 2 ? broker : other));
    expect(outcomes.map(({ ok }) => ok)).toEqual([true, true, true, true, true, false, false, false]);
    const last = outcomes.at(-1)!;
    const nextMonth = Date.UTC(2026, new Date(now).getUTCMonth() + 1, 1);
    expect(!last.ok && [last.failure.code, last.failure.retryAfterSeconds]).toEqual([
      "quota_exceeded",
      (nextMonth - now) / 1_000,
    ]);
    expect(last.allowances).toMatchObject([{ name: "month", quota: 5, remaining: 0 }]);
    expect((await act("starter", "a3", "m1")).ok).toBe(true);
  });

  it("is nothing where the plan says -1", async () => {
    for (let i = 0; i < 20; i++)
      expect(await act("enterprise", "a4", "l4")).toEqual({ ok: true, allowances: [] });
  });

  it("follows a change of the plan within seconds", async () => {
    await given("pro", 1, -1);
    expect((await plans.of("pro")).rate_limit).toBe(1);
    await given("pro", 2, -1);
    expect((await plans.of("pro")).rate_limit).toBe(2);
  });
});

describe("plans", () => {
  it("stay as an operator changed them when a role starts again; those withdrawn are not offered, but hold", async () => {
    const plan = { ...FIRST_PLANS[0]!, price: 1 };
    await plans.records.put(planKey("free"), { v: 1, active: false, plan });
    await plans.ensure();
    now += 5_000;
    expect((await plans.active()).map(({ tier }) => tier)).toEqual(["starter", "pro", "enterprise"]);
    expect(await plans.of("free")).toEqual(inForce(plan));
  });

  it("carry what their figures say as a JSON array in a string", () => {
    for (const plan of FIRST_PLANS) expect(JSON.parse(inForce(plan).features)[0]).toMatch(/^[\d,]+ sites?$/);
  });
});
