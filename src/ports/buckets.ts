/**
 * Buckets of records that every process shares: bytes by key, each with a revision that writes are compared with.
 * `src/stores/records.ts` reads and writes them through schemas.
 */

export interface Entry {
  readonly value: Uint8Array;
  readonly revision: number;
  /** @throws SyntaxError for what is not JSON */
  json<T = unknown>(): T;
  text(): string;
}

/** One change of a bucket; without an entry the key was removed. */
export interface BucketChange {
  readonly key: string;
  readonly entry: Entry | undefined;
  /** Changes that follow of what was there when the watch began; 0 with the last of them, and from then on. */
  readonly pending: number;
}

export interface Bucket {
  readonly name: string;
  get(key: string): Promise<Entry | undefined>;
  /** Writes whatever was there before. @returns the new revision */
  put(key: string, value: string | Uint8Array): Promise<number>;
  /** Writes only over `revision` (0: only if absent). @returns the new revision, or undefined when another writer was first */
  compareAndSet(key: string, value: string | Uint8Array, revision: number): Promise<number | undefined>;
  remove(key: string): Promise<void>;
  /** Removes only `revision`. @returns false when another writer was first */
  removeRevision(key: string, revision: number): Promise<boolean>;
  keys(filter?: string): AsyncIterable<string>;
  /** Records and markers now in the bucket: an upper bound of the live ones. */
  count(): Promise<number>;
  /**
   * Every record of now whose key fits the filter, then every change as it comes. Ends when `signal` aborts, or when the
   * watch is lost.
   */
  watch(filter: string, signal: AbortSignal): AsyncIterable<BucketChange>;
}
