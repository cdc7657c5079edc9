/** The verdict: all that the registry says of one site. Every other interface shows parts of it. */
import { z } from "zod";
import { Action } from "./action.ts";
import { AgentPresence, AgentService, Descriptor, Level } from "./agent-web.ts";
import { AppealSummary } from "./appeal.ts";
import { REPORT_DECIDERS } from "./bounty.ts";
import { Dnssec, Host, Timestamp, TrustRing } from "./common.ts";
import { SEVERITIES } from "./finding.ts";
import { Access } from "./license.ts";
import { Conduct, Listing, StageCheck, StateChange, TrustReasons, VISIT_REASONS } from "./site.ts";

export const SiteState = z
  .enum(["enabled", "partial", "stale", "found", "disabled", "unknown", "blocked"])
  .meta({
    id: "SiteState",
    description:
      "enabled: verified and listed; partial: something verifiable is published; stale: was enabled, must be verified again; found: agents can use something there, and nobody proved that the domain is theirs; disabled: none of these; unknown: never visited; blocked: excluded by its owner or the operator",
  });
export type SiteState = z.infer<typeof SiteState>;

export const VerdictReason = z.enum([...VISIT_REASONS, "not_claimed", "blocked"]).meta({
  id: "VerdictReason",
  description: "Why the site has its state. Stable",
  example: "verified",
});
export type VerdictReason = z.infer<typeof VerdictReason>;

/** What to do about one thing that keeps a site from being listed, or costs it points. */
export const Fix = z
  .object({
    code: z.string().meta({ description: "Stable", example: "publish_record" }),
    title: z.string(),
    do: z.string().meta({ description: "What the owner does" }),
    example: z.string().nullable().meta({ description: "Ready to paste: a command, or a record's value" }),
    page: z
      .string()
      .nullable()
      .meta({ description: "The page that it is about; null if it is the whole site" }),
    selector: z.string().nullable().meta({ description: "CSS selector of the element" }),
    excerpt: z.string().nullable().meta({ description: "What stands there; quotes the site" }),
    gains: z.union([z.enum(["listed", "found"]), z.number()]).meta({
      description:
        "listed; found, by the words of its pages; or the points of trust or neutrality that it gains",
    }),
    of: z.enum(["listing", "trust", "neutrality"]),
  })
  .meta({ id: "Fix" });
export type Fix = z.infer<typeof Fix>;

export const VerdictSummary = z
  .object({
    state: SiteState,
    listed: z.boolean().meta({ description: "Whether search and directory show the site" }),
    reason: VerdictReason,
    since: Timestamp.nullable().meta({ description: "When the state last changed; null if not known" }),
    headline: z.string().meta({
      description: "Identity and conduct in a line, what matters first. The same by every interface",
      example: "Identity verified; nothing found against it on 4 pages.",
    }),
  })
  .meta({ id: "VerdictSummary", description: "What the registry says of the site now" });
export type VerdictSummary = z.infer<typeof VerdictSummary>;

/** Actions of a document that a verdict names. */
export const MAX_DECLARED_ACTIONS = 50;

/** What is known against a page of the site. */
export const VerdictFinding = z
  .object({
    by: z.enum(["crawl", "report"]).meta({
      description: "crawl: found on the page as the registry read it; report: reported, and confirmed",
    }),
    rule: z.string().meta({ description: "Stable", example: "reported-phishing" }),
    severity: z.enum(SEVERITIES),
    page: z.string(),
    selector: z.string().nullable().meta({ description: "CSS selector of the element" }),
    excerpt: z
      .string()
      .meta({ description: "What the page has there; quotes the site. Of a report: why it was confirmed" }),
    confirmed_by: z.enum(REPORT_DECIDERS).nullable().meta({ description: "Of a report" }),
    report: z
      .uuid()
      .nullable()
      .meta({ description: "The report of the bounty network (GET /api/v1/bounty/report/{id})" }),
    first_seen: Timestamp.nullable().meta({ description: "Of a report" }),
    last_seen: Timestamp,
  })
  .meta({ id: "VerdictFinding" });
export type VerdictFinding = z.infer<typeof VerdictFinding>;

/** Members that features add (src/crawl/verdict-parts.ts). */
export const VerdictMembers = z.object({
  appeal: AppealSummary.nullable().optional().meta({
    description:
      "The owner's appeal against a decision: an open one, else the last that was decided; null: none",
  }),
  declared: z
    .object({
      by: z.literal("site"),
      name: z.string(),
      description: z.string(),
      category: z.string(),
      tags: z.array(z.string()),
      is_independent: z.boolean().nullable(),
      commission_rate: z.number().nullable(),
      discovery_url: z.string().nullable(),
      actions: z
        .array(
          Action.pick({ name: true, description: true, category: true, effect: true }).extend({
            page: z.string().optional().meta({
              description: "A page whose form is declared as this tool (toolname); not signed",
            }),
          }),
        )
        .max(MAX_DECLARED_ACTIONS)
        .meta({
          description:
            "Actions of its document, the first of them, then forms of its pages that are declared as tools; a session lists what it can execute (GET /api/bridge/actions)",
        }),
    })
    .nullable()
    .meta({ description: "What the site says of itself; null if no document was read" }),
});
export type VerdictMembers = z.infer<typeof VerdictMembers>;

export const SiteVerdict = z
  .object({
    domain: Host,
    ...VerdictSummary.shape,
    detail: z.string().meta({ description: "For humans; may quote the site" }),
    trust: z.object({
      ring: TrustRing,
      score: z.number().min(0).max(100),
      reasons: TrustReasons,
      dnssec: Dnssec,
      registered: z.boolean().meta({ description: "Registered with proof, as of the last visit" }),
    }),
    neutrality: z.object({
      score: z.number().min(0).max(100),
      boost: z.number().meta({ description: "Factor on the score in search" }),
      confidence: z
        .number()
        .min(0)
        .max(1)
        .meta({ description: "Weight of the evidence: full from ten pages" }),
      pages: z.int().min(0).meta({ description: "Pages that were measured" }),
      parts: z
        .array(
          z.object({
            name: z.string(),
            value: z.number().min(0).max(1).meta({ description: "0 worst, 1 best, 0.5 not known" }),
            points: z.number(),
            max_points: z.number(),
            evidence: z.array(
              z.object({
                page: z.string(),
                selector: z.string().nullable(),
                excerpt: z.string().meta({ description: "Quotes the site" }),
                seen_at: Timestamp,
              }),
            ),
          }),
        )
        .meta({
          description: "Points by which each part moves the score from 50, and the pages it rests on",
        }),
      reasons: Listing.shape.neutrality_reasons.unwrap(),
    }),
    conduct: Conduct,
    access: Access,
    checks: z
      .array(StageCheck.extend({ observed_at: Timestamp.nullable() }))
      .meta({ description: "In the crawl's order, one for each stage" }),
    findings: z
      .array(VerdictFinding)
      .meta({
        description:
          "Open ones: confirmed reports about pages of the host that nobody found gone, oldest first; then what the crawl found on its pages",
      })
      .default([]),
    fixes: z.array(Fix).meta({ description: "What to do, what gains most first" }),
    level: Level.nullable().meta({
      description: "How well what agents can do there is known; null: nothing is",
    }),
    platform: AgentPresence.shape.platform,
    descriptors: z
      .array(Descriptor)
      .meta({ description: "What it publishes for agents, in any format, and what is wrong with it" })
      .default([]),
    services: z.array(AgentService).meta({ description: "What can be called there" }).default([]),
    presence_seen_at: Timestamp.nullable()
      .meta({ description: "When descriptors and services were last looked at" })
      .default(null),
    ...VerdictMembers.shape,
    expires_at: Timestamp.nullable().meta({ description: "When the signed manifest expires" }),
    last_visit_at: Timestamp.nullable(),
    next_visit_at: Timestamp.nullable(),
    can_recheck_at: Timestamp.nullable().meta({
      description: "The earliest time of a requested visit; null if the site is not visited",
    }),
    history: z.array(StateChange).meta({ description: "The newest 20 changes of state, oldest first" }),
  })
  .meta({ id: "SiteVerdict", description: "What the registry says of a site, and why" });
export type SiteVerdict = z.infer<typeof SiteVerdict>;
