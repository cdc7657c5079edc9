/** Whether this process itself stood still: what failed across such a moment says nothing of a site. */
import type { Clock } from "../../src/ports/clock.ts";

export interface StallWatch {
  /** Whether it stood still at any time since `monotonicMs`. */
  since(monotonicMs: number): boolean;
}

/**
 * Watches, until `signal` aborts, whether this process itself stands still (stopped, swapped out, its machine asleep):
 * requests that failed across such a moment say nothing of the site. @param stallMs a pause longer than this is a stall
 */
export function watchStalls(clock: Clock, stallMs: number, signal: AbortSignal): StallWatch {
  let beatAtMs = clock.monotonicMs();
  let stalledAtMs = Number.NEGATIVE_INFINITY;
  const look = (): void => {
    const now = clock.monotonicMs();
    if (now - beatAtMs > stallMs) stalledAtMs = now;
    beatAtMs = now;
  };
  const beat = async (): Promise<void> => {
    while (!signal.aborted) {
      await clock.sleep(stallMs / 2, signal);
      look();
    }
  };
  void beat();
  return {
    since: (monotonicMs) => {
      // After a stall, whoever asks may run before the beat does.
      look();
      return stalledAtMs >= monotonicMs;
    },
  };
}
