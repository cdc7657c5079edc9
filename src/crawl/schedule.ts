/** When a site is visited again: sooner where it changes, later where it fails. Pure. */
import type { SiteRecord } from "../../schemas/site.ts";
import { DAY_MS, HOUR_MS } from "../ports/time.ts";

/** First interval, and the bounds it moves between: halved on change, half as long again on none. */
export const FIRST_INTERVAL_MS = 12 * HOUR_MS;
const MIN_INTERVAL_MS = HOUR_MS;
const MAX_INTERVAL_MS = 14 * DAY_MS;
/** A listed site is verified again within a day; two hours are left for a queue and a failure. */
const LISTED_INTERVAL_MS = 22 * HOUR_MS;

/** The interval after a visit that found the site well, milliseconds. */
export function nextInterval(previous: SiteRecord, changed: boolean): number {
  const interval = previous.interval_seconds * 1_000;
  // The first sight of a site is no change of it.
  if (previous.last_ok_at === null) return FIRST_INTERVAL_MS;
  return Math.min(MAX_INTERVAL_MS, Math.max(MIN_INTERVAL_MS, interval * (changed ? 0.5 : 1.5)));
}

/** How long until the next visit, in milliseconds. */
export function delayUntilNext(record: SiteRecord, now: number): number {
  if (record.failures > 0) {
    // A site that is known, or was until lately, is not left alone for weeks because it was away for two days.
    const wanted = record.ring > 0 || record.status === "stale";
    const first = wanted ? HOUR_MS : DAY_MS;
    return Math.min(wanted ? DAY_MS : MAX_INTERVAL_MS, first * 2 ** (record.failures - 1));
  }
  const interval = record.interval_seconds * 1_000;
  if (record.status !== "enabled") return interval;
  const untilExpiry = record.expires_at ? Date.parse(record.expires_at) - now : Infinity;
  const margin = Math.min(HOUR_MS, untilExpiry / 2);
  return Math.max(60_000, Math.min(interval, LISTED_INTERVAL_MS, untilExpiry - margin));
}
