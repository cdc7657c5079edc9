/** A control: one question to what was seen, answered with evidence. What was not seen is not observed, never passed. */
import type { Evidence } from "../../../schemas/finding.ts";
import type { PageFacts } from "./page-facts.ts";
import type { Seen } from "./seen.ts";

export const STATUSES = ["pass", "fail", "partial", "not_observed", "not_applicable"] as const;
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
  judge: (seen: Seen) => Finding;
}

export const said = (status: Status, detail: string, evidence: Evidence | null = null): Finding => ({
  status,
  detail,
  evidence,
});
export const text = (snippet: string): Evidence => ({
  snippet: snippet.slice(0, 240).toWellFormed(),
  start: null,
  end: null,
});

const unseenPage = said("not_observed", "The page was not seen.");

/** Judges the page, where there is one. */
export const ofPage =
  (judge: (page: PageFacts, seen: Seen) => Finding) =>
  (seen: Seen): Finding =>
    seen.page ? judge(seen.page, seen) : unseenPage;
