/** A service as an entry of Agentic Resource Discovery 0.91 (schemas/ard.ts), from what this registry knows. Pure. */
import type { Protocol } from "../../../schemas/agent-web.ts";
import type { ArdEntry } from "../../../schemas/ard.ts";
import type { FoundService, ServiceEntry } from "../../../schemas/found-tool.ts";
import { label } from "../../domain/strangers-text.ts";
import { type KnownService, serverCard } from "./mcp-server.ts";

/**
 * Media types of what describes a service, by protocol: those that the specification names, and JSON where none is known. Others have
 * no document of their own, and no entry.
 */
export const ARD_TYPES: Readonly<Partial<Record<Protocol, string>>> = {
  mcp: "application/mcp-server-card+json",
  a2a: "application/a2a-agent-card+json",
  skill: "application/ai-skill+md",
  http: "application/vnd.oai.openapi+json",
  ucp: "application/json",
  acp: "application/json",
  x402: "application/json",
};

/** Media type of an ARD registry as an entry, whose address is the base of its operations (section 5.3). */
export const ARD_REGISTRY_TYPE = "application/ai-registry+json";
/** That base, below a Bridge's address. */
export const ARD_REGISTRY_PATH = "/ard";

/** What a Bridge calls an interface of its own: names are anchored at the publisher's domain (ARD, appendix C). */
export const interfaceIdentifier = (publicUrl: string, name: string): string =>
  `urn:air:${new URL(publicUrl).hostname.replace(/[^A-Za-z0-9.-]/g, "-")}:bridge:${name}`;

const IDENTIFIED = /^urn:air:([a-z0-9.-]+):([a-z0-9]+):([A-Za-z0-9_-]+)$/;

/** @param siteId of its document in the index */
export const airIdentifier = ({ host, protocol }: FoundService, siteId: string): string =>
  `urn:air:${host}:${protocol}:${siteId}`;

/** @returns the parts of an identifier of ours; undefined: another's */
export function identifierParts(
  identifier: string,
): { host: string; protocol: string; siteId: string } | undefined {
  const [, host, protocol, siteId] = IDENTIFIED.exec(identifier) ?? [];
  return host && protocol && siteId ? { host, protocol, siteId } : undefined;
}

/** Whether there is a document to name, or one to make. */
export const hasArtifact = (
  { protocol }: Pick<FoundService, "protocol">,
  { document }: ServiceEntry,
): boolean =>
  protocol === "mcp" || protocol === "skill" || (ARD_TYPES[protocol] !== undefined && document !== null);

/** What its owner could publish of it themselves. */
export function publishedEntry(
  service: FoundService,
  entry: ServiceEntry,
  siteId: string,
): Omit<ArdEntry, "updatedAt" | "metadata"> {
  const { protocol, host, endpoint, name, description } = service;
  const { document, capabilities } = entry;
  const url = document ?? (protocol === "skill" ? endpoint : undefined);
  return {
    identifier: airIdentifier(service, siteId),
    displayName: label(name, 200) || `${protocol.toUpperCase()} service of ${host}`.slice(0, 200),
    type: ARD_TYPES[protocol]!,
    ...(url === undefined ? { data: serverCard(service, entry) } : { url }),
    ...(description !== "" && { description }),
    ...(capabilities.length > 0 && { capabilities }),
    tags: [protocol],
  };
}

/** @returns undefined for what has no document */
export function ardEntry(
  { doable: { service, entry }, level, site }: KnownService,
  siteId: string,
  publicUrl: string,
): ArdEntry | undefined {
  if (!entry || !hasArtifact(service, entry)) return undefined;
  const { protocol, host, endpoint, auth, payment, screened, seen_at, seen_by } = service;
  const { observed, updated_at: updatedAt } = entry;
  return {
    ...publishedEntry(service, entry, siteId),
    updatedAt,
    metadata: {
      ...{ protocol, endpoint, auth, payment, level, screened, observed, seen_at, seen_by, site },
      page: `${publicUrl}/sites/${host}`,
    },
  };
}
