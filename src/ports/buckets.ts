/**
 * Buckets of shared records: bytes by key, each with a revision for compare-and-set. `src/stores/records.ts` reads and
 * writes them through schemas.
 */

export interface BucketEntry {
  readonly value: Uint8Array;
  readonly revision: number;
  /** @throws SyntaxError if the value is not JSON */
  json<T = unknown>(): T;
  text(): string;
}

/** One change of a bucket; without an entry, the key was removed. */
export interface BucketChange {
  readonly key: string;
  readonly entry: BucketEntry | undefined;
  /** How many initial records are still to come; 0 with the last of them and from then on. */
  readonly pending: number;
}

export interface Bucket {
  readonly name: string;
  get(key: string): Promise<BucketEntry | undefined>;
  /** Writes unconditionally. @returns the new revision */
  put(key: string, value: string | Uint8Array): Promise<number>;
  /** Writes only over `revision` (0: only if absent). @returns the new revision, or undefined after a conflict */
  compareAndSet(key: string, value: string | Uint8Array, revision: number): Promise<number | undefined>;
  remove(key: string): Promise<void>;
  /** Removes only `revision`. @returns false after a conflict */
  removeRevision(key: string, revision: number): Promise<boolean>;
  keys(filter?: string): AsyncIterable<string>;
  /** Records and deletion markers in the bucket: an upper bound of the live records. */
  count(): Promise<number>;
  /**
   * Every current record whose key matches the filter, then every change. Ends when `signal` aborts, or when the watch
   * is lost.
   */
  watch(filter: string, signal: AbortSignal): AsyncIterable<BucketChange>;
  /**
   * The last writes to the bucket, the newest first, without removed keys. One read for each: for small limits.
   * @param limit most writes to look at; fewer are given where some of them were overwritten or removed
   */
  newest(limit: number): Promise<BucketEntry[]>;
}
