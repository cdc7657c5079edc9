/** Limits of checks and registrations of domains: the roles `provider` and `trust`. */
import { CREDENTIAL_CALLS_A_MINUTE, type LimitRow, MIB } from "./row.ts";

export const DOMAIN_LIMITS = {
  status_checks: {
    cost: "fetches",
    unit: "domains whose status, draft, document or DNS provider is asked for",
    bounds: "DNS queries and requests to domains that a stranger names",
    charged: "front",
    where: "app/front/access/access.ts",
    by: { address: { minute: 300, day: 20_000 }, network: { minute: 600, day: 50_000 } },
  },
  rechecks: {
    cost: "fetches",
    unit: "visits asked for",
    bounds: "visits of sites that the crawl knows; each site at most once in five minutes",
    charged: "front",
    where: "app/front/access/access.ts",
    by: { address: { minute: 30, day: 1_000 }, network: { minute: 120, day: 5_000 } },
  },
  batch_domains: {
    cost: "fetches",
    unit: "domains in batches",
    bounds: "DNS queries and requests to domains that a stranger names",
    charged: "front",
    where: "app/front/access/access.ts",
    // Enough for a provider's whole customer base.
    by: { network: { minute: 15_000, day: 1_000_000 } },
  },
  callback_hosts: {
    cost: "DNS queries",
    unit: "batches with a callback_url",
    bounds: "DNS queries for receivers, and records of batches (a week)",
    charged: "worker",
    where: "workers/provider/verify-batch.ts",
    by: { network: { minute: 300, day: 20_000 } },
  },
  webhooks: {
    cost: "work queued",
    unit: "webhooks accepted; refunded when one is delivered or has ended",
    bounds: "messages of the webhooks' queue (three days at most) and attempts at their receivers",
    charged: "worker",
    where: "workers/provider/webhooks.ts",
    by: { host: { minute: 300, day: 2_000 }, network: { day: 5_000 }, total: { atOnce: 100_000 } },
  },
  webhook_bytes: {
    cost: "bytes kept",
    unit: "bytes of webhooks accepted; refunded when one is delivered or has ended",
    bounds: "bytes of the webhooks' queue (three days at most); one webhook holds at most 128 KiB",
    charged: "worker",
    where: "workers/provider/webhooks.ts",
    by: { host: { day: 32 * MIB }, network: { day: 64 * MIB }, total: { atOnce: 1024 * MIB } },
  },

  dns_names: {
    cost: "DNS queries",
    unit: "calls that look up a domain's keys",
    bounds: "DNS queries for names that a stranger chooses",
    charged: "front",
    where: "app/front/access/access.ts",
    by: { address: { minute: 120, day: 10_000 }, network: { minute: 240, day: 20_000 } },
  },
  evidence: {
    cost: "DNS queries",
    unit: "bundles of evidence about a site",
    bounds:
      "up to 26 DNS queries for zones above known sites, answered from the cache within their TTL, and 64 KiB of document hashed",
    charged: "front",
    where: "app/front/access/access.ts",
    by: { address: { minute: 60, day: 5_000 }, network: { minute: 120, day: 10_000 } },
  },
  trust_names: {
    cost: "DNS queries",
    unit: "trust headers of domains without a valid signature in the last ten minutes",
    bounds: "DNS queries for names in trust headers",
    charged: "front",
    where: "app/front/trust-check.ts",
    by: { network: { minute: 120 } },
  },
  registrations_of_domains: {
    cost: "entries kept",
    unit: "registrations for ring 4",
    bounds: "DNS queries, a visit, and a log entry, which is never deleted",
    charged: "front",
    where: "app/front/access/access.ts",
    by: { network: { minute: 30, day: 500 } },
  },
  registrations_of_a_domain: {
    cost: "entries kept",
    unit: "registrations with a valid proof",
    bounds: "log entries, which are never deleted",
    charged: "worker",
    where: "workers/trust/register.ts",
    by: { domain: { day: 50 } },
  },
  log_entries: {
    cost: "entries kept",
    unit: "interactions logged",
    bounds: "log entries, which are never deleted",
    charged: "front",
    where: "app/front/access/access.ts",
    own: `a project ${CREDENTIAL_CALLS_A_MINUTE.project} a minute`,
    by: {
      account: { minute: 600, day: 20_000 },
      network: { minute: 1_800, day: 100_000 },
    },
  },
} as const satisfies Record<string, LimitRow>;

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
