/** Typed records in a bucket: parsed on read, written by compare-and-set. */
import type { z } from "zod";
import type { Bucket } from "../ports/buckets.ts";

export interface StoredRecord<T> {
  value: T;
  revision: number;
}

/** The result of an edit: the value to write (absent: no write), and the result for the caller. */
export interface Edit<T, R> {
  next?: T;
  result: R;
}

export interface Records<T> {
  get(key: string): Promise<StoredRecord<T> | undefined>;
  /** Writes unconditionally. @returns the new revision */
  put(key: string, value: T): Promise<number>;
  /** Writes only over `revision` (0: only if absent). @returns the new revision, or undefined after a conflict */
  compareAndSet(key: string, value: T, revision: number): Promise<number | undefined>;
  /**
   * Updates a record atomically: reads it, calls `edit`, and writes only over the revision that was read. After a
   * conflict, it repeats with the new value.
   * @returns the result of the edit that was written; undefined after too many conflicts
   */
  update<R>(
    key: string,
    edit: (before: T | undefined) => Edit<T, R> | Promise<Edit<T, R>>,
  ): Promise<R | undefined>;
  remove(key: string): Promise<void>;
  /** Removes only `revision`. @returns false after a conflict */
  removeRevision(key: string, revision: number): Promise<boolean>;
  keys(filter?: string): AsyncIterable<string>;
  /** Records and deletion markers in the bucket: an upper bound of the live records. */
  count(): Promise<number>;
  /** The records written last, the newest first (Bucket.newest). */
  newest(limit: number): Promise<T[]>;
}

/** Maximum attempts: of a hundred concurrent writers, each succeeds. */
const MAX_ATTEMPTS = 100;

/** Opens a bucket with a schema. Unknown members are preserved, so that versions can run side by side. */
export function openRecords<S extends z.ZodType>(bucket: Bucket, schema: S): Records<z.output<S>> {
  type T = z.output<S>;
  const get = async (key: string): Promise<StoredRecord<T> | undefined> => {
    const entry = await bucket.get(key);
    return entry && { value: schema.parse(entry.json()), revision: entry.revision };
  };
  const compareAndSet = (key: string, value: T, revision: number): Promise<number | undefined> =>
    bucket.compareAndSet(key, JSON.stringify(value), revision);
  return {
    get,
    put: (key, value) => bucket.put(key, JSON.stringify(value)),
    compareAndSet,
    update: async (key, edit) => {
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
        const stored = await get(key);
        const { next, result } = await edit(stored?.value);
        if (next === undefined) return result;
        if ((await compareAndSet(key, next, stored?.revision ?? 0)) !== undefined) return result;
      }
      return undefined;
    },
    remove: (key) => bucket.remove(key),
    removeRevision: (key, revision) => bucket.removeRevision(key, revision),
    keys: (filter) => bucket.keys(filter),
    count: () => bucket.count(),
    newest: async (limit) => (await bucket.newest(limit)).map((entry) => schema.parse(entry.json())),
  };
}

/** Every record now in a bucket, unordered: for small buckets, and for operators. */
export async function allRecords<T>({ keys, get }: Pick<Records<T>, "keys" | "get">): Promise<T[]> {
  const found: T[] = [];
  for await (const key of keys()) {
    const record = await get(key);
    if (record) found.push(record.value);
  }
  return found;
}
