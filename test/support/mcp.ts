/** Clients of /mcp: the official one, of both revisions, and plain requests. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

export type Revision = "2026-07-28" | "2025-11-25";

/** A connected client that speaks one revision alone. */
export async function connectMcp(
  url: string,
  headers: Record<string, string> = {},
  revision: Revision = "2026-07-28",
  capabilities: Record<string, unknown> = {},
): Promise<Client> {
  const client = new Client(
    { name: "test", version: "1" },
    {
      capabilities,
      versionNegotiation: { mode: revision === "2026-07-28" ? { pin: revision } : "legacy" },
    },
  );
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } }),
  );
  return client;
}

/** What a call answered; `error` is what a failure says of itself. */
export interface ToolReply {
  text: string;
  data: any;
  isError: boolean;
  error: { code: string; detail: string; next: string; retry_after_seconds?: number } | undefined;
  /** Age of an earlier reply in place of one that cannot be had. */
  staleSeconds: number | undefined;
}

export async function callTool(
  client: Client,
  name: string,
  args: Record<string, unknown> = {},
): Promise<ToolReply> {
  const result = (await client.callTool({ name, arguments: args })) as any;
  return {
    text: result.content.map(({ text }: { text: string }) => text).join("\n"),
    data: result.structuredContent,
    isError: result.isError === true,
    error: result._meta?.["bridge/error"],
    staleSeconds: result._meta?.["bridge/stale_seconds"],
  };
}

/** A message of revision 2026-07-28 as it goes over the wire. */
export const modernMessage = (
  method: string,
  params: Record<string, unknown> = {},
  id: number | string = 1,
) => ({
  jsonrpc: "2.0",
  id,
  method,
  params: {
    ...params,
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": {},
      ...((params._meta as object | undefined) ?? {}),
    },
  },
});

export const MODERN_HEADERS = {
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
  "mcp-protocol-version": "2026-07-28",
};

/** The header fields that revision 2026-07-28 wants beside a message. */
export const headersOf = ({ method, params }: { method: string; params: Record<string, unknown> }) => ({
  ...MODERN_HEADERS,
  "mcp-method": method,
  ...(typeof params.name === "string" && { "mcp-name": params.name }),
});
