/**
 * What confirmed reports take from a site: the part of the neutrality score that their kind is about, on their page, or one
 * open finding of the trust score. A report weighs less as it ages, as pages do. Pure.
 */
import type { ConfirmedReport, ReportKind } from "../../../schemas/bounty.ts";
import type { Severity } from "../../../schemas/finding.ts";
import type { ShownEvidence } from "../../../schemas/site.ts";
import { DAY_MS } from "../../ports/time.ts";
import { ageWeight } from "./neutrality.ts";

export type ReportedPart = "dark" | "affiliate" | "honesty";

/** Kinds without a part (malware, instructions to machines) count as open findings; `other` is shown alone. */
const PART_OF: Readonly<Partial<Record<ReportKind, ReportedPart>>> = {
  dark_pattern: "dark",
  affiliate_fraud: "affiliate",
  phishing: "honesty",
  scam: "honesty",
};
const OPEN_FINDINGS: readonly ReportKind[] = ["malware", "prompt_injection"];

export const REPORT_SEVERITY: Readonly<Record<ReportKind, Severity>> = {
  prompt_injection: "critical",
  phishing: "critical",
  malware: "critical",
  scam: "high",
  dark_pattern: "medium",
  affiliate_fraud: "medium",
  other: "medium",
};

const FIX = "Take away what was reported, and ask for a visit.";

/** What reports take from one part. */
export interface ReportedHarm {
  part: ReportedPart;
  /** The most that the part can be, 0 to 1. */
  most: number;
  /** The newest first. */
  shown: ShownEvidence[];
}

/** The rule that a confirmed report is shown as. */
export const reportRule = (kind: ReportKind): string => `reported-${kind.replaceAll("_", "-")}`;

/** The parts that reports lower. @param now milliseconds */
export function harmOfReports(reports: readonly ConfirmedReport[], now: number): ReportedHarm[] {
  const newestFirst = reports.toSorted((a, b) => Date.parse(b.last_seen) - Date.parse(a.last_seen));
  return [...new Set(Object.values(PART_OF))].flatMap((part) => {
    const about = newestFirst.filter(({ kind }) => PART_OF[kind] === part);
    const [newest] = about;
    if (!newest) return [];
    const days = (now - Date.parse(newest.last_seen)) / DAY_MS;
    return [{ part, most: 1 - ageWeight(days), shown: about.map(shownOf) }];
  });
}

const shownOf = (report: ConfirmedReport): ShownEvidence => ({
  page: report.url,
  seen_at: report.last_seen,
  rule: reportRule(report.kind),
  severity: REPORT_SEVERITY[report.kind],
  excerpt: report.reason,
  fix: FIX,
});

/** Open findings of the trust score: one for each kind of attack that is confirmed. */
export const openFindingsOf = (reports: readonly ConfirmedReport[]): number =>
  OPEN_FINDINGS.filter((kind) => reports.some((report) => report.kind === kind)).length;
