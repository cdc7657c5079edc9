/** Dark Pattern Detector: seventeen patterns, their evidence, and the laws that address them. */
import { z } from "zod";
import { MAX_HTML_CHARS } from "../../../schemas/common.ts";
import { JURISDICTIONS, PATTERN_IDS, PatternJudgement } from "../../../schemas/dark-pattern.ts";
import { Finding, Meta, resultMembers } from "../../../schemas/finding.ts";
import { defineService } from "../../../src/rpc/contract.ts";
import { oneOfThese, PAGE_BODY_LIMIT_BYTES, PageInput } from "../common/page-input.ts";

const PatternId = z.enum(PATTERN_IDS);
const JurisdictionName = z.enum(JURISDICTIONS);

const ScanBody = PageInput.pick({ url: true, html: true, text: true })
  .extend({
    later: z
      .object({
        html: z.string().max(MAX_HTML_CHARS).optional().meta({ "x-any-text": true }),
        text: z.string().max(MAX_HTML_CHARS).optional().meta({ "x-any-text": true }),
        seconds: z
          .number()
          .min(0)
          .max(31_536_000)
          .optional()
          .meta({ description: "Seconds between the two", example: 60 }),
      })
      .optional()
      .meta({
        description:
          "A second snapshot: the same page later, or the next step of the purchase. Timers that restart and fees that appear late show only in two.",
      }),
  })
  .meta(oneOfThese("url", "html", "text"));

const scanned = {
  url: z.string().nullable(),
  patterns: z.array(PatternJudgement).length(PATTERN_IDS.length),
  findings: z.array(Finding),
  complete: z
    .boolean()
    .meta({ description: "False when a limit was reached and part of the page was not read" }),
  ...resultMembers,
};

const Obligation = z
  .object({
    jurisdiction: JurisdictionName,
    citation: z.string(),
    says: z.string(),
    applies_to: z.string(),
    applies_from: z.iso.date(),
    note: z.string().optional(),
    patterns: z.array(PatternId).meta({ description: "Those that were found" }),
  })
  .meta({ id: "DarkPatternObligation" });

export const darkPattern = defineService({
  name: "dark-pattern",
  description: "Dark Pattern Detector: seventeen patterns, with evidence and the laws that address them",
  operations: {
    scanDarkPatterns: {
      method: "POST",
      waitsForSites: true,
      paths: ["/api/v1/dark-pattern/scan"],
      summary: "Detect dark patterns in a page",
      description:
        "Send the page's `html` (or `text`), or its `url` to have it fetched; and, if you can, `later`. Nothing that was not observed counts as passed: what one page, as it was sent, cannot show is `not_determinable`, with the reason.",
      auth: "key",
      plan: "FREE",
      body: ScanBody,
      bodyLimitBytes: PAGE_BODY_LIMIT_BYTES,
      timeoutMs: 15_000,
      reply: z.object(scanned).meta({ id: "DarkPatternScan" }),
      errors: ["invalid_url", "content_too_costly"],
      example: '/api/v1/dark-pattern/scan {"html":"<p>Hurry! Offer ends in 09:59</p>"}',
    },
    auditDarkPatterns: {
      method: "POST",
      waitsForSites: true,
      paths: ["/api/v1/dark-pattern/audit"],
      summary: "Audit a page: scan, score, grade, and the laws to check",
      description:
        "Which law applies to a site depends on facts that no page shows, such as its size and audience; `applies_to` names them.",
      auth: "key",
      plan: "FREE",
      body: ScanBody.extend({
        jurisdictions: z
          .array(JurisdictionName)
          .min(1)
          .max(JURISDICTIONS.length)
          .optional()
          .meta({ description: "Default: all" }),
      }).meta(oneOfThese("url", "html", "text")),
      bodyLimitBytes: PAGE_BODY_LIMIT_BYTES,
      timeoutMs: 15_000,
      reply: z
        .object({
          ...scanned,
          score: z
            .int()
            .min(0)
            .max(100)
            .nullable()
            .meta({ description: "100: nothing found; null: too little was seen to say so" }),
          grade: z
            .enum(["A", "B", "C", "D", "E", "F"])
            .nullable()
            .meta({ description: "Null where grade_reason says why there is none" }),
          grade_reason: z.string().nullable().meta({
            description: "Why there is no grade: no page, or too few patterns could be judged by it",
          }),
          obligations: z.array(Obligation),
        })
        .meta({ id: "DarkPatternAudit" }),
      errors: ["invalid_url", "content_too_costly"],
      example:
        '/api/v1/dark-pattern/audit {"html":"<p>Hurry! Offer ends in 09:59</p>","jurisdictions":["EU"]}',
    },
    listDarkPatterns: {
      method: "GET",
      paths: ["/api/v1/dark-pattern/patterns"],
      summary: "The seventeen patterns",
      auth: "key",
      plan: "FREE",
      reply: z
        .object({
          count: z.int(),
          patterns: z.array(
            z.object({
              id: PatternId,
              name: z.string(),
              description: z.string(),
              mathur: z.string().meta({ description: "Category of Mathur and others, 2019" }),
              deceptive_when: z.string(),
              needs: z.string().meta({ description: "What must be observed to judge it" }),
              remediation: z.string(),
              laws: z.array(z.object({ jurisdiction: JurisdictionName, citation: z.string() })),
            }),
          ),
          ruleset_version: z.string(),
          meta: Meta,
        })
        .meta({ id: "DarkPatternCatalogue" }),
      errors: [],
      example: "/api/v1/dark-pattern/patterns",
    },
  },
});
