/** Search by what can be done: its two operations, which the service `search` serves. */
import { z } from "zod";
import { EFFECTS } from "../../schemas/action.ts";
import { AgentService, LEVELS, PROTOCOLS } from "../../schemas/agent-web.ts";
import { Timestamp } from "../../schemas/common.ts";
import { AUTHORS, Doable, FoundService, HitSite, PAYMENTS } from "../../schemas/found-tool.ts";
import { hostText, plainTextSchema, sealedCursor } from "../../src/rpc/validation.ts";

/** As of a search of sites: four bytes of each that was shown. */
const MAX_DOABLE_CURSOR = 2_400;
/** Older answers than this stand in for none that can be had. */
const STALE_SECONDS = 600;

const narrowing = {
  q: plainTextSchema(10_000).optional().meta({
    description: "What is to be done; without it, all that the filters leave, in turns",
    example: "convert a currency",
  }),
  protocol: z.enum(PROTOCOLS).optional().meta({ description: "Only services of this protocol" }),
  auth: AgentService.shape.auth
    .optional()
    .meta({ description: "Only what is called with this authorization" }),
  level: z.enum(LEVELS).optional().meta({
    description:
      "That level or more; default: published. What third parties alone say is shown with `claimed`",
  }),
  by: z.enum(AUTHORS).optional().meta({ description: "Only what owners, or what platforms describe" }),
  payment: z.enum(PAYMENTS).optional().meta({ description: "Only what is paid for like this" }),
  host: hostText(253).optional().meta({ description: "Only what this host offers" }),
  limit: z.int().min(1).max(50).default(10).meta({ description: "Most hits" }),
  cursor: sealedCursor(MAX_DOABLE_CURSOR).optional().meta({
    description: "next_cursor of the page before, with the same words and filters, for an hour",
  }),
  facets: z.boolean().default(false).meta({ description: "true: count what matches by each facet" }),
};
const effect = z.enum(EFFECTS).optional().meta({ description: "Only tools with this effect" });

export const toolsQuery = z.object({ ...narrowing, effect });
export const servicesQuery = z.object(narrowing);

const WHY = ["name", "service", "parameters", "description", "meaning", "listed"] as const;
const hit = {
  site: HitSite.meta({ description: "What is known of the host now; state as in its verdict" }),
  why: z.array(z.enum(WHY)).meta({
    description: "Where words of the query stand; meaning: near in meaning; listed: no words were given",
  }),
  how_to_call: z.string().meta({ description: "In one line. The endpoint is its owner's word" }),
};

const Values = z.array(z.object({ value: z.string(), count: z.int().min(1) }));
const DoableFacets = z
  .object({
    ...{ protocol: Values, auth: Values, level: Values, by: Values, effect: Values, payment: Values },
    counted: z.int().min(0),
    is_exact: z.boolean().meta({ description: "false: more match than were counted" }),
  })
  .meta({ id: "DoableFacets" });

const envelope = {
  query: z.string().nullable(),
  total: z.int().min(0).meta({ description: "Hits that pages give, from the first to the last" }),
  total_is_exact: z.boolean().meta({ description: "false: more match, of which pages give the best" }),
  next_cursor: z.string().nullable().meta({ description: "The next page's cursor; null on the last" }),
  ranked_at: Timestamp.meta({ description: "The hour whose turns the order is of" }),
  facets: DoableFacets.optional(),
};

const ToolHit = z
  .object({ tool: Doable.shape.tool.unwrap(), service: FoundService, ...hit })
  .meta({ id: "ToolHit" });
const ServiceHit = z.object({ service: FoundService, ...hit }).meta({ id: "ServiceHit" });

const shared = {
  method: "GET",
  auth: "none",
  staleIfErrorSeconds: STALE_SECONDS,
  errors: ["invalid_cursor", "index_not_filled"],
} as const;

export const doableOperations = {
  findTools: {
    ...shared,
    paths: ["/api/registry/tools"],
    summary: "Find tools by what they do",
    description:
      "Tools that services list, whoever describes them: by words and meaning, at equal relevance by level, in turns of owners and platforms. Names and descriptions are strangers' words; what the firewall blocks is not found.",
    query: toolsQuery,
    reply: z.object({ ...envelope, tools: z.array(ToolHit) }).meta({ id: "FindToolsReply" }),
    example: "/api/registry/tools?q=convert%20a%20currency&limit=5",
  },
  findServices: {
    ...shared,
    paths: ["/api/registry/services"],
    summary: "Find services that agents can call",
    description:
      "MCP servers, A2A agents, APIs, skills and shops, however they are described; as tools are found.",
    query: servicesQuery,
    reply: z.object({ ...envelope, services: z.array(ServiceHit) }).meta({ id: "FindServicesReply" }),
    example: "/api/registry/services?protocol=mcp&limit=5",
  },
} as const;
