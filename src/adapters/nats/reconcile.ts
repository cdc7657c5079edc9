/** Makes the broker's streams and buckets what topology.ts says: at every start of every process. */
import {
  DiscardPolicy,
  JetStreamApiError,
  type JetStreamClient,
  type JetStreamManager,
} from "@nats-io/jetstream";
import { type KV, Kvm, type KvOptions } from "@nats-io/kv";
import type { Bucket } from "../../ports/buckets.ts";
import { BUCKETS, type BucketName, type BucketSpec } from "../../ports/storage.ts";
import { bucketOf } from "./buckets.ts";
import { bucketName, streamConfigs } from "./topology.ts";

/** Where the broker's streams stand now, and where they should: what opening a bucket or stream needs to know. */
interface Place {
  kvm: Kvm;
  jsm: JetStreamManager;
  prefix: string;
  replicas: number;
  /** Copies that each stream has now, by its name. */
  known: ReadonlyMap<string, number>;
}

/** The broker's streams with their copies. Where one copy is wanted there is nothing to raise, and names do. */
const readKnown = async (jsm: JetStreamManager, replicas: number): Promise<Map<string, number>> => {
  const known = new Map<string, number>();
  if (replicas === 1) for await (const name of jsm.streams.names()) known.set(name, 1);
  else for await (const { config } of jsm.streams.list()) known.set(config.name, config.num_replicas);
  return known;
};

/** Never lowered: a command that is run without the setting must not take copies away. */
const raised = ({ known, replicas }: Place, stream: string) =>
  (known.get(stream) ?? replicas) < replicas ? { num_replicas: replicas } : {};

/** Error code of JetStream for a stream that was made, and changed, between the look for it and its creation. */
const NAME_IN_USE = 10_058;

/** Opens a bucket, or creates it; another process may do the same just now. */
const createBucket = async (kvm: Kvm, name: string, options: Partial<KvOptions>): Promise<KV> => {
  try {
    return await kvm.create(name, options);
  } catch (error) {
    if (!(error instanceof JetStreamApiError) || error.code !== NAME_IN_USE) throw error;
    return kvm.create(name, options);
  }
};

const openBucket = async (place: Place, name: BucketName): Promise<KV> => {
  const { kvm, jsm, prefix, replicas, known } = place;
  const spec: BucketSpec = BUCKETS[name];
  const stream = `KV_${bucketName(prefix, name)}`;
  const bucket = await createBucket(kvm, bucketName(prefix, name), {
    description: spec.holds,
    history: 1,
    ttl: spec.ttlMs,
    maxValueSize: spec.maxValueBytes,
    replicas,
    // Any copy answers a direct read, one that lags too: of several, the leader is asked, which knows what was acked.
    allow_direct: replicas === 1,
    ...(spec.markerTtlMs > 0 && { markerTTL: spec.markerTtlMs }),
  });
  // Opening one that is there already leaves its bounds as an older version made them; and the client makes buckets that
  // refuse what is new when they are full.
  if (known.has(stream) || spec.maxRecords)
    await jsm.streams.update(stream, {
      description: spec.holds,
      max_age: spec.ttlMs * 1e6,
      max_msg_size: spec.maxValueBytes,
      ...(spec.maxRecords && { max_msgs: spec.maxRecords, discard: DiscardPolicy.Old }),
      ...raised(place, stream),
    });
  return bucket;
};

const bucketsBy = async (open: (name: BucketName) => Promise<KV>): Promise<Record<BucketName, Bucket>> => {
  const names = Object.keys(BUCKETS) as BucketName[];
  const opened = await Promise.all(names.map(async (name) => [name, bucketOf(await open(name), name)]));
  return Object.fromEntries(opened);
};

/** The buckets as they are, for a process whose user may not make or change them. Nothing is asked of the broker. */
export const bindBuckets = (
  js: JetStreamClient,
  prefix: string,
  replicas: number,
): Promise<Record<BucketName, Bucket>> => {
  const kvm = new Kvm(js);
  return bucketsBy((name) =>
    kvm.open(bucketName(prefix, name), { bindOnly: true, allow_direct: replicas === 1 }),
  );
};

/**
 * Creates what is missing and updates what differs. Safe to run from many processes at once.
 * @param replicas copies of each stream and bucket: more than one needs a broker of as many servers
 */
export const ensureTopology = async (
  js: JetStreamClient,
  jsm: JetStreamManager,
  prefix: string,
  replicas: number,
): Promise<Record<BucketName, Bucket>> => {
  const known = await readKnown(jsm, replicas);
  const place = { kvm: new Kvm(js), jsm, prefix, replicas, known };
  const streams = Object.values(streamConfigs(prefix)).map((config) =>
    known.has(config.name)
      ? jsm.streams.update(config.name, { ...config, ...raised(place, config.name) })
      : jsm.streams.add({ ...config, num_replicas: replicas }),
  );
  const [buckets] = await Promise.all([bucketsBy((name) => openBucket(place, name)), ...streams]);
  return buckets;
};
