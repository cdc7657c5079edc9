/** The port of buckets over JetStream's key-value stores. */
import { JetStreamApiError } from "@nats-io/jetstream";
import type { KV, KvEntry } from "@nats-io/kv";
import type { Bucket, Entry } from "../../ports/buckets.ts";

import { untilAborted } from "./nats-broker.ts";

/** Error code of JetStream for a write whose expected last sequence does not hold. */
const WRONG_LAST_SEQUENCE = 10_071;

export const isConflict = (error: unknown): boolean =>
  error instanceof JetStreamApiError && error.code === WRONG_LAST_SEQUENCE;

const entryOf = (entry: KvEntry): Entry => ({
  value: entry.value,
  revision: entry.revision,
  json: () => entry.json(),
  text: () => entry.string(),
});

export const bucketOf = (kv: KV, name: string): Bucket => ({
  name,
  get: async (key) => {
    const entry = await kv.get(key);
    return entry?.operation === "PUT" ? entryOf(entry) : undefined;
  },
  put: (key, value) => kv.put(key, value),
  compareAndSet: async (key, value, revision) => {
    try {
      return revision === 0 ? await kv.create(key, value) : await kv.update(key, value, revision);
    } catch (error) {
      if (isConflict(error)) return undefined;
      throw error;
    }
  },
  remove: (key) => kv.purge(key),
  removeRevision: async (key, revision) => {
    try {
      await kv.purge(key, { previousSeq: revision });
      return true;
    } catch (error) {
      if (isConflict(error)) return false;
      throw error;
    }
  },
  keys: async function* (filter) {
    yield* await kv.keys(filter ?? ">");
  },
  count: async () => (await kv.status()).values,
  watch: async function* (filter, signal) {
    for await (const entry of untilAborted(await kv.watch({ key: filter }), signal))
      yield {
        key: entry.key,
        entry: entry.operation === "PUT" ? entryOf(entry) : undefined,
        pending: entry.delta ?? 0,
      };
  },
});
