/** How a report's state changes: by our modules as others repeat it, and by an operator. Pure. */
import {
  type BountyReport,
  type Corroboration,
  MAX_BACKERS,
  MAX_REPORT_CHANGES,
  type OperatorState,
  type ReportChange,
  type ReportState,
} from "../../../schemas/bounty.ts";
import { priorityOf, type triage } from "./rules.ts";

/** What our modules found, kept of one report. */
const MAX_CORROBORATION = 20;

interface Change {
  state: ReportState;
  reason: string;
  by: ReportChange["by"];
  who?: string;
}

export type Backer = BountyReport["backers"][number];

const REJECTED: readonly ReportState[] = ["informative", "not_applicable", "spam"];

/** What our modules found when a report was made again, at the address of the repeated one. */
export type Fresh = ReturnType<typeof triage> & { url: string; corroboration: Corroboration[] };

export interface Decision {
  state: OperatorState;
  reason: string;
  who: string;
  /** Of a duplicate: the report that it repeats. */
  of: BountyReport | undefined;
}

/**
 * The first report of a page, judged anew when it is reported again. What was confirmed and is gone is resolved, where the
 * very address of it was fetched: another page of one template says nothing of it. What could not be confirmed may be now.
 * An operator's word holds: what one confirmed is gone when the page is, and what one rejected our modules alone never
 * confirm, but hand back to a person.
 * @param backer who reported it again
 */
export function judgedAnew(report: BountyReport, fresh: Fresh, backer: Backer, at: string): BountyReport {
  const backed = withBacker(report, backer);
  const change = stateAfter(report, fresh, waitsAgain(report, backed, fresh));
  const isFound = fresh.state === "triaged";
  if (!change) return isFound && report.state === "triaged" ? { ...backed, updated_at: at } : backed;
  const corroboration = isFound
    ? [...report.corroboration, ...fresh.corroboration].slice(-MAX_CORROBORATION)
    : report.corroboration;
  return withState({ ...backed, corroboration }, change, at);
}

/** The report with one more who made it: an account, or a network of keys without one, counts once. */
export const withBacker = (report: BountyReport, backer: Backer): BountyReport =>
  report.backers.length >= MAX_BACKERS || report.backers.some(({ by }) => by === backer.by)
    ? report
    : { ...report, backers: [...report.backers, backer] };

function stateAfter(report: BountyReport, fresh: Fresh, isRaised: boolean): Change | undefined {
  const { state, changes } = report;
  const by = "modules";
  const operator = changes.findLast((change) => change.by === "operator");
  if (state === "triaged") {
    const isMissing = fresh.state === "not_applicable" || (fresh.state === "informative" && !operator);
    return isMissing && isSameRequest(fresh.url, report.url)
      ? { state: "resolved", reason: "It was there, and is not any more.", by }
      : undefined;
  }
  const isFound = fresh.state === "triaged";
  const isHeld = operator !== undefined && REJECTED.includes(operator.state);
  if (isFound && !isHeld) return { state: "triaged", reason: fresh.reason, by };
  if (isRaised) return { state: "new", reason: "Several reporters stand by it: it waits for a person.", by };
  const reason = "Our modules found it after an operator had rejected it: it waits for a person.";
  return isFound && state !== "new" ? { state: "new", reason, by } : undefined;
}

/** Whether two addresses ask for the same bytes: what canonicalizing drops may change a page. */
const isSameRequest = (one: string, other: string): boolean =>
  one.split("#", 1)[0] === other.split("#", 1)[0];

/** What is rejected waits for a person again whenever the weights of all who report it pass a whole number. */
const waitsAgain = (before: BountyReport, after: BountyReport, fresh: Fresh): boolean =>
  REJECTED.includes(before.state) &&
  fresh.state !== "not_applicable" &&
  Math.floor(priorityOf(after)) > Math.floor(priorityOf(before));

/** The report in another state. */
export const withState = (report: BountyReport, change: Change, at: string): BountyReport => ({
  ...report,
  state: change.state,
  reason: change.reason,
  changes: [...report.changes, { ...change, at }].slice(-MAX_REPORT_CHANGES),
  updated_at: at,
});

/** A report as an operator decides on it, or why it cannot be decided so. */
export function decided(
  report: BountyReport,
  { state, reason, who, of }: Decision,
  at: string,
): BountyReport | string {
  if (report.state === state) return `It is ${state} already.`;
  if (state === "resolved" && report.state !== "triaged")
    return `Only what was confirmed (triaged) can be resolved; this is ${report.state}.`;
  if ((state === "duplicate") !== (of !== undefined))
    return "A duplicate needs the report that it repeats, and nothing else takes one.";
  if (of && (of.reportId === report.reportId || of.state === "duplicate"))
    return "A duplicate repeats another report, which is no duplicate itself.";
  const change = { state, reason, by: "operator" as const, who };
  return { ...withState(report, change, at), duplicateOf: of?.reportId ?? null };
}
