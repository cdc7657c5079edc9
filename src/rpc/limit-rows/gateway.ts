/** Limits of API keys and the module gateway. */
import { PLAN_QUOTAS } from "../../../schemas/api-key.ts";
import type { LimitRow } from "./row.ts";

const GATEWAY_PLANS_TEXT = Object.entries(PLAN_QUOTAS)
  .map(([plan, { perMinute, perDay }]) => `of ${plan} ${perMinute} a minute and ${perDay} a day`)
  .join(", ");

export const GATEWAY_LIMITS = {
  gateway_keys: {
    cost: "entries kept",
    unit: "API keys rotated; one that is created counts two",
    bounds: "records of keys, kept permanently; each key has the quotas of its plan",
    counted: "broker",
    by: { key: { day: 20 }, account: { day: 100 }, address: { day: 100 }, network: { day: 400 } },
  },
  gateway_calls: {
    cost: "processor time",
    unit: "calls of the gateway's modules",
    bounds: "parsing of pages and texts, and requests to addresses that a caller names",
    counted: "broker",
    own: `a key ${GATEWAY_PLANS_TEXT}`,
    by: {
      account: { minute: 1_000, day: 200_000 },
      network: { minute: 3_000, day: 500_000 },
    },
  },
  trial_scans: {
    cost: "processor time",
    unit: "scans without a key",
    bounds: "scans of short texts, and requests to addresses that a visitor names",
    counted: "broker",
    by: {
      agent: { minute: 5, day: 50 },
      account: { minute: 20, day: 200 },
      address: { minute: 5, day: 50 },
      network: { minute: 20, day: 200 },
      total: { minute: 120 },
    },
  },
  gateway_records: {
    cost: "entries kept",
    unit: "prices reported, pools joined, offers made, pages reported, certificates requested",
    bounds: "records of products, pools, reports and certificates; log entries of certificates",
    counted: "broker",
    by: { account: { day: 20_000 }, network: { minute: 1_000, day: 50_000 } },
  },
  pool_calls: {
    cost: "entries kept",
    unit: "offers to pools of buyers; a join of one counts two",
    bounds:
      "pool memberships (90 days) and offers, 20 a pool; probes for other buyers and of what a pool would order",
    counted: "broker",
    by: { account: { minute: 30, day: 200 }, network: { minute: 120, day: 5_000 } },
  },
  gateway_fetches: {
    cost: "fetches",
    unit: "pages reported to the bounty network, certificates of what the notary itself observes, and offers that are fetched; offers beyond the limit are not fetched",
    bounds:
      "requests to addresses that a caller names, and reports, 400 days; `domain` is the shop of an offer",
    counted: "broker",
    by: {
      key: { minute: 30, day: 1_000 },
      account: { minute: 30, day: 1_000 },
      domain: { minute: 4, day: 2_000 },
      network: { minute: 60, day: 2_000 },
    },
  },
} as const satisfies Record<string, LimitRow>;
