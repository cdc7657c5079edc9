/**
 * Work queues whose messages the broker's own scheduler makes due (ADR-51): one message a key, on `<key>.sched` until its
 * time comes and on `<key>.due` after it, where one consumer hands it out.
 *
 * A broker that cannot write for a while (a full disk, a limit reached) breaks that in two ways, which `removeAcked` and
 * `restartOverdue` put right; queue-upkeep.ts calls them.
 */

import { JetStreamApiError } from "@nats-io/jetstream";
import { type MsgHdrs, headers as natsHeaders } from "@nats-io/nats-core";
import { iso } from "../../ports/time.ts";
import { isConflict } from "./buckets.ts";
import { consumerInfo, type NatsBroker, readStream, type StoredMessage } from "./nats-broker.ts";
import { type QueueName, queueSubjects, streamConfigs } from "./topology.ts";

/** The broker's scheduler cannot fire sooner than about this. */
const MIN_DELAY_MS = 1;
/** Acked messages removed in one go. */
const BATCH = 1_000;
/**
 * Messages read at once. With each batch, nats-server 2.15 counts what is pending after it, over all subjects of a stream that
 * keeps one message a subject (fileStore.NumPending): a million messages in batches of a thousand are a thousand million steps.
 */
const READ_BATCH = 4_096;
const READ_BYTES = 4 << 20;
const READ_WITHIN_MS = 30_000;

export interface ScheduledQueue {
  stream: string;
  /** Name of its one consumer, of what is due. */
  consumer: string;
  /** Subjects of one key. */
  of(key: string): ReturnType<typeof queueSubjects>;
  /** Subjects of all keys. */
  all: ReturnType<typeof queueSubjects>;
}

export type ScheduleState = "sched" | "due";

/** Attempts to read one batch: a broker that writes down the state of millions of messages may be silent for seconds. */
const READ_ATTEMPTS = 3;

export const scheduledQueue = (broker: NatsBroker, name: QueueName, consumer: string): ScheduledQueue => ({
  stream: streamConfigs(broker.prefix)[name].name,
  consumer,
  of: (key) => queueSubjects(broker.prefix, name, key),
  all: queueSubjects(broker.prefix, name),
});

/**
 * Removes messages that were acked while the broker could not write: their consumer has done with them, but the work queue
 * kept them, so that a key has two, or one that nobody ever gets. A key that has no other is due again: its successor may
 * be lost, and whoever gets it finds out whether there was to be one. @returns their keys, at most 1,000 at a time
 */
export async function removeAcked(broker: NatsBroker, queue: ScheduledQueue): Promise<string[]> {
  const { stream, consumer, all } = queue;
  const info = await consumerInfo(broker, stream, consumer);
  // Nobody has taken anything yet.
  if (!info) return [];
  const { ack_floor } = info;
  const keys: string[] = [];
  for (let seq = 1, looked = 0; looked < BATCH; looked++) {
    const message = await broker.jsm.direct.getMessage(stream, { seq, next_by_subj: all.due });
    // All up to the floor was acked; what is above may be in a worker's hands, and is looked at another time.
    if (!message || message.seq > ack_floor.stream_seq) break;
    const key = keyInSubject(message.subject);
    await publishSchedule(broker, queue, key, broker.now(), message.data, message.seq);
    if (await deleteMessage(broker, stream, message.seq)) keys.push(key);
    seq = message.seq + 1;
  }
  return keys;
}

export const keyInSubject = (subject: string): string => subject.split(".").at(-2)!;

/**
 * Stores a message that is due at `atMs` (broker time), in place of the key's schedule, if it has one.
 * @param expected only when this is the last sequence over both subjects of the key (0: none)
 * @returns false when it is another
 */
export async function publishSchedule(
  broker: NatsBroker,
  queue: ScheduledQueue,
  key: string,
  atMs: number,
  data: string | Uint8Array,
  expected?: number,
): Promise<boolean> {
  const { sched, due, both } = queue.of(key);
  const headers = natsHeaders();
  const at = Math.ceil(Math.max(atMs, broker.now() + MIN_DELAY_MS));
  headers.set("Nats-Schedule", `@at ${iso(at)}`);
  headers.set("Nats-Schedule-Target", due);
  if (expected !== undefined) {
    headers.set("Nats-Expected-Last-Subject-Sequence", String(expected));
    headers.set("Nats-Expected-Last-Subject-Sequence-Subject", both);
  }
  try {
    await broker.js.publish(sched, data, { headers });
    return true;
  } catch (error) {
    if (isConflict(error)) return false;
    throw error;
  }
}

/** Removes one message. @returns false when it is gone already, or the broker still cannot write */
async function deleteMessage({ jsm }: NatsBroker, stream: string, seq: number): Promise<boolean> {
  try {
    return await jsm.streams.deleteMessage(stream, seq, false);
  } catch (error) {
    if (error instanceof JetStreamApiError) return false;
    throw error;
  }
}

/** Keys with a message, unordered, some of them twice: those whose messages move meanwhile. */
export async function* queuedKeys(
  broker: NatsBroker,
  queue: ScheduledQueue,
): AsyncGenerator<[key: string, state: ScheduleState]> {
  for await (const { subject } of readQueue(broker, queue))
    yield [keyInSubject(subject), subject.endsWith(".due") ? "due" : "sched"];
}

/** Every message of a queue. The broker's own list of subjects counts and sorts all of them for each part that it gives. */
async function* readQueue(broker: NatsBroker, { stream }: ScheduledQueue) {
  for (let seq = 1; ; ) {
    const messages = await readBatch(broker, stream, seq);
    if (messages.length === 0) return;
    yield* messages;
    seq = messages.at(-1)!.seq + 1;
  }
}

async function readBatch(broker: NatsBroker, stream: string, seq: number): Promise<StoredMessage[]> {
  const request = { seq, batch: READ_BATCH, max_bytes: READ_BYTES, next_by_subj: ">" };
  for (let attempt = 1; ; attempt++)
    try {
      return await readStream(broker, stream, request, READ_WITHIN_MS);
    } catch (error) {
      if (!broker.isFault(error) || !broker.connectionState.up || attempt === READ_ATTEMPTS) throw error;
    }
}

/**
 * Schedules anew what should have been due `lateMs` ago: the broker fires a schedule once, and one whose firing it could
 * not store counts as under way until the server is started again. Reads the whole queue.
 * @param look is told of each message's key meanwhile
 * @returns the keys of what was scheduled anew
 */
export async function restartOverdue(
  broker: NatsBroker,
  queue: ScheduledQueue,
  lateMs: number,
  look?: (key: string, state: ScheduleState) => Promise<void>,
): Promise<string[]> {
  const keys: string[] = [];
  for await (const { subject, seq, headers, data } of readQueue(broker, queue)) {
    const key = keyInSubject(subject);
    const isDue = subject.endsWith(".due");
    const atMs = isDue ? undefined : scheduledAt(headers);
    const now = broker.now();
    if (
      atMs !== undefined &&
      atMs <= now - lateMs &&
      (await publishSchedule(broker, queue, key, now, data, seq))
    )
      keys.push(key);
    await look?.(key, isDue ? "due" : "sched");
  }
  return keys;
}

/** When a schedule fires, broker milliseconds; undefined for what is none. */
export function scheduledAt(headers: MsgHdrs): number | undefined {
  const at = /^@at (.+)$/.exec(headers.get("Nats-Schedule"))?.[1];
  return at === undefined ? undefined : Date.parse(at);
}
