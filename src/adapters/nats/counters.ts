/**
 * Counts that hold across processes and restarts: the broker adds (distributed counters, nats-server 2.12, ADR-49), so
 * that two fronts counting at once never lose an addition and each learns the total that its own addition made.
 */
import type { JetStreamManager } from "@nats-io/jetstream";
import { type NatsConnection, headers as natsHeaders } from "@nats-io/nats-core";
import { type Count, type Counters, periodOf, type Window } from "../../ports/counters.ts";
import { counterStream } from "./topology.ts";

const KEY = /^[\w-]+(\.[\w-]+)*$/;
const MOST_LISTED = 10_000;
const TIMEOUT_MS = 5_000;

/** A counter's message holds its total as a decimal string, for it may pass 2^53; ours do not. */
const totalOf = (text: string): number => Number((JSON.parse(text) as { val: string }).val);

/** @param now milliseconds, the broker's clock: the same for every process */
export const openCounters = (
  connection: NatsConnection,
  jsm: JetStreamManager,
  prefix: string,
  now: () => number,
): Counters => {
  const subjectOf = (window: Window, key: string, period: string): string => {
    if (!KEY.test(key)) throw new TypeError(`not a counter's key: ${key}`);
    return `${prefix}.count.${window}.${key}.${period}`;
  };
  return {
    add: async (window, key, amount = 1) => {
      const headers = natsHeaders();
      headers.set("Nats-Incr", `${amount >= 0 ? "+" : ""}${amount}`);
      const subject = subjectOf(window, key, periodOf(window, now()));
      const reply = await connection.request(subject, "", { headers, timeout: TIMEOUT_MS });
      const ack = reply.json<{ val?: string; error?: { description: string } }>();
      if (ack.val === undefined) throw new Error(`${subject} was not counted: ${ack.error?.description}`);
      return Number(ack.val);
    },
    read: async (window, key) => {
      const subject = subjectOf(window, key, periodOf(window, now()));
      const message = await jsm.direct.getMessage(counterStream(prefix, window), { last_by_subj: subject });
      return message ? totalOf(message.string()) : 0;
    },
    list: async (window, filter) => {
      const head = `${prefix}.count.${window}.`;
      const counts: Count[] = [];
      const messages = await jsm.direct.getLastMessagesFor(counterStream(prefix, window), {
        multi_last: [`${head}${filter}.*`],
        batch: MOST_LISTED,
      });
      for await (const message of messages) {
        const tokens = message.subject.slice(head.length).split(".");
        counts.push({
          key: tokens.slice(0, -1).join("."),
          period: tokens.at(-1)!,
          total: totalOf(message.string()),
        });
      }
      return counts;
    },
  };
};
