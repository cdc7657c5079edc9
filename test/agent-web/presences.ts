/** What looks at hosts wrote, as a test has it: MCP servers that answered. */
import type { AgentPresence, AgentService, Descriptor, ServiceTool } from "../../schemas/agent-web.ts";

export const SEEN_AT = "2026-11-27T12:00:00.000Z";

export const tool = (name: string, description: string, more: Partial<ServiceTool> = {}): ServiceTool => ({
  ...{ name, description, effect: "read", screened: "clear" },
  ...more,
});

export function service(
  host: string,
  name: string,
  tools: ServiceTool[],
  more: Partial<AgentService> = {},
): AgentService {
  return {
    ...{ protocol: "mcp", endpoint: `https://${host}/mcp`, transports: ["streamable-http"], auth: "none" },
    ...{ name, description: "", described_by: [], claimed_by: [], level: "answers", failing: null, tools },
    screened: "clear",
    observation: {
      ...{ class: "open", detail: "", revision: "2025-11-25", name, tools: tools.length },
      ...{ tools_sha256: "b".repeat(64), latency_ms: 10, seen_at: SEEN_AT },
    },
    ...more,
  };
}

export const presence = (host: string, services: AgentService[]): AgentPresence => ({
  ...{ v: 1, host, platform: null, descriptors: [], services, absent: {} },
  ...{
    cut: { descriptors: 0, services: 0, tools: 0 },
    first_seen_at: SEEN_AT,
    seen_at: SEEN_AT,
    changed_at: SEEN_AT,
  },
});

export const descriptor = (format: string, url: string): Descriptor => ({
  ...{ format, revision: null, url, found_by: "well_known", answer: "present", conforms: true, usable: true },
  ...{
    findings: [],
    sha256: null,
    named_by: null,
    by: "owner",
    first_seen_at: SEEN_AT,
    seen_at: SEEN_AT,
    changed_at: SEEN_AT,
  },
});
