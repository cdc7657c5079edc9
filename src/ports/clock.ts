/** Time, so that tests can control it. */
export interface Clock {
  /** Wall clock, milliseconds since the epoch. */
  now(): number;
  /** Monotonic milliseconds, for durations. */
  monotonicMs(): number;
  /** Resolves after `ms`, or when `signal` aborts. Never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}
