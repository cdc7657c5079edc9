/** Affiliate Intelligence: who is paid for a page's links, and whether anybody clicked. */
import { z } from "zod";
import { MAX_HTML_CHARS } from "../../../schemas/common.ts";
import { Evidence, Finding, resultMembers } from "../../../schemas/finding.ts";
import { defineService } from "../../../src/rpc/contract.ts";
import { PAGE_BODY_LIMIT_BYTES } from "../common/page-input.ts";

const Address = z.object({
  network: z.string().meta({ description: "Who pays the partner", example: "Awin" }),
  program: z.string(),
  kind: z.enum(["click", "impression", "tag"]).meta({
    description:
      "click: a request for it counts as a click; impression: as a view; tag: a shop's page that takes the partner's tag",
  }),
  id: z.string().nullable().meta({ description: "The partner's id, where the address shows it" }),
  sub_id: z.string().nullable().meta({ description: "The partner's own note" }),
  clean_url: z
    .string()
    .meta({ description: "The address without the partner's tag and without tracking parameters" }),
  guessed: z
    .boolean()
    .meta({ description: "Recognized by a parameter's name alone, on a host outside the catalogue" }),
  source: z.string().meta({ description: "The public document that the catalogue's entry is from" }),
});

const Link = Address.extend({
  url: z.string(),
  role: z
    .enum([
      "link",
      "iframe",
      "img",
      "script",
      "stylesheet",
      "prefetch",
      "object",
      "css",
      "meta-refresh",
      "scripted",
    ])
    .meta({ description: "link: requested on a click; all others are requested without one" }),
  hidden: z.string().nullable().meta({ description: "What conceals it; null when it is visible" }),
  rel: z.enum(["sponsored", "nofollow"]).nullable(),
  evidence: Evidence,
}).meta({ id: "AffiliateLink" });

const Tracker = z.object({
  name: z.string(),
  purpose: z.string().meta({ example: "analytics" }),
  host: z.string(),
  count: z.int().min(1),
});

const page = {
  verdict: z.enum(["none", "unknown", "tagged", "undisclosed", "suspicious", "stuffing"]).meta({
    description:
      "unknown: nothing was found, but the page could not be read, or not all of it; tagged: paid links without objection; undisclosed: no visible disclosure; suspicious: a link is hidden, rewritten or its tag replaced; stuffing: a click that no visitor made",
  }),
  risk_score: z.number().min(0).max(1).nullable().meta({ description: "Null when unknown" }),
  links: z.array(Link).meta({ description: "At most 200, in the order of the page" }),
  links_total: z.int().min(0),
  disclosure: z.enum(["present", "late", "hidden", "absent", "not_needed"]),
  trackers: z.array(Tracker),
  findings: z.array(Finding),
  ...resultMembers,
};

const url = z
  .string()
  .min(1)
  .max(2_048)
  .regex(/^https?:\/\/[^\s\u0000-\u001f\u007f]+$/i, { error: "must be an absolute http or https address" });

export const affiliate = defineService({
  name: "affiliate",
  description: "Gateway module Affiliate Intelligence: paid links, cookie stuffing, tracking pixels",
  operations: {
    scanAffiliateUrl: {
      method: "POST",
      waitsForSites: true,
      paths: ["/api/v1/affiliate/scan-url"],
      summary: "Follow a link hop by hop and scan the page it ends at",
      description:
        "Every hop is fetched by the guarded client, at most 10, and recorded with the cookies it set. Following a paid link counts as a click at its network: scan the page that holds the link instead where that matters.",
      auth: "key",
      plan: "PRO",
      body: z.object({ url: url.meta({ description: "Where to begin", example: "https://shop.example/" }) }),
      reply: z
        .object({
          url: z.string(),
          final_url: z.string(),
          hops: z.array(
            z.object({
              url: z.string(),
              status: z.int().nullable(),
              cookies: z.array(z.string()).meta({ description: "Names of the cookies it set" }),
              affiliate: Address.nullable(),
              detail: z.string(),
            }),
          ),
          ...page,
        })
        .meta({ id: "AffiliateUrlScan" }),
      errors: ["invalid_url", "content_too_costly"],
      timeoutMs: 20_000,
      example: '/api/v1/affiliate/scan-url {"url":"{{origin}}/"}',
    },
    scanAffiliateHtml: {
      method: "POST",
      paths: ["/api/v1/affiliate/scan-html"],
      summary: "Scan a page for paid links, cookie stuffing, missing disclosure and tracking pixels",
      auth: "key",
      plan: "PRO",
      body: z.object({
        html: z
          .string()
          .min(1)
          .max(MAX_HTML_CHARS)
          .meta({ description: "The page's HTML, at most 2 Mi units", "x-any-text": true }),
        url: url.optional().meta({
          description: "Address of the page; without it, third parties cannot be distinguished",
          example: "https://shop.example/",
        }),
      }),
      bodyLimitBytes: PAGE_BODY_LIMIT_BYTES,
      reply: z.object({ url: z.string().nullable(), ...page }).meta({ id: "AffiliateHtmlScan" }),
      errors: ["invalid_url", "content_too_costly"],
      timeoutMs: 10_000,
      example:
        '/api/v1/affiliate/scan-html {"html":"<p>Affiliate links</p><a href=\\"https://www.amazon.com/dp/B0?tag=x-20\\">Kettle</a>","url":"https://kettles.example/"}',
    },
    getAffiliateStats: {
      method: "GET",
      paths: ["/api/v1/affiliate/stats"],
      summary: "Findings of the last days' scans, over all keys",
      auth: "key",
      plan: "PRO",
      query: z.object({
        days: z.int().min(1).max(30).default(7).meta({ description: "Days to sum, today included (UTC)" }),
      }),
      reply: z
        .object({
          since: z.iso.date(),
          scans: z.int().min(0),
          verdicts: z.record(z.string(), z.int().min(0)),
          rules: z
            .record(z.string(), z.int().min(0))
            .meta({ description: "Scans in which each rule found something" }),
          networks: z
            .record(z.string(), z.int().min(0))
            .meta({ description: "Scans in which each network was seen" }),
          catalogue: z.object({ programs: z.int(), trackers: z.int() }),
          ruleset_version: resultMembers.ruleset_version,
          meta: resultMembers.meta,
        })
        .meta({ id: "AffiliateStats" }),
      errors: [],
      example: "/api/v1/affiliate/stats?days=7",
    },
  },
});
