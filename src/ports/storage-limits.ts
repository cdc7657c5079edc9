/**
 * The bounds of everything that is stored, in one table: each bucket's and stream's share of the store (BRIDGE_STORE_GIB), and
 * what happens when it is full. The adapter gives the broker these bounds (src/adapters/nats/topology.ts); docs/storage.md is
 * written from this table, and test/adapters/nats/storage-limits.test.ts fills each.
 */
import type { BucketName, StreamName } from "./storage.ts";
import { DAY_MS } from "./time.ts";

/**
 * - `refuse`: what would take more room is refused; what is there can be replaced by what is no larger, and removed.
 * - `oldest`: the oldest make room.
 * - `hold`: from HOLD_AT of its bounds on, processes add nothing new; what is there is moved and counted as before. For
 *   streams in which nats-server can only discard the oldest (schedules, counters).
 */
export type AtLimit = "refuse" | "oldest" | "hold";

export interface StorageLimit {
  /** Part of the store, in thousandths. */
  readonly share: number;
  readonly atLimit: AtLimit;
  /** What callers and operators notice when it is full. */
  readonly effect: string;
}

/** From this part of a bound on, streams of `hold` take nothing new. */
export const HOLD_AT = 0.75;

const refused = "`507 storage_full` for what would add to it; all else goes on";

export const STORAGE_LIMITS = {
  // The crawl.
  sites: {
    share: 110,
    atLimit: "refuse",
    effect: "visits of new sites wait in the frontier; listed ones are shown as before",
  },
  contents: {
    share: 329,
    atLimit: "refuse",
    effect: "visits that saw more wait in the frontier; listed sites are shown as before",
  },
  frontier: {
    share: 40,
    atLimit: "hold",
    effect:
      "no new host is added: `507 storage_full`, and discovered hosts wait in `DISCOVERED`; known hosts are visited as before",
  },
  gate: {
    share: 20,
    atLimit: "oldest",
    effect: "the pauses of the hosts that were idle the longest are forgotten",
  },
  dead_letters: {
    share: 3,
    atLimit: "refuse",
    effect: "visits that keep failing are retried instead of set aside",
  },
  discovered: {
    share: 8,
    atLimit: "oldest",
    effect: "the hints that waited the longest are dropped; beacons repeat them",
  },
  candidates: { share: 8, atLimit: "oldest", effect: "the unverified hosts discovered first are dropped" },
  gossip_places: { share: 4, atLimit: "refuse", effect: "discovered hosts wait in `DISCOVERED`" },
  reporters: {
    share: 4,
    atLimit: "oldest",
    effect: "the allowances of the groups that were silent the longest start anew",
  },
  looks: { share: 4, atLimit: "oldest", effect: "the oldest looks are forgotten; the host is asked again" },
  blocks: { share: 5, atLimit: "refuse", effect: refused },
  // The log, which is for ever.
  log_stream: { share: 30, atLimit: "refuse", effect: refused },
  log_entries: { share: 35, atLimit: "refuse", effect: refused },
  log_erasures: { share: 2, atLimit: "refuse", effect: "`bridge log erase` is refused; raise the store" },
  log: { share: 10, atLimit: "refuse", effect: refused },
  registrations: { share: 8, atLimit: "refuse", effect: refused },
  certificates: { share: 8, atLimit: "refuse", effect: refused },
  // What counts and what must not happen twice.
  count_minute: {
    share: 6,
    atLimit: "hold",
    effect:
      "new keys share 4,096 places, each counted for all of its keys: quotas get no wider; room returns within three minutes",
  },
  count_day: {
    share: 40,
    atLimit: "hold",
    effect:
      "new keys share 4,096 places, each counted for all of its keys: quotas get no wider; room returns by age",
  },
  count_month: {
    share: 40,
    atLimit: "hold",
    effect:
      "new keys share 4,096 places, each counted for all of its keys: quotas get no wider; room returns by age",
  },
  trust_nonces: {
    share: 3,
    atLimit: "refuse",
    effect: "signed requests get `503 unavailable`: no nonce is accepted twice",
  },
  idempotency: {
    share: 25,
    atLimit: "refuse",
    effect: "requests with an Idempotency-Key get `507 storage_full`; nothing is done twice",
  },
  receipts: {
    share: 20,
    atLimit: "refuse",
    effect: "actions with an effect get `507 storage_full` before they are sent",
  },
  // Accounts.
  accounts: { share: 12, atLimit: "refuse", effect: refused },
  account_sites: { share: 8, atLimit: "refuse", effect: refused },
  keys: { share: 20, atLimit: "refuse", effect: refused },
  appeals: { share: 1, atLimit: "refuse", effect: refused },
  access_requests: { share: 12, atLimit: "refuse", effect: refused },
  plans: { share: 1, atLimit: "refuse", effect: refused },
  token_keys: { share: 1, atLimit: "refuse", effect: refused },
  service: { share: 1, atLimit: "refuse", effect: refused },
  sessions: {
    share: 20,
    atLimit: "refuse",
    effect: "new sessions get `507 storage_full`; room returns within the hour",
  },
  session_pages: {
    share: 40,
    atLimit: "refuse",
    effect: "sessions' next pages get `507 storage_full`; room returns within the hour",
  },
  // Providers.
  batches: { share: 5, atLimit: "oldest", effect: "the oldest outcomes are forgotten" },
  webhooks: {
    share: 36,
    atLimit: "hold",
    effect: "new webhooks are refused with a reason; those under way are delivered",
  },
  mail: {
    share: 2,
    atLimit: "hold",
    effect:
      "no mail is accepted: `503 unavailable` for who asks for one, and notices are left out; those under way are sent",
  },
  // The gateway.
  bounty_reports: { share: 18, atLimit: "refuse", effect: refused },
  confirmed_reports: { share: 6, atLimit: "refuse", effect: refused },
  pools: { share: 8, atLimit: "refuse", effect: refused },
  prices: { share: 38, atLimit: "refuse", effect: refused },
  // Operators.
  operators: { share: 1, atLimit: "refuse", effect: refused },
  operator_audit: { share: 8, atLimit: "oldest", effect: "the oldest entries go: keep a copy of your own" },
} as const satisfies Record<BucketName | Exclude<StreamName, "log"> | "log_stream", StorageLimit>;

/** A bucket's or stream's name in the table: the log has one of each. */
export type StoredName = keyof typeof STORAGE_LIMITS;

/** Bounds of the streams beside the buckets; `maxMessages` where strangers cause messages. */
export const STREAM_BOUNDS = {
  frontier: { writer: "crawler", holds: "one scheduled or due message per host", maxAgeMs: 0 },
  discovered: {
    writer: "crawler",
    holds: "hosts that beacons named, waiting for gossip",
    maxAgeMs: 7 * DAY_MS,
    maxMessages: 100_000,
  },
  webhooks: {
    writer: "provider",
    holds: "webhooks on their way, each with its body and secret",
    maxAgeMs: 0,
  },
  mail: {
    writer: "accounts",
    holds: "mails on their way to account holders",
    maxAgeMs: 7 * DAY_MS,
  },
  log: {
    writer: "trust, notary, session",
    holds: "the transparency log's entries, in their order",
    maxAgeMs: 0,
  },
  count_minute: {
    writer: "front, actors",
    holds: "what is counted by minute: rates",
    maxAgeMs: 180_000,
    maxMessages: 1_000_000,
  },
  count_day: {
    writer: "front, actors",
    holds: "what is counted by day: quotas, usage, throttles",
    maxAgeMs: 40 * DAY_MS,
    maxMessages: 10_000_000,
  },
  count_month: {
    writer: "front, actors",
    holds: "what is counted by month: actions of a plan",
    maxAgeMs: 400 * DAY_MS,
    maxMessages: 10_000_000,
  },
} as const satisfies Record<
  StreamName,
  { writer: string; holds: string; maxAgeMs: number; maxMessages?: number }
>;

/** What a bucket or stream holds, against its bounds. */
export interface StorageUse {
  name: StoredName;
  /** Its name at the broker. */
  stream: string;
  bytes: number;
  /** -1: none. */
  maxBytes: number;
  /** Of the bound that is nearer, bytes or messages. */
  percent: number;
}

/** Copies of all streams together, as their leaders see them. One server: each stream has one, which is current. */
export interface StreamCopies {
  wanted: number;
  /** With all that the leader has, leaders included. */
  current: number;
  /** Of servers that are there and do not keep up: full, without JetStream, or catching up. */
  behind: number;
  /** Of servers that are away. */
  offline: number;
  /** Names of the servers whose copies are behind or offline. */
  servers: string[];
}

/** What the broker says of all streams of a registry. */
export interface StorageState {
  /** The fullest first. */
  use: StorageUse[];
  /** Streams whose leader does not answer: nothing can be written to them now. */
  silent: string[];
  copies: StreamCopies;
}

/** Bytes of a bucket or stream in a store of `storeBytes`. */
export const storageBytes = (name: StoredName, storeBytes: number): number =>
  Math.floor((storeBytes / 1_000) * STORAGE_LIMITS[name].share);
