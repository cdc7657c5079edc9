/** Typed records in a bucket: parsed when read, compare-and-set when written. */
import type { z } from "zod";
import type { Bucket } from "../ports/buckets.ts";

export interface Stored<T> {
  value: T;
  revision: number;
}

/** What became of an edit. `busy`: others kept writing the same record. */
export type Updated<T, R> =
  | { outcome: "written"; value: T; revision: number }
  | { outcome: "unchanged"; stored: Stored<T> | undefined }
  | { outcome: "refused"; refusal: R }
  | { outcome: "busy" };

/** What an edit asks for: the next value, `unchanged` to leave the record alone, or a refusal of the caller's own. */
export type Edit<T, R> = { write: T } | { refuse: R } | "unchanged";

export interface Records<T> {
  get(key: string): Promise<Stored<T> | undefined>;
  /** Writes whatever was there before. @returns the new revision */
  put(key: string, value: T): Promise<number>;
  /** Writes only over `revision` (0: only if absent). @returns the new revision, or undefined when another writer was first */
  compareAndSet(key: string, value: T, revision: number): Promise<number | undefined>;
  /**
   * Changes a record as one step: reads it, asks `edit`, and writes only over what was read. `edit` is called again, with
   * what is stored then, whenever another writer was first.
   */
  update<R = never>(
    key: string,
    edit: (before: T | undefined) => Edit<T, R> | Promise<Edit<T, R>>,
  ): Promise<Updated<T, R>>;
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
        const wanted = await edit(stored?.value);
        if (wanted === "unchanged") return { outcome: "unchanged", stored };
        if ("refuse" in wanted) return { outcome: "refused", refusal: wanted.refuse };
        const revision = await compareAndSet(key, wanted.write, stored?.revision ?? 0);
        if (revision !== undefined) return { outcome: "written", value: wanted.write, revision };
      }
      return { outcome: "busy" };
    },
    remove: (key) => bucket.remove(key),
    removeRevision: (key, revision) => bucket.removeRevision(key, revision),
    keys: (filter) => bucket.keys(filter),
    count: () => bucket.count(),
  };
};
