/**
 * The registry's storage in one table: each bucket with its single writer, its bounds and its retention, and the names
 * of the other streams. storage-limits.ts says what bounds all of them, and what happens at each bound. `bridge setup`
 * makes the broker's streams of both tables; docs/storage.md prints them.
 */

import { DAY_MS } from "./time.ts";

export interface BucketSpec {
  readonly writer: string;
  readonly holds: string;
  /** Retention of a value in milliseconds; 0 keeps it until it is removed. */
  readonly ttlMs: number;
  readonly maxValueBytes: number;
  /** Retention of deletion markers. */
  readonly markerTtlMs: number;
  /** Maximum records where strangers create them, beside the bytes of storage-limits.ts. */
  readonly maxRecords?: number;
}

export const BUCKETS = {
  sites: {
    writer: "crawler",
    holds: "what the crawl knows about each host",
    ttlMs: 0,
    maxValueBytes: 64 << 10,
    markerTtlMs: 90 * DAY_MS,
  },
  contents: {
    writer: "crawler",
    holds:
      "each site's document and text, compressed; and what was seen on each of its pages: measures and findings",
    ttlMs: 0,
    // 50 pages and 50 addresses that gave none, each of up to 600 characters; 64 KiB of findings.
    maxValueBytes: 192 << 10,
    markerTtlMs: DAY_MS,
  },
  log: {
    writer: "trust, notary and session",
    holds:
      "the transparency log's full tiles, its edge and its last signed size, all derived from the entries",
    ttlMs: 0,
    maxValueBytes: 128 << 10,
    markerTtlMs: 0,
  },
  log_entries: {
    writer: "trust",
    holds: "the entries that the log's leaves commit to, with their salts",
    ttlMs: 0,
    // An entry of 65,535 bytes.
    maxValueBytes: 96 << 10,
    markerTtlMs: DAY_MS,
  },
  log_erasures: {
    writer: "operator",
    holds: "which of the log's entries were erased or blocked, when and why",
    ttlMs: 0,
    // 2,000 with a reason of 100 characters each.
    maxValueBytes: 768 << 10,
    markerTtlMs: 0,
  },
  trust_nonces: {
    writer: "front",
    holds: "used nonces of trust headers",
    // Twice the window (domain/trust/trust-headers.ts): a nonce from its far end is valid for this long.
    ttlMs: 120_000,
    maxValueBytes: 64,
    markerTtlMs: 0,
  },
  idempotency: {
    writer: "front",
    holds: "requests that were sent with an Idempotency-Key, and their replies, encrypted",
    ttlMs: DAY_MS,
    // A reply of 64 KiB that does not compress, in base64.
    maxValueBytes: 96 << 10,
    markerTtlMs: 0,
  },
  receipts: {
    writer: "session, accounts",
    holds: "receipts of what agents' sessions sent, and which are whose",
    ttlMs: 400 * DAY_MS,
    // A list of 100 ids; a receipt has two addresses of up to 2,048 characters.
    maxValueBytes: 16 << 10,
    markerTtlMs: DAY_MS,
  },
  registrations: {
    writer: "trust",
    holds: "domains registered for ring 4, and their keys",
    ttlMs: 0,
    maxValueBytes: 64 << 10,
    markerTtlMs: DAY_MS,
  },
  certificates: {
    writer: "notary",
    holds: "the notary's certificates: statements, signatures and their log indices",
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
    // The oldest have been idle the longest.
    maxRecords: 4_000_000,
  },
  dead_letters: {
    writer: "crawler, operators",
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
    holds: "the entries of gossip's new and tried tables",
    ttlMs: 0,
    maxValueBytes: 1 << 10,
    markerTtlMs: 0,
  },
  reporters: {
    writer: "gossip",
    holds: "rate allowance of each reporter group",
    ttlMs: DAY_MS,
    // Fifty domains of up to 253 characters.
    maxValueBytes: 16 << 10,
    markerTtlMs: 0,
    maxRecords: 100_000,
  },
  looks: {
    writer: "provider, crawler",
    holds:
      "what the last look at a host saw that no record holds: probes, and visits of hosts that were nothing",
    ttlMs: DAY_MS,
    // A check for each stage, each of up to 300 characters.
    maxValueBytes: 16 << 10,
    markerTtlMs: 0,
    maxRecords: 200_000,
  },
  blocks: {
    writer: "operator",
    holds: "hosts that must not be rediscovered",
    ttlMs: 0,
    maxValueBytes: 4 << 10,
    markerTtlMs: DAY_MS,
  },
  bounty_reports: {
    writer: "gateway, operators",
    holds:
      "reports of the bounty network, and what confirmed them; and those of one kind about one domain, for finding duplicates",
    ttlMs: 400 * DAY_MS,
    // 200 reports of one kind, each with an address and 500 characters.
    maxValueBytes: 1 << 20,
    markerTtlMs: DAY_MS,
  },
  confirmed_reports: {
    writer: "gateway, operators",
    holds: "each domain's confirmed reports, for its verdict and the firewall",
    ttlMs: 400 * DAY_MS,
    // 64 reports, each with an address of at most 2,048 characters.
    maxValueBytes: 512 << 10,
    markerTtlMs: DAY_MS,
  },
  pools: {
    writer: "gateway",
    holds:
      "pools of buyers: commitments and nullifiers, no names; and the one that each product's buyers join",
    // A pool is open for 30 days at most, and revealed within one.
    ttlMs: 90 * DAY_MS,
    maxValueBytes: 256 << 10,
    markerTtlMs: DAY_MS,
  },
  prices: {
    writer: "gateway",
    holds:
      "price history of each product of each platform, as callers observed it; and its name and latest prices, for comparisons",
    ttlMs: 5 * 366 * DAY_MS,
    // 32 series of 2,000 points of some 20 characters.
    maxValueBytes: 2 << 20,
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
    holds: "outcomes of batches, and of their webhooks",
    ttlMs: 7 * DAY_MS,
    maxValueBytes: 16 << 10,
    markerTtlMs: 0,
    maxRecords: 200_000,
  },
  accounts: {
    writer: "accounts",
    holds: "accounts with what they own, and the account of each e-mail address",
    ttlMs: 0,
    // 500 sites of up to 253 characters, 750 keys, 500 blocks.
    maxValueBytes: 768 << 10,
    markerTtlMs: DAY_MS,
  },
  plans: {
    writer: "accounts",
    holds: "the plans that accounts can have, and those that they asked for",
    ttlMs: 0,
    maxValueBytes: 16 << 10,
    markerTtlMs: DAY_MS,
  },
  account_sites: {
    writer: "accounts",
    holds:
      "the owner, the configuration and, if given, the document, the sealed key and the certificate of each proved site",
    ttlMs: 0,
    maxValueBytes: 64 << 10,
    markerTtlMs: DAY_MS,
  },
  keys: {
    writer: "accounts",
    holds: "every key, whatever it opens, by hash; and each account's wallet, sealed",
    ttlMs: 0,
    // A wallet: 500 licenses with hosts of up to 253 characters. Keys take some 500 bytes.
    maxValueBytes: 384 << 10,
    markerTtlMs: DAY_MS,
  },
  appeals: {
    writer: "accounts, operators",
    holds: "appeals of sites' owners against decisions, and how they were decided",
    ttlMs: 400 * DAY_MS,
    // Twelve a site, each with two texts of at most 1,000 and 300 characters.
    maxValueBytes: 128 << 10,
    markerTtlMs: DAY_MS,
  },
  access_requests: {
    writer: "accounts",
    holds: "agents' requests for access to sites, and what waits at each owner",
    // A request can be answered for 30 days, and then collected for 30 days.
    ttlMs: 90 * DAY_MS,
    // A queue holds 200 pending requests and 200 of muted agents, 200 approvals, and 500 agents.
    maxValueBytes: 768 << 10,
    markerTtlMs: 0,
    maxRecords: 2_000_000,
  },
  sessions: {
    writer: "session",
    holds: "agents' sessions: page, history, cookies, form state",
    // A session expires this long after its start; the retention restarts with each command.
    ttlMs: 3_600_000,
    maxValueBytes: 512 << 10,
    markerTtlMs: 0,
  },
  session_pages: {
    writer: "session",
    holds: "each session's current page, compressed",
    ttlMs: 3_600_000,
    // One mebibyte of characters at three bytes each that does not compress.
    maxValueBytes: 4 << 20,
    markerTtlMs: 0,
  },
  operators: {
    writer: "operator",
    holds: "roles of accounts: who operates the registry, and by which key",
    ttlMs: 0,
    maxValueBytes: 4 << 10,
    markerTtlMs: DAY_MS,
  },
  operator_audit: {
    writer: "front, operator",
    holds: "what operators did",
    ttlMs: 400 * DAY_MS,
    maxValueBytes: 16 << 10,
    markerTtlMs: DAY_MS,
    maxRecords: 200_000,
  },
} as const satisfies Record<string, BucketSpec>;
export type BucketName = keyof typeof BUCKETS;

/** Streams other than those of buckets. */
export const STREAMS = [
  ...["frontier", "discovered", "webhooks", "mail", "log"],
  ...["count_minute", "count_day", "count_month"],
] as const;
export type StreamName = (typeof STREAMS)[number];

/** Maximum pending webhooks, in messages and bytes; beyond either a new one is refused. */
export const WEBHOOK_LIMITS = { messages: 100_000, bytes: 1 << 30 } as const;

/** Version of what is stored. A program uses streams and backups of its own version alone. */
export const STORAGE_VERSION = 1;

/** What is stored is not what this program needs: the message says what to run (exit code 6). */
export class StorageMismatch extends Error {
  override name = "StorageMismatch";
}

/** 64 GiB: some ten million sites. */
export const DEFAULT_STORE_BYTES = 64 * 2 ** 30;
