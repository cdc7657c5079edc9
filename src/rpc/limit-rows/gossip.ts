/** Limits of reported hosts. */
import type { LimitRow } from "./row.ts";

export const GOSSIP_LIMITS = {
  reported_names: {
    cost: "places",
    unit: "hosts in reports: a token bucket of 50, refilled by one every ten seconds; the excess is dropped silently",
    bounds: "tokens of the frontier, DNS queries and visits",
    charged: "record",
    where: "workers/gossip/rules.ts",
    by: { network: { atOnce: 50 } },
  },
  places: {
    cost: "places",
    unit: "places for unverified hosts, of 65,536",
    bounds: "tokens of the frontier",
    charged: "record",
    where: "workers/gossip/tables.ts",
    by: { network: { atOnce: 4_096 } },
  },
  places_of_a_domain: {
    cost: "places",
    unit: "unverified hosts below one registrable domain",
    bounds: "DNS queries to one zone's servers; a report does not evict an unprobed host of the same network",
    charged: "record",
    where: "workers/gossip/rules.ts",
    by: { network: { atOnce: 2 }, domain: { atOnce: 5 } },
  },
} as const satisfies Record<string, LimitRow>;
