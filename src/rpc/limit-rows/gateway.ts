/** Limits of API keys and the module gateway. */
import { PLAN_QUOTAS } from "../../../schemas/api-key.ts";
import type { LimitRow } from "./row.ts";

const GATEWAY_PLANS_TEXT = Object.entries(PLAN_QUOTAS)
  .map(([plan, { perMinute, perDay }]) => `of ${plan} ${perMinute} a minute and ${perDay} a day`)
  .join(", ");

export const GATEWAY_LIMITS = {
  keys_made: {
    cost: "entries kept",
    unit: "API keys created",
    bounds: "records of keys, kept permanently; each key has the quotas of its plan",
    charged: "worker",
    where: "workers/keys/handlers.ts",
    by: { account: { day: 50 }, address: { day: 50 }, network: { day: 200 } },
  },
  key_rotations: {
    cost: "entries kept",
    unit: "API keys rotated",
    bounds: "records of keys, kept permanently",
    charged: "worker",
    where: "workers/keys/handlers.ts",
    by: { key: { day: 20 }, network: { day: 400 } },
  },
  gateway_calls: {
    cost: "processor time",
    unit: "calls of the gateway's modules",
    bounds: "parsing of pages and texts, and requests to addresses that a caller names",
    charged: "front",
    where: "app/front/access/access.ts",
    own: `a key ${GATEWAY_PLANS_TEXT}`,
    by: {
      account: { minute: 1_000, day: 200_000 },
      network: { minute: 3_000, day: 500_000 },
    },
  },
  gateway_records: {
    cost: "entries kept",
    unit: "prices reported, pools joined, offers made, pages reported, certificates requested",
    bounds: "records of products, pools, reports and certificates; log entries of certificates",
    charged: "front",
    where: "app/front/access/access.ts",
    by: { account: { day: 20_000 }, network: { minute: 1_000, day: 50_000 } },
  },
  pool_joins: {
    cost: "entries kept",
    unit: "joins of pools of buyers",
    bounds: "pool memberships, 90 days; and probes for other buyers",
    charged: "worker",
    where: "workers/gateway/bargaining/handlers.ts",
    by: { account: { day: 100 }, network: { minute: 120, day: 5_000 } },
  },
  pool_offers: {
    cost: "entries kept",
    unit: "offers to pools of buyers",
    bounds: "offers, 20 a pool; and probes of what a pool would order",
    charged: "worker",
    where: "workers/gateway/bargaining/handlers.ts",
    by: { account: { minute: 30, day: 200 }, network: { minute: 120, day: 2_000 } },
  },
  bounty_reports: {
    cost: "fetches",
    unit: "pages reported to the bounty network",
    bounds: "requests to addresses that a reporter names, and reports, 400 days",
    charged: "worker",
    where: "workers/gateway/bounty/handlers.ts",
    by: {
      key: { minute: 30, day: 1_000 },
      account: { minute: 30, day: 1_000 },
      network: { minute: 60, day: 2_000 },
    },
  },
  notary_looks: {
    cost: "fetches",
    unit: "certificates of what the notary itself observes",
    bounds: "requests to addresses that a caller names",
    charged: "worker",
    where: "workers/gateway/notary/handlers.ts",
    by: {
      key: { minute: 20, day: 1_000 },
      account: { minute: 20, day: 1_000 },
      network: { minute: 40, day: 2_000 },
    },
  },
  offer_looks: {
    cost: "fetches",
    unit: "fetches of offers that callers name; offers beyond the limit are not fetched",
    bounds: "requests to shops that a caller names; `domain` is the shop",
    charged: "worker",
    where: "workers/gateway/price/tracking.ts",
    by: {
      key: { minute: 20, day: 400 },
      account: { minute: 20, day: 400 },
      domain: { minute: 4, day: 2_000 },
      network: { minute: 20, day: 400 },
    },
  },
} as const satisfies Record<string, LimitRow>;
