/** What an operator decides on a report, stored with what follows from it: for the operation and the command. */
import type { BountyReport, OperatorState } from "../../../schemas/bounty.ts";
import { iso } from "../../../src/ports/time.ts";
import { changeReport, type ReportStore } from "../../../src/stores/reports.ts";
import { decided } from "./decisions.ts";

/** A report, its new state, why, who says so, and of a duplicate the report that it repeats. */
export interface AskedDecision {
  id: string;
  state: OperatorState;
  reason: string;
  who: string;
  of?: string | undefined;
}

export type DecisionResult =
  | { ok: true; report: BountyReport }
  | { ok: false; code: "not_found"; id: string }
  | { ok: false; code: "not_decidable"; detail: string };

/** @param now broker milliseconds */
export async function decideReport(
  store: ReportStore,
  { id, state, reason, who, of }: AskedDecision,
  now: number,
): Promise<DecisionResult> {
  const repeated = of === undefined ? undefined : (await store.reports.get(of))?.value;
  if (of !== undefined && !repeated) return { ok: false, code: "not_found", id: of };
  const result = await changeReport<BountyReport | string | undefined>(store, id, (report) => {
    const next = report && decided(report, { state, reason, who, of: repeated }, iso(now));
    return typeof next === "object" ? { next, result: next } : { result: next };
  });
  if (result === undefined) return { ok: false, code: "not_found", id };
  return typeof result === "string"
    ? { ok: false, code: "not_decidable", detail: result }
    : { ok: true, report: result };
}
