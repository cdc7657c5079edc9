/** What every module of the gateway answers with: findings that can be checked, and what could not be looked at. */
import { createHash } from "node:crypto";
import { z } from "zod";
import { Sha256 } from "../../schemas/common.ts";

export const SEVERITIES = ["info", "low", "medium", "high", "critical"] as const;
export type Severity = (typeof SEVERITIES)[number];

const MAX_SNIPPET = 240;

export const Evidence = z
  .object({
    snippet: z
      .string()
      .max(MAX_SNIPPET + 1)
      .meta({ description: "What was found, shortened; text as the page has it" }),
    start: z.int().min(0).nullable().meta({
      description: "Where it begins in the input, UTF-16 units from 0; null when it is in no place of it",
    }),
    end: z.int().min(0).nullable().meta({ description: "Where it ends, exclusive" }),
    selector: z.string().optional().meta({ description: "CSS selector of the element that holds it" }),
    pointer: z.string().optional().meta({ description: "JSON Pointer (RFC 6901), where the input is JSON" }),
  })
  .meta({ id: "Evidence" });
export type Evidence = z.infer<typeof Evidence>;

export const Finding = z
  .object({
    rule_id: z.string().meta({ description: "Stable name of the rule", example: "hidden-instruction" }),
    category: z.string(),
    severity: z.enum(SEVERITIES),
    confidence: z.number().min(0).max(1).meta({ description: "How sure the rule is, 0 to 1" }),
    evidence: Evidence,
    refs: z.array(z.string()).meta({ description: "Standards, laws or papers the rule rests on" }),
    remediation: z.string().meta({ description: "What to do about it" }),
  })
  .meta({ id: "Finding" });
export type Finding = z.infer<typeof Finding>;

/** Something that a rule would need and that was not there to be looked at: never counted as passed. */
export const NotObserved = z
  .object({
    what: z.string().meta({ example: "page" }),
    reason: z.string().meta({ example: "not sent, and no url to fetch it from" }),
  })
  .meta({ id: "NotObserved" });
export type NotObserved = z.infer<typeof NotObserved>;

export const Meta = z
  .object({
    module: z.string().meta({ example: "firewall" }),
    plan: z.string().meta({ description: "Plan of the key that was used", example: "PRO" }),
    usage: z
      .record(
        z.string(),
        z.object({
          quota: z.int(),
          used: z.int(),
          remaining: z.int(),
          reset_seconds: z.int().meta({ description: "Seconds until it begins anew" }),
        }),
      )
      .meta({ description: "By `minute` and `day`; the RateLimit header fields say the same" }),
    request_id: z.string(),
    took_ms: z.number().min(0).meta({ description: "Milliseconds in the worker" }),
  })
  .meta({ id: "GatewayMeta" });
export type Meta = z.infer<typeof Meta>;

/** Members that every module's result carries. */
export const resultMembers = {
  ruleset_version: z.string().meta({ description: "Changes whenever a rule or a model does" }),
  input_sha256: Sha256.meta({ description: "SHA-256 of what was looked at, lower-case hexadecimal" }),
  not_observed: z.array(NotObserved),
  meta: Meta,
};

export const sha256 = (...parts: (string | undefined)[]): string => {
  const hash = createHash("sha256");
  for (const part of parts) if (part !== undefined) hash.update(part);
  return hash.digest("hex");
};

/** A snippet short enough for a reply, never cut inside a character; control characters become spaces. */
export const snippetOf = (text: string): string => {
  const flat = text
    .slice(0, MAX_SNIPPET * 4)
    .replace(/[\p{Cc}\s]+/gu, " ")
    .trim();
  if (flat.length <= MAX_SNIPPET) return flat.toWellFormed();
  const last = flat.charCodeAt(MAX_SNIPPET - 1);
  const end = last >= 0xd8_00 && last <= 0xdb_ff ? MAX_SNIPPET - 1 : MAX_SNIPPET;
  return `${flat.slice(0, end).toWellFormed()}…`;
};

const SEVERITY_WEIGHT: Record<Severity, number> = {
  info: 0,
  low: 0.15,
  medium: 0.4,
  high: 0.7,
  critical: 0.95,
};

/** One number for many findings, 0 to 1: independent evidence adds up (noisy or), severity times confidence. */
export const riskOf = (findings: readonly Pick<Finding, "severity" | "confidence">[]): number =>
  1 -
  findings.reduce((rest, { severity, confidence }) => rest * (1 - SEVERITY_WEIGHT[severity] * confidence), 1);

export const round = (value: number, digits = 3): number => Number(value.toFixed(digits));
