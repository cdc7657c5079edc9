/** How what was found is called, in one line: by the protocol's own words. */
import type { Protocol } from "../../../schemas/agent-web.ts";
import type { Doable } from "../../../schemas/found-tool.ts";

const CALLS: Readonly<Record<Protocol, (tool: string | undefined) => string>> = {
  mcp: (tool) =>
    tool === undefined ? "MCP: tools/list" : `MCP: tools/call ${tool}, its input as tools/list says`,
  a2a: () => "A2A: message/send",
  http: () => "HTTP: as its OpenAPI document says",
  skill: () => "Agent Skill: read it, then follow it",
  ucp: () => "UCP: as its profile says",
  acp: () => "ACP: a checkout session",
  x402: () => "x402: the request again with the payment that its 402 answer asks for",
  nlweb: () => "NLWeb: /ask?query=",
  webmcp: (tool) => (tool === undefined ? "WebMCP: open the page" : `WebMCP: open the page, call ${tool}`),
  bridge: () => "Bridge: open a session",
};

const AUTHORIZATION = {
  none: "",
  oauth: "; asks for OAuth",
  api_key: "; asks for an API key",
  other: "; asks for authorization",
  unknown: "",
} as const;

export const howToCall = ({ tool, service: { protocol, endpoint, auth } }: Doable): string =>
  `${CALLS[protocol](tool?.name)} at ${endpoint}${AUTHORIZATION[auth]}`;
