/**
 * The crawl frontier: one scheduled token a host, kept by the broker's own message scheduler
 * (ADR-51; subjects `f.<host>.sched` and `f.<host>.due`). The token says when; the gate says whether.
 *
 * Invariants: a host never has two tokens (creation and moves compare the last sequence over both of its subjects);
 * a token leaves `due` only after its successor is on `sched`, or its host is dropped on purpose. A broker that cannot
 * write for a while (a full disk, a limit reached) breaks both, in the two ways that `removeAcked` and `restartOverdue`
 * put right; the audit calls them.
 */
import { JetStreamApiError, type JsMsg } from "@nats-io/jetstream";
import { type MsgHdrs, headers as natsHeaders } from "@nats-io/nats-core";
import { hostKey, keyHost } from "../../domain/domain-name.ts";
import type { Broker } from "./broker.ts";
import { openConsumer } from "./consumers.ts";
import { readStream } from "./read-stream.ts";
import { isConflict } from "./records.ts";
import { streamConfigs } from "./topology.ts";

const CONSUMER = "crawlers";
const FETCH_EXPIRES_MS = 2_000;
/** The broker's scheduler cannot fire sooner than about this. */
const MIN_DELAY_MS = 1;
/** Messages read at once, and acked ones removed in one go. */
const BATCH = 1_000;

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
  /**
   * Removes tokens that were acked while the broker could not write: its consumer has done with them, but the work queue
   * kept them, so that the host has two tokens, or one that nobody ever gets. A host that has no other is due again.
   * @returns their hosts, at most 1,000 at a time
   */
  removeAcked(): Promise<string[]>;
  /**
   * Schedules anew what should have been due `lateMs` ago: the broker fires a schedule once, and one whose firing it could
   * not store counts as under way until the server is started again. Reads all schedules. @returns their hosts
   */
  restartOverdue(lateMs: number): Promise<string[]>;
}

interface Subjects {
  stream: string;
  sched(host: string): string;
  due(host: string): string;
  both(host: string): string;
  /** Filters over all hosts. */
  allSched: string;
  allDue: string;
}

const subjectsOf = (broker: Broker): Subjects => {
  const base = (host: string) => `${broker.prefix}.f.${hostKey(host)}`;
  return {
    stream: streamConfigs(broker.prefix).frontier.name,
    sched: (host) => `${base(host)}.sched`,
    due: (host) => `${base(host)}.due`,
    both: (host) => `${base(host)}.*`,
    allSched: `${broker.prefix}.f.*.sched`,
    allDue: `${broker.prefix}.f.*.due`,
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

const hostOf = (subject: string): string => keyHost(subject.split(".").at(-2)!);

/** When a schedule fires, broker milliseconds; undefined for what is none. */
const scheduledAt = (headers: MsgHdrs): number | undefined => {
  const at = /^@at (.+)$/.exec(headers.get("Nats-Schedule"))?.[1];
  return at === undefined ? undefined : Date.parse(at);
};

const readData = ({ data }: { data: Uint8Array }, now: number): TokenData => {
  try {
    return JSON.parse(Buffer.from(data).toString());
  } catch {
    return { source: "audit", heardAt: now, visited: true };
  }
};

const tokenOf = (broker: Broker, subjects: Subjects, message: JsMsg): Token => {
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
        streams.getMessage(subjects.stream, { last_by_subj: subjects.sched(host) }),
        streams.getMessage(subjects.stream, { seq }),
      ]);
      // An older schedule is the one that made this token due, and could not be taken away.
      return due === null || (successor !== null && successor.seq > seq);
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
  const dueAt = scheduledAt(scheduled.header);
  if (dueAt !== undefined && dueAt <= atMs) return false;
  return publishSchedule(broker, subjects, host, atMs, readData(scheduled, broker.now()), scheduled.seq);
};

/** Removes one message. @returns false when it is gone already, or the broker still cannot write */
const deleteMessage = async ({ jsm }: Broker, stream: string, seq: number): Promise<boolean> => {
  try {
    return await jsm.streams.deleteMessage(stream, seq, false);
  } catch (error) {
    if (error instanceof JetStreamApiError) return false;
    throw error;
  }
};

const removeAckedTokens = async (broker: Broker, subjects: Subjects): Promise<string[]> => {
  const { stream, allDue } = subjects;
  const { ack_floor } = await broker.jsm.consumers.info(stream, CONSUMER);
  const hosts: string[] = [];
  for (let seq = 1, looked = 0; looked < BATCH; looked++) {
    const token = await broker.jsm.direct.getMessage(stream, { seq, next_by_subj: allDue });
    // All up to the floor was acked; what is above may be in a worker's hands, and is looked at another time.
    if (!token || token.seq > ack_floor.stream_seq) break;
    const host = hostOf(token.subject);
    // Whether it was dropped on purpose nobody knows any more: visited once more, it is again.
    await publishSchedule(broker, subjects, host, broker.now(), readData(token, broker.now()), token.seq);
    if (await deleteMessage(broker, stream, token.seq)) hosts.push(host);
    seq = token.seq + 1;
  }
  return hosts;
};

const restartOverdueTokens = async (
  broker: Broker,
  subjects: Subjects,
  lateMs: number,
): Promise<string[]> => {
  const hosts: string[] = [];
  for (let seq = 1; ; ) {
    const request = { seq, batch: BATCH, next_by_subj: subjects.allSched };
    const tokens = await readStream(broker, subjects.stream, request);
    if (tokens.length === 0) return hosts;
    const now = broker.now();
    for (const token of tokens) {
      seq = token.seq + 1;
      const atMs = scheduledAt(token.headers);
      if (atMs === undefined || atMs > now - lateMs) continue;
      const host = hostOf(token.subject);
      if (await publishSchedule(broker, subjects, host, now, readData(token, now), token.seq))
        hosts.push(host);
    }
  }
};

/**
 * Opens the frontier on a broker.
 * @param leaseMs a worker that is silent this long has lost its token to another
 */
export const openFrontier = async (broker: Broker, leaseMs: number): Promise<Frontier> => {
  const subjects = subjectsOf(broker);
  const consumer = await openConsumer(broker, subjects.stream, CONSUMER, {
    filter_subject: subjects.allDue,
    ack_wait: leaseMs * 1e6,
    max_ack_pending: 20_000,
    max_deliver: -1,
  });
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
    removeAcked: () => removeAckedTokens(broker, subjects),
    restartOverdue: (lateMs) => restartOverdueTokens(broker, subjects, lateMs),
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
