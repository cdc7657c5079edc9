/** Work that is handed to one of several processes, and to another when that one does not finish. */

/** One piece of work in the hands of one worker. Exactly one of `ack`, `giveBack` and `discard` ends it. */
export interface Work {
  readonly key: string;
  /** @throws SyntaxError for what is not JSON */
  json(): unknown;
  /** Tells the broker that it is still under way. */
  working(): void;
  ack(): void;
  /** Another worker may take it, at once or after `delayMs`. */
  giveBack(delayMs?: number): void;
  /** Ends work that nobody will ever be able to do. */
  discard(reason: string): void;
}

/** A queue whose work becomes due at a time, one piece a key. Times are the broker's, in milliseconds. */
export interface DelayedQueue {
  /** Adds work that is due at once. */
  add(key: string, value: string): Promise<void>;
  /** Stores work at its time, in place of what waits under this key. */
  schedule(key: string, atMs: number, value: string): Promise<void>;
  /** Takes up to `limit` pieces that are due; resolves after at most 2 s, possibly with none handed to `take`. */
  take(limit: number, take: (work: Work) => void, signal: AbortSignal): Promise<void>;
  size(): Promise<{ messages: number; bytes: number }>;
  /** Removes what was acked and stayed. @returns its keys, at most 1,000 at a time */
  removeAcked(): Promise<string[]>;
  /** Schedules anew what should have been due `lateMs` ago. @returns its keys */
  restartOverdue(lateMs: number): Promise<string[]>;
}

/** Hints that one of several workers reads, at least once each, and that may be lost. */
export interface HintQueue {
  /** Resolves once the broker has it. */
  publish(value: string): Promise<void>;
  /** Hints as they come, until `signal` aborts. */
  follow(signal: AbortSignal): AsyncIterable<Work>;
}

/** One change of a record, in the order of changes. */
export interface RecordChange {
  readonly key: string;
  readonly revision: number;
  /** When it was written, milliseconds of the broker. */
  readonly changedAt: number;
  readonly removed: boolean;
  /** @throws SyntaxError for what is not JSON */
  json(): unknown;
  ack(): void;
}

/** The changes of one bucket, followed under names that the broker keeps: whoever goes on under a name begins where it stopped. */
export interface ChangeFeed {
  /** Changes as they come, until `signal` aborts; workers that follow under one name share them. */
  follow(name: string, options: FollowChanges, signal: AbortSignal): AsyncIterable<RecordChange>;
  /** Changes that were not acked yet. */
  lag(name: string): Promise<number>;
  isKnown(name: string): Promise<boolean>;
  forget(name: string): Promise<void>;
}

export interface FollowChanges {
  /** What a worker that died had taken comes again after this long. */
  ackWaitMs: number;
  /** Changes in workers' hands at most. */
  maxPending: number;
  /** The name is forgotten when nobody follows under it for so long. */
  forgetAfterMs: number;
}
