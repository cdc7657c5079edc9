/** What bounds the growth of stored data. */
import type { BucketName, StreamName } from "../ports/storage.ts";
import type { LimitName } from "./limit-table.ts";

/** The bounds of a bucket or stream: rows of the limit table, and others in words. */
export interface Growth {
  readonly limits: readonly LimitName[];
  readonly also: string;
}

/** The bounds of every bucket and stream. docs/storage.md states the retention. */
export const GROWTH: Readonly<Record<BucketName | StreamName, Growth>> = {
  sites: {
    limits: ["reported_names", "places"],
    also: "one record a host, 64 KiB; unverified hosts only while they hold a place",
  },
  contents: { limits: ["places"], also: "50 pages, 288 KiB a verified host" },
  gate: {
    limits: ["status_checks", "batch_domains", "page_reads", "notary_looks", "offer_looks"],
    also: "4,000,000 records, the oldest are removed",
  },
  dead_letters: { limits: ["places"], also: "one a host" },
  candidates: {
    limits: ["reported_names", "places_of_a_domain"],
    also: "500,000 records, the oldest are removed",
  },
  gossip_places: { limits: ["places"], also: "81,920 records" },
  reporters: { limits: ["reported_names"], also: "100,000 records, the oldest are removed" },
  looks: {
    limits: ["status_checks", "batch_domains", "reported_names"],
    also: "200,000 records, the oldest are removed; a day",
  },
  blocks: { limits: ["domain_proofs"], also: "operators, and owners of proved sites" },
  operators: { limits: [], also: "the operator's broker user alone writes them" },
  operator_audit: { limits: [], also: "operators alone; 200,000 entries, the oldest are removed; 400 days" },
  bounty_reports: {
    limits: ["gateway_records", "bounty_reports", "gateway_calls"],
    also: "200 reports of one kind about a domain, 400 days",
  },
  confirmed_reports: { limits: ["bounty_reports"], also: "64 reports a domain, 400 days" },
  pools: {
    limits: ["gateway_records", "pool_joins", "pool_offers"],
    also: "256 KiB each, and 1 KiB a product, 90 days",
  },
  prices: { limits: ["gateway_records", "gateway_calls"], also: "2 MiB and 32 KiB a product" },
  certificates: { limits: ["gateway_records", "gateway_calls"], also: "16 KiB each; BUSINESS keys alone" },
  registrations: {
    limits: ["registrations_of_domains", "registrations_of_a_domain"],
    also: "64 KiB a domain",
  },
  trust_nonces: { limits: ["requests"], also: "two minutes; only for a signature that is right" },
  receipts: { limits: ["receipts", "actions"], also: "16 KiB each, 400 days" },
  idempotency: { limits: ["idempotency_keys"], also: "96 KiB each, a day" },
  batches: {
    limits: ["callback_hosts", "batch_domains"],
    also: "200,000 records, the oldest are removed; a week",
  },
  accounts: { limits: ["registrations", "account_keys"], also: "768 KiB an account" },
  account_sites: {
    limits: ["domain_proofs", "account_calls"],
    also: "64 KiB a site, 64 KiB for its document, `max_sites` of the plan",
  },
  keys: {
    limits: ["account_keys", "keys_made", "key_rotations", "license_checks", "registrations"],
    also: "750 keys of some 500 bytes and a wallet of 384 KiB an account; keys without an account end unused after 90 days",
  },
  appeals: { limits: ["appeals"], also: "12 a site whose domain was proved, 128 KiB, 400 days" },
  access_requests: {
    limits: ["access_requests"],
    also: "2,000,000 records, the oldest are removed; 90 days",
  },
  plans: {
    limits: ["plan_choices"],
    also: "plans of the operator's; one request and one order an account, 2 KiB",
  },
  service: { limits: [], also: "the registry itself" },
  token_keys: { limits: [], also: "the registry itself" },
  sessions: { limits: ["sessions", "actions"], also: "an hour" },
  session_pages: { limits: ["actions", "sessions"], also: "one page a session, an hour" },
  log_entries: {
    limits: ["log_entries", "registrations_of_a_domain"],
    also: "one an entry of the log, at most 96 KiB",
  },
  log_erasures: { limits: [], also: "operators: at most 2,000" },
  log: {
    limits: ["log_entries", "registrations_of_a_domain", "gateway_records", "receipts"],
    also: "follows from the log's entries",
  },
  frontier: { limits: ["places", "reported_names", "domain_proofs"], also: "one token a host" },
  discovered: { limits: ["places"], also: "100,000 messages, the oldest are removed; a week" },
  mail: { limits: ["mails", "mails_of_news", "registrations"], also: "a few kilobytes each, seven days" },
  webhooks: { limits: ["webhooks", "webhook_bytes"], also: "three days" },
  count_minute: { limits: ["requests"], also: "1,000,000 counts, three minutes" },
  count_day: { limits: ["requests"], also: "10,000,000 counts, 40 days" },
  count_month: { limits: ["actions"], also: "10,000,000 counts, 400 days" },
};
