/** Stored reports of the bounty network. */
import { z } from "zod";
import { Sha256, Timestamp } from "./common.ts";

export const REPORT_KINDS = [
  "prompt_injection",
  "phishing",
  "dark_pattern",
  "affiliate_fraud",
  "malware",
  "scam",
  "other",
] as const;
export const REPORT_STATES = [
  "new",
  "needs_more_info",
  "triaged",
  "resolved",
  "informative",
  "duplicate",
  "not_applicable",
  "spam",
] as const;

/** The states that an operator gives. */
export const OPERATOR_STATES = [
  "triaged",
  "resolved",
  "informative",
  "not_applicable",
  "spam",
  "needs_more_info",
  "duplicate",
] as const satisfies readonly (typeof REPORT_STATES)[number][];
export type OperatorState = (typeof OPERATOR_STATES)[number];

/** Characters of an operator's reason, which the reporter reads. */
export const MAX_DECISION_REASON = 300;

/** What one of the registry's modules found in the evidence. */
export const Corroboration = z
  .object({
    module: z.string().meta({ example: "firewall" }),
    ruleset_version: z.string(),
    supports: z.boolean().meta({ description: "Whether the module confirms the report" }),
    verdict: z.string().meta({ example: "block" }),
    rules: z.array(z.string()).max(20).meta({ description: "Rules that matched" }),
    evidence: z.enum(["address", "fetched", "sent"]).meta({
      description:
        "What the module analyzed: the address alone, the page as the registry fetched it, or what the reporter sent",
    }),
    input_sha256: Sha256,
    at: Timestamp,
  })
  .meta({ id: "Corroboration" });
export type Corroboration = z.infer<typeof Corroboration>;

/** Who decides on reports: the registry's modules as a report comes in, or an operator. */
export const REPORT_DECIDERS = ["modules", "operator"] as const;

/** One change of a report's state. */
export const ReportChange = z.looseObject({
  state: z.enum(REPORT_STATES),
  reason: z.string(),
  at: Timestamp,
  by: z.enum(REPORT_DECIDERS),
  /** The operator, as the operator's machine names them: for other operators, never shown to callers. */
  who: z.string().optional(),
});
export type ReportChange = z.infer<typeof ReportChange>;

/** The latest changes that a report keeps. */
export const MAX_REPORT_CHANGES = 12;
/** Those whose weight a report's priority is the sum of. */
export const MAX_BACKERS = 20;

export const BountyReport = z.looseObject({
  v: z.literal(1),
  reportId: z.uuid(),
  /** HMAC of the reporter: the same for all reports of one account or key. */
  reporter: z.string(),
  handle: z.string().nullable(),
  url: z.string(),
  canonicalUrl: z.string(),
  registrableDomain: z.string(),
  kind: z.enum(REPORT_KINDS),
  description: z.string(),
  state: z.enum(REPORT_STATES),
  reason: z.string(),
  duplicateOf: z.uuid().nullable(),
  corroboration: z.array(Corroboration),
  /** Every change of state, the oldest first. */
  changes: z.array(ReportChange).max(MAX_REPORT_CHANGES),
  /** Who reported it, the first and those who repeated it, each as a keyed hash, with the weight of their record then. */
  backers: z.array(z.looseObject({ by: z.string(), weight: z.number() })).max(MAX_BACKERS),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type BountyReport = z.infer<typeof BountyReport>;
export type ReportKind = BountyReport["kind"];
export type ReportState = BountyReport["state"];

/** The reports of one kind about one registrable domain, for finding duplicates. One record orders concurrent reports. */
export const BountyTarget = z.looseObject({
  v: z.literal(1),
  reports: z.array(
    z.looseObject({
      reportId: z.uuid(),
      canonicalUrl: z.string(),
      description: z.string(),
      /**
       * Keyed hash of the account, or of the network where there is none. When the list is full, whoever has the most
       * entries loses the oldest.
       */
      by: z.string(),
    }),
  ),
});
export type BountyTarget = z.infer<typeof BountyTarget>;

/** A confirmed report as others read it, under its registrable domain. */
export const ConfirmedReport = z.looseObject({
  reportId: z.uuid(),
  kind: z.enum(REPORT_KINDS),
  /** Canonical address of the page. */
  url: z.string(),
  /** Its host, without `www.`. */
  host: z.string(),
  reason: z.string(),
  confirmedBy: z.enum(REPORT_DECIDERS),
  rules: z.array(z.string()).max(20),
  first_seen: Timestamp,
  last_seen: Timestamp,
});
export type ConfirmedReport = z.infer<typeof ConfirmedReport>;

/** The confirmed reports of one registrable domain: derived from its reports, so that one read answers for a site. */
export const ConfirmedReports = z.looseObject({
  v: z.literal(1),
  domain: z.string(),
  reports: z.array(ConfirmedReport),
});
export type ConfirmedReports = z.infer<typeof ConfirmedReports>;
