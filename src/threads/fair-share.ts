/**
 * Whose job a thread takes next: that of whoever took the least of it lately. A caller with a thousand jobs waits for
 * its own; another caller's first job is next as soon as the one that runs has ended.
 */
import { LRUCache } from "lru-cache";

/** Somebody that a job is for, and how many jobs may wait for them. A job may be for several: an account and a network. */
export interface Asker {
  readonly id: string;
  readonly mostWaiting: number;
}

export interface FairShareOptions {
  /** Jobs that run at once: the threads behind. */
  running: number;
  /** Jobs that wait, of everybody. */
  maxWaiting: number;
  /** Milliseconds that only go forward. */
  now?: () => number;
}

/** "full": nobody's jobs may wait now; "own_share": too many of this asker's do; "late": its time was over before its turn. */
export type NoTurn = "full" | "own_share" | "late";
export type Turn<T> = { ok: true; value: T } | { ok: false; why: NoTurn };

interface Waiting {
  readonly askers: readonly Asker[];
  readonly until: number;
  readonly start: () => void;
  readonly refuse: () => void;
}

/** What was taken is half forgotten after this time. */
const HALF_LIFE_MS = 30_000;
/** Askers whose use is remembered; of more, those longest unheard of are forgotten. */
const MAX_REMEMBERED = 10_000;

export class FairShare {
  readonly #options: Required<FairShareOptions>;
  readonly #waiting: Waiting[] = [];
  readonly #places = new Map<string, number>();
  readonly #taken = new LRUCache<string, { ms: number; at: number }>({ max: MAX_REMEMBERED });
  #running = 0;

  constructor(options: FairShareOptions) {
    this.#options = { now: () => performance.now(), ...options };
  }

  /**
   * Runs `work` when it is its turn.
   * @param waitMs a turn that comes later than this is not taken
   * @throws what `work` throws
   */
  async run<T>(askers: readonly Asker[], waitMs: number, work: () => Promise<T>): Promise<Turn<T>> {
    const why = await this.#turn(askers, waitMs);
    if (why) return { ok: false, why };
    const startedAt = this.#options.now();
    try {
      return { ok: true, value: await work() };
    } finally {
      this.#take(askers, this.#options.now() - startedAt);
      this.#running -= 1;
      this.#next();
    }
  }

  #turn(askers: readonly Asker[], waitMs: number): Promise<NoTurn | undefined> {
    if (this.#running < this.#options.running) {
      this.#running += 1;
      return Promise.resolve(undefined);
    }
    if (this.#waiting.length >= this.#options.maxWaiting) return Promise.resolve("full");
    if (askers.some(({ id, mostWaiting }) => (this.#places.get(id) ?? 0) >= mostWaiting))
      return Promise.resolve("own_share");
    const { promise, resolve } = Promise.withResolvers<NoTurn | undefined>();
    for (const { id } of askers) this.#places.set(id, (this.#places.get(id) ?? 0) + 1);
    this.#waiting.push({
      askers,
      until: this.#options.now() + waitMs,
      start: () => resolve(undefined),
      refuse: () => resolve("late"),
    });
    return promise;
  }

  #next(): void {
    while (this.#running < this.#options.running && this.#waiting.length > 0) {
      const next = this.#leave(this.#leastServed());
      if (next.until < this.#options.now()) next.refuse();
      else {
        this.#running += 1;
        next.start();
      }
    }
  }

  /** Place in the line of the job whose askers together took the least; the first come, of equals. */
  #leastServed(): number {
    let [least, leastMs] = [0, Number.POSITIVE_INFINITY];
    for (const [i, { askers }] of this.#waiting.entries()) {
      const ms = askers.reduce((sum, { id }) => sum + this.#takenBy(id), 0);
      if (ms < leastMs) [least, leastMs] = [i, ms];
    }
    return least;
  }

  #leave(place: number): Waiting {
    const [left] = this.#waiting.splice(place, 1);
    for (const { id } of left!.askers) {
      const places = this.#places.get(id)! - 1;
      if (places > 0) this.#places.set(id, places);
      else this.#places.delete(id);
    }
    return left!;
  }

  #takenBy(id: string): number {
    const known = this.#taken.get(id);
    return known ? known.ms * 2 ** ((known.at - this.#options.now()) / HALF_LIFE_MS) : 0;
  }

  #take(askers: readonly Asker[], ms: number): void {
    const at = this.#options.now();
    for (const { id } of askers) this.#taken.set(id, { ms: this.#takenBy(id) + ms, at });
  }
}
