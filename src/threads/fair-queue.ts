/**
 * A queue whose next permit goes to the caller that used the least of it lately. A caller with a thousand jobs waits
 * for its own; another caller's first job is next as soon as the one that runs has ended.
 */

import { Semaphore, type Waiter, type WaitQueue } from "../concurrency/semaphore.ts";
import { recentlyUsed } from "../stores/recently-used.ts";

/** Somebody that a job is for, and how many jobs may wait for them. A job may be for several: an account and a network. */
export interface Asker {
  readonly id: string;
  readonly mostWaiting: number;
}

export interface FairQueueOptions {
  /** Jobs that run at once: the threads behind. */
  running: number;
  /** Jobs that wait, of everybody. */
  maxWaiting: number;
  /** Milliseconds that only go forward. */
  now?: () => number;
}

/** "full": nobody's jobs may wait now; "asker_full": too many of this asker's do; "late": its deadline passed before it began. */
export type NotRun = "full" | "asker_full" | "late";
/** `of`: the asker of whom too many wait. */
type Refusal = { why: Exclude<NotRun, "asker_full"> } | { why: "asker_full"; of: string };
export type QueueResult<T> = { ok: true; value: T } | ({ ok: false } & Refusal);

/** How long somebody waits. */
export interface Until {
  waitMs: number;
  /** Aborts when nobody waits any more. */
  signal?: AbortSignal | undefined;
}

interface WaitingJob extends Waiter {
  readonly askers: readonly Asker[];
  /** It does not begin later than this. */
  readonly until: number;
  readonly refuse: () => void;
}

/** What was used is half forgotten after this time. */
const HALF_LIFE_MS = 30_000;
/** Askers whose use is remembered; of more, the least recent are forgotten. */
const MAX_REMEMBERED = 10_000;

/** Jobs in the order of what their askers used lately; the first come, of equals. */
class LeastUsedFirst implements WaitQueue<WaitingJob> {
  readonly #now: () => number;
  readonly #jobs: WaitingJob[] = [];
  readonly #waitingOf = new Map<string, number>();
  readonly #used = recentlyUsed<{ ms: number; at: number }>(MAX_REMEMBERED);

  constructor(now: () => number) {
    this.#now = now;
  }

  get size(): number {
    return this.#jobs.length;
  }

  /** The first of the askers that has as many jobs waiting as it may. */
  fullOf(askers: readonly Asker[]): Asker | undefined {
    return askers.find(({ id, mostWaiting }) => (this.#waitingOf.get(id) ?? 0) >= mostWaiting);
  }

  push(job: WaitingJob): void {
    for (const { id } of job.askers) this.#waitingOf.set(id, (this.#waitingOf.get(id) ?? 0) + 1);
    this.#jobs.push(job);
  }

  /** Refuses those whose deadline has passed. */
  shift(): WaitingJob | undefined {
    while (this.#jobs.length > 0) {
      const next = this.#take(this.#leastUsed());
      if (next.until >= this.#now()) return next;
      next.refuse();
    }
    return undefined;
  }

  delete(job: WaitingJob): void {
    const at = this.#jobs.indexOf(job);
    if (at >= 0) this.#take(at);
  }

  noteUse(askers: readonly Asker[], ms: number): void {
    const at = this.#now();
    for (const { id } of askers) this.#used.set(id, { ms: this.#usedBy(id) + ms, at });
  }

  #leastUsed(): number {
    let [least, leastMs] = [0, Number.POSITIVE_INFINITY];
    for (const [i, { askers }] of this.#jobs.entries()) {
      const ms = askers.reduce((sum, { id }) => sum + this.#usedBy(id), 0);
      if (ms < leastMs) [least, leastMs] = [i, ms];
    }
    return least;
  }

  #take(at: number): WaitingJob {
    const [job] = this.#jobs.splice(at, 1);
    for (const { id } of job!.askers) {
      const left = this.#waitingOf.get(id)! - 1;
      if (left > 0) this.#waitingOf.set(id, left);
      else this.#waitingOf.delete(id);
    }
    return job!;
  }

  #usedBy(id: string): number {
    const known = this.#used.get(id);
    return known ? known.ms * 2 ** ((known.at - this.#now()) / HALF_LIFE_MS) : 0;
  }
}

export class FairQueue {
  readonly #now: () => number;
  readonly #queue: LeastUsedFirst;
  readonly #semaphore: Semaphore<WaitingJob>;

  constructor({ running, maxWaiting, now = () => performance.now() }: FairQueueOptions) {
    this.#now = now;
    this.#queue = new LeastUsedFirst(now);
    this.#semaphore = new Semaphore(running, maxWaiting, this.#queue);
  }

  /** Jobs that have not begun. */
  get waiting(): number {
    return this.#semaphore.waiting;
  }

  /**
   * Runs `work` when it is the next.
   * @param until it does not begin later than `waitMs`, or after the signal; work that began is done
   * @throws what `work` throws
   */
  async run<T>(askers: readonly Asker[], until: Until, work: () => Promise<T>): Promise<QueueResult<T>> {
    const refusal = this.#semaphore.tryAcquire() ? undefined : await this.#wait(askers, until);
    if (refusal) return { ok: false, ...refusal };
    const startedAt = this.#now();
    try {
      return { ok: true, value: await work() };
    } finally {
      this.#queue.noteUse(askers, this.#now() - startedAt);
      this.#semaphore.release();
    }
  }

  async #wait(askers: readonly Asker[], { waitMs, signal }: Until): Promise<Refusal | undefined> {
    const { promise, resolve } = Promise.withResolvers<Refusal | undefined>();
    const job: WaitingJob = {
      askers,
      until: this.#now() + waitMs,
      grant: () => resolve(undefined),
      refuse: () => resolve({ why: "late" }),
    };
    if (signal?.aborted) return { why: "late" };
    // Everybody's bound is told before an asker's own.
    if (this.#semaphore.isFull) return { why: "full" };
    const full = this.#queue.fullOf(askers);
    if (full) return { why: "asker_full", of: full.id };
    this.#semaphore.enqueue(job);
    const onAbort = (): void => {
      this.#semaphore.withdraw(job);
      resolve({ why: "late" });
    };
    signal?.addEventListener("abort", onAbort, { once: true });
    return promise.finally(() => signal?.removeEventListener("abort", onAbort));
  }
}
