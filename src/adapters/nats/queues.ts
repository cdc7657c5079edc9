/** The ports of queues over JetStream: discovered hosts, delayed work, and the changes of a bucket. */
import { DeliverPolicy, type JsMsg } from "@nats-io/jetstream";
import type { ChangeFeed, DelayedQueue, HintQueue, RecordChange, Work } from "../../ports/queue.ts";
import type { BucketName } from "../../ports/storage.ts";
import { HOLD_AT } from "../../ports/storage.ts";
import { WIRE } from "../../rpc/contract.ts";
import { consumerInfo, type NatsBroker, openConsumer, untilAborted } from "./nats-broker.ts";
import {
  keyInSubject,
  publishSchedule,
  removeAcked,
  restartOverdue,
  scheduledQueue,
} from "./scheduled-queue.ts";
import { bucketName, type QueueName, streamConfigs } from "./topology.ts";

const CONSUMER = "gossip";
const ACK_WAIT_MS = 30_000;
const MAX_DELIVERIES = 5;
const MAX_PENDING = 1_000;
const FETCHED_AHEAD = 200;

const FETCH_EXPIRES_MS = 2_000;

interface DelayedQueueOptions {
  /** Name of the one consumer that all workers share. */
  consumer: string;
  leaseMs: number;
  /** Pieces in workers' hands at most. */
  maxPending: number;
}

/** A broker that sends neither records nor heartbeats for twice this long is asked again. */
const HEARTBEAT_MS = 2_000;

/** Discovered hosts, from crawlers to gossip, over one work-queue stream. */
export function openDiscoveredHosts(broker: NatsBroker): HintQueue {
  const { name, subjects } = streamConfigs(broker.prefix).discovered;
  const subject = subjects[0]!;
  return {
    publish: async (value) => {
      await broker.js.publish(subject, value);
    },
    follow: async function* (signal) {
      const consumer = await openConsumer(broker, name, CONSUMER, {
        ack_wait: ACK_WAIT_MS * 1e6,
        max_deliver: MAX_DELIVERIES,
        max_ack_pending: MAX_PENDING,
      });
      const messages = await consumer.consume({ max_messages: FETCHED_AHEAD });
      for await (const message of untilAborted(messages, signal)) yield workOf(message, message.subject);
    },
  };
}

/** A message as a piece of work. @param key what it is about */
const workOf = (message: JsMsg, key: string): Work => ({
  key,
  json: () => message.json(),
  working: () => message.working(),
  ack: () => message.ack(),
  giveBack: (delayMs) => message.nak(delayMs),
  discard: (reason) => message.term(reason),
});

/** A delayed queue over a scheduled queue (scheduled-queue.ts). */
export async function openDelayedQueue(
  broker: NatsBroker,
  name: QueueName,
  { consumer: consumerName, leaseMs, maxPending }: DelayedQueueOptions,
): Promise<DelayedQueue> {
  const queue = scheduledQueue(broker, name, consumerName);
  const consumer = await openConsumer(broker, queue.stream, queue.consumer, {
    filter_subject: queue.all.due,
    ack_wait: leaseMs * 1e6,
    max_ack_pending: maxPending,
    max_deliver: -1,
  });
  return {
    ...queueEntrance(broker, name),
    schedule: async (key, atMs, value) => {
      await publishSchedule(broker, queue, key, atMs, value);
    },
    take: async (limit, take, signal) => {
      const messages = await consumer.fetch({ max_messages: limit, expires: FETCH_EXPIRES_MS });
      for await (const message of untilAborted(messages, signal))
        take(workOf(message, keyInSubject(message.subject)));
    },
    size: async () => {
      const { state, config } = await broker.jsm.streams.info(queue.stream);
      return { messages: state.messages, bytes: state.bytes, maxBytes: config.max_bytes * HOLD_AT };
    },
    removeAcked: () => removeAcked(broker, queue),
    restartOverdue: (lateMs) => restartOverdue(broker, queue, lateMs),
  };
}

/** Adds to a delayed queue that other roles work off. */
export const queueEntrance = (broker: NatsBroker, name: QueueName): Pick<DelayedQueue, "add"> => ({
  add: async (key, value) => {
    await broker.js.publish(scheduledQueue(broker, name, "").of(key).due, value);
  },
});

/** The changes of a bucket: the stream behind it, read by durable consumers. */
export function changeFeed(broker: NatsBroker, bucket: BucketName, keys?: string): ChangeFeed {
  const { jsm } = broker;
  const stream = `KV_${bucketName(broker.prefix, bucket)}`;
  return {
    follow: async function* (name, { ackWaitMs, maxPending, forgetAfterMs }, signal) {
      const consumer = await openConsumer(broker, stream, name, {
        deliver_policy: DeliverPolicy.All,
        ...(keys !== undefined && { filter_subject: `$KV.${bucketName(broker.prefix, bucket)}.${keys}` }),
        ack_wait: ackWaitMs * 1e6,
        max_ack_pending: maxPending,
        inactive_threshold: forgetAfterMs * 1e6,
      });
      const messages = await consumer.consume({
        max_messages: maxPending / 2,
        idle_heartbeat: HEARTBEAT_MS,
        abort_on_missing_resource: true,
      });
      for await (const message of untilAborted(messages, signal)) yield changeOf(message);
    },
    lag: async (name) => {
      const { num_pending, num_ack_pending } = await jsm.consumers.info(stream, name);
      return num_pending + num_ack_pending;
    },
    isKnown: async (name) => (await consumerInfo(broker, stream, name)) !== undefined,
    forget: async (name) => {
      await jsm.consumers.delete(stream, name);
    },
  };
}

const changeOf = (message: JsMsg): RecordChange => ({
  key: message.subject.slice(message.subject.lastIndexOf(".") + 1),
  revision: message.seq,
  changedAt: message.time.getTime(),
  behind: message.info.pending,
  removed: Boolean(message.headers?.get("KV-Operation") || message.headers?.get("Nats-Marker-Reason")),
  traceparent: message.headers?.get(WIRE.traceparent) || undefined,
  value: message.data,
  json: () => message.json(),
  working: () => message.working(),
  ack: () => message.ack(),
});
