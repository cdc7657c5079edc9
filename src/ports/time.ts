/** Units and formatting of time. */

export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;

/** A time in RFC 3339 format, in UTC with milliseconds. @param ms since the epoch */
export const iso = (ms: number): string => new Date(ms).toISOString();
