/**
 * The registry API of Agentic Resource Discovery 0.91 (ards-project/ard-spec, spec/ard.md section 5.3), below /ard: what agents can use,
 * by what it does. The search has the relevance of the registry's own; trust is said beside, in `metadata`.
 */
import { z } from "zod";
import { AIR_URN, ArdEntry, ArdExploreReply, ArdListReply, ArdSearchReply } from "../../schemas/ard.ts";
import { plainTextSchema, sealedCursor } from "../../src/rpc/validation.ts";

const MAX_CURSOR = 2_400;
const MAX_VALUES = 10;
/** Older answers than this stand in for none that can be had. */
const STALE_SECONDS = 600;

const Value = plainTextSchema(300);
const filter = z.record(plainTextSchema(120), z.union([Value, z.array(Value).min(1).max(MAX_VALUES)])).meta({
  description:
    "What each term has to be, any of its values: `type`, `publisher`, `tags` (protocols), `metadata.auth`, `metadata.payment`; other terms are refused",
  example: { type: ["application/mcp-server-card+json"] },
});
const context = z
  .union([z.string().max(2_000), z.record(z.string(), z.unknown()), z.array(z.unknown()).max(10)])
  .optional()
  .meta({ description: "Prefixes of terms: no term of another namespace is indexed here" });
const text = plainTextSchema(10_000);

const shared = { auth: "none", failureForm: "ard" } as const;
const pageToken = (maxLength: number) =>
  sealedCursor(maxLength).optional().meta({ description: "pageToken of the page before" });

export const searchBody = z.object({
  query: z.object({ "@context": context, text, filter: filter.optional() }),
  federation: z.enum(["auto", "referrals", "none"]).default("auto").meta({
    description:
      "This registry asks no other while it answers: what the registries that it follows list, it visits and finds itself; `referrals` names them",
  }),
  pageSize: z.int().min(1).max(100).default(10),
  pageToken: pageToken(MAX_CURSOR),
});

export const exploreBody = z.object({
  query: z.object({ "@context": context, text: text.optional(), filter: filter.optional() }).optional(),
  resultType: z.object({
    facets: z
      .array(
        z.object({
          field: z.enum(["type", "publisher", "tags", "metadata.auth", "metadata.payment"]),
          limit: z.int().min(1).max(100).default(20),
          minCount: z.int().min(1).default(1),
        }),
      )
      .min(1)
      .max(5),
  }),
});

export const ardOperations = {
  searchResources: {
    ...shared,
    method: "POST",
    paths: ["/ard/search"],
    summary: "Search agentic resources as ARD registries do",
    description:
      "Services whose host describes them or that answered, found by their words and those of their tools, by meaning beside them. Names and descriptions are strangers' words; what the firewall blocks is not found.",
    body: searchBody,
    reply: ArdSearchReply,
    errors: ["invalid_cursor", "index_not_filled"],
    example: '/ard/search {"query":{"text":"convert a currency"},"pageSize":5}',
  },
  exploreResources: {
    ...shared,
    method: "POST",
    paths: ["/ard/explore"],
    summary: "Count agentic resources as ARD registries do",
    description: "The resources that a search finds, of which there are up to 360; without text, all.",
    body: exploreBody,
    reply: ArdExploreReply,
    errors: ["index_not_filled"],
    example: '/ard/explore {"resultType":{"facets":[{"field":"type"}]}}',
  },
  listResources: {
    ...shared,
    method: "GET",
    paths: ["/ard/agents"],
    summary: "List agentic resources as ARD registries do",
    description:
      "In an order of their own, which no change of an entry turns. With a filter a page may have few items or none and a pageToken.",
    query: z.object({
      filter: plainTextSchema(2_000).optional().meta({
        description:
          "`field = 'values'`, joined by AND (ARD, appendix A): displayName, type, publisherId, createdAfter, updatedAfter; values separated by commas",
        example: "type = 'application/mcp-server-card+json'",
      }),
      orderBy: plainTextSchema(100).optional().meta({ description: "Refused: there is one order" }),
      pageSize: z.int().min(1).max(100).default(20),
      pageToken: pageToken(512),
    }),
    reply: ArdListReply,
    staleIfErrorSeconds: STALE_SECONDS,
    errors: ["invalid_cursor", "index_not_filled"],
    example: "/ard/agents?pageSize=5",
  },
  getResource: {
    ...shared,
    method: "GET",
    paths: ["/ard/agents/{identifier}"],
    summary: "Get an agentic resource by its identifier, as ARD registries do",
    params: z.object({
      identifier: z
        .string()
        .max(300)
        .regex(AIR_URN)
        .meta({ description: "Exact, as one segment of the path" }),
    }),
    reply: ArdEntry,
    staleIfErrorSeconds: STALE_SECONDS,
    errors: ["not_found", "index_not_filled"],
    example: "/ard/agents/{{identifier}}",
  },
} as const;
