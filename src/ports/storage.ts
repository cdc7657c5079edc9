/**
 * The registry's storage in one table, whose rows stand by area in storage-rows/: each bucket and stream with its single writer, its
 * retention, its share of the store (BRIDGE_STORE_GIB), and what happens when that is full. `bridge setup` makes the broker's
 * streams of it (src/adapters/nats/topology.ts), docs/storage.md and docs/limits.md print it, and
 * test/adapters/nats/storage-limits.test.ts fills each.
 */
import { ACCOUNTS_BUCKETS } from "./storage-rows/accounts.ts";
import { CALLS_BUCKETS } from "./storage-rows/calls.ts";
import { CRAWL_BUCKETS } from "./storage-rows/crawl.ts";
import { GATEWAY_BUCKETS } from "./storage-rows/gateway.ts";
import type { BucketRow, StorageRow, StreamRow } from "./storage-rows/row.ts";
import { STREAM_ROWS } from "./storage-rows/streams.ts";
import { TRUST_BUCKETS } from "./storage-rows/trust.ts";

const ROWS = {
  ...CRAWL_BUCKETS,
  ...TRUST_BUCKETS,
  ...ACCOUNTS_BUCKETS,
  ...CALLS_BUCKETS,
  ...GATEWAY_BUCKETS,
} as const;
export type BucketName = keyof typeof ROWS;
export const BUCKETS: Readonly<Record<BucketName, BucketRow>> = ROWS;

export type StreamName = keyof typeof STREAM_ROWS;
/** Streams other than those of buckets. */
export const STREAMS: Readonly<Record<StreamName, StreamRow>> = STREAM_ROWS;

/** A bucket's or stream's name in the table: the log has one of each. */
export type StoredName = BucketName | Exclude<StreamName, "log"> | "log_stream";

const { log: logStream, ...otherStreams } = STREAMS;
export const STORED: Readonly<Record<StoredName, StorageRow>> = {
  ...BUCKETS,
  ...otherStreams,
  log_stream: logStream,
};

/** What happens where a bucket or stream is full, and what shows. */
export const fullStorage = (name: StoredName): Required<Pick<StorageRow, "atLimit" | "effect">> => ({
  atLimit: "refuse",
  effect: "`507 storage_full` for additions",
  ...STORED[name],
});

/** From this part of a bound on, streams of `hold` take nothing new. */
export const HOLD_AT = 0.75;

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
  Math.floor((storeBytes / 1_000) * STORED[name].share);

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
