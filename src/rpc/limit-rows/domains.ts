/** Limits of checks and registrations of domains: the roles `provider`, `trust`, `session` and `gossip`. */
import { CREDENTIAL_CALLS_A_MINUTE, type LimitRow } from "./row.ts";

/** Bytes of a webhook that count as one. */
export const WEBHOOK_UNIT_BYTES = 16 << 10;

export const DOMAIN_LIMITS = {
  fetches: {
    cost: "fetches",
    unit: "requests to sites: a status, draft, document or DNS provider that is asked for counts one, a page that is read without a session two, a visit that is asked for ten",
    bounds:
      "DNS queries and requests to domains that a stranger names, and parsing of their replies; a site is visited for this at most once in five minutes",
    counted: "broker",
    by: { address: { minute: 300, day: 20_000 }, network: { minute: 600, day: 50_000 } },
  },
  batch_domains: {
    cost: "fetches",
    unit: "domains in batches",
    bounds: "DNS queries and requests to domains that a stranger names",
    counted: "broker",
    // Enough for a provider's whole customer base.
    by: { network: { minute: 15_000, day: 1_000_000 } },
  },
  webhooks: {
    cost: "work queued",
    unit: "webhooks accepted, each one for every 16 KiB begun; refunded when it is delivered or has ended",
    bounds:
      "messages and bytes of the webhooks' queue (three days at most), of which one holds at most 128 KiB, and attempts at their receivers",
    counted: "broker",
    by: { host: { minute: 300, day: 2_000 }, network: { day: 5_000 }, total: { atOnce: 100_000 } },
  },
  dns_names: {
    cost: "DNS queries",
    unit: "names looked up: of a domain's keys, of a webhook's receiver, of a trust header without a valid signature in the last ten minutes; a bundle of evidence about a site counts two",
    bounds:
      "DNS queries for names that a stranger chooses, for evidence up to 26, answered from the cache within their TTL; records of batches (a week)",
    counted: "broker",
    by: { address: { minute: 120, day: 10_000 }, network: { minute: 240, day: 20_000 } },
  },
  registrations_of_domains: {
    cost: "entries kept",
    unit: "registrations for ring 4; `domain` counts those with a valid proof alone",
    bounds: "DNS queries, a visit, and a log entry, which is never deleted",
    counted: "broker",
    by: { domain: { day: 50 }, network: { minute: 30, day: 500 } },
  },
  logged_changes: {
    cost: "entries kept",
    unit: "changes of verdicts and services' observations; `host` and `domain` (registrable) are whose they are; the excess is in the log at a later visit, as it is then",
    bounds: "log entries, which are never deleted, however often a site changes",
    counted: "broker",
    by: { host: { day: 10 }, domain: { day: 500 }, total: { day: 50_000 } },
  },
  log_entries: {
    cost: "entries kept",
    unit: "interactions logged, and effects of agents' sessions on sites, each with a receipt",
    bounds: "log entries, which are never deleted, and receipts, 400 days",
    counted: "broker",
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
    counted: "record",
    by: { network: { atOnce: 50 } },
  },
  places: {
    cost: "places",
    unit: "places for unverified hosts, of 65,536; below one registrable domain a network has two",
    bounds:
      "tokens of the frontier, and DNS queries to one zone's servers; a report does not evict an unprobed host of the same network",
    counted: "record",
    by: { domain: { atOnce: 5 }, network: { atOnce: 4_096 } },
  },
} as const satisfies Record<string, LimitRow>;
