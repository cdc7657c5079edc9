/** One holder at a time for each key, in the order of arrival; different keys never wait for each other. */
import { type AcquireResult, acquire, Semaphore } from "./semaphore.ts";

export class KeyedMutex {
  readonly #maxWaiting: number;
  readonly #held = new Map<string, Semaphore>();

  /** @param maxWaiting of one key, beside its holder */
  constructor(maxWaiting = Number.POSITIVE_INFINITY) {
    this.#maxWaiting = maxWaiting;
  }

  /** Keys that are held. */
  get size(): number {
    return this.#held.size;
  }

  tryAcquire(key: string): boolean {
    return this.#of(key).tryAcquire();
  }

  acquire(key: string, signal?: AbortSignal): Promise<AcquireResult> {
    return acquire(this.#of(key), signal);
  }

  release(key: string): void {
    const mutex = this.#held.get(key)!;
    mutex.release();
    if (mutex.available === 1) this.#held.delete(key);
  }

  #of(key: string): Semaphore {
    let mutex = this.#held.get(key);
    if (!mutex) {
      mutex = new Semaphore(1, this.#maxWaiting);
      this.#held.set(key, mutex);
    }
    return mutex;
  }

  /** Runs `work` while the key is held. @returns "full" when too many of the key wait already */
  async run<T>(key: string, work: () => Promise<T>): Promise<T | "full"> {
    if ((await this.acquire(key)) !== "acquired") return "full";
    try {
      return await work();
    } finally {
      this.release(key);
    }
  }
}
