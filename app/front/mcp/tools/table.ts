/** The tools, in the order in which they are listed: the same for every caller, since clients and models cache the list. */
import { jsonSchemaOf } from "../../../../src/rpc/json-schema.ts";
import { doAction } from "./do-action.ts";
import { listActions } from "./list-actions.ts";
import { openSession } from "./open-session.ts";
import { priceHistory } from "./price-history.ts";
import { readPage } from "./read-page.ts";
import { requestAccess } from "./request-access.ts";
import { scanContent } from "./scan-content.ts";
import { searchSites } from "./search-sites.ts";
import { siteVerdict } from "./site-verdict.ts";
import type { Tool } from "./tool.ts";

export const TOOLS: readonly Tool[] = [
  searchSites,
  siteVerdict,
  readPage,
  requestAccess,
  openSession,
  listActions,
  doAction,
  scanContent,
  priceHistory,
];

/**
 * The dialect is the protocol's default (2020-12), which needs no name. Patterns, long classes of characters, are left to
 * the check of the call: a model pays for each of them with every prompt, and learns nothing by it.
 */
const schemaOf = (schema: Tool["input"], io: "input" | "output") => {
  const { $schema: _, ...json } = jsonSchemaOf(schema, io);
  const plain: object = JSON.parse(JSON.stringify(json), (name, value) =>
    name === "pattern" && typeof value === "string" ? undefined : value,
  );
  return { type: "object" as const, ...plain };
};

/** The tools as tools/list gives them, and as the SDKs show them to models (app/generate.ts). */
export const TOOL_LIST = TOOLS.map(({ name, title, description, hints, input, output }) => ({
  name,
  title,
  description,
  inputSchema: schemaOf(input, "input"),
  outputSchema: schemaOf(output, "output"),
  annotations: { title, ...hints },
}));
