/** The registry's own discovery document. Pure. */

import { createHash } from "node:crypto";
import { VERSIONS } from "../../schemas/common.ts";
import type { DiscoveryDocument } from "../../schemas/discovery-document.ts";
import { DAY_MS } from "../../src/ports/time.ts";
import type { Service } from "../../src/rpc/contract.ts";
import { LIMITS } from "../../src/rpc/limit-table.ts";
import { scaled } from "../../src/rpc/limits.ts";

const GATEWAY_PATH = "/api/v1";
export const MANIFEST_LIFE_MS = 30 * DAY_MS;

/** What identifies a document's content, whenever it was made. */
export const contentDigest = (document: DiscoveryDocument): string =>
  createHash("sha256")
    .update(JSON.stringify({ ...document, generated_at: "" }))
    .digest("base64url");

/** Whether to renew the stored document: its content changed, or half of its lifetime has passed. */
export const isDue = (
  made: { madeAt: number; content?: string | undefined },
  content: string,
  now: number,
): boolean => made.content !== content || now - made.madeAt > MANIFEST_LIFE_MS / 2;

/** The registry's own document, unsigned, derived from its contracts. @param limitsPercent scale of the limits in force */
export function ownDocument(
  publicUrl: string,
  services: readonly Service[],
  now: number,
  limitsPercent = 100,
): DiscoveryDocument {
  const operations = services.flatMap((service) => Object.entries(service.operations));
  // The gateway is a separate interface, with its own keys.
  const protocol = operations.filter(([, { paths }]) => !paths[0].startsWith(`${GATEWAY_PATH}/`));
  return {
    bridge_version: VERSIONS.bridge,
    generated_at: new Date(now).toISOString(),
    provider: {
      name: "Agent-Web Bridge registry",
      domain: new URL(publicUrl).hostname,
      category: "registry",
      description: "A registry of agent-ready websites, crawled and verified continuously.",
    },
    capabilities: {
      // Commands are what an agent executes on a site's pages; what it can call here is in `endpoints`.
      commands: [],
      permissions: {
        readContent: true,
        click: false,
        fillForms: false,
        scroll: false,
        navigate: true,
        apiAccess: true,
        automatedLogin: false,
        extractData: true,
      },
      tier: "free",
      transport: ["http", "websocket"],
      features: ["registry", "search", "gossip", "signed-manifest", "sessions", "bridge-script", "noscript"],
    },
    agent_access: {
      bridge_script: `${publicUrl}/bridge.js`,
      api_base: `${publicUrl}/api/bridge`,
      websocket: `${publicUrl.replace(/^http/, "ws")}/ws`,
      noscript: `${publicUrl}/api/noscript/bridge/${new URL(publicUrl).hostname}`,
      discovery: `${publicUrl}/.well-known/bridge.json`,
    },
    fairness: {
      is_independent: true,
      commission_rate: 0,
      direct_benefit: "Listings are free; ranking cannot be bought.",
      neutrality_score: 50,
    },
    security: {
      session_required: false,
      origin_validation: false,
      rate_limit: scaled(LIMITS.requests.by.address.minute, limitsPercent),
      sandbox: false,
    },
    endpoints: {
      ...Object.fromEntries(protocol.map(([name, { paths }]) => [name, publicUrl + paths[0]])),
      gateway: publicUrl + GATEWAY_PATH,
    },
    intent_tags: ["find-sites", "verify-site"],
  };
}
