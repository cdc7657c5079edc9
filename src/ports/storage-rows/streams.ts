/** Streams beside those of buckets: queues, the log and counters. Rows of src/ports/storage.ts. */
import { DAY_MS } from "../time.ts";
import type { StreamRow } from "./row.ts";

export const STREAM_ROWS = {
  frontier: {
    writer: "crawler",
    holds: "one scheduled or due message per host",
    maxAgeMs: 0,
    share: 40,
    atLimit: "hold",
    effect:
      "no new host is added: `507 storage_full`, and discovered hosts wait in `DISCOVERED`; known hosts are visited as before",
    limits: ["places", "reported_names", "account_changes"],
    also: "one token a host",
  },
  discovered: {
    writer: "crawler",
    holds: "hosts that beacons named, waiting for gossip",
    maxAgeMs: 7 * DAY_MS,
    maxMessages: 100_000,
    share: 8,
    atLimit: "oldest",
    effect: "the hints that waited the longest are dropped; beacons repeat them",
    limits: ["places"],
  },
  webhooks: {
    writer: "provider",
    holds: "webhooks on their way, each with its body and secret",
    maxAgeMs: 0,
    share: 36,
    atLimit: "hold",
    effect: "new webhooks are refused with a reason; those under way are delivered",
    limits: ["webhooks"],
    also: "three days",
  },
  mail: {
    writer: "accounts",
    holds: "mails on their way to account holders",
    maxAgeMs: 7 * DAY_MS,
    share: 2,
    atLimit: "hold",
    effect:
      "no mail is accepted: `503 unavailable` for who asks for one, and notices are left out; those under way are sent",
    limits: ["mails", "mails_of_news", "registrations"],
    also: "a few kilobytes each",
  },
  log: {
    writer: "trust, notary, session, crawler",
    holds: "the transparency log's entries, in their order",
    maxAgeMs: 0,
    share: 30,
    limits: ["log_entries", "logged_changes", "registrations_of_domains", "gateway_records"],
    also: "changes of sites fill half of it at most",
  },
  count_minute: {
    writer: "front, actors",
    holds: "what is counted by minute: rates",
    maxAgeMs: 180_000,
    maxMessages: 1_000_000,
    share: 6,
    atLimit: "hold",
    effect:
      "new keys share 4,096 places, each counted for all of its keys: quotas get no wider; room returns within three minutes",
    limits: ["requests"],
  },
  count_day: {
    writer: "front, actors",
    holds: "what is counted by day: quotas, usage, throttles",
    maxAgeMs: 40 * DAY_MS,
    maxMessages: 10_000_000,
    share: 40,
    atLimit: "hold",
    effect:
      "new keys share 4,096 places, each counted for all of its keys: quotas get no wider; room returns by age",
    limits: ["requests"],
  },
  count_month: {
    writer: "front, actors",
    holds: "what is counted by month: actions of a plan",
    maxAgeMs: 400 * DAY_MS,
    maxMessages: 10_000_000,
    share: 40,
    atLimit: "hold",
    effect:
      "new keys share 4,096 places, each counted for all of its keys: quotas get no wider; room returns by age",
    limits: ["actions"],
  },
} as const satisfies Record<string, StreamRow>;
