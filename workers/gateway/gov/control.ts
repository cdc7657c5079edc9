/** A control: one question to an observation, answered with evidence. What was not observed never counts as passed. */
import type { Evidence } from "../../../schemas/finding.ts";
import type { Observation } from "./observation.ts";
import type { PageFacts } from "./page-facts.ts";

export const STATUSES = ["pass", "fail", "partial", "not_observed", "not_applicable", "unknown"] as const;
export type Status = (typeof STATUSES)[number];

export interface Finding {
  status: Status;
  detail: string;
  evidence: Evidence | null;
}

export interface Control {
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
  judge: (observation: Observation) => Finding;
}

export const finding = (status: Status, detail: string, evidence: Evidence | null = null): Finding => ({
  status,
  detail,
  evidence,
});

const pageNotObserved = finding("not_observed", "The page was not seen.");

/** Evidence that is not in the page's source. */
export const snippet = (content: string): Evidence => ({
  snippet: content.slice(0, 240).toWellFormed(),
  start: null,
  end: null,
});

/** Judges the page, where there is one. */
export const onPage =
  (judge: (page: PageFacts, observation: Observation) => Finding) =>
  (observation: Observation): Finding =>
    observation.page ? judge(observation.page, observation) : pageNotObserved;
