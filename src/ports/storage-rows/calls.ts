/** Sessions, receipts, and what must not be done twice; providers. Rows of src/ports/storage.ts. */
import { DAY_MS } from "../time.ts";
import type { BucketRow } from "./row.ts";

export const CALLS_BUCKETS = {
  sessions: {
    writers: ["session"],
    holds: "agents' sessions: history, cookies, form state; and each one's current page, compressed",
    // A session expires this long after its start; the retention restarts with each command.
    ttlMs: 3_600_000,
    // A page: one mebibyte of characters at three bytes each that does not compress. A session takes 512 KiB at most.
    maxValueBytes: 4 << 20,
    markerTtlMs: 0,
    share: 60,
    atLimit: "refuse",
    effect: "new sessions and sessions' next pages get `507 storage_full`; room returns within the hour",
    limits: ["sessions", "actions"],
    also: "one page a session",
  },
  receipts: {
    // With an account goes its list.
    writers: ["accounts", "session"],
    holds: "receipts of what agents' sessions sent, and which are whose",
    ttlMs: 400 * DAY_MS,
    // A list of 100 ids; a receipt has two addresses of up to 2,048 characters.
    maxValueBytes: 16 << 10,
    markerTtlMs: DAY_MS,
    share: 20,
    atLimit: "refuse",
    effect: "actions with an effect get `507 storage_full` before they are sent",
    limits: ["log_entries", "actions"],
    also: "16 KiB each",
  },
  idempotency: {
    writers: ["front"],
    holds: "requests that were sent with an Idempotency-Key, and their replies, encrypted",
    ttlMs: DAY_MS,
    // A reply of 64 KiB that does not compress, in base64.
    maxValueBytes: 96 << 10,
    markerTtlMs: 0,
    share: 25,
    atLimit: "refuse",
    effect: "requests with an Idempotency-Key get `507 storage_full`; nothing is done twice",
    limits: ["idempotency_keys"],
    also: "96 KiB each",
  },
  batches: {
    writers: ["provider"],
    holds: "outcomes of batches, and of their webhooks",
    ttlMs: 7 * DAY_MS,
    maxValueBytes: 16 << 10,
    markerTtlMs: 0,
    maxRecords: 200_000,
    share: 5,
    atLimit: "oldest",
    effect: "the oldest outcomes are forgotten",
    limits: ["dns_names", "batch_domains"],
  },
} as const satisfies Record<string, BucketRow>;
