/** Discovered hosts, from crawlers to gossip, over one work-queue stream. */
import type { JsMsg } from "@nats-io/jetstream";
import type { HintQueue, Work } from "../../ports/queue.ts";
import { openConsumer } from "./consumers.ts";
import type { NatsBroker } from "./nats-broker.ts";
import { streamConfigs } from "./topology.ts";

const CONSUMER = "gossip";
const ACK_WAIT_MS = 30_000;
const MAX_DELIVERIES = 5;
const MAX_PENDING = 1_000;
const FETCHED_AHEAD = 200;

/** A message as a piece of work. @param key what it is about */
export const workOf = (message: JsMsg, key: string): Work => ({
  key,
  json: () => message.json(),
  working: () => message.working(),
  ack: () => message.ack(),
  giveBack: (delayMs) => message.nak(delayMs),
  discard: (reason) => message.term(reason),
});

export const openDiscoveredHosts = (broker: NatsBroker): HintQueue => {
  const { name, subjects } = streamConfigs(broker.prefix).heard;
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
      const stop = (): void => messages.stop();
      if (signal.aborted) stop();
      signal.addEventListener("abort", stop, { once: true });
      try {
        for await (const message of messages) yield workOf(message, message.subject);
      } finally {
        signal.removeEventListener("abort", stop);
      }
    },
  };
};
