/** The tools, in the order in which they are listed: the same for every caller, since clients and models cache the list. */
import { type Json, jsonSchemaOf } from "../../../../src/rpc/json-schema.ts";
import { doAction } from "./do-action.ts";
import { findTool } from "./find-tool.ts";
import { listActionsTool } from "./list-actions.ts";
import { openSession } from "./open-session.ts";
import { priceHistory } from "./price-history.ts";
import { readPageTool } from "./read-page.ts";
import { requestAccessTool } from "./request-access.ts";
import { scanContent } from "./scan-content.ts";
import { searchSites } from "./search-sites.ts";
import { siteVerdictTool } from "./site-verdict.ts";
import type { Tool } from "./tool.ts";

export const TOOLS: readonly Tool[] = [
  searchSites,
  findTool,
  siteVerdictTool,
  readPageTool,
  requestAccessTool,
  openSession,
  listActionsTool,
  doAction,
  scanContent,
  priceHistory,
];

/** The one format that models' APIs take for text: https://ai.google.dev/api/caching#Schema */
const FORMATS: ReadonlySet<unknown> = new Set(["date-time"]);

/** The tools as tools/list gives them, and as the SDKs show them to models (app/generate.ts). */
export const TOOL_LIST = TOOLS.map(({ name, title, description, hints, input, output }) => ({
  name,
  title,
  description,
  inputSchema: schemaOf(input, "input"),
  outputSchema: schemaOf(output, "output"),
  annotations: { title, ...hints },
}));

/** The dialect is the protocol's default (2020-12), which needs no name. */
function schemaOf(schema: Tool["input"], io: "input" | "output") {
  const { $schema: _, ...json } = jsonSchemaOf(schema, io);
  return { type: "object" as const, ...(plain(json) as Json) };
}

/**
 * A schema in the keywords that the APIs of models take (function declarations of Gemini, functions of OpenAI, tools of
 * Anthropic), since a client whose API refuses one tool loses the whole list. What is left out, the check of the call
 * knows: patterns, formats and names of members. Examples go into the description.
 */
function plain(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(plain);
  if (typeof schema !== "object" || schema === null) return schema;
  const { pattern: _, propertyNames: __, format, examples, description, ...rest } = schema as Json;
  const [example] = Array.isArray(examples) ? examples : [];
  const said = [description, example !== undefined && `Example: ${example}`].filter(Boolean).join(". ");
  const kept = Object.entries(rest).map(([name, value]) => [
    name,
    // Members of these are names, and no keywords.
    name === "properties" || name === "$defs"
      ? Object.fromEntries(Object.entries(value as Json).map(([own, each]) => [own, plain(each)]))
      : plain(value),
  ]);
  return {
    ...(said !== "" && { description: said }),
    ...Object.fromEntries(kept),
    ...(FORMATS.has(format) && { format }),
  };
}
