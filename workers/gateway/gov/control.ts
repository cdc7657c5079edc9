/** A control: one question to an observation, answered with evidence. What was not observed never counts as passed. */
import type { Evidence } from "../../../schemas/finding.ts";
import type { ComplianceObservation } from "./observation.ts";
import type { ComplianceFacts } from "./page-facts.ts";

export const STATUSES = ["pass", "fail", "partial", "not_observed", "not_applicable", "unknown"] as const;
export type ControlStatus = (typeof STATUSES)[number];

export interface ControlResult {
  status: ControlStatus;
  detail: string;
  evidence: Evidence | null;
}

export interface ComplianceControl {
  id: string;
  category:
    | "transport"
    | "headers"
    | "dns"
    | "contact"
    | "policies"
    | "consent"
    | "commerce"
    | "accessibility"
    | "ai";
  title: string;
  refs: readonly string[];
  remediation: string;
  judge: (observation: ComplianceObservation) => ControlResult;
}

export const controlResult = (
  status: ControlStatus,
  detail: string,
  evidence: Evidence | null = null,
): ControlResult => ({
  status,
  detail,
  evidence,
});

const pageNotObserved = controlResult("not_observed", "The page was not seen.");

/** Evidence that is not in the page's source. */
export const snippet = (content: string): Evidence => ({
  snippet: content.slice(0, 240).toWellFormed(),
  start: null,
  end: null,
});

/** Judges the page, where there is one. */
export const onPage =
  (judge: (page: ComplianceFacts, observation: ComplianceObservation) => ControlResult) =>
  (observation: ComplianceObservation): ControlResult =>
    observation.page ? judge(observation.page, observation) : pageNotObserved;
