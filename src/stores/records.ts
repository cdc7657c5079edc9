/** Typed records in a bucket: parsed when read, compare-and-set when written. */
import type { z } from "zod";
import type { Bucket } from "../ports/buckets.ts";

export interface Stored<T> {
  value: T;
  revision: number;
}

/** What an edit makes of a record: the value to write (absent: the record stays as it is), and what to tell the caller. */
export interface Edit<T, R> {
  next?: T;
  result: R;
}

export interface Records<T> {
  get(key: string): Promise<Stored<T> | undefined>;
  /** Writes whatever was there before. @returns the new revision */
  put(key: string, value: T): Promise<number>;
  /** Writes only over `revision` (0: only if absent). @returns the new revision, or undefined when another writer was first */
  compareAndSet(key: string, value: T, revision: number): Promise<number | undefined>;
  /**
   * Changes a record as one step: reads it, asks `edit`, and writes only over what was read. `edit` is called again, with
   * what is stored then, whenever another writer was first.
   * @returns the result of the edit that counted; undefined when others kept writing the same record
   */
  update<R>(
    key: string,
    edit: (before: T | undefined) => Edit<T, R> | Promise<Edit<T, R>>,
  ): Promise<R | undefined>;
  remove(key: string): Promise<void>;
  /** Removes only `revision`. @returns false when another writer was first */
  removeRevision(key: string, revision: number): Promise<boolean>;
  keys(filter?: string): AsyncIterable<string>;
  /** Records and markers now in the bucket: an upper bound of the live ones. */
  count(): Promise<number>;
}

/** Attempts at one record: of a hundred writers at once each is first once. */
const MAX_ATTEMPTS = 100;

/**
 * A bucket seen through a schema. `upgrade` turns what an older version of this program wrote into today's shape;
 * members that this version does not know are kept, so that versions can run side by side.
 */
export const openRecords = <S extends z.ZodType>(
  bucket: Bucket,
  schema: S,
  upgrade: (stored: unknown) => unknown = (stored) => stored,
): Records<z.output<S>> => {
  type T = z.output<S>;
  const get = async (key: string): Promise<Stored<T> | undefined> => {
    const entry = await bucket.get(key);
    return entry && { value: schema.parse(upgrade(entry.json())), revision: entry.revision };
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
  };
};
