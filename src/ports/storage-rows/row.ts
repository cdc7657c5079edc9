/** The form of a row of the registry's storage: who uses it, what bounds it, and what happens at the bound. */

/** Who is told apart at the broker (src/adapters/nats/rights.ts): the roles, and the front. The operator may do everything. */
export type StorageUser =
  | "front"
  | "crawler"
  | "indexer"
  | "gossip"
  | "search"
  | "protocol"
  | "trust"
  | "accounts"
  | "provider"
  | "session"
  | "operators"
  | "gateway";

/** Who says whole verdicts on sites: readers of what those follow from (src/domain/listing/verdict-part.ts). */
export const SAY_VERDICTS = ["provider", "operators"] as const satisfies readonly StorageUser[];

/**
 * - `refuse`: what would take more room is refused; what is there can be replaced by what is no larger, and removed.
 * - `oldest`: the oldest make room.
 * - `hold`: from HOLD_AT of its bounds on, processes add nothing new; what is there is moved and counted as before. For
 *   streams in which nats-server can only discard the oldest (schedules, counters).
 */
export type AtLimit = "refuse" | "oldest" | "hold";

export interface StorageRow {
  readonly holds: string;
  /** Part of the store, in thousandths. */
  readonly share: number;
  /** Default: `refuse`. */
  readonly atLimit?: AtLimit;
  /** What callers and operators notice when it is full. Default: callers get `507 storage_full`. */
  readonly effect?: string;
  /** What bounds its growth before: rows of the limit table (src/rpc/limit-table.ts), and others in words. */
  readonly limits: readonly string[];
  readonly also?: string;
}

export interface BucketRow extends StorageRow {
  /** Who writes, changes and removes values, and reads them; none: the operator alone, and others single keys of `service`. */
  readonly writers: readonly StorageUser[];
  /** Who reads single values beside them. */
  readonly readers?: readonly StorageUser[];
  /** Who lists keys or follows changes: each takes consumers of its own. */
  readonly followers?: readonly StorageUser[];
  /** Retention of a value in milliseconds; 0 keeps it until it is removed. */
  readonly ttlMs: number;
  readonly maxValueBytes: number;
  /** Retention of deletion markers. */
  readonly markerTtlMs: number;
  /** Maximum records where strangers create them, beside the bytes of its share. */
  readonly maxRecords?: number;
}

export interface StreamRow extends StorageRow {
  readonly writer: string;
  readonly maxAgeMs: number;
  /** Where strangers cause messages. */
  readonly maxMessages?: number;
}
