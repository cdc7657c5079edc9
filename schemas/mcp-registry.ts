/**
 * Replies in the form of the MCP Registry's API v0.1 (modelcontextprotocol/registry, docs/reference/api/openapi.yaml, 2025-12-01): those
 * members that a registry of servers on the network has.
 */
import { z } from "zod";
import { Level, ObservedClass, ServiceObservation, ServiceTool } from "./agent-web.ts";
import { Timestamp } from "./common.ts";
import { FoundService, HitSite } from "./found-tool.ts";

export const OFFICIAL_META = "io.modelcontextprotocol.registry/official";

const Remote = z.object({
  type: z.enum(["streamable-http", "sse"]),
  url: z.string().regex(/^(https?:\/\/[^\s]+|\{[a-zA-Z_][a-zA-Z0-9_]*\}[^\s]*)$/),
});

export const ServerDetail = z
  .object({
    $schema: z.string(),
    name: z
      .string()
      .min(3)
      .max(200)
      .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/)
      .meta({ description: "In reverse DNS, one slash", example: "com.example/mcp" }),
    title: z.string().min(1).max(100).optional().meta({ description: "The owner's words" }),
    description: z.string().min(1).max(100).meta({ description: "The owner's words, cut to 100 characters" }),
    version: z.string().min(1).max(255).meta({
      description: "As its publisher numbers it; of others the day of its last change, such as 2026.11.27",
    }),
    websiteUrl: z.string(),
    remotes: z.array(Remote),
  })
  .meta({ id: "ServerDetail" });
export type ServerDetail = z.infer<typeof ServerDetail>;

const OfficialMeta = z.object({
  status: z.enum(["active", "deleted"]).meta({
    description: "deleted: this registry lists it no more; or it is none but a third party's word",
  }),
  statusMessage: z.string().max(500).optional(),
  statusChangedAt: Timestamp.optional(),
  publishedAt: Timestamp.meta({ description: "When this registry first saw its host" }),
  updatedAt: Timestamp.meta({ description: "When what this registry says of it last changed" }),
  isLatest: z.literal(true),
});

/** What this registry knows of the server itself, in the member of `_meta` that is named by its host. */
export const ServerKnowledge = z
  .object({
    level: Level,
    screened: ServiceTool.shape.screened,
    observed: z
      .object({
        class: ObservedClass,
        seen_at: Timestamp,
        leaf_index: ServiceObservation.shape.leaf_index,
      })
      .nullable()
      .meta({ description: "What its endpoint was when this registry last spoke to it" }),
    seen_at: FoundService.shape.seen_at,
    seen_by: FoundService.shape.seen_by,
    tools: FoundService.shape.tools,
    tools_sha256: z.string().nullable(),
    site: HitSite,
    page: z.string().meta({ description: "What this registry says of its host" }),
  })
  .meta({ id: "ServerKnowledge" });

export const ServerResponse = z
  .object({
    server: ServerDetail,
    _meta: z
      .looseObject({ [OFFICIAL_META]: OfficialMeta })
      .meta({ description: "Beside it one member named by this registry's host: ServerKnowledge" }),
  })
  .meta({ id: "ServerResponse" });
export type ServerResponse = z.infer<typeof ServerResponse>;

export const ServerList = z
  .object({
    servers: z.array(ServerResponse),
    metadata: z.object({
      nextCursor: z.string().optional().meta({ description: "The next page's cursor; absent on the last" }),
      count: z.int().min(0),
    }),
  })
  .meta({ id: "ServerList" });
