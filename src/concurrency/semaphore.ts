/** A counting semaphore: so many permits, and a bounded queue of those who wait for one. */

export interface Waiter {
  /** Called once with the permit, which then is the waiter's to release. */
  grant(): void;
}

/** The order in which waiters get permits. */
export interface WaitQueue<W extends Waiter> {
  readonly size: number;
  push(waiter: W): void;
  /** Takes the next waiter out of the queue. */
  shift(): W | undefined;
  delete(waiter: W): void;
}

/** First come, first served. */
class Fifo<W extends Waiter> implements WaitQueue<W> {
  #waiters: W[] = [];
  /** Waiters before this place have left. */
  #head = 0;

  get size(): number {
    return this.#waiters.length - this.#head;
  }

  push(waiter: W): void {
    this.#waiters.push(waiter);
  }

  shift(): W | undefined {
    if (this.#head === this.#waiters.length) return undefined;
    const next = this.#waiters[this.#head++];
    const isEmpty = this.#head === this.#waiters.length;
    if (isEmpty || (this.#head > 1_024 && this.#head * 2 > this.#waiters.length)) {
      this.#waiters = isEmpty ? [] : this.#waiters.slice(this.#head);
      this.#head = 0;
    }
    return next;
  }

  delete(waiter: W): void {
    const place = this.#waiters.indexOf(waiter, this.#head);
    if (place >= 0) this.#waiters.splice(place, 1);
  }
}

export class Semaphore<W extends Waiter = Waiter> {
  readonly #maxWaiting: number;
  readonly #queue: WaitQueue<W>;
  #available: number;

  /**
   * @param maxWaiting waiters beyond this many are turned away
   * @param queue whose turn it is; first come, first served by default
   */
  constructor(permits: number, maxWaiting = Number.POSITIVE_INFINITY, queue: WaitQueue<W> = new Fifo<W>()) {
    this.#available = permits;
    this.#maxWaiting = maxWaiting;
    this.#queue = queue;
  }

  /** Permits that are free. */
  get available(): number {
    return this.#available;
  }

  get waiting(): number {
    return this.#queue.size;
  }

  /** Whether nobody else may wait. */
  get isFull(): boolean {
    return this.#queue.size >= this.#maxWaiting;
  }

  /** Takes a permit if one is free. Allocates nothing. */
  tryAcquire(): boolean {
    if (this.#available === 0) return false;
    this.#available--;
    return true;
  }

  /** Puts a waiter into the queue. @returns false when the queue is full */
  enqueue(waiter: W): boolean {
    if (this.isFull) return false;
    this.#queue.push(waiter);
    return true;
  }

  /** A waiter that waits no longer. */
  withdraw(waiter: W): void {
    this.#queue.delete(waiter);
  }

  /** Hands the permit to the next waiter, or frees it. */
  release(): void {
    const next = this.#queue.shift();
    if (next) next.grant();
    else this.#available++;
  }
}

/** What became of waiting: "full" at once, "aborted" while it waited. */
export type AcquireResult = "acquired" | "full" | "aborted";

/** Waits for a permit of a first-come semaphore until the signal aborts. */
export async function acquire(semaphore: Semaphore, signal?: AbortSignal): Promise<AcquireResult> {
  if (semaphore.tryAcquire()) return "acquired";
  if (signal?.aborted) return "aborted";
  const { promise, resolve } = Promise.withResolvers<AcquireResult>();
  const waiter = { grant: () => resolve("acquired") };
  if (!semaphore.enqueue(waiter)) return "full";
  if (!signal) return promise;
  const onAbort = (): void => {
    semaphore.withdraw(waiter);
    resolve("aborted");
  };
  signal.addEventListener("abort", onAbort, { once: true });
  const outcome = await promise;
  signal.removeEventListener("abort", onAbort);
  return outcome;
}
