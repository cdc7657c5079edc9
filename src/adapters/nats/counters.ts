/**
 * Counts that hold across processes and restarts: the broker adds (distributed counters, nats-server 2.12, ADR-49), so
 * that two fronts counting at once never lose an addition and each learns the total that its own addition made.
 */
import type { JetStreamManager } from "@nats-io/jetstream";
import { type NatsConnection, headers as natsHeaders } from "@nats-io/nats-core";
import { counterStream } from "./topology.ts";

/** Calendar periods in UTC that counts begin anew with. */
export const WINDOWS = ["minute", "day", "month"] as const;
export type Window = (typeof WINDOWS)[number];

/** The period of a window that a time lies in, as it stands in subjects: 202611211405, 20261121, 202611. */
export const periodOf = (window: Window, timeMs: number): string =>
  new Date(timeMs).toISOString().replace(/\D/g, "").slice(0, { minute: 12, day: 8, month: 6 }[window]);

/** When the period that a time lies in ends, milliseconds. */
export const periodEnd = (window: Window, timeMs: number): number => {
  const time = new Date(timeMs);
  if (window === "minute") return (Math.floor(timeMs / 60_000) + 1) * 60_000;
  const [year, month, day] = [time.getUTCFullYear(), time.getUTCMonth(), time.getUTCDate()];
  return window === "day" ? Date.UTC(year, month, day + 1) : Date.UTC(year, month + 1, 1);
};

export interface Count {
  key: string;
  period: string;
  total: number;
}

export interface Counters {
  /**
   * Adds to a key's count of the period that is now.
   * @param key tokens of letters, digits, `-` and `_`, joined by dots
   * @returns the period's total with this addition
   */
  add(window: Window, key: string, amount?: number): Promise<number>;
  /** The total of the period that is now. */
  read(window: Window, key: string): Promise<number>;
  /** Every kept count whose key fits a filter of tokens and `*`, in no order. At most 10,000. */
  list(window: Window, filter: string): Promise<Count[]>;
}

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
