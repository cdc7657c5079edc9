/** Gov Intelligence: what the law asks of a website, and what can be seen of it. */
import { z } from "zod";
import { Host, MAX_HTML_CHARS } from "../../../schemas/common.ts";
import { Evidence, resultMembers } from "../../../schemas/finding.ts";
import { SECTORS } from "../../../schemas/tables.ts";
import { defineService } from "../../../src/rpc/contract.ts";
import { pastedHostText } from "../../../src/rpc/validation.ts";
import { PAGE_BODY_LIMIT_BYTES } from "../common/page-input.ts";
import { STATUSES } from "./control.ts";

const Status = z.enum(STATUSES).meta({
  description:
    "partial: some of it; not_observed: it could not be seen, so nothing is said; not_applicable: what was seen gives no occasion, or no law binds the site to it; unknown: whether a law binds the site to it is not known, the detail says why",
});

const Control = z
  .object({
    id: z.string().meta({ example: "consent-parity" }),
    category: z.string(),
    title: z.string(),
    status: Status,
    detail: z.string(),
    evidence: Evidence.nullable(),
    refs: z.array(z.string()).meta({ description: "Standards, laws or decisions the control rests on" }),
    remediation: z.string().nullable().meta({ description: "What to do, where something is to be done" }),
    basis: z
      .enum(["standard", "law"])
      .meta({ description: "Asked of every website by a standard, or by law of those whom it binds" }),
    bound_by: z
      .array(z.string())
      .meta({ description: "Ids of the regulations that bind the site and rest on this control" }),
  })
  .meta({ id: "GovControl" });

const Regulation = z
  .object({
    id: z.string().meta({ example: "eu-crd-11a" }),
    jurisdiction: z.string().meta({ description: "ISO 3166-1 alpha-2, EU, or US-CA", example: "EU" }),
    title: z.string(),
    citation: z.string(),
    status: z.enum(["in_force", "guidance", "not_in_force", "repealed", "vacated"]),
    applies_from: z.iso.date().nullable(),
    applied_until: z.iso.date().nullable(),
    applies_when: z.object({ sectors: z.array(z.string()).nullable(), condition: z.string() }),
    checks: z.array(z.string()).meta({ description: "Ids of the controls that bear on it" }),
    automatable: z
      .enum(["mostly", "partly", "no"])
      .meta({ description: "How much of it the website alone shows" }),
    applies: z.enum(["yes", "depends", "not_yet", "no_longer", "no"]).meta({
      description:
        "By its dates, jurisdiction and sectors: the condition is yours to judge. depends: on something that was not named or that no website shows",
    }),
    why: z.string().meta({ description: "Why it applies, or does not, or on what that depends" }),
  })
  .meta({ id: "Regulation" });

const Headers = z
  .object({
    score: z.number().min(0),
    grade: z.string().meta({ example: "B+" }),
    tests: z.array(
      z.object({ test: z.string(), result: z.string(), modifier: z.int(), passed: z.boolean() }),
    ),
  })
  .nullable()
  .meta({
    description: "By the published scoring of the HTTP Observatory; null when no header fields were seen",
  });

const Cookie = z.object({
  name: z.string(),
  category: z.enum(["necessary", "functional", "analytics", "marketing", "unknown"]),
  secure: z.boolean(),
  http_only: z.boolean(),
  same_site: z.string().nullable(),
  max_age_seconds: z.number().nullable().meta({ description: "Null for a cookie of the browser's session" }),
});

const Law = z
  .object({
    country: z.string().nullable().meta({
      description: "Whose customers the site has; null where none was sent and the domain names none",
    }),
    country_from: z.enum(["sent", "domain"]).nullable(),
    jurisdictions: z.array(
      z.object({
        code: z.string().meta({ example: "DE" }),
        known: z
          .boolean()
          .meta({ description: "False: the catalogue has none of its law, and nothing is said of it" }),
      }),
    ),
  })
  .meta({ id: "GovLaw", description: "The law that the site is judged by" });

const Counts = z.record(z.enum(STATUSES), z.int().min(0));

const check = {
  domain: Host,
  checked_at: z.iso.datetime(),
  law: Law,
  controls: z.array(Control),
  counts: Counts,
  score: z.number().min(0).max(100).nullable().meta({
    description:
      "Of the controls that bind the site and were judged, the share that passed, partial ones by half. It proves no conformity",
  }),
  headers: Headers,
  cookies: z.array(Cookie),
  trackers: z.array(z.object({ name: z.string(), purpose: z.string(), host: z.string(), count: z.int() })),
  ...resultMembers,
};

const country = z
  .string()
  .regex(/^[A-Za-z]{2}(?:-[A-Za-z]{2})?$/, {
    error: "must be an ISO 3166-1 alpha-2 code, such as DE or US-CA",
  })
  .optional()
  .meta({
    description: "ISO 3166-1 alpha-2 of the customers' country; EU names the Union's law alone",
    example: "DE",
  });
const sector = z.enum(SECTORS).optional().meta({ description: "What the site does" });

const REPORT_ERRORS = ["invalid_domain", "content_too_costly"] as const;

export const gov = defineService({
  name: "gov",
  description:
    "Gateway module Gov Intelligence: what regulations require of a website, and what can be observed of it",
  operations: {
    checkCompliance: {
      method: "GET",
      waitsForSites: true,
      paths: ["/api/v1/gov/check/{domain}"],
      summary: "Check a domain: header fields, cookies, DNS, policies, consent, accessibility",
      description:
        "Reads DNS, the home page and security.txt. Each control says pass, fail, partial, not_observed, not_applicable or unknown, with evidence; what was not observed never counts as passed. What only law asks for fails only where a law of `country` (default: the one that the domain is of) and `sector` binds the site. No legal advice.",
      auth: "key",
      plan: "BUSINESS",
      params: z.object({
        domain: pastedHostText(300).meta({ description: "Domain name", example: "shop.example" }),
      }),
      query: z.object({ country, sector }),
      reply: z.object(check).meta({ id: "GovCheck" }),
      errors: REPORT_ERRORS,
      timeoutMs: 20_000,
      example: "/api/v1/gov/check/{{host}}",
    },
    listRegulations: {
      method: "GET",
      paths: ["/api/v1/gov/regulations"],
      summary: "Regulations by country and sector, with citation, dates and the controls that bear on each",
      auth: "key",
      plan: "BUSINESS",
      query: z.object({ country, sector }),
      reply: z
        .object({
          law: Law,
          count: z.int(),
          regulations: z.array(Regulation),
          controls: z.array(
            z.object({ id: z.string(), category: z.string(), title: z.string(), refs: z.array(z.string()) }),
          ),
          ruleset_version: resultMembers.ruleset_version,
          meta: resultMembers.meta,
        })
        .meta({ id: "GovRegulations" }),
      errors: [],
      example: "/api/v1/gov/regulations?country=DE&sector=retail",
    },
    createComplianceReport: {
      method: "POST",
      waitsForSites: true,
      paths: ["/api/v1/gov/compliance-report"],
      summary: "A check, ordered by regulation",
      description:
        "As `check`, and for each regulation of the country and sector what its controls found. Evidence that is sent is used instead of an observation, and marked as sent.",
      auth: "key",
      plan: "BUSINESS",
      body: z.object({
        domain: pastedHostText(1_024).meta({ description: "Domain name", example: "shop.example" }),
        country,
        sector,
        html: z
          .string()
          .max(MAX_HTML_CHARS)
          .optional()
          .meta({ description: "The home page's HTML, at most 2 Mi units", "x-any-text": true }),
        headers: z
          .record(z.string().max(128), z.string().max(16_384))
          .optional()
          .meta({ description: "Header fields the page came with" }),
        cookies: z
          .array(z.string().max(4_096).meta({ "x-any-text": true }))
          .max(200)
          .optional()
          .meta({ description: "Set-Cookie field values the page came with" }),
        dns: z
          .record(z.string().max(280), z.array(z.string().max(4_096)).max(64))
          .optional()
          .meta({
            description: "Records by owner name and type",
            example: { "_dmarc.shop.example TXT": ["v=DMARC1; p=reject"] },
          }),
      }),
      bodyLimitBytes: PAGE_BODY_LIMIT_BYTES,
      reply: z
        .object({
          ...check,
          sent: z.array(z.string()).meta({ description: "Parts that the caller sent and nobody verified" }),
          country: z.string().nullable(),
          sector: z.string().nullable(),
          regulations: z.array(
            z.object({
              regulation: Regulation,
              counts: Counts,
              controls: z.array(z.object({ id: z.string(), status: Status })),
            }),
          ),
        })
        .meta({ id: "GovReport" }),
      errors: REPORT_ERRORS,
      timeoutMs: 20_000,
      example: '/api/v1/gov/compliance-report {"domain":"{{host}}","country":"DE","sector":"retail"}',
    },
  },
});
