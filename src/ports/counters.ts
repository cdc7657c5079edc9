/** Counters per calendar period, shared by all processes and durable across restarts. */

/** Calendar periods in UTC; counters restart with each. */
export const COUNTER_WINDOWS = ["minute", "day", "month"] as const;
export type Window = (typeof COUNTER_WINDOWS)[number];

export interface Count {
  key: string;
  period: string;
  total: number;
}

export interface Counters {
  /**
   * Adds to a key's count in the current period.
   * @param key tokens of letters, digits, `-` and `_`, joined by dots
   * @returns the period's total, including this addition
   */
  add(window: Window, key: string, amount?: number): Promise<number>;
  /** The total of the current period. */
  read(window: Window, key: string): Promise<number>;
  /**
   * Every retained count whose key matches a filter of tokens and `*`, or one of several, unordered.
   * @param period of them alone (periodOf); default: all that are retained
   */
  list(window: Window, filter: string | readonly string[], period?: string): Promise<Count[]>;
}

/** The period that contains a time, in the format of subjects: 202611211405, 20261121, 202611. */
export const periodOf = (window: Window, timeMs: number): string =>
  new Date(timeMs).toISOString().replace(/\D/g, "").slice(0, { minute: 12, day: 8, month: 6 }[window]);

/** End of the period that contains a time, milliseconds. */
export function periodEnd(window: Window, timeMs: number): number {
  const time = new Date(timeMs);
  if (window === "minute") return (Math.floor(timeMs / 60_000) + 1) * 60_000;
  const [year, month, day] = [time.getUTCFullYear(), time.getUTCMonth(), time.getUTCDate()];
  return window === "day" ? Date.UTC(year, month, day + 1) : Date.UTC(year, month + 1, 1);
}
