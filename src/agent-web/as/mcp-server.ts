/** An MCP server as the MCP Registry's API v0.1 lists it (schemas/mcp-registry.ts), from what this registry knows. Pure. */
import type { z } from "zod";
import type { Level } from "../../../schemas/agent-web.ts";
import type { Doable, FoundService, HitSite, ServiceEntry } from "../../../schemas/found-tool.ts";
import {
  OFFICIAL_META,
  type ServerDetail,
  type ServerKnowledge,
  type ServerResponse,
} from "../../../schemas/mcp-registry.ts";
import { registryName } from "../../domain/names/reversed-name.ts";
import { label } from "../../domain/strangers-text.ts";

const SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json";
const CARD_SCHEMA = "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json";
const MAX_TEXT = 100;
const ADDRESS = /^https?:\/\/\S+$/;

/** A service with what is known of it now. */
export interface KnownService {
  doable: Doable;
  level: Level;
  site: z.infer<typeof HitSite>;
}

/** @returns undefined for what is no MCP server */
export function serverResponse(known: KnownService, publicUrl: string): ServerResponse | undefined {
  const { service, entry } = known.doable;
  const server = entry && serverDetail(service, entry);
  if (!server) return undefined;
  return {
    server,
    _meta: {
      [OFFICIAL_META]: officialMeta(known, entry),
      [registryName(publicUrl)]: knowledge(known, publicUrl),
    },
  };
}

/** What a name, a version and a place of an MCP server are; the words are its owner's, cut to what the form holds. */
export function serverDetail(
  { name, description, host, endpoint, transports }: FoundService,
  { server, updated_at }: ServiceEntry,
): ServerDetail | undefined {
  if (!server) return undefined;
  const title = label(name, MAX_TEXT);
  const isOlder = transports.includes("sse") && !transports.some((each) => each.includes("http"));
  return {
    $schema: SCHEMA,
    name: server.name,
    ...(title !== "" && { title }),
    description: label(description, MAX_TEXT) || `MCP server of ${host}`.slice(0, MAX_TEXT),
    version: server.version ?? versionOf(updated_at),
    websiteUrl: `https://${host}/`,
    remotes: ADDRESS.test(endpoint) ? [{ type: isOlder ? "sse" : "streamable-http", url: endpoint }] : [],
  };
}

/** Its server card (SEP-2127, schema v1), as its owner could publish it. */
export function serverCard(service: FoundService, entry: ServiceEntry): object | undefined {
  const server = serverDetail(service, entry);
  return server && { ...server, $schema: CARD_SCHEMA };
}

/** The day of a time as a number of semantic versioning, which has no zero before a digit: 2026.1.5. */
export const versionOf = (time: string): string => time.slice(0, 10).split("-").map(Number).join(".");

/** Whether other registries are to list it: what third parties alone say of it is no more than a hint. */
export const isListed = ({ doable: { entry }, level }: Pick<KnownService, "doable" | "level">): boolean =>
  entry?.removed_at === null && level !== "claimed";

function officialMeta(
  known: KnownService,
  entry: ServiceEntry,
): ServerResponse["_meta"][typeof OFFICIAL_META] {
  const { published_at: publishedAt, updated_at: updatedAt, removed_at } = entry;
  const times = { publishedAt, updatedAt, isLatest: true } as const;
  if (isListed(known)) return { status: "active", ...times };
  return removed_at === null
    ? { status: "deleted", statusMessage: "Only third parties say that it is there.", ...times }
    : { status: "deleted", statusChangedAt: removed_at, ...times };
}

function knowledge(
  { doable, level, site }: KnownService,
  publicUrl: string,
): z.infer<typeof ServerKnowledge> {
  const { service, entry } = doable;
  const { screened, seen_at, seen_by, tools, host } = service;
  return {
    ...{ level, screened, seen_at, seen_by, tools, site },
    observed: entry?.observed ?? null,
    tools_sha256: entry?.tools_sha256 ?? null,
    page: `${publicUrl}/sites/${host}`,
  };
}
