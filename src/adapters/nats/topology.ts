/**
 * The streams of JetStream that hold what src/ports/storage.ts names; reconciled at every start (reconcile.ts).
 */

import { DiscardPolicy, RetentionPolicy, StorageType, type StreamConfig } from "@nats-io/jetstream";
import { type BucketName, DISCOVERED_HOSTS_LIMIT, type StreamName } from "../../ports/storage.ts";
import { DAY_MS } from "../../ports/time.ts";

/** How long the counts of a calendar period are kept, and how many: some 200 bytes each. */
const COUNTERS = {
  minute: { maxAgeMs: 3 * 60_000, maxMessages: 1_000_000 },
  day: { maxAgeMs: 40 * DAY_MS, maxMessages: 10_000_000 },
  month: { maxAgeMs: 400 * DAY_MS, maxMessages: 10_000_000 },
} as const;

export const counterStream = (prefix: string, window: keyof typeof COUNTERS): string =>
  `${prefix}_COUNT_${window.toUpperCase()}`;

const counterConfig = (prefix: string, window: keyof typeof COUNTERS) => ({
  name: counterStream(prefix, window),
  description: `what is counted by ${window}: rates, quotas, usage`,
  subjects: [`${prefix}.count.${window}.>`],
  retention: RetentionPolicy.Limits,
  storage: StorageType.File,
  allow_msg_counter: true,
  allow_direct: true,
  // The last message of a subject holds its total.
  max_msgs_per_subject: 1,
  max_msgs: COUNTERS[window].maxMessages,
  max_age: COUNTERS[window].maxAgeMs * 1e6,
  discard: DiscardPolicy.Old,
});

const QUEUES = { frontier: "f", webhooks: "hook" } as const;
export type QueueName = keyof typeof QUEUES;

/** Subjects of a scheduled queue (scheduled-queue.ts): those of one key, or of all. */
export const queueSubjects = (prefix: string, queue: QueueName, key = "*") => {
  const base = `${prefix}.${QUEUES[queue]}.${key}`;
  return { sched: `${base}.sched`, due: `${base}.due`, both: `${base}.*` };
};

/**
 * A work queue whose messages the broker's own scheduler makes due. No limits: what was accepted is never dropped. A
 * subject holds one message: publishing a schedule again replaces it.
 */
const scheduledConfig = ({ sched, due }: ReturnType<typeof queueSubjects>) => ({
  subjects: [sched, due],
  retention: RetentionPolicy.Workqueue,
  storage: StorageType.File,
  allow_msg_schedules: true,
  allow_direct: true,
  max_msgs_per_subject: 1,
  discard: DiscardPolicy.Old,
});

/** Streams beside the buckets' own. */
export const streamConfigs = (prefix: string) =>
  ({
    frontier: {
      name: `${prefix}_FRONTIER`,
      description: "one scheduled token a host",
      ...scheduledConfig(queueSubjects(prefix, "frontier")),
    },
    heard: {
      name: `${prefix}_HEARD`,
      description: "hosts that sites and strangers named, waiting for gossip's rules",
      subjects: [`${prefix}.heard`],
      retention: RetentionPolicy.Workqueue,
      storage: StorageType.File,
      max_msgs: DISCOVERED_HOSTS_LIMIT,
      max_age: 7 * DAY_MS * 1e6,
      discard: DiscardPolicy.Old,
    },
    webhooks: {
      name: `${prefix}_WEBHOOKS`,
      description: "webhooks on their way, with their bodies and secrets",
      // WEBHOOK_LIMITS bound what is accepted.
      ...scheduledConfig(queueSubjects(prefix, "webhooks")),
    },
    log: {
      name: `${prefix}_LOG`,
      description: "the transparency log's entries: the sequence of a message is its leaf's number plus one",
      subjects: [`${prefix}.log.>`],
      retention: RetentionPolicy.Limits,
      storage: StorageType.File,
      allow_direct: true,
      discard: DiscardPolicy.New,
      // No entry is ever taken away: the broker itself refuses to.
      deny_delete: true,
      deny_purge: true,
    },
    count_minute: counterConfig(prefix, "minute"),
    count_day: counterConfig(prefix, "day"),
    count_month: counterConfig(prefix, "month"),
  }) satisfies Record<StreamName, Partial<StreamConfig> & { name: string }>;

export const bucketName = (prefix: string, bucket: BucketName): string => `${prefix}_${bucket}`;
