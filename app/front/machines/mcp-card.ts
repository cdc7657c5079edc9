/** The MCP server card (SEP-2127, schema v1): where the endpoint is and what it speaks. It lists no tools: the protocol does. */
import { VERSIONS } from "../../../schemas/common.ts";
import { registryName } from "../../../src/domain/names/reversed-name.ts";
import type { MachineInterface } from "../machine-interface.ts";

export const MCP_PATH = "/mcp";
/** The place that the extension reserves: the endpoint's address and `/server-card`. */
export const MCP_CARD_PATH = `${MCP_PATH}/server-card`;
export const MCP_CARD_TYPE = "application/mcp-server-card+json";
/** Revisions of the protocol that the endpoint serves. */
const REVISIONS = ["2026-07-28", "2025-11-25"];

/** What a client asks its user for, where the user wants to act and not only to look. */
const AGENT_TOKEN = {
  name: "Authorization",
  description: "Bearer and an agent's token of this registry, to act on sites; looking needs none",
  placeholder: "Bearer bridge_agent_…",
  isRequired: false,
  isSecret: true,
};

export const mcpCard = ({ publicUrl }: MachineInterface): object => ({
  $schema: "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
  name: registryName(publicUrl),
  version: VERSIONS.bridge,
  title: "Agent-Web Bridge",
  description:
    "Find agent-ready websites, check what they are, and act on them within their owners' permissions",
  websiteUrl: `${publicUrl}/docs`,
  remotes: [
    {
      type: "streamable-http",
      url: `${publicUrl}${MCP_PATH}`,
      headers: [AGENT_TOKEN],
      supportedProtocolVersions: REVISIONS,
    },
  ],
});
