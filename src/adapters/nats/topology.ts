/**
 * The streams of JetStream that hold what src/ports/storage.ts names, within its bounds.
 * setup.ts makes them.
 */

import { DiscardPolicy, RetentionPolicy, StorageType, type StreamConfig } from "@nats-io/jetstream";
import {
  BUCKETS,
  type BucketName,
  fullStorage,
  STORAGE_VERSION,
  STREAMS,
  type StoredName,
  type StreamName,
  storageBytes,
} from "../../ports/storage.ts";

const NANOSECONDS_A_MS = 1e6;
/** Of a message beside its value, which the broker counts too: its id, the revision that it follows, its trace. */
export const MESSAGE_OVERHEAD_BYTES = 256;
type CounterWindow = "minute" | "day" | "month";

const QUEUES = { frontier: "f", webhooks: "hook", mail: "mail" } as const;
export type QueueName = keyof typeof QUEUES;

/** What a stream's metadata says. */
export const METADATA = {
  /** STORAGE_VERSION of the program that made it. */
  version: "bridge.storage",
  /** On the frontier's stream while a backup is being restored. */
  restoring: "bridge.restoring",
} as const;

export interface WantedStream {
  stored: StoredName;
  config: Partial<StreamConfig> & { name: string; max_bytes: number; num_replicas: number };
}

export const counterStream = (prefix: string, window: CounterWindow): string =>
  `${prefix}_COUNT_${window.toUpperCase()}`;

/** Name of a bucket's stream (ADR-8). */
export const bucketStream = (prefix: string, bucket: BucketName): string =>
  `KV_${bucketName(prefix, bucket)}`;

export const bucketName = (prefix: string, bucket: BucketName): string => `${prefix}_${bucket}`;

/**
 * Every stream of a registry as this version wants it; the frontier's is the last, by which a start knows the version.
 * @param storeBytes what all of them may take together on one server
 */
export function wantedStreams(prefix: string, replicas: number, storeBytes: number): WantedStream[] {
  const { frontier, ...others } = streamConfigs(prefix);
  const wanted = (name: StreamName, config: Partial<StreamConfig> & { name: string }): WantedStream => {
    const stored = name === "log" ? "log_stream" : name;
    const { maxAgeMs, maxMessages } = STREAMS[name];
    return {
      stored,
      config: {
        retention: RetentionPolicy.Limits,
        num_replicas: replicas,
        ...config,
        ...boundsOf(stored, storeBytes, maxAgeMs, maxMessages),
      },
    };
  };
  return [
    ...(Object.keys(BUCKETS) as BucketName[]).map((name) => wantedBucket(prefix, name, replicas, storeBytes)),
    ...(Object.keys(others) as (keyof typeof others)[]).map((name) => wanted(name, others[name])),
    wanted("frontier", frontier),
  ];
}

/** Streams beside the buckets' own, without their bounds. */
export const streamConfigs = (prefix: string) =>
  ({
    frontier: {
      name: `${prefix}_FRONTIER`,
      description: "one scheduled token a host",
      ...scheduledConfig(queueSubjects(prefix, "frontier")),
    },
    discovered: {
      name: `${prefix}_DISCOVERED`,
      description: "hosts that sites and strangers named, waiting for gossip's rules",
      subjects: [`${prefix}.discovered`],
      retention: RetentionPolicy.Workqueue,
    },
    webhooks: {
      name: `${prefix}_WEBHOOKS`,
      description: "webhooks on their way, with their bodies and secrets",
      ...scheduledConfig(queueSubjects(prefix, "webhooks")),
    },
    mail: {
      name: `${prefix}_MAIL`,
      description: "mails on their way, with their texts",
      ...scheduledConfig(queueSubjects(prefix, "mail")),
    },
    log: {
      name: `${prefix}_LOG`,
      description: "the transparency log's entries: the sequence of a message is its leaf's number plus one",
      subjects: [`${prefix}.log.>`],
      allow_direct: true,
      // No entry is ever taken away: the broker itself refuses to.
      deny_delete: true,
      deny_purge: true,
    },
    count_minute: counterConfig(prefix, "minute"),
    count_day: counterConfig(prefix, "day"),
    count_month: counterConfig(prefix, "month"),
  }) satisfies Record<StreamName, Partial<StreamConfig> & { name: string }>;

/**
 * A work queue whose messages the broker's own scheduler makes due. A subject holds one message: publishing a schedule again
 * replaces it. What was accepted is never dropped: nothing new is added long before the stream's bytes are used up.
 */
const scheduledConfig = ({ sched, due }: ReturnType<typeof queueSubjects>) => ({
  subjects: [sched, due],
  retention: RetentionPolicy.Workqueue,
  allow_msg_schedules: true,
  allow_direct: true,
  max_msgs_per_subject: 1,
});

/** Subjects of a scheduled queue (scheduled-queue.ts): those of one key, or of all. */
export function queueSubjects(prefix: string, queue: QueueName, key = "*") {
  const base = `${prefix}.${QUEUES[queue]}.${key}`;
  return { sched: `${base}.sched`, due: `${base}.due`, both: `${base}.*` };
}

const counterConfig = (prefix: string, window: CounterWindow) => ({
  name: counterStream(prefix, window),
  description: `what is counted by ${window}: rates, quotas, usage`,
  subjects: [`${prefix}.count.${window}.>`],
  allow_msg_counter: true,
  allow_direct: true,
  // The last message of a subject holds its total.
  max_msgs_per_subject: 1,
});

const boundsOf = (stored: StoredName, storeBytes: number, maxAgeMs: number, maxMessages = -1) => ({
  storage: StorageType.File,
  max_bytes: storageBytes(stored, storeBytes),
  max_age: maxAgeMs * NANOSECONDS_A_MS,
  max_msgs: maxMessages,
  discard: fullStorage(stored).atLimit === "refuse" ? DiscardPolicy.New : DiscardPolicy.Old,
  metadata: { [METADATA.version]: String(STORAGE_VERSION) },
});

function wantedBucket(prefix: string, name: BucketName, replicas: number, storeBytes: number): WantedStream {
  const spec = BUCKETS[name];
  return {
    stored: name,
    config: {
      name: bucketStream(prefix, name),
      description: spec.holds,
      subjects: [`$KV.${bucketName(prefix, name)}.>`],
      retention: RetentionPolicy.Limits,
      max_msgs_per_subject: 1,
      max_msg_size: spec.maxValueBytes + MESSAGE_OVERHEAD_BYTES,
      allow_rollup_hdrs: true,
      // Any copy answers a direct read, one that lags too: of several, the leader is asked, which knows what was acked.
      allow_direct: replicas === 1,
      num_replicas: replicas,
      ...(spec.markerTtlMs > 0 && {
        allow_msg_ttl: true,
        subject_delete_marker_ttl: spec.markerTtlMs * NANOSECONDS_A_MS,
      }),
      ...boundsOf(name, storeBytes, spec.ttlMs, spec.maxRecords),
    },
  };
}
