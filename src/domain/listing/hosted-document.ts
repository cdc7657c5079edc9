/** The discovery document of a site that its owner proved and that publishes none: made from the owner's configuration. Pure. */
import type { AccountSiteRecord } from "../../../schemas/account.ts";
import { VERSIONS } from "../../../schemas/common.ts";
import type { DiscoveryDocument } from "../../../schemas/discovery-document.ts";
import type { Access } from "../../../schemas/license.ts";
import type { Plan } from "../../../schemas/plan.ts";

/** What the text browser of sessions does, with the permission that each needs most. */
const COMMANDS = [
  ["navigate", "navigate"],
  ["read", "readContent"],
  ["click", "click"],
  ["scroll", "scroll"],
  ["fill", "fillForms"],
  ["submit", "fillForms"],
] as const;

/**
 * Says what is enforced here, the owner's plan included, and nothing about the business, of which the registry knows nothing. Unsigned: only the
 * owner's key could.
 */
export function hostedDocument(
  { siteId, provedAt, configuration }: AccountSiteRecord,
  { tier, rate_limit, access }: Pick<Plan, "tier" | "rate_limit"> & { access: Access },
  publicUrl: string,
): DiscoveryDocument {
  const { permissions, restrictions, features } = configuration;
  const denied = new Set(restrictions.denied_commands.map((name) => name.toLowerCase()));
  const api = `${publicUrl}/api/bridge`;
  return {
    bridge_version: VERSIONS.bridge,
    generated_at: provedAt,
    provider: {
      name: siteId,
      domain: siteId,
      category: "",
      description: `${siteId} licenses agents through this registry; its owner has proved the domain in DNS.`,
    },
    capabilities: {
      commands: COMMANDS.filter(([name, needed]) => permissions[needed] && !denied.has(name)).map(
        ([name]) => name,
      ),
      permissions: { ...permissions },
      tier,
      transport: ["http", "websocket"],
      features: [...features],
    },
    agent_access: {
      bridge_script: `${publicUrl}/bridge.js`,
      api_base: api,
      websocket: `${publicUrl.replace(/^http/, "ws")}/ws`,
      noscript: `${publicUrl}/api/noscript/bridge/${siteId}`,
      discovery: `${api}/discover?siteId=${siteId}`,
      access,
    },
    fairness: { is_independent: false, commission_rate: 0, direct_benefit: "", neutrality_score: 50 },
    security: {
      session_required: true,
      origin_validation: false,
      rate_limit: Math.max(0, rate_limit),
      sandbox: false,
    },
    endpoints: {
      home: `https://${siteId}/`,
      authenticate: `${api}/authenticate`,
      actions: `${api}/actions`,
      execute: `${api}/execute`,
    },
  };
}
