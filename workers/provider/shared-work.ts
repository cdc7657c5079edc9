/**
 * Work for one key at a time: whoever asks for it meanwhile, or soon after, shares the result, so that strangers cannot make us
 * ask others more often than they bear.
 */
import { LRUCache } from "lru-cache";
import PQueue from "p-queue";
import type { Clock } from "../../src/ports/clock.ts";

export interface SharedWorkOptions<T> {
  clock: Clock;
  /** At once in one process, and those that wait for a permit. */
  concurrency: number;
  mostWaiting: number;
  mostKept: number;
  /** How long a result is kept, milliseconds. */
  keptMs: (result: T) => number;
  /** @returns undefined: nothing came of it, and the next who asks begins anew */
  work: (key: string, stopping: AbortSignal) => Promise<T | undefined>;
}

export interface SharedWork<T> {
  /** @returns undefined where nothing came of it, or too many wait */
  get(key: string): Promise<T | undefined>;
  drain(): Promise<void>;
}

export function createSharedWork<T>(options: SharedWorkOptions<T>): SharedWork<T> {
  const { clock, concurrency, mostWaiting, mostKept, keptMs, work } = options;
  const queue = new PQueue({ concurrency });
  const underWay = new Map<string, Promise<T | undefined>>();
  const kept = new LRUCache<string, { result: T; untilMs: number }>({ max: mostKept });
  const stopping = new AbortController();
  const begin = (key: string): Promise<T | undefined> => {
    const working = queue
      .add(() => work(key, stopping.signal))
      .then((result) => {
        if (result !== undefined) kept.set(key, { result, untilMs: clock.monotonicMs() + keptMs(result) });
        return result;
      })
      .finally(() => underWay.delete(key));
    underWay.set(key, working);
    return working;
  };
  return {
    get: async (key) => {
      const last = kept.get(key);
      if (last && clock.monotonicMs() < last.untilMs) return last.result;
      const shared = underWay.get(key);
      if (shared) return shared;
      if (queue.size >= mostWaiting || stopping.signal.aborted) return undefined;
      return begin(key);
    },
    drain: async () => {
      stopping.abort();
      await Promise.allSettled(underWay.values());
    },
  };
}
