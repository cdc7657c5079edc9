/** One stream of the model broker: its messages, and the rules by which one is stored or refused. Times in wall milliseconds. */
import type { StreamConfig } from "@nats-io/jetstream";
import { type Headers, matches } from "./subjects.ts";

export interface Stored {
  readonly seq: number;
  readonly subject: string;
  readonly timeMs: number;
  readonly headers: Headers;
  readonly data: Buffer;
}

export interface ApiError {
  code: number;
  err_code: number;
  description: string;
}

const apiError = (code: number, err_code: number, description: string): ApiError => ({
  code,
  err_code,
  description,
});

export const ERRORS = {
  noStream: apiError(404, 10_059, "stream not found"),
  noConsumer: apiError(404, 10_014, "consumer not found"),
  noMessage: apiError(404, 10_037, "no message found"),
  noStorage: apiError(503, 10_077, "no space left on device"),
  tooLarge: apiError(400, 10_054, "message size exceeds maximum allowed"),
  maxBytes: apiError(503, 10_077, "maximum bytes exceeded"),
  deleteFailed: apiError(400, 10_057, "no message found"),
  wrongSequence: (last: number): ApiError => apiError(400, 10_071, `wrong last sequence: ${last}`),
  notFound: (what: string): ApiError => apiError(500, 10_000, `the model knows no ${what}`),
};

export type Outcome =
  | { ok: true; seq: number; duplicate?: boolean; val?: string }
  | { ok: false; error: ApiError };

const EXPECTED = "Nats-Expected-Last-Subject-Sequence";
const EXPECTED_SUBJECT = "Nats-Expected-Last-Subject-Sequence-Subject";
/** What the store writes beside each message. */
const OVERHEAD_BYTES = 22;
const DUPLICATES_MS = 120_000;

function sizeOf({ subject, headers, data }: Pick<Stored, "subject" | "headers" | "data">): number {
  let bytes = OVERHEAD_BYTES + subject.length + data.length;
  for (const [name, value] of headers) bytes += name.length + value.length + 4;
  return bytes;
}

export interface Change {
  kind: "stored" | "removed";
  message: Stored;
}

/** Messages by sequence and by subject. */
class Messages {
  /** In the order of sequences: they only grow. */
  readonly bySeq = new Map<number, Stored>();
  readonly bySubject = new Map<string, number[]>();

  add(message: Stored): void {
    this.bySeq.set(message.seq, message);
    const seqs = this.bySubject.get(message.subject);
    if (seqs) seqs.push(message.seq);
    else this.bySubject.set(message.subject, [message.seq]);
  }

  remove(message: Stored): void {
    this.bySeq.delete(message.seq);
    const seqs = this.bySubject.get(message.subject)!;
    seqs.splice(seqs.indexOf(message.seq), 1);
    if (seqs.length === 0) this.bySubject.delete(message.subject);
  }

  last(filter: string): Stored | undefined {
    const exact = this.bySubject.get(filter);
    if (exact) return this.bySeq.get(exact.at(-1)!);
    if (!filter.includes("*") && !filter.endsWith(">")) return undefined;
    let seq = 0;
    for (const subject of candidates(filter, this.bySubject))
      if (matches(filter, subject)) seq = Math.max(seq, this.bySubject.get(subject)!.at(-1)!);
    return this.bySeq.get(seq);
  }

  /** The first from `seq` on whose subject fits. */
  next(seq: number, filter: string): Stored | undefined {
    for (const message of this.bySeq.values())
      if (message.seq >= seq && matches(filter, message.subject)) return message;
    return undefined;
  }
}

/** A filter with one `*` at its end fits the two subjects of a queue's key, which need no search. */
function* candidates(filter: string, bySubject: ReadonlyMap<string, unknown>): Iterable<string> {
  const base = filter.endsWith(".*") ? filter.slice(0, -1) : undefined;
  if (base === undefined || base.includes("*") || !/\.(f|hook)\.[^.]+\.$/.test(base)) {
    yield* bySubject.keys();
    return;
  }
  for (const end of ["sched", "due"]) if (bySubject.has(base + end)) yield base + end;
}

export class Stream {
  config: StreamConfig;
  readonly createdMs: number;
  readonly #messages = new Messages();
  readonly #told: (change: Change) => void;
  readonly #ids = new Map<string, { seq: number; timeMs: number }>();
  lastSeq = 0;
  bytes = 0;

  /** @param told of every message that comes or goes */
  constructor(config: StreamConfig, createdMs: number, told: (change: Change) => void) {
    this.config = config;
    this.createdMs = createdMs;
    this.#told = told;
  }

  get count(): number {
    return this.#messages.bySeq.size;
  }

  get firstSeq(): number {
    for (const seq of this.#messages.bySeq.keys()) return seq;
    return this.lastSeq + 1;
  }

  get subjects(): ReadonlyMap<string, readonly number[]> {
    return this.#messages.bySubject;
  }

  all(): Iterable<Stored> {
    return this.#messages.bySeq.values();
  }

  get(seq: number): Stored | undefined {
    return this.#messages.bySeq.get(seq);
  }

  last(filter: string): Stored | undefined {
    return this.#messages.last(filter);
  }

  next(seq: number, filter = ">"): Stored | undefined {
    return this.#messages.next(seq, filter);
  }

  takes(subject: string): boolean {
    return this.config.subjects.some((filter) => matches(filter, subject));
  }

  /** Takes away what is older than the stream keeps. */
  prune(nowMs: number): void {
    const { max_age } = this.config;
    if (max_age <= 0) return;
    for (const message of this.#messages.bySeq.values()) {
      if (nowMs - message.timeMs < max_age / 1e6) return;
      this.remove(message.seq);
    }
  }

  publish(subject: string, headers: Headers, data: Buffer, timeMs: number): Outcome {
    this.prune(timeMs);
    const refused = this.#refusal(subject, headers, data, timeMs);
    if (refused) return refused;
    const counted = headers.get("Nats-Incr");
    const value = counted === undefined ? undefined : this.#added(subject, counted);
    const body = value === undefined ? data : Buffer.from(JSON.stringify({ val: value }));
    const id = headers.get("Nats-Msg-Id");
    const stored: Stored = { seq: ++this.lastSeq, subject, timeMs, headers, data: body };
    if (id !== undefined) this.#ids.set(id, { seq: stored.seq, timeMs });
    this.#messages.add(stored);
    this.bytes += sizeOf(stored);
    this.#keepBounds(stored);
    this.#told({ kind: "stored", message: stored });
    return { ok: true, seq: stored.seq, ...(value !== undefined && { val: value }) };
  }

  /** @returns the message that was there */
  remove(seq: number): Stored | undefined {
    const message = this.#messages.bySeq.get(seq);
    if (!message) return undefined;
    this.#messages.remove(message);
    this.bytes -= sizeOf(message);
    this.#told({ kind: "removed", message });
    return message;
  }

  #refusal(subject: string, headers: Headers, data: Buffer, timeMs: number): Outcome | undefined {
    const { max_msg_size, max_bytes, discard } = this.config;
    if (max_msg_size > 0 && sizeOf({ subject: "", headers, data }) - OVERHEAD_BYTES > max_msg_size)
      return { ok: false, error: ERRORS.tooLarge };
    const known = this.#known(headers.get("Nats-Msg-Id"), timeMs);
    if (known !== undefined) return { ok: true, seq: known, duplicate: true };
    const expected = headers.get(EXPECTED);
    if (expected !== undefined) {
      const last = this.last(headers.get(EXPECTED_SUBJECT) ?? subject)?.seq ?? 0;
      if (last !== Number(expected)) return { ok: false, error: ERRORS.wrongSequence(last) };
    }
    const isFull = max_bytes > 0 && this.bytes + sizeOf({ subject, headers, data }) > max_bytes;
    return isFull && discard === "new" ? { ok: false, error: ERRORS.maxBytes } : undefined;
  }

  #known(id: string | undefined, timeMs: number): number | undefined {
    for (const [old, { timeMs: at }] of this.#ids) {
      if (timeMs - at < DUPLICATES_MS) break;
      this.#ids.delete(old);
    }
    return id === undefined ? undefined : this.#ids.get(id)?.seq;
  }

  #added(subject: string, amount: string): string {
    const before = this.last(subject);
    const total = before ? BigInt((JSON.parse(before.data.toString()) as { val: string }).val) : 0n;
    return String(total + BigInt(amount.replace(/^\+/, "")));
  }

  #keepBounds({ subject, headers, seq }: Stored): void {
    const { max_msgs_per_subject, max_msgs, max_bytes } = this.config;
    const seqs = [...(this.#messages.bySubject.get(subject) ?? [])];
    if (headers.get("Nats-Rollup") === "sub") for (const old of seqs) if (old !== seq) this.remove(old);
    if (max_msgs_per_subject > 0)
      for (const old of seqs.slice(0, Math.max(0, seqs.length - max_msgs_per_subject))) this.remove(old);
    while ((max_msgs > 0 && this.count > max_msgs) || (max_bytes > 0 && this.bytes > max_bytes))
      this.remove(this.firstSeq);
  }
}
