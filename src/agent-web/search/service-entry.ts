/** What the lists in other registries' forms need of a service beside what a search shows: names, documents and times. Pure. */
import { hash } from "node:crypto";
import { type AgentPresence, type AgentService, OFFICIAL_SOURCE } from "../../../schemas/agent-web.ts";
import type { ServiceEntry } from "../../../schemas/found-tool.ts";
import { registrableDomain } from "../../domain/names/domain-name.ts";
import { reversedName } from "../../domain/names/reversed-name.ts";

/** The form of a name in the MCP Registry (its schema ServerDetail). */
export const SERVER_NAME = /^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/;
const MAX_NAME = 200;
/** Characters of a host's name beyond which its registrable domain stands for it. */
const MAX_NAMESPACE = 120;
const MAX_PATH = 60;
const MAX_CAPABILITIES = 20;

/** Formats in which a service describes itself, by protocol. */
const OWN_FORMATS: Readonly<Partial<Record<AgentService["protocol"], readonly string[]>>> = {
  mcp: ["mcp-server-card"],
  a2a: ["a2a-card"],
  http: ["openapi"],
  ucp: ["ucp"],
  acp: ["acp"],
  x402: ["x402"],
};

/** The tag that finds a server by its name: tags are lower-case, names are not. */
export const serverTag = (name: string): string => `server:${name.toLowerCase()}`;

/**
 * Names of a host's MCP servers, each once: the one that the official registry has for it, else one of its host and path. A name of
 * strangers' words is none where the firewall withholds those words.
 */
export function serverNames({
  host,
  services,
}: AgentPresence): Map<AgentService, NonNullable<ServiceEntry["server"]>> {
  const names = new Map<AgentService, NonNullable<ServiceEntry["server"]>>();
  const used = new Set<string>();
  for (const service of services) {
    if (service.protocol !== "mcp") continue;
    const official = service.claimed_by.find(
      ({ source, id, version }) =>
        source === OFFICIAL_SOURCE && version !== undefined && isServerName(id) && !used.has(id),
    );
    const isNamed = official !== undefined && service.screened !== "withheld";
    const name = isNamed ? official.id : nameOf(host, service.endpoint);
    used.add(name);
    names.set(service, { name, version: (isNamed && official.version) || null });
  }
  return names;
}

const isServerName = (name: string): boolean => name.length <= MAX_NAME && SERVER_NAME.test(name);

/** `https://mcp.example.com/mcp` → `com.example.mcp/mcp`. Of other addresses than a host's one-segment paths, with a digest: no two are alike. */
function nameOf(host: string, endpoint: string): string {
  const url = URL.parse(endpoint);
  const path = `${url?.pathname ?? ""}${url?.search ?? ""}`.replace(/^\//, "").replace(/\/$/, "");
  const isLong = host.length > MAX_NAMESPACE;
  const namespace = reversedName(isLong ? registrableDomain(host) : host);
  if (!isLong && url?.origin === `https://${host}` && /^[A-Za-z0-9._]{1,60}$/.test(path))
    return `${namespace}/${path}`;
  const digest = hash("sha256", `${host} ${endpoint}`, "hex").slice(0, 8);
  const words = path.slice(0, MAX_PATH).replace(/[^A-Za-z0-9._]+/g, "-") || "mcp";
  return `${namespace}/${words}-${digest}`;
}

export function serviceEntry(
  { descriptors, first_seen_at, seen_at }: AgentPresence,
  { protocol, described_by, observation, tools }: AgentService,
  server: ServiceEntry["server"],
): ServiceEntry {
  const formats = OWN_FORMATS[protocol] ?? [];
  const own = descriptors.find(({ url, format }) => described_by.includes(url) && formats.includes(format));
  return {
    server,
    document: own?.url ?? null,
    observed: observation && {
      class: observation.class,
      seen_at: observation.seen_at,
      ...(observation.leaf_index !== undefined && { leaf_index: observation.leaf_index }),
    },
    tools_sha256: observation?.tools_sha256 ?? null,
    capabilities: tools
      .filter(({ screened }) => screened !== "withheld")
      .slice(0, MAX_CAPABILITIES)
      .map(({ name }) => name),
    published_at: first_seen_at,
    updated_at: seen_at,
    removed_at: null,
  };
}
