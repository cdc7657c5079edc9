/** Operator commands for reports of the bounty network: what waits for a person, and what a person decides. */
import { userInfo } from "node:os";
import {
  BountyReport,
  MAX_DECISION_REASON,
  OPERATOR_STATES,
  type OperatorState,
  REPORT_STATES,
  type ReportState,
} from "../../schemas/bounty.ts";
import { registrableDomain } from "../../src/domain/names/domain-name.ts";
import type { Config } from "../../src/runtime/config.ts";
import { openReports } from "../../src/stores/reports.ts";
import { decideReport } from "../../workers/gateway/bounty/decide.ts";
import { reportQueue, WAITING } from "../../workers/gateway/bounty/queue.ts";
import { priorityOf } from "../../workers/gateway/bounty/rules.ts";
import type { OpenedRuntime } from "../processes/runtime.ts";
import { actOn, hostOf, withRuntime } from "./parts.ts";
import { CommandError, print, printable, say } from "./terminal.ts";

const statesOf = (text: string | undefined): readonly ReportState[] => {
  if (text === undefined) return WAITING;
  if (text === "all") return REPORT_STATES;
  const state = REPORT_STATES.find((one) => one === text);
  if (!state)
    throw new CommandError(`${printable(text)} is not a state: all, ${REPORT_STATES.join(", ")}.`, 2);
  return [state];
};

export interface ReportsWanted {
  state?: string;
  domain?: string;
  limit: number;
  json: boolean;
}

const linesOf = (report: BountyReport): string[] => [
  `${report.reportId}  ${priorityOf(report).toFixed(2)}  ${report.state}  ${report.kind}  ${report.url}`,
  report.description.slice(0, 240),
  report.reason,
];

/** Lists reports, those that should be looked at first before others. @returns 0, or 4 without any */
export const reports = async (config: Config, wanted: ReportsWanted): Promise<number> => {
  const states = statesOf(wanted.state);
  const domain = wanted.domain === undefined ? undefined : registrableDomain(hostOf(wanted.domain));
  return withRuntime(config, async ({ broker, clock, log }) => {
    const filter = { states, domain, limit: wanted.limit };
    const { total, reports: shown } = await reportQueue(broker.buckets.bounty_reports, filter, {
      clock,
      log,
    });
    if (wanted.json) print(JSON.stringify(shown));
    else for (const report of shown) print(linesOf(report).map(printable).join("\n    "));
    if (total > shown.length) say(`${total - shown.length} more: raise --limit.`);
    if (total === 0 && !wanted.json) say("No reports.");
    return total === 0 ? 4 : 0;
  });
};

export interface DecisionMade {
  why: string;
  as?: string;
  of?: string;
}

const ReportId = BountyReport.shape.reportId;
const missing = (id: string): CommandError => new CommandError(`There is no report ${printable(id)}.`, 4);

const operatorState = (text: string): OperatorState => {
  const state = OPERATOR_STATES.find((one) => one === text);
  if (!state) throw new CommandError(`${printable(text)} is not one of ${OPERATOR_STATES.join(", ")}.`, 2);
  return state;
};

/** Decides on a report: its reporter sees state and reason, and what is confirmed reaches the site's verdict and the firewall. */
export const triage = async (
  config: Config,
  reportId: string,
  text: string,
  { why, as, of }: DecisionMade,
): Promise<void> => {
  const state = operatorState(text);
  const reason = why.trim();
  if (reason === "" || reason.length > MAX_DECISION_REASON)
    throw new CommandError(`Give a reason of 1 to ${MAX_DECISION_REASON} characters with --why.`, 2);
  for (const id of [reportId, of]) if (id !== undefined && !ReportId.safeParse(id).success) throw missing(id);
  const who = as ?? userInfo().username;
  const asked = { id: reportId, state, reason, of };
  const decide = async ({ broker, frontier }: OpenedRuntime): Promise<void> => {
    const store = openReports(broker.buckets, frontier, broker.now);
    const made = await decideReport(store, { ...asked, who }, broker.now());
    if (!made.ok) throw made.code === "not_found" ? missing(made.id) : new CommandError(made.detail);
    print(printable(`${reportId} is ${made.report.state}: ${made.report.url}`));
  };
  await actOn(config, "triage", asked, decide, who);
};
