import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "../ports.ts";

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  sleep: (ms, signal) => delay(Math.max(0, ms), undefined, signal ? { signal } : {}).catch(() => undefined),
};
