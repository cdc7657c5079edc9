/**
 * The crawl frontier: one scheduled token a host, kept by the broker's own message scheduler
 * (ADR-51; subjects `f.<host>.sched` and `f.<host>.due`). The token says when; the gate says whether.
 *
 * Invariants: a host never has two tokens (creation and moves compare the last sequence over both of its subjects);
 * a token leaves `due` only after its successor is on `sched`, or its host is dropped on purpose.
 */
import { AckPolicy, type Consumer, type JsMsg } from "@nats-io/jetstream";
import { headers as natsHeaders } from "@nats-io/nats-core";
import { hostKey, keyHost } from "../../domain/domain-name.ts";
import type { Broker } from "./broker.ts";
import { isConflict } from "./records.ts";
import { streamConfigs } from "./topology.ts";

const CONSUMER = "crawlers";
const FETCH_EXPIRES_MS = 2_000;
/** The broker's scheduler cannot fire sooner than about this. */
const MIN_DELAY_MS = 1;

export type Source = "seed" | "report" | "beacon" | "audit";
export interface TokenData {
  source: Source;
  /** When this registry first heard of the host, milliseconds since the epoch. */
  heardAt: number;
  /** Whether a visit has ended since: only then may there be a record. */
  visited: boolean;
}

/** One due host in the hands of one worker. Exactly one of `next`, `drop` and `giveBack` ends it. */
export interface Token {
  readonly host: string;
  readonly data: TokenData;
  /** 1 at first; more when an earlier worker did not finish. */
  readonly deliveries: number;
  /** Whether nothing is left to do but ack: the next visit is scheduled already (an earlier worker stopped between
   * schedule and ack), or another worker, which was given this token too, has ended it. */
  isDone(): Promise<boolean>;
  /** Tells the broker that the visit is still under way. */
  working(): void;
  /** The host is due again at `atMs` (broker time): stores the schedule, then acks. One that is done already is only acked. */
  next(atMs: number): Promise<void>;
  /** The host leaves the frontier. */
  drop(): void;
  /** Another worker may take it, at once or after `delayMs`. */
  giveBack(delayMs?: number): void;
}

export interface FrontierLag {
  /** Hosts known: each has one token. */
  tokens: number;
  /** Due and waiting for a worker. */
  due: number;
  /** In the hands of workers. */
  inFlight: number;
  redelivered: number;
}

export interface Frontier {
  /** Adds a host that is not known yet. @returns false when it already has a token, which is left as it is */
  add(host: string, atMs: number, data: TokenData): Promise<boolean>;
  /** Brings a known host's visit forward to `atMs`; a visit under way or due already is left as it is. @returns whether it moved */
  hasten(host: string, atMs: number): Promise<boolean>;
  has(host: string): Promise<boolean>;
  /** Takes up to `limit` due tokens; resolves after at most 2 s, possibly with none handed to `take`. */
  take(limit: number, take: (token: Token) => void, signal: AbortSignal): Promise<void>;
  lag(): Promise<FrontierLag>;
  /** Hosts with a token, in no order. */
  hosts(): Promise<Map<string, "sched" | "due">>;
}

interface Subjects {
  stream: string;
  sched(host: string): string;
  due(host: string): string;
  both(host: string): string;
}

const subjectsOf = (broker: Broker): Subjects => {
  const base = (host: string) => `${broker.prefix}.f.${hostKey(host)}`;
  return {
    stream: streamConfigs(broker.prefix).frontier.name,
    sched: (host) => `${base(host)}.sched`,
    due: (host) => `${base(host)}.due`,
    both: (host) => `${base(host)}.*`,
  };
};

/** Publishes a schedule, only when `expected` is the last sequence over both subjects of the host (0: none). */
const publishSchedule = async (
  broker: Broker,
  subjects: Subjects,
  host: string,
  atMs: number,
  data: TokenData,
  expected: number,
): Promise<boolean> => {
  const headers = natsHeaders();
  const at = Math.ceil(Math.max(atMs, broker.now() + MIN_DELAY_MS));
  headers.set("Nats-Schedule", `@at ${new Date(at).toISOString()}`);
  headers.set("Nats-Schedule-Target", subjects.due(host));
  headers.set("Nats-Expected-Last-Subject-Sequence", String(expected));
  headers.set("Nats-Expected-Last-Subject-Sequence-Subject", subjects.both(host));
  try {
    await broker.js.publish(subjects.sched(host), JSON.stringify(data), { headers });
    return true;
  } catch (error) {
    if (isConflict(error)) return false;
    throw error;
  }
};

const readData = (message: { json<T>(): T }, now: number): TokenData => {
  try {
    return message.json<TokenData>();
  } catch {
    return { source: "audit", heardAt: now, visited: true };
  }
};

const tokenOf = (broker: Broker, subjects: Subjects, message: JsMsg): Token => {
  const host = keyHost(message.subject.split(".").at(-2)!);
  const data = readData(message, broker.now());
  const { seq } = message;
  return {
    host,
    data,
    deliveries: message.info.deliveryCount,
    isDone: async () => {
      const { streams } = broker.jsm;
      const [successor, due] = await Promise.all([
        streams.getMessage(subjects.stream, { last_by_subj: subjects.sched(host) }),
        streams.getMessage(subjects.stream, { seq }),
      ]);
      return successor !== null || due === null;
    },
    working: () => {
      // What a client says without a broker is kept until there is one: that must not pile up.
      if (broker.link.up) message.working();
    },
    next: async (atMs) => {
      // Only while this very token is the host's last message. A worker that was overtaken adds no second one.
      await publishSchedule(broker, subjects, host, atMs, { ...data, visited: true }, seq);
      message.ack();
    },
    drop: () => message.ack(),
    giveBack: (delayMs) => message.nak(delayMs),
  };
};

/** The durable pull consumer that all crawlers share, created or brought up to date. */
const openConsumer = async (broker: Broker, stream: string, leaseMs: number): Promise<Consumer> => {
  const config = {
    durable_name: CONSUMER,
    ack_policy: AckPolicy.Explicit,
    filter_subject: `${broker.prefix}.f.*.due`,
    ack_wait: leaseMs * 1e6,
    max_ack_pending: 20_000,
    max_deliver: -1,
  };
  await broker.jsm.consumers
    .add(stream, config)
    .catch(() => broker.jsm.consumers.update(stream, CONSUMER, config));
  return broker.js.consumers.get(stream, CONSUMER);
};

/** Moves a scheduled token by compare-and-set; gives up when the host is due, in flight or unknown. */
const hastenToken = async (
  broker: Broker,
  subjects: Subjects,
  host: string,
  atMs: number,
): Promise<boolean> => {
  const scheduled = await broker.jsm.streams.getMessage(subjects.stream, {
    last_by_subj: subjects.sched(host),
  });
  if (!scheduled) return false;
  const due = /^@at (.+)$/.exec(scheduled.header.get("Nats-Schedule"))?.[1];
  if (due && Date.parse(due) <= atMs) return false;
  return publishSchedule(broker, subjects, host, atMs, readData(scheduled, broker.now()), scheduled.seq);
};

/**
 * Opens the frontier on a broker.
 * @param leaseMs a worker that is silent this long has lost its token to another
 */
export const openFrontier = async (broker: Broker, leaseMs: number): Promise<Frontier> => {
  const subjects = subjectsOf(broker);
  const consumer = await openConsumer(broker, subjects.stream, leaseMs);
  const subjectsLike = async (filter: string) => {
    const info = await broker.jsm.streams.info(subjects.stream, { subjects_filter: filter });
    return Object.keys(info.state.subjects ?? {});
  };
  return {
    add: (host, atMs, data) => publishSchedule(broker, subjects, host, atMs, data, 0),
    hasten: (host, atMs) => hastenToken(broker, subjects, host, atMs),
    has: async (host) =>
      (await broker.jsm.direct.getMessage(subjects.stream, { seq: 1, next_by_subj: subjects.both(host) })) !==
      null,
    take: async (limit, take, signal) => {
      const messages = await consumer.fetch({ max_messages: limit, expires: FETCH_EXPIRES_MS });
      const stop = () => messages.stop();
      signal.addEventListener("abort", stop, { once: true });
      try {
        for await (const message of messages) take(tokenOf(broker, subjects, message));
      } finally {
        signal.removeEventListener("abort", stop);
      }
    },
    lag: async () => {
      const [stream, info] = await Promise.all([
        broker.jsm.streams.info(subjects.stream),
        broker.jsm.consumers.info(subjects.stream, CONSUMER),
      ]);
      return {
        tokens: stream.state.messages,
        due: info.num_pending,
        inFlight: info.num_ack_pending,
        redelivered: info.num_redelivered,
      };
    },
    hosts: async () => {
      const hosts = new Map<string, "sched" | "due">();
      for (const subject of await subjectsLike(`${broker.prefix}.f.>`)) {
        const [key, kind] = subject.split(".").slice(-2);
        hosts.set(keyHost(key!), kind === "due" ? "due" : "sched");
      }
      return hosts;
    },
  };
};
