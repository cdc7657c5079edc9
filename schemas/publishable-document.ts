/** A document of what was seen of a site, in a format in which its owner can publish it. */
import { z } from "zod";
import { AgentService, Protocol, ServiceTool } from "./agent-web.ts";
import { Host } from "./common.ts";
import { FoundService } from "./found-tool.ts";

/** Formats by their names in the table of formats that are read (src/agent-web/formats/table.ts). */
export const MADE_FORMATS = [
  "mcp-server-card",
  "a2a-card",
  "ard",
  "ai-catalog",
  "api-catalog",
  "llms-txt",
] as const;
export const MadeFormat = z.enum(MADE_FORMATS);
export type MadeFormat = z.infer<typeof MadeFormat>;

export const PublishableDocument = z
  .object({
    domain: Host,
    format: MadeFormat,
    media_type: z.string(),
    publish_at: z.string().meta({ description: "Where agents look for it" }),
    document: z.union([z.record(z.string(), z.unknown()), z.string()]).meta({
      description: "What to publish there: JSON, or a text. Names and descriptions are the site's words",
    }),
    to_say: z
      .array(z.string())
      .meta({ description: "What only its owner knows: it is made up, cut or left out in the document" }),
    made_from: z
      .array(
        z.object({
          protocol: Protocol,
          endpoint: z.string(),
          auth: AgentService.shape.auth,
          screened: ServiceTool.shape.screened,
          seen_at: FoundService.shape.seen_at,
          seen_by: FoundService.shape.seen_by,
        }),
      )
      .meta({ description: "Services that it says something of, and when they were seen" }),
  })
  .meta({ id: "PublishableDocument" });
export type PublishableDocument = z.infer<typeof PublishableDocument>;
