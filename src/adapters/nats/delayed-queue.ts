/** The port of delayed queues over a scheduled queue (scheduled-queue.ts). */
import type { DelayedQueue } from "../../ports/queue.ts";
import { openConsumer } from "./consumers.ts";
import { workOf } from "./discovered-hosts.ts";
import type { NatsBroker } from "./nats-broker.ts";
import { keyOf, publishSchedule, removeAcked, restartOverdue, scheduledQueue } from "./scheduled-queue.ts";
import type { QueueName } from "./topology.ts";

const FETCH_EXPIRES_MS = 2_000;

export interface DelayedQueueOptions {
  /** Name of the one consumer that all workers share. */
  consumer: string;
  leaseMs: number;
  /** Pieces in workers' hands at most. */
  maxPending: number;
}

export const openDelayedQueue = async (
  broker: NatsBroker,
  name: QueueName,
  { consumer: consumerName, leaseMs, maxPending }: DelayedQueueOptions,
): Promise<DelayedQueue> => {
  const queue = scheduledQueue(broker, name, consumerName);
  const consumer = await openConsumer(broker, queue.stream, queue.consumer, {
    filter_subject: queue.all.due,
    ack_wait: leaseMs * 1e6,
    max_ack_pending: maxPending,
    max_deliver: -1,
  });
  return {
    add: async (key, value) => {
      await broker.js.publish(queue.of(key).due, value);
    },
    schedule: async (key, atMs, value) => {
      await publishSchedule(broker, queue, key, atMs, value);
    },
    take: async (limit, take, signal) => {
      const messages = await consumer.fetch({ max_messages: limit, expires: FETCH_EXPIRES_MS });
      const stop = (): void => messages.stop();
      signal.addEventListener("abort", stop, { once: true });
      try {
        for await (const message of messages) take(workOf(message, keyOf(message.subject)));
      } finally {
        signal.removeEventListener("abort", stop);
      }
    },
    size: async () => {
      const { state } = await broker.jsm.streams.info(queue.stream);
      return { messages: state.messages, bytes: state.bytes };
    },
    removeAcked: () => removeAcked(broker, queue),
    restartOverdue: (lateMs) => restartOverdue(broker, queue, lateMs),
  };
};
