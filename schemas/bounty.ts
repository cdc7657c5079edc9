/** Reports of the bounty network as they are kept. */
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

/** What one of our own modules found on the evidence. */
export const Corroboration = z
  .object({
    module: z.string().meta({ example: "firewall" }),
    ruleset_version: z.string(),
    supports: z.boolean().meta({ description: "Whether it found what was reported" }),
    verdict: z.string().meta({ example: "block" }),
    rules: z.array(z.string()).max(20).meta({ description: "Rules that matched" }),
    evidence: z.enum(["address", "fetched", "sent"]).meta({
      description:
        "What was looked at: the address alone, the page as we fetched it, or what the reporter sent",
    }),
    input_sha256: Sha256,
    at: Timestamp,
  })
  .meta({ id: "Corroboration" });
export type Corroboration = z.infer<typeof Corroboration>;

export const BountyReport = z.looseObject({
  v: z.literal(1),
  reportId: z.uuid(),
  /** HMAC of who reported: the same for all reports of one account or key. */
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
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type BountyReport = z.infer<typeof BountyReport>;
export type ReportKind = BountyReport["kind"];
export type ReportState = BountyReport["state"];

/** The reports of one kind about one registrable domain, to find duplicates by: one record, so that of two at once one is first. */
export const BountyTarget = z.looseObject({
  v: z.literal(1),
  reports: z.array(
    z.looseObject({
      reportId: z.uuid(),
      canonicalUrl: z.string(),
      description: z.string(),
      /** Keyed hash of the account, or of the network where there is none: those who hold most places lose the oldest. */
      by: z.string().default(""),
    }),
  ),
});
export type BountyTarget = z.infer<typeof BountyTarget>;
