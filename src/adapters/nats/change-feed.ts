/** The changes of a bucket: the stream behind it, read by durable consumers. */
import { DeliverPolicy, type JsMsg } from "@nats-io/jetstream";
import type { ChangeFeed, RecordChange } from "../../ports/queue.ts";
import type { BucketName } from "../../ports/storage.ts";
import { openConsumer } from "./consumers.ts";
import type { NatsBroker } from "./nats-broker.ts";
import { bucketName } from "./topology.ts";

/** A broker that sends neither records nor heartbeats for twice this long is asked again. */
const HEARTBEAT_MS = 2_000;
const CONSUMER_NOT_FOUND = 10_014;

const changeOf = (message: JsMsg): RecordChange => ({
  key: message.subject.slice(message.subject.lastIndexOf(".") + 1),
  revision: message.seq,
  changedAt: message.time.getTime(),
  removed: Boolean(message.headers?.get("KV-Operation") || message.headers?.get("Nats-Marker-Reason")),
  json: () => message.json(),
  ack: () => message.ack(),
});

export const changeFeed = (broker: NatsBroker, bucket: BucketName): ChangeFeed => {
  const { jsm } = broker;
  const stream = `KV_${bucketName(broker.prefix, bucket)}`;
  return {
    follow: async function* (name, { ackWaitMs, maxPending, forgetAfterMs }, signal) {
      const consumer = await openConsumer(broker, stream, name, {
        deliver_policy: DeliverPolicy.All,
        ack_wait: ackWaitMs * 1e6,
        max_ack_pending: maxPending,
        inactive_threshold: forgetAfterMs * 1e6,
      });
      const messages = await consumer.consume({
        max_messages: maxPending / 2,
        idle_heartbeat: HEARTBEAT_MS,
        abort_on_missing_resource: true,
      });
      const stop = (): void => messages.stop();
      if (signal.aborted) stop();
      signal.addEventListener("abort", stop, { once: true });
      try {
        for await (const message of messages) yield changeOf(message);
      } finally {
        signal.removeEventListener("abort", stop);
      }
    },
    lag: async (name) => {
      const { num_pending, num_ack_pending } = await jsm.consumers.info(stream, name);
      return num_pending + num_ack_pending;
    },
    isKnown: async (name) => {
      try {
        await jsm.consumers.info(stream, name);
        return true;
      } catch (error) {
        if ((error as { code?: unknown }).code === CONSUMER_NOT_FOUND) return false;
        throw error;
      }
    },
    forget: async (name) => {
      await jsm.consumers.delete(stream, name);
    },
  };
};
