/** Work queues: each item goes to one of several processes, and to another if that one does not finish. */

/** One item of work, delivered to one worker. Exactly one of `ack`, `giveBack` and `discard` ends it. */
export interface Work {
  readonly key: string;
  /** @throws SyntaxError if the value is not JSON */
  json(): unknown;
  /** Tells the broker that the work is in progress. */
  working(): void;
  ack(): void;
  /** Returns the work to the queue, at once or after `delayMs`. */
  giveBack(delayMs?: number): void;
  /** Ends work that can never succeed. */
  discard(reason: string): void;
}

/** A delayed queue with one item per key. Times are the broker's, in milliseconds. */
export interface DelayedQueue {
  /** Adds work that is due at once. */
  add(key: string, value: string): Promise<void>;
  /** Schedules work, replacing any that waits under this key. */
  schedule(key: string, atMs: number, value: string): Promise<void>;
  /** Passes up to `limit` due items to `take`; resolves after at most 2 s, possibly without any. */
  take(limit: number, take: (work: Work) => void, signal: AbortSignal): Promise<void>;
  /** What it holds, and how many bytes it may hold before nothing new should be added. */
  size(): Promise<{ messages: number; bytes: number; maxBytes: number }>;
  /** Removes messages that remain although they were acked. @returns their keys, at most 1,000 per call */
  removeAcked(): Promise<string[]>;
  /** Reschedules messages that should have been due `lateMs` ago. @returns their keys */
  restartOverdue(lateMs: number): Promise<string[]>;
}

/** A queue of hints. A hint is delivered at least once to one of several workers, unless the queue overflows. */
export interface HintQueue {
  /** Resolves when the broker has stored the hint. */
  publish(value: string): Promise<void>;
  /** Hints in order of arrival, until `signal` aborts. */
  follow(signal: AbortSignal): AsyncIterable<Work>;
}

/** One change of a record, in the order of changes. */
export interface RecordChange {
  readonly key: string;
  readonly revision: number;
  /** Time of the write, milliseconds of the broker's clock. */
  readonly changedAt: number;
  readonly removed: boolean;
  /** Changes behind it that no subscriber of this name was given yet. */
  readonly behind: number;
  /** The span that wrote it, where that is recorded (W3C traceparent). */
  readonly traceparent?: string | undefined;
  readonly value: Uint8Array;
  /** @throws SyntaxError if the value is not JSON */
  json(): unknown;
  /** Says that it is still being worked on: its time to be acked starts again. */
  working(): void;
  ack(): void;
}

/** The changes of one bucket, for named durable subscriptions: a subscriber resumes where its name stopped. */
export interface ChangeFeed {
  /** Changes until `signal` aborts; workers with the same name share them. */
  follow(name: string, options: FollowChanges, signal: AbortSignal): AsyncIterable<RecordChange>;
  /** Number of unacked changes. */
  lag(name: string): Promise<number>;
  isKnown(name: string): Promise<boolean>;
  forget(name: string): Promise<void>;
}

export interface FollowChanges {
  /** Unacked changes are redelivered after this long. */
  ackWaitMs: number;
  /** Maximum unacked changes. */
  maxPending: number;
  /** The subscription is deleted after this long without a subscriber. */
  forgetAfterMs: number;
}
