/**
 * What this service keeps, in one table: each bucket with its one writer, its bounds and its retention, and the names of
 * the streams beside them. The adapter makes them so at every start; docs/operators.md prints the same table.
 */

import { DAY_MS } from "../domain/protocols/time.ts";

export interface BucketSpec {
  readonly writer: string;
  readonly holds: string;
  /** Milliseconds a value is kept; 0 keeps it until it is removed. */
  readonly ttlMs: number;
  readonly maxValueBytes: number;
  /** Deletion markers vanish after this long. */
  readonly markerTtlMs: number;
  /** Where strangers can make records without end: past this many the oldest go. Not bytes: those the broker sets aside. */
  readonly maxRecords?: number;
}

export const BUCKETS = {
  sites: {
    writer: "crawler",
    holds: "what the crawl knows of each host",
    ttlMs: 0,
    maxValueBytes: 64 << 10,
    markerTtlMs: 90 * DAY_MS,
  },
  contents: {
    writer: "crawler",
    holds: "each site's document and text, compressed",
    ttlMs: 0,
    maxValueBytes: 96 << 10,
    markerTtlMs: DAY_MS,
  },
  log: {
    writer: "trust and notary",
    holds:
      "the transparency log's full tiles, its edge and its last signed size: each value follows from the entries",
    ttlMs: 0,
    maxValueBytes: 128 << 10,
    markerTtlMs: 0,
  },
  trust_nonces: {
    writer: "front",
    holds: "nonces of trust headers that were used",
    // One from the far end of the window (domain/trust-headers.ts) would be taken for so long.
    ttlMs: 120_000,
    maxValueBytes: 64,
    markerTtlMs: 0,
  },
  registrations: {
    writer: "trust",
    holds: "domains that registered for ring 4, and by which key",
    ttlMs: 0,
    maxValueBytes: 64 << 10,
    markerTtlMs: DAY_MS,
  },
  certificates: {
    writer: "notary",
    holds: "the notary's certificates: statements, signatures and their places in the log",
    ttlMs: 0,
    maxValueBytes: 16 << 10,
    markerTtlMs: DAY_MS,
  },
  gate: {
    writer: "gate",
    holds: "politeness leases and back-off by host and address",
    ttlMs: 2 * DAY_MS,
    maxValueBytes: 1 << 10,
    markerTtlMs: 0,
    // The oldest have been at rest the longest.
    maxRecords: 4_000_000,
  },
  dead_letters: {
    writer: "crawler",
    holds: "visits that kept failing",
    ttlMs: 0,
    maxValueBytes: 8 << 10,
    markerTtlMs: DAY_MS,
  },
  candidates: {
    writer: "gossip",
    holds: "unverified hosts of a registrable domain",
    ttlMs: 7 * DAY_MS,
    maxValueBytes: 4 << 10,
    markerTtlMs: 0,
    maxRecords: 500_000,
  },
  gossip_places: {
    writer: "gossip",
    holds: "who holds which place of the tables of new and tried hosts",
    ttlMs: 0,
    maxValueBytes: 1 << 10,
    markerTtlMs: 0,
  },
  reporters: {
    writer: "gossip",
    holds: "what each reporter group may still report",
    ttlMs: DAY_MS,
    // Fifty domains of up to 253 characters.
    maxValueBytes: 16 << 10,
    markerTtlMs: 0,
    maxRecords: 100_000,
  },
  blocks: {
    writer: "operator",
    holds: "hosts that must not be rediscovered",
    ttlMs: 0,
    maxValueBytes: 4 << 10,
    markerTtlMs: DAY_MS,
  },
  api_keys: {
    writer: "keys",
    holds: "keys of the module gateway, by their hash",
    ttlMs: 0,
    maxValueBytes: 4 << 10,
    markerTtlMs: DAY_MS,
  },
  bounty_reports: {
    writer: "gateway",
    holds: "reports of the bounty network, and what confirmed them",
    ttlMs: 400 * DAY_MS,
    maxValueBytes: 64 << 10,
    markerTtlMs: DAY_MS,
  },
  bounty_targets: {
    writer: "gateway",
    holds: "reports of one kind about one domain, to find duplicates by",
    ttlMs: 400 * DAY_MS,
    // 200 reports of an address and 500 characters.
    maxValueBytes: 1 << 20,
    markerTtlMs: DAY_MS,
  },
  pools: {
    writer: "gateway",
    holds: "pools of buyers: commitments and nullifiers, no names",
    // A pool is open for 30 days at most, and revealed within one.
    ttlMs: 90 * DAY_MS,
    maxValueBytes: 256 << 10,
    markerTtlMs: DAY_MS,
  },
  pool_products: {
    writer: "gateway",
    holds: "the pool that a product's buyers join now",
    ttlMs: 90 * DAY_MS,
    maxValueBytes: 1 << 10,
    markerTtlMs: 0,
  },
  prices: {
    writer: "gateway",
    holds: "what each product of each platform cost, as keys' holders observed it",
    ttlMs: 5 * 366 * DAY_MS,
    // 32 series of 2,000 points of some 20 characters.
    maxValueBytes: 2 << 20,
    markerTtlMs: DAY_MS,
  },
  price_offers: {
    writer: "gateway",
    holds: "each product's name and latest prices, to compare",
    ttlMs: 5 * 366 * DAY_MS,
    maxValueBytes: 32 << 10,
    markerTtlMs: DAY_MS,
  },
  service: {
    writer: "protocol",
    holds: "the registry's own key, secrets and document",
    ttlMs: 0,
    maxValueBytes: 96 << 10,
    markerTtlMs: DAY_MS,
  },
  token_keys: {
    writer: "front, accounts and session",
    holds: "keys that sign the tokens of log-ins, sessions and sites",
    ttlMs: 0,
    maxValueBytes: 16 << 10,
    markerTtlMs: DAY_MS,
  },
  batches: {
    writer: "provider",
    holds: "what became of batches and their webhooks",
    ttlMs: 7 * DAY_MS,
    maxValueBytes: 16 << 10,
    markerTtlMs: 0,
    maxRecords: 200_000,
  },
  accounts: {
    writer: "accounts",
    holds: "accounts with what they own, and whose each e-mail address is",
    ttlMs: 0,
    // 500 sites of up to 253 characters, 500 licences, 100 projects.
    maxValueBytes: 384 << 10,
    markerTtlMs: DAY_MS,
  },
  plans: {
    writer: "accounts",
    holds: "the plans that accounts can have",
    ttlMs: 0,
    maxValueBytes: 16 << 10,
    markerTtlMs: DAY_MS,
  },
  account_sites: {
    writer: "accounts",
    holds: "whose each proved site is, and how its owner configured it",
    ttlMs: 0,
    maxValueBytes: 64 << 10,
    markerTtlMs: DAY_MS,
  },
  licences: {
    writer: "accounts",
    holds: "which site each licence key opens, by the key's hash",
    ttlMs: 0,
    maxValueBytes: 4 << 10,
    markerTtlMs: DAY_MS,
  },
  project_keys: {
    writer: "accounts",
    holds: "which project each project key writes for, by the key's hash",
    ttlMs: 0,
    maxValueBytes: 4 << 10,
    markerTtlMs: DAY_MS,
  },
  sessions: {
    writer: "session",
    holds: "agents' sessions: place, history, cookies, form state",
    // A session lives as long from its start; this counts from its last command.
    ttlMs: 3_600_000,
    maxValueBytes: 512 << 10,
    markerTtlMs: 0,
  },
  session_pages: {
    writer: "session",
    holds: "the page each session is on, compressed",
    ttlMs: 3_600_000,
    // A mebibyte of text of three bytes a character that does not compress.
    maxValueBytes: 4 << 20,
    markerTtlMs: 0,
  },
} as const satisfies Record<string, BucketSpec>;
export type BucketName = keyof typeof BUCKETS;

/** Streams beside the buckets' own. */
export type StreamName =
  | "frontier"
  | "heard"
  | "webhooks"
  | "log"
  | "count_minute"
  | "count_day"
  | "count_month";

/** Discovered hosts that wait for gossip's rules, at most; the oldest give way. */
export const HEARD_LIMIT = 100_000;
/** A webhook is refused when it is asked for while this many, or so many bytes, are on their way. */
export const WEBHOOK_LIMITS = { messages: 100_000, bytes: 1 << 30 } as const;
