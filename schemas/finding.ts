/** What every module of the gateway answers with: findings that can be checked, and what was not observed. */
import { z } from "zod";
import { Sha256 } from "./common.ts";

export const SEVERITIES = ["info", "low", "medium", "high", "critical"] as const;
export type Severity = (typeof SEVERITIES)[number];

/** Longest snippet of evidence, UTF-16 units, without the ellipsis that marks a shortened one. */
export const MAX_SNIPPET_CHARS = 240;

export const Evidence = z
  .object({
    snippet: z
      .string()
      .max(MAX_SNIPPET_CHARS + 1)
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
    confidence: z.number().min(0).max(1).meta({ description: "Confidence of the rule, 0 to 1" }),
    evidence: Evidence,
    refs: z.array(z.string()).meta({ description: "Standards, laws or papers the rule rests on" }),
    remediation: z.string().meta({ description: "What to do about it" }),
  })
  .meta({ id: "Finding" });
export type Finding = z.infer<typeof Finding>;

/** What the Agent Firewall advises, the mildest first. `unknown`: not all was read, and nothing is allowed by that. */
export const FIREWALL_VERDICTS = ["allow", "unknown", "warn", "block"] as const;
export type FirewallVerdict = (typeof FIREWALL_VERDICTS)[number];

/**
 * What a text is to the agent that reads it. An attack is told by whom a text addresses: a document for agents (llms.txt,
 * SKILL.md, AGENTS.md) addresses them by its nature, a page seldom, the result of a tool never.
 */
export const TEXT_ROLES = ["page", "agent_document", "tool_description", "tool_result", "user"] as const;
export const TextRole = z.enum(TEXT_ROLES).meta({
  id: "TextRole",
  description:
    "What a text is to the agent that reads it: a page; a document for agents (llms.txt, SKILL.md, AGENTS.md), which addresses them by its nature; what a tool says of itself; what a tool answered; the user's own words",
});
export type TextRole = z.infer<typeof TextRole>;

/** An input that a rule needs and that was not available: the rule never counts as passed. */
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
          reset_seconds: z.int().meta({ description: "Seconds until the quota resets" }),
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
  input_sha256: Sha256.meta({
    description: "SHA-256 of the input that was analyzed, lower-case hexadecimal",
  }),
  not_observed: z.array(NotObserved),
  meta: Meta,
};
