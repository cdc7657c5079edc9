/** Counts by calendar period that hold across processes and restarts. */

/** Calendar periods in UTC that counts begin anew with. */
export const WINDOWS = ["minute", "day", "month"] as const;
export type Window = (typeof WINDOWS)[number];

/** The period of a window that a time lies in, as it stands in subjects: 202611211405, 20261121, 202611. */
export const periodOf = (window: Window, timeMs: number): string =>
  new Date(timeMs).toISOString().replace(/\D/g, "").slice(0, { minute: 12, day: 8, month: 6 }[window]);

/** When the period that a time lies in ends, milliseconds. */
export const periodEnd = (window: Window, timeMs: number): number => {
  const time = new Date(timeMs);
  if (window === "minute") return (Math.floor(timeMs / 60_000) + 1) * 60_000;
  const [year, month, day] = [time.getUTCFullYear(), time.getUTCMonth(), time.getUTCDate()];
  return window === "day" ? Date.UTC(year, month, day + 1) : Date.UTC(year, month + 1, 1);
};

export interface Count {
  key: string;
  period: string;
  total: number;
}

export interface Counters {
  /**
   * Adds to a key's count of the period that is now.
   * @param key tokens of letters, digits, `-` and `_`, joined by dots
   * @returns the period's total with this addition
   */
  add(window: Window, key: string, amount?: number): Promise<number>;
  /** The total of the period that is now. */
  read(window: Window, key: string): Promise<number>;
  /** Every kept count whose key fits a filter of tokens and `*`, in no order. At most 10,000. */
  list(window: Window, filter: string): Promise<Count[]>;
}
