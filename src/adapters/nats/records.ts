/** Typed records in a KV bucket: parsed when read, compare-and-set when written. */

import { JetStreamApiError } from "@nats-io/jetstream";
import type { KV } from "@nats-io/kv";
import type { z } from "zod";

export interface Stored<T> {
  value: T;
  revision: number;
}

export interface Records<T> {
  get(key: string): Promise<Stored<T> | undefined>;
  /** Writes whatever was there before. @returns the new revision */
  put(key: string, value: T): Promise<number>;
  /** Writes only over `revision` (0: only if absent). @returns the new revision, or undefined when another writer was first */
  compareAndSet(key: string, value: T, revision: number): Promise<number | undefined>;
  remove(key: string): Promise<void>;
  /** Removes only `revision`. @returns false when another writer was first */
  removeRevision(key: string, revision: number): Promise<boolean>;
  keys(filter?: string): AsyncIterable<string>;
  /** Records and markers now in the bucket: an upper bound of the live ones. */
  count(): Promise<number>;
}

/** Error code of JetStream for a write whose expected last sequence does not hold. */
const WRONG_LAST_SEQUENCE = 10_071;

export const isConflict = (error: unknown): boolean =>
  error instanceof JetStreamApiError && error.code === WRONG_LAST_SEQUENCE;

/**
 * A bucket seen through a schema. `upgrade` turns what an older version of this program wrote into today's shape;
 * members that this version does not know are kept, so that versions can run side by side.
 */
export const openRecords = <S extends z.ZodType>(
  bucket: KV,
  schema: S,
  upgrade: (stored: unknown) => unknown = (stored) => stored,
): Records<z.output<S>> => {
  type T = z.output<S>;
  const encode = (value: T): string => JSON.stringify(value);
  return {
    get: async (key) => {
      const entry = await bucket.get(key);
      if (entry?.operation !== "PUT") return undefined;
      return { value: schema.parse(upgrade(entry.json())), revision: entry.revision };
    },
    put: (key, value) => bucket.put(key, encode(value)),
    compareAndSet: async (key, value, revision) => {
      try {
        return revision === 0
          ? await bucket.create(key, encode(value))
          : await bucket.update(key, encode(value), revision);
      } catch (error) {
        if (isConflict(error)) return undefined;
        throw error;
      }
    },
    remove: (key) => bucket.purge(key),
    removeRevision: async (key, revision) => {
      try {
        await bucket.purge(key, { previousSeq: revision });
        return true;
      } catch (error) {
        if (isConflict(error)) return false;
        throw error;
      }
    },
    keys: async function* (filter) {
      yield* await bucket.keys(filter ?? ">");
    },
    count: async () => (await bucket.status()).values,
  };
};
