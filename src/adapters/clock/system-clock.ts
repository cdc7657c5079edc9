import type { Clock } from "../../ports/clock.ts";

/** The system's time. A cancelled sleep resolves at once and builds no error: it is on every request's way. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  sleep: (ms, signal) => {
    if (signal?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", end);
        resolve();
      };
      const timer = setTimeout(end, Math.max(0, ms));
      signal?.addEventListener("abort", end, { once: true });
    });
  },
};
