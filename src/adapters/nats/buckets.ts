/** The port of buckets over JetStream's key-value stores. */
import { randomUUID } from "node:crypto";
import {
  JetStreamApiError,
  type JetStreamClient,
  type JetStreamManager,
  type PubAck,
  type StoredMsg,
} from "@nats-io/jetstream";
import { type KV, type KvEntry, Kvm } from "@nats-io/kv";
import { headers } from "@nats-io/nats-core";
import type { Bucket, BucketEntry } from "../../ports/buckets.ts";
import type { Clock } from "../../ports/clock.ts";
import { BUCKETS, type BucketName } from "../../ports/storage.ts";
import { untilAborted } from "./nats-broker.ts";
import { EXPECTED_REVISION_FIELD, isLost, isNoResponders, isUnanswered } from "./steady.ts";
import { bucketName } from "./topology.ts";

/** Error code of JetStream for a write whose expected last sequence does not hold. */
const WRONG_LAST_SEQUENCE = 10_071;

/** Where a removal of a key says that it is one. */
const OPERATION_FIELD = "KV-Operation";
const REMOVAL = [
  [OPERATION_FIELD, "PURGE"],
  ["Nats-Rollup", "sub"],
] as const;

/** The client's bucket, with what it reads by, and where it writes. */
type DirectKV = KV & {
  direct: boolean;
  validateKey(key: string): void;
  subjectForKey(key: string, edit: boolean): string;
};

/**
 * Of the broker: a stream has no leader (JSClusterNotAvail), an ask of the same write is being taken
 * (JSStreamDuplicateMessageConflict), or one of the same key (JSStreamWrongLastSequenceConstant).
 */
const TOO_EARLY = new Set([10_008, 10_158, 10_164]);
const PAUSE_MS = 100;
/** While a stream's leader changes, a write may be lost, or only its answer: a new ask is begun within this time. */
const PATIENCE_MS = 6_000;

/** A key that no record has, and that is never more than the mark of a removal. */
const NO_RECORD = "no-record";

/** Writes one message, which the stream knows by its id for two minutes. */
type Publish = (key: string, value: string | Uint8Array, fields: Fields, id: string) => Promise<PubAck>;
type Fields = readonly (readonly [name: string, value: string])[];

interface Writing {
  /** The revision that it is to follow; 0: nothing is there; undefined: whatever is there. */
  revision?: number | undefined;
  removes?: boolean;
}

export const isConflict = (error: unknown): boolean =>
  error instanceof JetStreamApiError && error.code === WRONG_LAST_SEQUENCE;

/**
 * The buckets as they are. Nothing is asked of the broker.
 * @param replicas copies of each: of several, the leader is read
 */
export async function bindBuckets(
  js: JetStreamClient,
  prefix: string,
  replicas: number,
  clock: Clock,
): Promise<Record<BucketName, Bucket>> {
  const kvm = new Kvm(js);
  const options = { bindOnly: true, allow_direct: replicas === 1 };
  const bound = (Object.keys(BUCKETS) as BucketName[]).map(async (name) => {
    const kv = await kvm.open(bucketName(prefix, name), options);
    const bucket = bucketOf(kv as DirectKV, name, js, `KV_${bucketName(prefix, name)}`, clock);
    return [name, bucket] as const;
  });
  return Object.fromEntries(await Promise.all(bound)) as Record<BucketName, Bucket>;
}

function bucketOf(kv: DirectKV, name: string, js: JetStreamClient, stream: string, clock: Clock): Bucket {
  const write = writerOf(kv, js, clock);
  return {
    name,
    get: async (key) => {
      const entry = await getEntry(kv, key);
      return entry?.operation === "PUT" ? entryOf(entry) : undefined;
    },
    put: (key, value) => write(key, value),
    compareAndSet: async (key, value, revision) => {
      const written = await unlessConflict(write(key, value, { revision }));
      if (written !== undefined || revision !== 0) return written;
      // A mark of a removal counts as nothing.
      const mark = await getEntry(kv, key);
      if (!mark || mark.operation === "PUT") return undefined;
      return unlessConflict(write(key, value, { revision: mark.revision }));
    },
    remove: async (key) => {
      await write(key, "", { removes: true });
    },
    removeRevision: async (key, revision) =>
      (await unlessConflict(write(key, "", { revision, removes: true }))) !== undefined,
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
    newest: async (limit) => newestOf(await js.jetstreamManager(false), stream, limit),
  };
}

/** Writes of one bucket, each done once. @returns the new revision */
function writerOf(kv: DirectKV, js: JetStreamClient, clock: Clock) {
  const publish: Publish = (key, value, fields, msgID) => {
    const given = headers();
    for (const [name, text] of fields) given.set(name, text);
    return js.publish(kv.subjectForKey(key, true), value, { msgID, headers: given });
  };
  return (key: string, value: string | Uint8Array, { revision, removes }: Writing = {}): Promise<number> => {
    kv.validateKey(key);
    const fields = [
      ...(revision === undefined ? [] : [[EXPECTED_REVISION_FIELD, String(revision)] as const]),
      ...(removes ? REMOVAL : []),
    ];
    return once(publish, key, value, fields, clock);
  };
}

/**
 * Writes once, however often it has to be asked for. What is there would not tell what became of an earlier ask, since others may have
 * written over it; the stream tells by the write's id. A broker looks at the revision first: who asks again and meets a conflict
 * learns by a removal under the same id whether the conflict is with the write itself.
 */
async function once(
  publish: Publish,
  key: string,
  value: string | Uint8Array,
  fields: Fields,
  clock: Clock,
): Promise<number> {
  const id = randomUUID();
  const giveUpAtMs = clock.monotonicMs() + PATIENCE_MS;
  let hasLost = false;
  for (let isFirst = true; ; isFirst = false)
    try {
      return (await publish(key, value, fields, id)).seq;
    } catch (error) {
      if (isConflict(error) && !isFirst) {
        const { duplicate, seq } = await publish(NO_RECORD, "", [[OPERATION_FIELD, "DEL"]], id);
        if (duplicate) return seq;
        throw error;
      }
      // A connection that is lost again, or has not come back, is the caller's to hear of.
      const isFinal = isLost(error) ? hasLost : !isPassing(error);
      if (isFinal || clock.monotonicMs() >= giveUpAtMs) throw error;
      hasLost ||= isLost(error);
      await clock.sleep(PAUSE_MS);
    }
}

/** Whether the same write may fare better soon; of an earlier ask nobody knows then what became of it. */
const isPassing = (error: unknown): boolean =>
  isUnanswered(error) ||
  // As the client has it: nobody answers for the stream.
  isNoResponders((error as Error).cause) ||
  (error instanceof JetStreamApiError && TOO_EARLY.has(error.code));

/** Reads; where `bridge setup` raised the copies meanwhile, so that no copy answers for itself any more, from the leader. */
async function getEntry(kv: DirectKV, key: string): Promise<KvEntry | null> {
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
}

const entryOf = (entry: KvEntry): BucketEntry => ({
  value: entry.value,
  revision: entry.revision,
  json: () => entry.json(),
  text: () => entry.string(),
});

/** @returns undefined after a conflict */
async function unlessConflict(write: Promise<number>): Promise<number | undefined> {
  try {
    return await write;
  } catch (error) {
    if (isConflict(error)) return undefined;
    throw error;
  }
}

/** Reads by sequence: of the stream's last writes, those that were not overwritten since. */
async function newestOf(jsm: JetStreamManager, stream: string, limit: number): Promise<BucketEntry[]> {
  const last = await jsm.streams.getMessage(stream, { last_by_subj: ">" });
  if (!last) return [];
  const before = Array.from({ length: Math.min(limit, last.seq) - 1 }, (_, i) => last.seq - 1 - i);
  const older = await Promise.all(before.map((seq) => jsm.streams.getMessage(stream, { seq })));
  return [last, ...older]
    .filter((message) => message !== null)
    .filter(({ header }) => !header?.get(OPERATION_FIELD))
    .map(entryOfMessage);
}

const entryOfMessage = (message: StoredMsg): BucketEntry => ({
  value: message.data,
  revision: message.seq,
  json: () => message.json(),
  text: () => message.string(),
});
