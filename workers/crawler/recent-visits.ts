/** How the visits of the last ten minutes ended: what says that a crawl fails now, as totals since the start do not. */
import type { Clock } from "../../src/ports/clock.ts";

const MINUTE_MS = 60_000;
const MINUTES = 10;

interface Minute {
  at: number;
  visits: number;
  failed: number;
}

export interface RecentVisits {
  add(failed: boolean): void;
  /** Visits that ended within the last ten minutes, and those of them that failed. */
  read(): { recent_visits: number; recent_failed: number };
}

export function countRecentVisits(clock: Pick<Clock, "monotonicMs">): RecentVisits {
  let minutes: Minute[] = [];
  const current = (): number => Math.floor(clock.monotonicMs() / MINUTE_MS);
  return {
    add: (failed) => {
      const at = current();
      let last = minutes.at(-1);
      if (last?.at !== at) {
        last = { at, visits: 0, failed: 0 };
        minutes = [...minutes.filter((minute) => minute.at > at - MINUTES), last];
      }
      last.visits++;
      if (failed) last.failed++;
    },
    read: () => {
      const recent = minutes.filter((minute) => minute.at > current() - MINUTES);
      return {
        recent_visits: recent.reduce((sum, { visits }) => sum + visits, 0),
        recent_failed: recent.reduce((sum, { failed }) => sum + failed, 0),
      };
    },
  };
}
