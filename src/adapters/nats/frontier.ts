/**
 * The crawl frontier: one scheduled token a host, kept by the broker's own message scheduler
 * (ADR-51; subjects `f.<host>.sched` and `f.<host>.due`). The token says when; the gate says whether.
 *
 * Invariants: a host never has two tokens (creation and moves compare the last sequence over both of its subjects);
 * a token leaves `due` only after its successor is on `sched`, or its host is dropped on purpose. What faults of the
 * broker do to both, `removeAcked` and `restartOverdue` put right (scheduled-queue.ts); the audit calls them.
 */
import type { Consumer, JsMsg } from "@nats-io/jetstream";
import { hostKey, keyHost } from "../../domain/names/domain-name.ts";
import type { Frontier, Token, TokenData } from "../../ports/frontier.ts";
import { StorageFull, watchFill } from "./fill.ts";
import { consumerInfo, type NatsBroker, openConsumer, untilAborted } from "./nats-broker.ts";
import {
  keyInSubject,
  publishSchedule,
  queuedKeys,
  removeAcked,
  restartOverdue,
  type ScheduledQueue,
  type ScheduleState,
  scheduledAt,
  scheduledQueue,
} from "./scheduled-queue.ts";

const CONSUMER = "crawlers";
const FETCH_EXPIRES_MS = 2_000;

/**
 * Opens the frontier on a broker.
 * @param leaseMs a worker that is silent this long has lost its token to another
 */
export function openFrontier(broker: NatsBroker, leaseMs: number): Frontier {
  const queue = scheduledQueue(broker, "frontier", CONSUMER);
  const fill = watchFill(broker.jsm, queue.stream, broker.now);
  const open = () =>
    openConsumer(broker, queue.stream, CONSUMER, {
      filter_subject: queue.all.due,
      ack_wait: leaseMs * 1e6,
      max_ack_pending: 20_000,
      max_deliver: -1,
    });
  // Made by whoever takes: the others' users may not.
  let consumer: Consumer | undefined;
  return {
    add: async (host, atMs, data) => {
      if (await fill.isHeld()) throw new StorageFull("the frontier takes no new hosts");
      return publish(broker, queue, host, atMs, data, 0);
    },
    bringForward: (host, atMs) => bringTokenForward(broker, queue, host, atMs),
    has: async (host) =>
      (await broker.jsm.direct.getMessage(queue.stream, {
        seq: 1,
        next_by_subj: queue.of(hostKey(host)).both,
      })) !== null,
    take: async (limit, take, signal) => {
      consumer ??= await open();
      const messages = await consumer.fetch({ max_messages: limit, expires: FETCH_EXPIRES_MS });
      for await (const message of untilAborted(messages, signal)) take(tokenOf(broker, queue, message));
    },
    lag: async () => {
      const [stream, info] = await Promise.all([
        broker.jsm.streams.info(queue.stream),
        consumerInfo(broker, queue.stream, CONSUMER),
      ]);
      return {
        tokens: stream.state.messages,
        due: info?.num_pending ?? 0,
        inFlight: info?.num_ack_pending ?? 0,
        redelivered: info?.num_redelivered ?? 0,
      };
    },
    removeAcked: async () => (await removeAcked(broker, queue)).map(keyHost),
    restartOverdue: async (lateMs, look) => {
      const told = look && ((key: string, state: ScheduleState) => look(keyHost(key), state));
      return (await restartOverdue(broker, queue, lateMs, told)).map(keyHost);
    },
    hosts: async function* () {
      for await (const [key, state] of queuedKeys(broker, queue)) yield [keyHost(key), state];
    },
  };
}

const publish = (
  broker: NatsBroker,
  queue: ScheduledQueue,
  host: string,
  atMs: number,
  data: TokenData,
  expected: number,
): Promise<boolean> => publishSchedule(broker, queue, hostKey(host), atMs, JSON.stringify(data), expected);

/** Moves a scheduled token by compare-and-set; gives up when the host is due, in flight or unknown. */
async function bringTokenForward(
  broker: NatsBroker,
  queue: ScheduledQueue,
  host: string,
  atMs: number,
): Promise<boolean> {
  const scheduled = await broker.jsm.streams.getMessage(queue.stream, {
    last_by_subj: queue.of(hostKey(host)).sched,
  });
  if (!scheduled) return false;
  const dueAt = scheduledAt(scheduled.header);
  if (dueAt !== undefined && dueAt <= atMs) return false;
  return publish(broker, queue, host, atMs, readData(scheduled, broker.now()), scheduled.seq);
}

function readData({ data }: { data: Uint8Array }, now: number): TokenData {
  try {
    return JSON.parse(Buffer.from(data).toString());
  } catch {
    return { source: "audit", discoveredAt: now, visited: true };
  }
}

function tokenOf(broker: NatsBroker, queue: ScheduledQueue, message: JsMsg): Token {
  const host = hostOf(message.subject);
  const data = readData(message, broker.now());
  const { seq } = message;
  return {
    host,
    data,
    deliveries: message.info.deliveryCount,
    isDone: async () => {
      const { streams } = broker.jsm;
      const [successor, due] = await Promise.all([
        streams.getMessage(queue.stream, { last_by_subj: queue.of(hostKey(host)).sched }),
        streams.getMessage(queue.stream, { seq }),
      ]);
      // An older schedule is the one that made this token due, and could not be taken away.
      return due === null || (successor !== null && successor.seq > seq);
    },
    working: () => {
      // What a client says without a broker is kept until there is one: that must not pile up.
      if (broker.connectionState.up) message.working();
    },
    next: async (atMs) => {
      // Only while this very token is the host's last message. A worker that was overtaken adds no second one.
      await publish(broker, queue, host, atMs, { ...data, visited: true }, seq);
      message.ack();
    },
    drop: () => message.ack(),
    giveBack: (delayMs) => message.nak(delayMs),
  };
}

const hostOf = (subject: string): string => keyHost(keyInSubject(subject));
