/**
 * All that a registry stores, read stream by stream as records that any broker can take, under any prefix and with any number
 * of copies. Sequences are not kept, but for the log's, whose entries are numbered without a gap; nor are times: what is kept
 * for a time is kept as long again. Hosts that wait for gossip are left out: beacons name them again.
 */
import type { JetStreamManager } from "@nats-io/jetstream";
import { headers as natsHeaders } from "@nats-io/nats-core";
import { BUCKETS, type BucketName, STORAGE_VERSION, StorageMismatch } from "../../ports/storage.ts";
import { type NatsBroker, readStream } from "./nats-broker.ts";
import { keyInSubject, publishSchedule, scheduledAt, scheduledQueue } from "./scheduled-queue.ts";
import {
  bucketName,
  bucketStream,
  counterStream,
  METADATA,
  type QueueName,
  streamConfigs,
} from "./topology.ts";

const COUNTERS = ["count_minute", "count_day", "count_month"] as const;
const QUEUES: readonly QueueName[] = ["frontier", "webhooks", "mail"];
/** What others refer to comes after them: a record's other half is there, and newer if anything. */
const LATE: readonly BucketName[] = ["accounts", "service", "log"];

/**
 * The parts of a backup in their order. The log's leaves are the last but one: they hold at least what its heads and others
 * name. After them, the entries that they commit to: one that is not there counts as erased.
 */
export const BACKUP_PARTS = [
  ...QUEUES,
  ...(Object.keys(BUCKETS) as BucketName[]).filter((name) => !LATE.includes(name) && name !== "log_entries"),
  ...COUNTERS,
  ...LATE,
  "log_stream",
  "log_entries",
] as const;
export type BackupPart = (typeof BACKUP_PARTS)[number];

/** One stored record. */
export interface BackupRecord {
  part: BackupPart;
  /** Below the bucket, or below the prefix. */
  key: string;
  data: Uint8Array;
  /** Of a queue: when it is due, milliseconds of the broker's clock; absent: now. */
  dueAt?: number;
}

const FETCHED_AHEAD = 512;
const BATCH = { batch: 1_000, max_bytes: 4 << 20 };

const UNDER_WAY = 256;

const NOT_FOUND = 10_059;

/** One part's records, as they are when they are read. */
export const readPart = (broker: NatsBroker, part: BackupPart): AsyncGenerator<BackupRecord> =>
  isQueue(part) ? readQueue(broker, part) : readOthers(broker, part);

const isQueue = (part: BackupPart): part is QueueName => (QUEUES as readonly string[]).includes(part);

/** A work queue hands messages to its one consumer alone; they are read without. */
async function* readQueue(broker: NatsBroker, part: QueueName): AsyncGenerator<BackupRecord> {
  for (let seq = 1; ; ) {
    const messages = await readStream(broker, streamOf(broker.prefix, part), { seq, ...BATCH });
    if (messages.length === 0) return;
    for (const message of messages) {
      seq = message.seq + 1;
      const dueAt = scheduledAt(message.headers);
      yield {
        part,
        key: keyInSubject(message.subject),
        data: message.data,
        ...(dueAt !== undefined && { dueAt }),
      };
    }
  }
}

function streamOf(prefix: string, part: BackupPart): string {
  if (part === "log_stream") return streamConfigs(prefix).log.name;
  if (isQueue(part)) return streamConfigs(prefix)[part].name;
  if (isCounter(part))
    return counterStream(prefix, part.slice("count_".length) as "minute" | "day" | "month");
  return bucketStream(prefix, part);
}

const isCounter = (part: BackupPart): part is (typeof COUNTERS)[number] =>
  (COUNTERS as readonly string[]).includes(part);

async function* readOthers(broker: NatsBroker, part: BackupPart): AsyncGenerator<BackupRecord> {
  const { js, jsm, prefix } = broker;
  const stream = streamOf(prefix, part);
  const { state } = await jsm.streams.info(stream);
  if (state.messages === 0) return;
  const isBucket = part in BUCKETS;
  const head = isBucket ? `$KV.${bucketName(prefix, part as BucketName)}.` : `${prefix}.`;
  const consumer = await js.consumers.get(stream);
  const messages = await consumer.consume({ max_messages: FETCHED_AHEAD });
  try {
    for await (const message of messages) {
      const key = message.subject.slice(head.length);
      if (!(isBucket && isMarker(message))) yield { part, key, data: message.data };
      if (message.seq >= state.last_seq || message.info.pending === 0) return;
    }
  } finally {
    await messages.close();
    await consumer.delete().catch(() => false);
  }
}

/** Whether a message of a bucket says that its key was removed. */
const isMarker = (message: { headers?: { has(name: string): boolean } | undefined }): boolean =>
  message.headers !== undefined &&
  (message.headers.has("KV-Operation") || message.headers.has("Nats-Marker-Reason"));

/**
 * Writes records in their order, many at once.
 * @throws StorageMismatch when an entry of the log gets another number than it had
 */
export async function writeRecords(
  broker: NatsBroker,
  records: AsyncIterable<BackupRecord>,
  told: (record: BackupRecord) => void,
): Promise<void> {
  let underWay: Promise<void>[] = [];
  let leaf = 0;
  const write = async (record: BackupRecord, expected: number): Promise<void> => {
    const seq = await writeRecord(broker, record);
    if (seq !== undefined && seq !== expected)
      throw new StorageMismatch(`Entry ${expected} of the log was stored as ${seq}: something else writes.`);
    told(record);
  };
  for await (const record of records) {
    if (record.part === "log_stream") leaf++;
    underWay.push(write(record, leaf));
    if (underWay.length < UNDER_WAY) continue;
    await Promise.all(underWay);
    underWay = [];
  }
  await Promise.all(underWay);
}

/** Writes one record. @returns its sequence in the log; undefined for other parts */
async function writeRecord(
  broker: NatsBroker,
  { part, key, data, dueAt }: BackupRecord,
): Promise<number | undefined> {
  const { js, prefix } = broker;
  if (isQueue(part)) {
    const queue = scheduledQueue(broker, part, "");
    await publishSchedule(broker, queue, key, dueAt ?? broker.now(), data);
    return undefined;
  }
  if (isCounter(part)) {
    const headers = natsHeaders();
    headers.set("Nats-Incr", `+${(JSON.parse(Buffer.from(data).toString()) as { val: string }).val}`);
    await js.publish(`${prefix}.${key}`, "", { headers });
    return undefined;
  }
  const head = part === "log_stream" ? `${prefix}.` : `$KV.${bucketName(prefix, part)}.`;
  const { seq } = await js.publish(head + key, data);
  return part === "log_stream" ? seq : undefined;
}

/** Messages in all streams of a registry; 0 where there are none. */
export async function countStored(jsm: JetStreamManager, prefix: string): Promise<number> {
  const counts = BACKUP_PARTS.map(async (part) => {
    try {
      return (await jsm.streams.info(streamOf(prefix, part))).state.messages;
    } catch (error) {
      if ((error as { code?: unknown }).code === NOT_FOUND) return 0;
      throw error;
    }
  });
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
}

/** Removes all streams of a registry: the log's cannot be emptied. */
export async function deleteStored(jsm: JetStreamManager, prefix: string): Promise<void> {
  const names = [
    ...BACKUP_PARTS.map((part) => streamOf(prefix, part)),
    streamConfigs(prefix).discovered.name,
  ];
  for (const name of names)
    await jsm.streams.delete(name).catch((error: unknown) => {
      if ((error as { code?: unknown }).code !== NOT_FOUND) throw error;
    });
}

/** Marks a registry as being restored, so that no process starts on half of it; or as whole. */
export async function markRestoring(jsm: JetStreamManager, prefix: string, isOn: boolean): Promise<void> {
  await jsm.streams.update(streamConfigs(prefix).frontier.name, {
    metadata: {
      [METADATA.version]: String(STORAGE_VERSION),
      ...(isOn && { [METADATA.restoring]: "true" }),
    },
  });
}
