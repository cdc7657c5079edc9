/** Accounts with what they own, and operators. Rows of src/ports/storage.ts. */
import { DAY_MS } from "../time.ts";
import { type BucketRow, SAY_VERDICTS } from "./row.ts";

export const ACCOUNTS_BUCKETS = {
  accounts: {
    // The protocol: a site that nobody crawled has what its account says, unless that is suspended.
    writers: ["accounts"],
    readers: ["front", "crawler", "protocol", "session"],
    followers: ["accounts"],
    holds:
      "accounts with what they own, and the account of each e-mail address; the plans that accounts can have, and those that they asked for; what they watch",
    ttlMs: 0,
    // 500 sites of up to 253 characters, 750 keys, 500 blocks.
    maxValueBytes: 768 << 10,
    markerTtlMs: DAY_MS,
    share: 13,
    limits: ["registrations", "account_changes", "requests_to_operators"],
    also: "768 KiB an account, and its watches 512 KiB; the operator's plans, and one request for a plan an account, 2 KiB",
  },
  account_sites: {
    // The front: names of sites that it serves. The crawler: how an owner lets agents in. The gateway: what owners close to them.
    writers: ["accounts"],
    readers: ["front", "crawler", "protocol", "session", "gateway"],
    followers: ["front", "accounts"],
    holds: "the owner, the configuration and, if given, the document of each proved site",
    ttlMs: 0,
    maxValueBytes: 64 << 10,
    markerTtlMs: DAY_MS,
    share: 8,
    limits: ["account_changes", "calls"],
    also: "64 KiB a site, 64 KiB for its document, `max_sites` of the plan",
  },
  keys: {
    // Accounts follow keys that run out, or that nobody uses.
    writers: ["accounts"],
    readers: ["front", "session"],
    followers: ["accounts"],
    holds:
      "every key, whatever it opens, by hash; each account's wallet, sealed; and, of front and session too, the keys that sign the tokens of log-ins, sessions and sites",
    ttlMs: 0,
    // A wallet: 500 licenses with hosts of up to 253 characters. Keys take some 500 bytes.
    maxValueBytes: 384 << 10,
    markerTtlMs: DAY_MS,
    share: 21,
    atLimit: "refuse",
    effect: "`507 storage_full` for what would add to it; the keys that sign tokens sign on",
    limits: ["account_changes", "gateway_keys", "license_checks", "registrations"],
    also: "750 keys of some 500 bytes and a wallet of 384 KiB an account; keys without an account end unused after 90 days",
  },
  appeals: {
    writers: ["accounts", "operators"],
    readers: [...SAY_VERDICTS],
    followers: ["operators"],
    holds: "appeals of sites' owners against decisions, and how they were decided",
    ttlMs: 400 * DAY_MS,
    // Twelve a site, each with two texts of at most 1,000 and 300 characters.
    maxValueBytes: 128 << 10,
    markerTtlMs: DAY_MS,
    share: 1,
    limits: ["requests_to_operators"],
    also: "12 a site whose domain was proved, 128 KiB",
  },
  access_requests: {
    writers: ["accounts"],
    holds: "agents' requests for access to sites, and what waits at each owner",
    // A request can be answered for 30 days, and then collected for 30 days.
    ttlMs: 90 * DAY_MS,
    // A queue holds 200 pending requests and 200 of muted agents, 200 approvals, and 500 agents.
    maxValueBytes: 768 << 10,
    markerTtlMs: 0,
    maxRecords: 2_000_000,
    share: 12,
    limits: ["access_requests"],
  },
  operators: {
    // The operators' API: whether another than who decided can look at an appeal.
    writers: [],
    readers: ["front", "operators"],
    followers: ["operators"],
    holds: "roles of accounts: who operates the registry, and by which key",
    ttlMs: 0,
    maxValueBytes: 4 << 10,
    markerTtlMs: DAY_MS,
    share: 1,
    limits: [],
    also: "the operator's broker user alone writes them",
  },
  operator_audit: {
    writers: ["front"],
    readers: ["operators"],
    followers: ["operators"],
    holds: "what operators did",
    ttlMs: 400 * DAY_MS,
    maxValueBytes: 16 << 10,
    markerTtlMs: DAY_MS,
    maxRecords: 200_000,
    share: 8,
    atLimit: "oldest",
    effect: "the oldest entries go: keep a copy of your own",
    limits: [],
    also: "operators alone",
  },
} as const satisfies Record<string, BucketRow>;
