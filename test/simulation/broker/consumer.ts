/**
 * One consumer of the model broker. A pull consumer hands out messages to requests in their order and waits for acks; a
 * push consumer (the client's ordered one, without acks) sends to whoever listens.
 */
import type { ConsumerConfig } from "@nats-io/jetstream";
import { HOUR_MS } from "../../../src/ports/time.ts";
import type { Machine } from "../virtual-time.ts";
import type { Change, Stored, Stream } from "./stream.ts";
import { formatHeaders, type Headers, matches } from "./subjects.ts";

const NS_A_MS = 1e6;

/** A request for messages. */
interface Pull {
  inbox: string;
  left: number;
  bytesLeft: number;
  isOver: boolean;
}

interface Pending {
  deliverySeq: number;
  /** Since when it is out, wall milliseconds. */
  atMs: number;
  /** When it comes again, where somebody asked for that; otherwise after `ack_wait`. */
  againAtMs?: number;
}

export interface ConsumerHost {
  readonly machine: Machine;
  /** Sends to whoever listens. @returns whether somebody does */
  send(to: string, subject: string, reply: string, headers: Buffer | undefined, data: Buffer): boolean;
  isHeard(subject: string): boolean;
  /** Whether what is acked can be taken from the disk. */
  canRemove(): boolean;
  /** An interest is gone for longer than the consumer's patience. */
  expired(consumer: ModelConsumer): void;
}

const status = (code: number, text: string, more: [string, string][] = []): Buffer =>
  formatHeaders(new Map(more), `${code} ${text}`);

const NOTHING = Buffer.alloc(0);

export class ModelConsumer {
  config: ConsumerConfig;
  readonly name: string;
  readonly stream: Stream;
  readonly #host: ConsumerHost;
  readonly #pulls: Pull[] = [];
  readonly #pending = new Map<number, Pending>();
  readonly #counts = new Map<number, number>();
  #again: number[] = [];
  /** Those of the last message that was handed out. */
  #streamSeq = 0;
  #deliverySeq = 0;
  #floor = 0;
  #looking: { atMs: number; id: number } | undefined;
  #looks = 0;
  #sent = 0;
  isGone = false;

  constructor(stream: Stream, name: string, config: ConsumerConfig, host: ConsumerHost) {
    this.stream = stream;
    this.name = name;
    this.config = config;
    this.#host = host;
    if (config.deliver_policy === "by_start_sequence") this.#streamSeq = (config.opt_start_seq ?? 1) - 1;
    if (config.deliver_policy === "new") this.#streamSeq = stream.lastSeq;
    this.#floor = this.#streamSeq;
    if (config.deliver_subject) this.#beat();
  }

  // ------------------------------------------------------------ what it says of itself

  get #filters(): readonly string[] {
    const { filter_subject, filter_subjects } = this.config;
    return filter_subject ? [filter_subject] : (filter_subjects ?? []);
  }

  #wants(subject: string): boolean {
    const filters = this.#filters;
    return filters.length === 0 || filters.some((filter) => matches(filter, subject));
  }

  #isLast(message: Stored): boolean {
    return (
      this.config.deliver_policy !== "last_per_subject" ||
      this.stream.subjects.get(message.subject)?.at(-1) === message.seq
    );
  }

  /** Messages that were not handed out yet. */
  waiting(): number {
    let count = 0;
    for (const message of this.stream.all())
      if (message.seq > this.#streamSeq && this.#wants(message.subject) && this.#isLast(message)) count++;
    return count;
  }

  get underWay(): number {
    return this.#pending.size;
  }

  info(): object {
    const redelivered = [...this.#counts.entries()].filter(([seq, n]) => n > 1 && this.#pending.has(seq));
    return {
      stream_name: this.stream.config.name,
      name: this.name,
      created: new Date(this.stream.createdMs).toISOString(),
      config: this.config,
      delivered: { consumer_seq: this.#deliverySeq, stream_seq: this.#streamSeq },
      ack_floor: { consumer_seq: 0, stream_seq: this.ackFloor },
      num_ack_pending: this.#pending.size,
      num_redelivered: redelivered.length,
      num_waiting: this.#pulls.length,
      num_pending: this.waiting(),
      ts: new Date(this.#now).toISOString(),
    };
  }

  /** All up to this sequence was acked. */
  get ackFloor(): number {
    let lowest = this.#streamSeq + 1;
    for (const seq of this.#pending.keys()) lowest = Math.min(lowest, seq);
    this.#floor = Math.max(this.#floor, lowest - 1);
    return this.#floor;
  }

  get #now(): number {
    return this.#host.machine.wallMs();
  }

  // ------------------------------------------------------------ handing out

  /** Somebody asks for messages. */
  pull(
    inbox: string,
    request: { batch?: number; expires?: number; idle_heartbeat?: number; max_bytes?: number },
  ): void {
    const { batch = 1, expires = 0, idle_heartbeat = 0, max_bytes = 0 } = request;
    const pull: Pull = {
      inbox,
      left: batch,
      bytesLeft: max_bytes || Number.POSITIVE_INFINITY,
      isOver: false,
    };
    this.#pulls.push(pull);
    const { world } = this.#host.machine;
    if (expires > 0)
      world.schedule(this.#host.machine, expires / NS_A_MS, () => {
        if (pull.isOver) return;
        this.#end(pull);
        const left: [string, string][] = [
          ["Nats-Pending-Messages", String(pull.left)],
          ["Nats-Pending-Bytes", "0"],
        ];
        this.#host.send(inbox, inbox, "", status(408, "Request Timeout", left), NOTHING);
      });
    if (idle_heartbeat > 0) this.#beatPull(pull, idle_heartbeat / NS_A_MS);
    this.deliver();
  }

  #beatPull(pull: Pull, everyMs: number): void {
    this.#host.machine.world.schedule(this.#host.machine, everyMs, () => {
      if (pull.isOver || this.isGone) return;
      const numbers: [string, string][] = [
        ["Nats-Last-Consumer", String(this.#deliverySeq)],
        ["Nats-Last-Stream", String(this.#streamSeq)],
      ];
      if (!this.#host.send(pull.inbox, pull.inbox, "", status(100, "Idle Heartbeat", numbers), NOTHING)) {
        this.#end(pull);
        return;
      }
      this.#beatPull(pull, everyMs);
    });
  }

  #end(pull: Pull): void {
    pull.isOver = true;
    const place = this.#pulls.indexOf(pull);
    if (place >= 0) this.#pulls.splice(place, 1);
  }

  /** Hands out what can be handed out. */
  deliver(): void {
    if (this.isGone) return;
    if (this.config.deliver_subject) {
      this.#push(this.config.deliver_subject);
      return;
    }
    const most = this.config.max_ack_pending ?? 1_000;
    while (this.#pulls.length > 0 && this.#pending.size < (most > 0 ? most : Number.POSITIVE_INFINITY)) {
      const pull = this.#pulls[0]!;
      if (!this.#host.isHeard(pull.inbox)) {
        this.#end(pull);
        continue;
      }
      const message = this.#next();
      if (!message) return;
      this.#hand(message, pull.inbox, 0);
      pull.left--;
      pull.bytesLeft -= message.data.length;
      if (pull.left <= 0 || pull.bytesLeft <= 0) this.#end(pull);
    }
  }

  #next(): Stored | undefined {
    while (this.#again.length > 0) {
      const message = this.stream.get(this.#again.shift()!);
      if (message && !this.#isExhausted(message)) return message;
    }
    for (let seq = this.#streamSeq + 1; ; ) {
      const message = this.stream.next(seq);
      if (!message) return undefined;
      this.#streamSeq = message.seq;
      if (this.#wants(message.subject) && this.#isLast(message)) return message;
      seq = message.seq + 1;
    }
  }

  #isExhausted({ seq }: Stored): boolean {
    const { max_deliver = -1 } = this.config;
    return max_deliver > 0 && (this.#counts.get(seq) ?? 0) >= max_deliver;
  }

  /** @param left how many more wait, as the reply address says */
  #hand(message: Stored, inbox: string, left: number): void {
    const { seq, subject, headers, data } = message;
    const count = (this.#counts.get(seq) ?? 0) + 1;
    this.#counts.set(seq, count);
    const deliverySeq = ++this.#deliverySeq;
    if (this.config.ack_policy !== "none") {
      this.#pending.set(seq, { deliverySeq, atMs: this.#now });
      this.#look();
    }
    const parts = [count, seq, deliverySeq, Math.round(message.timeMs * NS_A_MS), left];
    const reply = `$JS.ACK.${this.stream.config.name}.${this.name}.${parts.join(".")}`;
    const only = this.config.headers_only;
    const shown: Headers = only ? new Map([...headers, ["Nats-Msg-Size", String(data.length)]]) : headers;
    this.#host.send(
      inbox,
      subject,
      reply,
      shown.size > 0 ? formatHeaders(shown) : undefined,
      only ? NOTHING : data,
    );
  }

  #push(to: string): void {
    if (!this.#host.isHeard(to)) return;
    let left = this.waiting();
    for (let message = this.#next(); message; message = this.#next()) {
      this.#sent = this.#now;
      this.#hand(message, to, --left);
    }
  }

  /** A push consumer says now and then that it is there. */
  #beat(): void {
    const { idle_heartbeat = 0, inactive_threshold = 300_000 * NS_A_MS } = this.config;
    const everyMs = (idle_heartbeat || 5_000 * NS_A_MS) / NS_A_MS;
    let unheardMs = 0;
    const beat = (): void => {
      if (this.isGone) return;
      const to = this.config.deliver_subject!;
      if (this.#host.isHeard(to)) {
        unheardMs = 0;
        const numbers: [string, string][] = [
          ["Nats-Last-Consumer", String(this.#deliverySeq)],
          ["Nats-Last-Stream", String(this.#streamSeq)],
        ];
        if (this.#now - this.#sent >= everyMs && idle_heartbeat > 0)
          this.#host.send(to, to, "", status(100, "Idle Heartbeat", numbers), NOTHING);
      } else {
        unheardMs += everyMs;
        if (unheardMs >= inactive_threshold / NS_A_MS) {
          this.#host.expired(this);
          return;
        }
      }
      this.#host.machine.world.schedule(this.#host.machine, everyMs, beat);
    };
    this.#host.machine.world.schedule(this.#host.machine, everyMs, beat);
  }

  // ------------------------------------------------------------ acks

  /** @param word `+ACK`, `-NAK`, `+WPI`, `+TERM`, with what may follow */
  acked(seq: number, deliverySeq: number, word: string): void {
    const pending = this.#pending.get(seq);
    // An ack of an earlier delivery acks the message all the same, as in nats-server.
    if (!pending || deliverySeq > this.#deliverySeq) return;
    if (word.startsWith("+WPI")) pending.atMs = this.#now;
    else if (word.startsWith("-NAK")) this.#nak(seq, pending, word);
    else this.#finish(seq);
    this.#look();
    this.deliver();
  }

  #finish(seq: number): void {
    this.#pending.delete(seq);
    this.#counts.delete(seq);
    // A broker that cannot write keeps the message, and counts it as done all the same (decision 27).
    if (this.stream.config.retention === "workqueue" && this.#host.canRemove()) this.stream.remove(seq);
  }

  #nak(seq: number, pending: Pending, word: string): void {
    const delay = /"delay":\s*(\d+)/.exec(word)?.[1];
    if (delay) pending.againAtMs = this.#now + Number(delay) / NS_A_MS;
    else this.#comeAgain(seq);
  }

  #comeAgain(seq: number): void {
    if (!this.#again.includes(seq)) this.#again.push(seq);
    const pending = this.#pending.get(seq);
    if (pending) {
      pending.atMs = this.#now;
      delete pending.againAtMs;
    }
  }

  #dueAt({ atMs, againAtMs }: Pending): number {
    return againAtMs ?? atMs + (this.config.ack_wait ?? 30_000 * NS_A_MS) / NS_A_MS;
  }

  /** Wakes up when the next message that nobody acked comes again. */
  #look(): void {
    let nextAt = Number.POSITIVE_INFINITY;
    for (const pending of this.#pending.values()) nextAt = Math.min(nextAt, this.#dueAt(pending));
    if (nextAt === Number.POSITIVE_INFINITY || (this.#looking && this.#looking.atMs <= nextAt)) return;
    const id = ++this.#looks;
    this.#looking = { atMs: nextAt, id };
    const inMs = Math.min(HOUR_MS, Math.max(0, nextAt - this.#now) + 1);
    this.#host.machine.world.schedule(this.#host.machine, inMs, () => {
      if (this.#looking?.id !== id) return;
      this.#looking = undefined;
      const now = this.#now;
      for (const [seq, pending] of this.#pending) if (this.#dueAt(pending) <= now) this.#comeAgain(seq);
      this.deliver();
      this.#look();
    });
  }

  // ------------------------------------------------------------ faults

  /** A leader that takes over knows what was acked, and hands out again what was not. */
  tookOver(): void {
    for (const pull of [...this.#pulls]) this.#end(pull);
    for (const seq of this.#pending.keys()) this.#comeAgain(seq);
  }

  /** The server started again: whoever asked is gone; what is out comes again when its time is up. */
  restarted(): void {
    for (const pull of [...this.#pulls]) this.#end(pull);
    this.#looking = undefined;
    this.#look();
  }

  /** Hands a message out that is in a worker's hands already. */
  deliverTwice(): void {
    const [seq] = this.#pending.keys();
    if (seq === undefined) return;
    this.#comeAgain(seq);
    this.deliver();
  }

  /** A message of its stream came or went. */
  changed({ kind, message }: Change): void {
    if (kind === "stored") return;
    this.#pending.delete(message.seq);
    this.#counts.delete(message.seq);
  }
}
