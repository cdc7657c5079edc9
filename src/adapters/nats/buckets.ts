/** The port of buckets over JetStream's key-value stores. */
import { JetStreamApiError, type JetStreamClient } from "@nats-io/jetstream";
import { type KV, type KvEntry, Kvm } from "@nats-io/kv";
import type { Bucket, Entry } from "../../ports/buckets.ts";
import { BUCKETS, type BucketName } from "../../ports/storage.ts";
import { untilAborted } from "./nats-broker.ts";
import { isNoResponders } from "./requests.ts";
import { bucketName } from "./topology.ts";

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

/** The client's bucket, with what it reads by. */
type DirectKV = KV & { direct: boolean };

/** Reads; where a migration raised the copies meanwhile, so that no copy answers for itself any more, from the leader. */
const getEntry = async (kv: DirectKV, key: string): Promise<KvEntry | null> => {
  try {
    return await kv.get(key);
  } catch (error) {
    if (!kv.direct || !isNoResponders(error)) throw error;
    kv.direct = false;
    try {
      return await kv.get(key);
    } catch (again) {
      // Nobody answers at all.
      kv.direct = true;
      throw again;
    }
  }
};

const bucketOf = (kv: DirectKV, name: string): Bucket => ({
  name,
  get: async (key) => {
    const entry = await getEntry(kv, key);
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

/**
 * The buckets as they are. Nothing is asked of the broker.
 * @param replicas copies of each: of several, the leader is read
 */
export const bindBuckets = async (
  js: JetStreamClient,
  prefix: string,
  replicas: number,
): Promise<Record<BucketName, Bucket>> => {
  const kvm = new Kvm(js);
  const options = { bindOnly: true, allow_direct: replicas === 1 };
  const bound = (Object.keys(BUCKETS) as BucketName[]).map(async (name) => {
    const kv = await kvm.open(bucketName(prefix, name), options);
    return [name, bucketOf(kv as DirectKV, name)] as const;
  });
  return Object.fromEntries(await Promise.all(bound)) as Record<BucketName, Bucket>;
};
