/** Stored plans, which every process caches for a few seconds. */

import { MOST_SITES } from "../../schemas/account.ts";
import { gatewayPlanOf, PLAN_QUOTAS } from "../../schemas/api-key.ts";
import { TIERS, type Tier } from "../../schemas/license.ts";
import { type Plan, PlanRecord } from "../../schemas/plan.ts";
import type { Bucket } from "../ports/buckets.ts";
import { openRecords, type Records } from "./records.ts";

export interface Plans {
  records: Records<PlanRecord>;
  /** The offered plans, in ascending order. */
  active(): Promise<Plan[]>;
  /** The plan of a tier, offered or not. */
  of(tier: Tier): Promise<Plan>;
  /** Stores missing plans. Does not overwrite an operator's changes. */
  ensure(): Promise<void>;
}

/** The key of a plan's record in the bucket `accounts`. */
export const planKey = (tier: Tier): string => `plan.${tier}`;

/** Cache lifetime: a change of a plan reaches every process within it. */
const FRESH_MS = 5_000;

const plan = (
  tier: Tier,
  rest: Omit<Plan, "id" | "tier" | "currency" | "billing_cycle" | "features">,
): Plan => ({
  id: TIERS.indexOf(tier) + 1,
  tier,
  ...rest,
  currency: "EUR",
  billing_cycle: "monthly",
  features: "[]",
});

const basic = { is_featured: false, is_contact_sales: false } as const;

/** The plans of a new registry. */
export const FIRST_PLANS: readonly Plan[] = [
  plan("free", {
    ...basic,
    name: "Free",
    price: 0,
    description: "One site, to see what agents make of it.",
    max_sites: 1,
    max_actions_per_month: 1_000,
    rate_limit: 60,
  }),
  plan("starter", {
    ...basic,
    name: "Starter",
    price: 9,
    description: "For a small business with a few sites.",
    max_sites: 3,
    max_actions_per_month: 10_000,
    rate_limit: 120,
  }),
  plan("pro", {
    ...basic,
    name: "Pro",
    price: 29,
    description: "For agencies and shops that agents really use.",
    max_sites: 10,
    max_actions_per_month: 100_000,
    rate_limit: 300,
    is_featured: true,
  }),
  plan("enterprise", {
    ...basic,
    name: "Enterprise",
    price: 0,
    description: "Without limits; the price is agreed on.",
    max_sites: -1,
    max_actions_per_month: -1,
    rate_limit: -1,
    is_contact_sales: true,
  }),
];

/** Sentences of a stored plan that its figures say. */
const OF_FIGURES =
  /^(?:[\d,]+|any number of) (?:site|action|gateway call)s?\b|^(?:FREE|PRO|BUSINESS) keys of the module gateway$/;

/** @param now milliseconds */
export function openPlans(bucket: Bucket, now: () => number): Plans {
  const records = openRecords(bucket, PlanRecord);
  const known = new Map<Tier, { record: PlanRecord; readAt: number }>();
  const recordOf = async (tier: Tier): Promise<PlanRecord> => {
    const remembered = known.get(tier);
    if (remembered && now() - remembered.readAt < FRESH_MS) return remembered.record;
    const stored = (await records.get(planKey(tier)))?.value;
    // The role that stores the plans may not have run yet.
    const record = stored ?? { v: 1, active: true, plan: FIRST_PLANS[TIERS.indexOf(tier)]! };
    known.set(tier, { record, readAt: now() });
    return record;
  };
  return {
    records,
    active: async () =>
      (await Promise.all(TIERS.map(recordOf))).flatMap((record) =>
        record.active ? [inForce(record.plan)] : [],
      ),
    of: async (tier) => inForce((await recordOf(tier)).plan),
    ensure: async () => {
      for (const each of FIRST_PLANS)
        await records.compareAndSet(planKey(each.tier), { v: 1, active: true, plan: each }, 0);
    },
  };
}

/**
 * A plan as it is in force: no account has more sites than its record can hold, and what its features say of its figures follows
 * from them, whatever an operator made of either.
 */
export function inForce(stored: Plan): Plan {
  const { max_sites: sites, max_actions_per_month: actions, rate_limit: rate } = stored;
  const max_sites = sites < 0 ? MOST_SITES : Math.min(sites, MOST_SITES);
  const features: unknown = JSON.parse(stored.features);
  const others = Array.isArray(features) ? features.filter((each) => !OF_FIGURES.test(String(each))) : [];
  const figures = [
    countOf(max_sites, "site"),
    actions < 0 ? countOf(actions, "action") : `${countOf(actions, "action")} a month`,
    ...(rate < 0 ? [] : [`${countOf(rate, "action")} a minute`]),
    `${countOf(PLAN_QUOTAS[gatewayPlanOf(stored.tier)].perDay, "gateway call")} a day and key`,
  ];
  return { ...stored, max_sites, features: JSON.stringify([...figures, ...others]) };
}

const countOf = (many: number, one: string): string =>
  many < 0 ? `any number of ${one}s` : `${many.toLocaleString("en")} ${one}${many === 1 ? "" : "s"}`;
