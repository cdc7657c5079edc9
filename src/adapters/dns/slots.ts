/** At most `limit` at work, at most `queueLimit` waiting, first come first served. */
export class Slots {
  readonly #limit: number;
  readonly #queueLimit: number;
  #taken = 0;
  #waiting: (() => void)[] = [];
  #head = 0;

  constructor(limit: number, queueLimit: number) {
    this.#limit = limit;
    this.#queueLimit = queueLimit;
  }

  /** True when a slot was free and is now taken. */
  tryTake(): boolean {
    if (this.#taken >= this.#limit) return false;
    this.#taken++;
    return true;
  }

  /** Resolves when a slot is taken for the caller; undefined when the queue is full. */
  take(): Promise<void> | undefined {
    if (this.#waiting.length - this.#head >= this.#queueLimit) return undefined;
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Hands the slot to the next who waits. */
  give(): void {
    const next = this.#waiting[this.#head];
    if (!next) {
      this.#taken--;
      return;
    }
    this.#head++;
    if (this.#head > 1024 && this.#head * 2 > this.#waiting.length) {
      this.#waiting = this.#waiting.slice(this.#head);
      this.#head = 0;
    }
    next();
  }
}
