/** The port of buckets over JetStream's key-value stores. */
import {
  JetStreamApiError,
  type JetStreamClient,
  type JetStreamManager,
  type StoredMsg,
} from "@nats-io/jetstream";
import { type KV, type KvEntry, Kvm } from "@nats-io/kv";
import type { Bucket, Entry } from "../../ports/buckets.ts";
import { BUCKETS, type BucketName } from "../../ports/storage.ts";
import { untilAborted } from "./nats-broker.ts";
import { isNoResponders, isUnanswered } from "./steady.ts";
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

/** While a stream's leader changes, a write may be lost, or only its answer. */
const WRITE_ATTEMPTS = 3;

/**
 * A conditional write whose answer may be lost: what is there then tells what became of it.
 * @param before the revision that it is to follow; 0: nothing is there
 * @param isDone whether what is there is what was to be written
 * @returns the new revision; undefined after a conflict
 */
const conditionally = async (
  kv: DirectKV,
  key: string,
  before: number,
  write: () => Promise<number>,
  isDone: (now: KvEntry | null) => boolean,
): Promise<number | undefined> => {
  for (let attempt = 1; ; attempt++)
    try {
      return await write();
    } catch (error) {
      const conflict = isConflict(error);
      if (conflict && attempt === 1) return undefined;
      if (!conflict && (!isUnanswered(error) || attempt === WRITE_ATTEMPTS)) throw error;
      const now = await getEntry(kv, key);
      if (isDone(now)) return now?.revision ?? before + 1;
      const revision = now?.operation === "PUT" ? now.revision : 0;
      // Another's write. Where nothing is there, what is at `before` may be the mark of a removal.
      if (revision !== before || conflict) return undefined;
    }
};

const isEqual = (entry: KvEntry | null, value: string | Uint8Array): boolean =>
  entry?.operation === "PUT" && Buffer.from(value).equals(entry.value);

/** Where a removal of a key says that it is one. */
const OPERATION_FIELD = "KV-Operation";

const entryOfMessage = (message: StoredMsg): Entry => ({
  value: message.data,
  revision: message.seq,
  json: () => message.json(),
  text: () => message.string(),
});

/** Reads by sequence: of the stream's last writes, those that were not overwritten since. */
const newestOf = async (jsm: JetStreamManager, stream: string, limit: number): Promise<Entry[]> => {
  const last = await jsm.streams.getMessage(stream, { last_by_subj: ">" });
  if (!last) return [];
  const before = Array.from({ length: Math.min(limit, last.seq) - 1 }, (_, i) => last.seq - 1 - i);
  const older = await Promise.all(before.map((seq) => jsm.streams.getMessage(stream, { seq })));
  return [last, ...older]
    .filter((message) => message !== null)
    .filter(({ header }) => !header?.get(OPERATION_FIELD))
    .map(entryOfMessage);
};

const bucketOf = (kv: DirectKV, name: string, jsm: JetStreamManager, stream: string): Bucket => ({
  name,
  get: async (key) => {
    const entry = await getEntry(kv, key);
    return entry?.operation === "PUT" ? entryOf(entry) : undefined;
  },
  put: async (key, value) => {
    try {
      return await kv.put(key, value);
    } catch (error) {
      if (!isUnanswered(error)) throw error;
      const now = await getEntry(kv, key);
      return now && isEqual(now, value) ? now.revision : kv.put(key, value);
    }
  },
  compareAndSet: (key, value, revision) =>
    conditionally(
      kv,
      key,
      revision,
      () => (revision === 0 ? kv.create(key, value) : kv.update(key, value, revision)),
      (now) => isEqual(now, value),
    ),
  remove: (key) =>
    kv.purge(key).catch((error: unknown) => {
      if (!isUnanswered(error)) throw error;
      return kv.purge(key);
    }),
  removeRevision: async (key, revision) => {
    const remove = async () => {
      await kv.purge(key, { previousSeq: revision });
      return revision;
    };
    const isGone = (now: KvEntry | null) => now === null || now.operation !== "PUT";
    return (await conditionally(kv, key, revision, remove, isGone)) !== undefined;
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
  newest: (limit) => newestOf(jsm, stream, limit),
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
  const jsm = await js.jetstreamManager(false);
  const options = { bindOnly: true, allow_direct: replicas === 1 };
  const bound = (Object.keys(BUCKETS) as BucketName[]).map(async (name) => {
    const kv = await kvm.open(bucketName(prefix, name), options);
    const bucket = bucketOf(kv as DirectKV, name, jsm, `KV_${bucketName(prefix, name)}`);
    return [name, bucket] as const;
  });
  return Object.fromEntries(await Promise.all(bound)) as Record<BucketName, Bucket>;
};
