/** The modules of the gateway. Rows of src/ports/storage.ts. */
import { DAY_MS } from "../time.ts";
import { type BucketRow, SAY_VERDICTS } from "./row.ts";

export const GATEWAY_BUCKETS = {
  bounty_reports: {
    writers: ["operators", "gateway"],
    followers: ["operators", "gateway"],
    holds:
      "reports of the bounty network, and what confirmed them; and those of one kind about one domain, for finding duplicates",
    ttlMs: 400 * DAY_MS,
    // 200 reports of one kind, each with an address and 500 characters.
    maxValueBytes: 1 << 20,
    markerTtlMs: DAY_MS,
    share: 18,
    limits: ["gateway_records", "gateway_fetches", "gateway_calls"],
    also: "200 reports of one kind about a domain",
  },
  confirmed_reports: {
    writers: ["operators", "gateway"],
    readers: [...SAY_VERDICTS, "crawler", "accounts", "session"],
    holds: "each domain's confirmed reports, for its verdict and the firewall",
    ttlMs: 400 * DAY_MS,
    // 64 reports, each with an address of at most 2,048 characters.
    maxValueBytes: 512 << 10,
    markerTtlMs: DAY_MS,
    share: 6,
    limits: ["gateway_fetches"],
    also: "64 reports a domain",
  },
  pools: {
    writers: ["gateway"],
    followers: ["gateway"],
    holds:
      "pools of buyers: commitments and nullifiers, no names; and the one that each product's buyers join",
    // A pool is open for 30 days at most, and revealed within one.
    ttlMs: 90 * DAY_MS,
    maxValueBytes: 256 << 10,
    markerTtlMs: DAY_MS,
    share: 8,
    limits: ["gateway_records", "pool_calls"],
    also: "256 KiB each, and 1 KiB a product",
  },
  prices: {
    writers: ["gateway"],
    followers: ["gateway"],
    holds:
      "price history of each product of each platform, as callers observed it; and its name and latest prices, for comparisons",
    ttlMs: 5 * 366 * DAY_MS,
    // 32 series of 2,000 points of some 20 characters.
    maxValueBytes: 2 << 20,
    markerTtlMs: DAY_MS,
    share: 38,
    limits: ["gateway_records", "gateway_calls"],
    also: "2 MiB and 32 KiB a product",
  },
} as const satisfies Record<string, BucketRow>;
