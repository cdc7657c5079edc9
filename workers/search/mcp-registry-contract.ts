/**
 * MCP servers in the MCP Registry's API v0.1 (modelcontextprotocol/registry, docs/reference/api/openapi.yaml): what a client of that
 * registry reads there it reads here. Parameters that the API does not know are ignored, as there.
 */
import { z } from "zod";
import { ServerList, ServerResponse } from "../../schemas/mcp-registry.ts";
import { plainTextSchema, sealedCursor } from "../../src/rpc/validation.ts";

const MAX_NAME = 200;
const MAX_VERSION = 255;
/** Older answers than this stand in for none that can be had. */
const STALE_SECONDS = 600;

const shared = {
  method: "GET",
  auth: "none",
  anyQuery: true,
  failureForm: "mcp-registry",
  staleIfErrorSeconds: STALE_SECONDS,
} as const;

const name = plainTextSchema(MAX_NAME).meta({
  description: "The server's name, its slash as %2F",
  example: "com.example/mcp",
});
const include_deleted = z
  .boolean()
  .default(false)
  .meta({ description: "true: also those that this registry lists no more" });

export const serversQuery = z.object({
  cursor: sealedCursor(512).optional().meta({ description: "nextCursor of the page before, for a day" }),
  limit: z.int().min(1).max(100).default(30).meta({ description: "Most servers a page" }),
  search: plainTextSchema(MAX_NAME).optional().meta({
    description: "Only servers with this in their names, in upper or lower case",
    example: "weather",
  }),
  updated_since: z.iso.datetime({ offset: true }).optional().meta({
    description: "Only what changed at this time or later, deleted servers among it",
    example: "2026-11-27T12:00:00Z",
  }),
  version: plainTextSchema(MAX_VERSION)
    .optional()
    .meta({ description: "`latest`, or an exact version: each server has one", example: "latest" }),
  include_deleted,
});

export const mcpRegistryOperations = {
  listServers: {
    ...shared,
    paths: ["/v0.1/servers"],
    summary: "List MCP servers as the MCP Registry does",
    description:
      "Servers on the network that this registry saw, each with what it saw in `_meta`; what third parties alone say is not listed. In an order that changes of servers do not change: no page misses or repeats what stays. With `search`, `version` or `updated_since` a page may have few servers or none and a `nextCursor`.",
    query: serversQuery,
    reply: ServerList,
    errors: ["invalid_cursor", "index_not_filled"],
    example: "/v0.1/servers?search={{serverName}}&version=latest",
  },
  listServerVersions: {
    ...shared,
    paths: ["/v0.1/servers/{serverName}/versions"],
    summary: "List the versions of an MCP server as the MCP Registry does",
    description: "One: that of today.",
    params: z.object({ serverName: name }),
    query: z.object({ include_deleted }),
    reply: ServerList,
    errors: ["not_found", "index_not_filled"],
    example: "/v0.1/servers/{{serverName}}/versions",
  },
  getServerVersion: {
    ...shared,
    paths: ["/v0.1/servers/{serverName}/versions/{version}"],
    summary: "Get an MCP server as the MCP Registry does",
    params: z.object({
      serverName: name,
      version: plainTextSchema(MAX_VERSION).meta({ description: "`latest`, or its version" }),
    }),
    query: z.object({ include_deleted }),
    reply: ServerResponse,
    errors: ["not_found", "index_not_filled"],
    example: "/v0.1/servers/{{serverName}}/versions/latest",
  },
} as const;
