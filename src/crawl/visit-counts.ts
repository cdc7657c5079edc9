/** Visits of one day (UTC) by hour and by what they found, counted by all processes together. */
import { VerdictReason } from "../../schemas/verdict.ts";
import type { VisitsToday } from "../../schemas/visits.ts";
import { type Counters, periodOf } from "../ports/counters.ts";

const PREFIX = "visits";
/** What becomes of a host by a visit. */
type Outcome = "listed" | "found" | "not_listed";

type Adding = Pick<Counters, "add">;

/** @param now broker milliseconds */
export async function countVisit(counters: Adding, reason: VerdictReason, now: number): Promise<void> {
  await Promise.all([
    counters.add("day", `${PREFIX}.hours.${hourOf(now)}-${outcomeOf(reason)}`),
    counters.add("day", `${PREFIX}.reasons.${reason}`),
  ]);
}

/** Counts endpoints that a look spoke to. */
export async function countProbes(counters: Adding, endpoints: number, now: number): Promise<void> {
  if (endpoints > 0) await counters.add("day", `${PREFIX}.hours.${hourOf(now)}-endpoints`, endpoints);
}

const outcomeOf = (reason: VerdictReason): Outcome =>
  reason === "verified" ? "listed" : reason === "not_claimed" ? "found" : "not_listed";

const hourOf = (now: number): string => new Date(now).toISOString().slice(11, 13);

/** @param now broker milliseconds */
export async function visitsToday(counters: Pick<Counters, "list">, now: number): Promise<VisitsToday> {
  const today = periodOf("day", now);
  const counts = await counters.list("day", `${PREFIX}.*.*`, today);
  const totals = new Map(counts.map(({ key, total }) => [key, total]));
  const of = (hour: number, what: string): number =>
    totals.get(`${PREFIX}.hours.${String(hour).padStart(2, "0")}-${what}`) ?? 0;
  const hours = Array.from({ length: 24 }, (_, hour) => ({
    hour,
    listed: of(hour, "listed"),
    found: of(hour, "found"),
    not_listed: of(hour, "not_listed"),
    endpoints: of(hour, "endpoints"),
  }));
  const reasons = VerdictReason.options.map((reason) => ({
    reason,
    visits: totals.get(`${PREFIX}.reasons.${reason}`) ?? 0,
  }));
  return {
    by_hour: hours.filter(({ hour: _, ...counted }) => Object.values(counted).some((n) => n > 0)),
    by_reason: reasons.filter(({ visits }) => visits > 0).toSorted((a, b) => b.visits - a.visits),
  };
}
