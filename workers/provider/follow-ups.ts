/** What goes on after a batch was answered: its pending domains are looked at to their end, and its receiver is told. */
import type { Clock } from "../../src/ports/clock.ts";

/** Batches that are followed up at once in one process; of others the receiver asks again. */
const MOST = 2_000;
/** Longest time after a batch that its pending domains are looked at for it, milliseconds. */
export const FOLLOW_UP_MS = 300_000;
/** Before a host is asked for again that could not be asked. */
const AGAIN_MS = 5_000;

export interface FollowUps {
  readonly hasRoom: boolean;
  /** Does `work` beside everything else; it never throws to the caller. */
  start(work: (rest: Rest) => Promise<void>): void;
  drain(): Promise<void>;
}

/** Sleeps until the next try. @returns false where there is to be none */
export type Rest = (untilMs: number) => Promise<boolean>;

export function createFollowUps(clock: Clock, onError: (error: unknown) => void): FollowUps {
  const underWay = new Set<Promise<void>>();
  const stopping = new AbortController();
  const rest: Rest = async (untilMs) => {
    if (clock.monotonicMs() + AGAIN_MS >= untilMs) return false;
    await clock.sleep(AGAIN_MS, stopping.signal);
    return !stopping.signal.aborted;
  };
  return {
    get hasRoom() {
      return underWay.size < MOST && !stopping.signal.aborted;
    },
    start: (work) => {
      const working = work(rest)
        .catch(onError)
        .finally(() => underWay.delete(working));
      underWay.add(working);
    },
    drain: async () => {
      stopping.abort();
      await Promise.allSettled(underWay);
    },
  };
}
