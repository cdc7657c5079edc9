/** What a record keeps of the past: what the last visits saw at each stage, and how the site's state changed. Pure. */
import { MAX_CHECK_DETAIL, type SiteRecord, type StageCheck } from "../../schemas/site.ts";
import { verdictShown } from "../domain/listing/listing.ts";
import { iso } from "../ports/time.ts";
import type { Observation } from "./observation.ts";

/** Changes of state that are kept. */
const MAX_HISTORY = 20;

/**
 * The checks after an observation. Of stages that it did not run (a provider's probe reads no pages), what an earlier
 * visit saw stays, unless the site did not even get that far; one that was not made at all changes nothing.
 */
export function checksAfter(
  previous: Pick<SiteRecord, "checks">,
  { checks, verdict }: Pick<Observation, "checks" | "verdict">,
  now: number,
): StageCheck[] {
  if (checks.length === 0) return previous.checks;
  const at = iso(now);
  const observed = checks.map(({ name, outcome, reason, detail }) => ({
    name,
    outcome,
    reason,
    detail: detail.slice(0, MAX_CHECK_DETAIL).toWellFormed(),
    observed_at: at,
  }));
  const names = new Set(checks.map(({ name }) => name));
  const kept = verdict === "sound" ? previous.checks.filter(({ name }) => !names.has(name)) : [];
  return [...observed, ...kept];
}

/** The record with the change of its state, if there is one. @param now milliseconds */
export function withHistory(previous: SiteRecord, record: SiteRecord, now: number): SiteRecord {
  const { reason } = verdictShown(record);
  const state = record.status;
  if (previous.status === state && verdictShown(previous).reason === reason) return record;
  const history = [...previous.history, { at: iso(now), state, reason }].slice(-MAX_HISTORY);
  return { ...record, history };
}
