/**
 * Counts that hold across processes and restarts: the broker adds (distributed counters, nats-server 2.12, ADR-49), so
 * that two fronts counting at once never lose an addition and each learns the total that its own addition made.
 *
 * A full stream of counters would discard the oldest, and with them what strangers have used up. So from HOLD_AT of its
 * bounds on a new key is counted in one of PLACES shared ones: never less than is due, and more for those who share it.
 */
import { hash } from "node:crypto";
import type { JetStreamManager } from "@nats-io/jetstream";
import { type NatsConnection, headers as natsHeaders } from "@nats-io/nats-core";
import { COUNTER_WINDOWS, type Count, type Counters, periodOf, type Window } from "../../ports/counters.ts";
import { type Fill, watchFill } from "./fill.ts";
import { counterStream } from "./topology.ts";

const KEY = /^[\w-]+(\.[\w-]+)*$/;
/** Subjects that the broker answers for at once: above 1,024 it refuses (nats-server, maxAllowedResponses). */
const LISTED_AT_ONCE = 1_000;
/** With 41 days of each, 170,000 messages of ten million. */
const PLACES = 4_096;
const SHARED = "shared";
const TIMEOUT_MS = 5_000;

/** @param now milliseconds, the broker's clock: the same for every process */
export function openCounters(
  connection: NatsConnection,
  jsm: JetStreamManager,
  prefix: string,
  now: () => number,
): Counters {
  const subjectOf = (window: Window, key: string, period: string): string => {
    if (!KEY.test(key)) throw new TypeError(`not a counter's key: ${key}`);
    return `${prefix}.count.${window}.${key}.${period}`;
  };
  const fills = Object.fromEntries(
    COUNTER_WINDOWS.map((window) => [window, watchFill(jsm, counterStream(prefix, window), now)]),
  ) as Record<Window, Fill>;
  const hasOwn = async (window: Window, subject: string): Promise<boolean> =>
    (await jsm.direct.getMessage(counterStream(prefix, window), { last_by_subj: subject })) !== null;
  /** Where a key is counted in this period: on its own subject, or in a shared place while there is no room for more. */
  const placeOf = async (window: Window, key: string): Promise<string> => {
    const period = periodOf(window, now());
    const own = subjectOf(window, key, period);
    if (!(await fills[window].isHeld()) || (await hasOwn(window, own))) return own;
    return subjectOf(window, `${SHARED}.${sharedPlace(key)}`, period);
  };
  return {
    add: async (window, key, amount = 1) => {
      const headers = natsHeaders();
      headers.set("Nats-Incr", `${amount >= 0 ? "+" : ""}${amount}`);
      const subject = await placeOf(window, key);
      const reply = await connection.request(subject, "", { headers, timeout: TIMEOUT_MS });
      const ack = reply.json<{ val?: string; error?: { description: string } }>();
      if (ack.val === undefined) throw new Error(`${subject} was not counted: ${ack.error?.description}`);
      return Number(ack.val);
    },
    read: async (window, key) => {
      const subject = await placeOf(window, key);
      const message = await jsm.direct.getMessage(counterStream(prefix, window), { last_by_subj: subject });
      return message ? totalOf(message.string()) : 0;
    },
    list: async (window, filter, period = "*") => {
      const stream = counterStream(prefix, window);
      const head = `${prefix}.count.${window}.`;
      const subjects = new Set<string>();
      for (const each of [filter].flat()) {
        const { state } = await jsm.streams.info(stream, { subjects_filter: `${head}${each}.${period}` });
        for (const subject of Object.keys(state.subjects ?? {})) subjects.add(subject);
      }
      const counts: Count[] = [];
      const all = [...subjects];
      for (let i = 0; i < all.length; i += LISTED_AT_ONCE) {
        const multi_last = all.slice(i, i + LISTED_AT_ONCE);
        for await (const message of await jsm.direct.getLastMessagesFor(stream, { multi_last })) {
          const tokens = message.subject.slice(head.length).split(".");
          counts.push({
            key: tokens.slice(0, -1).join("."),
            period: tokens.at(-1)!,
            total: totalOf(message.string()),
          });
        }
      }
      return counts;
    },
  };
}

const sharedPlace = (key: string): number =>
  Number.parseInt(hash("sha256", key, "hex").slice(0, 8), 16) % PLACES;

/** A counter's message holds its total as a decimal string, for it may pass 2^53; ours do not. */
const totalOf = (text: string): number => Number((JSON.parse(text) as { val: string }).val);
