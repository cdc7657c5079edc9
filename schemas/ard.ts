/** What Agentic Resource Discovery 0.91 (ards-project/ard-spec, spec/ard.md) calls an entry, and what its registry API answers. */
import { z } from "zod";
import { AgentService, Level, Protocol, ServiceTool } from "./agent-web.ts";
import { Timestamp } from "./common.ts";
import { FoundService, HitSite, Payment, ServiceEntry } from "./found-tool.ts";

/** Appendix C: publisher, namespaces and name, in linear time. */
export const AIR_URN = /^urn:air:[A-Za-z0-9.-]+(?::[A-Za-z0-9._-]+)+$/;

const shape = {
  identifier: z.string().regex(AIR_URN).meta({
    description: "The host as publisher, the protocol, and this registry's own name of the service",
    example: "urn:air:rates.example:mcp:Zm9yIGEgc2VydmljZQ",
  }),
  displayName: z.string().min(1).max(200).meta({ description: "The owner's words" }),
  type: z
    .string()
    .meta({ description: "Media type of the document", example: "application/mcp-server-card+json" }),
  url: z.string().optional().meta({ description: "The owner's own document" }),
  data: z.unknown().optional().meta({
    description: "In place of a document that the owner does not publish: a server card of what was seen",
  }),
  description: z.string().optional().meta({ description: "The owner's words" }),
  capabilities: z
    .array(z.string())
    .optional()
    .meta({ description: "Names of its first tools: the owner's words" }),
  tags: z.array(z.string()).meta({ description: "Its protocol" }),
  updatedAt: Timestamp,
  metadata: z
    .object({
      protocol: Protocol,
      endpoint: z.string(),
      auth: AgentService.shape.auth,
      payment: Payment,
      level: Level,
      screened: ServiceTool.shape.screened,
      observed: ServiceEntry.shape.observed,
      seen_at: FoundService.shape.seen_at,
      seen_by: FoundService.shape.seen_by,
      site: HitSite,
      page: z.string(),
    })
    .meta({ description: "What this registry knows of it" }),
};

/** Exactly one of `url` and `data`. */
export const ArdEntry = z.object(shape).meta({ id: "ArdEntry" });
export type ArdEntry = z.infer<typeof ArdEntry>;

/** Another registry, as an entry. */
export const ArdReferral = z.object({
  identifier: z.string().regex(AIR_URN),
  displayName: z.string(),
  type: z.literal("application/ai-registry+json"),
  url: z.string().meta({ description: "Base of its registry API" }),
});
export type ArdReferral = z.infer<typeof ArdReferral>;

export const ArdSearchReply = z
  .object({
    results: z.array(
      z.object({
        ...shape,
        score: z.int().min(0).max(100).meta({
          description:
            "Relevance alone, never trust: the share of the query's words that it or a tool of it has; by meaning alone at most 50",
        }),
        source: z.string().meta({ description: "This registry's API, where the entry is retrieved" }),
      }),
    ),
    referrals: z
      .array(ArdReferral)
      .optional()
      .meta({ description: "Of federation `referrals`: other Bridges that this registry follows" }),
    pageToken: z.string().optional(),
  })
  .meta({ id: "ArdSearchReply" });

export const ArdExploreReply = z
  .object({
    resultType: z.literal("facets"),
    facets: z.record(
      z.string(),
      z.object({
        buckets: z.array(z.object({ value: z.string(), count: z.int().min(1) })),
        otherCount: z.int().min(0).optional(),
      }),
    ),
  })
  .meta({ id: "ArdExploreReply" });

export const ArdListReply = z
  .object({ items: z.array(ArdEntry), pageToken: z.string().optional() })
  .meta({ id: "ArdListReply" });
