/** Every wait of a resolver ends: one clock-driven sweep over all of them, since a timer a query costs more than the query. */
import type { Clock } from "../../ports/clock.ts";

export interface Deadline {
  /** On the clock's monotonic scale. */
  atMs: number;
  expire(): void;
}

/** Deadlines are met up to `tickMs` late. The sweep runs, and holds the process, only while there is something to wait for. */
export class Deadlines {
  readonly #clock: Clock;
  readonly #tickMs: number;
  readonly #waiting = new Set<Deadline>();
  #stop: AbortController | undefined;

  constructor(clock: Clock, tickMs: number) {
    this.#clock = clock;
    this.#tickMs = tickMs;
  }

  add(deadline: Deadline): void {
    this.#waiting.add(deadline);
    if (!this.#stop) void this.#sweep();
  }

  delete(deadline: Deadline): void {
    this.#waiting.delete(deadline);
  }

  /** Ends every wait now. */
  expireAll(): void {
    for (const deadline of this.#waiting) {
      this.#waiting.delete(deadline);
      deadline.expire();
    }
    this.#stop?.abort();
  }

  async #sweep(): Promise<void> {
    const stop = new AbortController();
    this.#stop = stop;
    while (this.#waiting.size > 0 && !stop.signal.aborted) {
      await this.#clock.sleep(this.#tickMs, stop.signal);
      const nowMs = this.#clock.monotonicMs();
      for (const deadline of this.#waiting) {
        if (deadline.atMs > nowMs) continue;
        this.#waiting.delete(deadline);
        deadline.expire();
      }
    }
    this.#stop = undefined;
    // Something may have been added by the last expiry of an aborted sweep.
    if (this.#waiting.size > 0) void this.#sweep();
  }
}
