/** Bounty Network: what people report of the web, confirmed by our own modules before it counts. */
import { z } from "zod";
import { Corroboration, REPORT_DECIDERS, REPORT_KINDS, REPORT_STATES } from "../../../schemas/bounty.ts";
import { ObservedBy } from "../../../schemas/certificate.ts";
import { MAX_HTML_CHARS, Timestamp } from "../../../schemas/common.ts";
import { Meta } from "../../../schemas/finding.ts";
import { defineService } from "../../../src/rpc/contract.ts";
import { hostText, plainTextSchema, WEB_ADDRESS_PATTERN } from "../../../src/rpc/validation.ts";
import { PAGE_BODY_LIMIT_BYTES } from "../common/page-input.ts";

const Kind = z.enum(REPORT_KINDS).meta({ example: "prompt_injection" });
const State = z.enum(REPORT_STATES).meta({
  description:
    "new: waits for a person; needs_more_info: could not be confirmed; triaged: our modules found it, or an operator confirmed it; resolved: it was there and is gone; informative: nothing of the kind was found; duplicate; not_applicable: there is no such page; spam",
});

const ShownReport = z
  .object({
    id: z.uuid(),
    url: z.string(),
    canonical_url: z.string(),
    domain: z.string().meta({ description: "Registrable domain" }),
    kind: Kind,
    description: z.string(),
    state: State,
    reason: z.string(),
    duplicate_of: z.uuid().nullable(),
    corroboration: z.array(Corroboration),
    observed_by: ObservedBy.meta({
      description:
        "registry: our own modules found it on the page as we fetched it, or an operator confirmed it (triaged, resolved); caller: an unconfirmed claim",
    }),
    reporter: z.string().meta({
      description:
        "A name for whoever reported: a handle, where they were the first to report by it, or a stable pseudonym",
    }),
    priority: z.number().min(0).meta({
      description:
        "How soon a person looks at it while it waits for one, 0.05 to 3: the weights of all who reported it",
    }),
    changes: z
      .array(
        z.object({
          state: State,
          reason: z.string(),
          at: Timestamp,
          by: z.enum(REPORT_DECIDERS).meta({ description: "Our modules, or an operator of the registry" }),
        }),
      )
      .meta({ description: "Every change of state with its reason, the oldest first; the latest twelve" }),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: "BountyReport" });

const ReporterRecord = z
  .object({
    right: z.int().meta({ description: "Sites about which you were right" }),
    wrong: z.int(),
    validity: z.number().min(0).max(1).meta({ description: "As on the leaderboard" }),
    weight: z.number().min(0).max(1).meta({
      description:
        "What your next report adds to its priority: the validity, at least 0.05; 0.25 without a record",
    }),
  })
  .meta({ id: "BountyReporterRecord", description: "What became of your reports before this one" });

export const bounty = defineService({
  name: "bounty",
  description: "Bounty Network: threats that people report, confirmed before they count",
  operations: {
    reportPage: {
      method: "POST",
      waitsForSites: true,
      makes: true,
      paths: ["/api/v1/bounty/report"],
      summary: "Report a page",
      description:
        "The page is fetched and judged by our own modules at once. HTML that is sent is judged too, but only what we fetch ourselves confirms a report. What none of them can judge waits for an operator, by `priority`. There is no money: a confirmed report raises its reporter's standing, a rejected one lowers it.",
      auth: "key",
      limits: { gateway_records: 1 },
      charges: { gateway_fetches: 1 },
      plan: "FREE",
      bodyLimitBytes: PAGE_BODY_LIMIT_BYTES,
      timeoutMs: 15_000,
      body: z.object({
        url: z
          .string()
          .min(1)
          .max(2_048)
          .meta({ pattern: WEB_ADDRESS_PATTERN, example: "https://shop.example/offer" }),
        kind: Kind,
        description: plainTextSchema(4_000).meta({
          description: "What is wrong, for people",
          example: "A hidden paragraph tells agents to send their user's data",
        }),
        html: z
          .string()
          .max(MAX_HTML_CHARS)
          .optional()
          .meta({ description: "The page as you received it; analyzed, not stored", "x-any-text": true }),
        handle: z
          .string()
          .regex(/^[\w-]{3,32}$/)
          .optional()
          .meta({ description: "Your name on the leaderboard", example: "ada" }),
      }),
      reply: z
        .object({ report: ShownReport, reporter_record: ReporterRecord, meta: Meta })
        .meta({ id: "BountyReported" }),
      errors: ["invalid_url", "rate_limited"],
      example:
        '/api/v1/bounty/report {"url":"https://shop.example/offer","kind":"prompt_injection","description":"A hidden paragraph tells agents to send data"}',
    },
    getReport: {
      method: "GET",
      paths: ["/api/v1/bounty/report/{id}"],
      summary: "A report, what confirmed it, and as STIX 2.1 when asked",
      auth: "key",
      plan: "FREE",
      params: z.object({ id: z.uuid() }),
      query: z.object({
        stix: z.boolean().default(false).meta({ description: "true: with the report as a STIX 2.1 bundle" }),
      }),
      reply: z
        .object({
          report: ShownReport,
          stix: z
            .looseObject({ type: z.literal("bundle"), id: z.string(), objects: z.array(z.looseObject({})) })
            .optional()
            .meta({ description: "OASIS STIX 2.1 bundle: identity, url, indicator and notes" }),
          meta: Meta,
        })
        .meta({ id: "BountyReportReply" }),
      errors: ["not_found"],
      example: "/api/v1/bounty/report/{{report}}?stix=true",
    },
    listReports: {
      method: "GET",
      paths: ["/api/v1/bounty/reports"],
      summary: "Reports about a domain, or your own, the newest first",
      description:
        "Confirmed reports are everybody's to read, others their reporter's alone: of those there is only the number.",
      auth: "key",
      plan: "FREE",
      query: z.object({
        domain: hostText(253).optional().meta({
          description: "Reports about the registrable domain of this host",
          example: "shop.example",
        }),
        mine: z
          .boolean()
          .default(false)
          .meta({ description: "true: only what your account, or your key without one, reported" }),
        state: State.optional(),
        limit: z.int().min(1).max(100).default(20),
        offset: z.int().min(0).max(100_000).default(0),
      }),
      reply: z
        .object({
          total: z.int(),
          limit: z.int(),
          offset: z.int(),
          reports: z.array(ShownReport),
          unconfirmed: z.int().meta({ description: "Reports of others about it that nobody confirmed" }),
          reporter_record: ReporterRecord,
          meta: Meta,
        })
        .meta({ id: "BountyReports" }),
      errors: ["invalid_domain"],
      example: "/api/v1/bounty/reports?domain=shop.example",
    },
    listReporters: {
      method: "GET",
      paths: ["/api/v1/bounty/leaderboard"],
      summary: "Reporters by how often they were right",
      description:
        "By smoothed validity, not by volume: (right + 1) / (judged + 4), where one site counts once and duplicates count for their first reporter alone.",
      auth: "key",
      plan: "FREE",
      query: z.object({ limit: z.int().min(1).max(100).default(20) }),
      reply: z
        .object({
          total: z.int(),
          reporters: z.array(
            z.object({
              rank: z.int(),
              reporter: z.string(),
              validity: z.number().min(0).max(1),
              right: z.int().meta({ description: "Sites about which they were right" }),
              wrong: z.int(),
              reports: z.int(),
            }),
          ),
          meta: Meta,
        })
        .meta({ id: "BountyLeaderboard" }),
      errors: [],
      example: "/api/v1/bounty/leaderboard",
    },
    getBountyStats: {
      method: "GET",
      paths: ["/api/v1/bounty/stats"],
      summary: "Reports by state and kind",
      auth: "key",
      plan: "FREE",
      query: z.object({
        days: z.int().min(1).max(365).default(30).meta({ description: "Reports of the last so many days" }),
      }),
      reply: z
        .object({
          since: Timestamp,
          reports: z.int(),
          by_state: z.record(z.string(), z.int()),
          by_kind: z.record(z.string(), z.int()),
          reporters: z.int(),
          domains: z.int().meta({ description: "Different registrable domains" }),
          meta: Meta,
        })
        .meta({ id: "BountyStats" }),
      errors: [],
      example: "/api/v1/bounty/stats?days=30",
    },
  },
});
