/**
 * A registry with the MCP Registry's API v0.1, as it is published: pages by name and version with an opaque cursor, the newest versions
 * alone where they are asked for, deleted entries only with `updated_since`.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { LOG_PATH } from "../../src/domain/trust/tlog/note.ts";
import { serveHttp } from "../adapters/http/support.ts";

export interface Version {
  name: string;
  version?: string;
  description?: string;
  remotes?: { type: string; url: string }[];
  status?: "active" | "deprecated" | "deleted";
  updatedAt?: string;
  isLatest?: boolean;
}

export interface RegistryServer {
  url: string;
  /** `127.0.0.0/8:port`, for BRIDGE_EGRESS_ALLOW. */
  allow: string;
  /** May be changed at any time. */
  versions: Version[];
  /** Files of its transparency log; may be set at any time. */
  log?: Map<string, Uint8Array> | undefined;
  /** Another registry, to which whoever asks for the log is sent while it is set. */
  logAt?: string | undefined;
  /** Answers instead of the list while it is set. */
  instead: ((request: IncomingMessage, response: ServerResponse, nth: number) => boolean) | undefined;
  /** Query of each request so far. */
  asked: URLSearchParams[];
}

const DAY = "2026-11-20T00:00:00Z";
const OFFICIAL = "io.modelcontextprotocol.registry/official";

export async function serveRegistry(versions: Version[]): Promise<RegistryServer> {
  const registry: RegistryServer = { url: "", allow: "", versions, instead: undefined, asked: [] };
  const server = await serveHttp((request, response) => {
    const { pathname, searchParams } = new URL(request.url!, "http://registry.test");
    if (registry.logAt && pathname.startsWith(LOG_PATH))
      return void response.writeHead(302, { location: `${registry.logAt}${pathname}` }).end();
    const file = registry.log?.get(pathname.replace(`${LOG_PATH}/`, ""));
    if (file) return void response.end(file);
    if (pathname !== "/v0.1/servers") return void response.writeHead(404).end();
    registry.asked.push(searchParams);
    if (registry.instead?.(request, response, registry.asked.length)) return;
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify(pageOf(registry.versions, searchParams)));
  });
  registry.url = `http://${server.address}:${server.port}`;
  registry.allow = `${server.address}/32:${server.port}`;
  return registry;
}

function pageOf(versions: readonly Version[], query: URLSearchParams): unknown {
  const since = query.get("updated_since");
  const all = versions.filter(
    ({ status, updatedAt = DAY, isLatest = true }) =>
      (since === null ? status !== "deleted" : Date.parse(updatedAt) >= Date.parse(since)) &&
      (isLatest || query.get("version") !== "latest"),
  );
  const limit = Math.min(Number(query.get("limit") ?? 30), 100);
  const cursor = query.get("cursor");
  const from = cursor === null ? 0 : all.findIndex((each) => cursorOf(each) === cursor) + 1;
  const page = all.slice(from, from + limit);
  const isLast = from + limit >= all.length;
  return {
    servers: page.map(listed),
    metadata: { count: page.length, ...(!isLast && { nextCursor: cursorOf(page.at(-1)!) }) },
  };
}

const cursorOf = ({ name, version = "1.0.0" }: Version): string => `${name}:${version}`;

export function listed(each: Version): unknown {
  const { name, version = "1.0.0", description = "Books rooms", remotes, status = "active" } = each;
  const { updatedAt = DAY, isLatest = true } = each;
  return {
    server: {
      $schema: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
      ...{ name, version, description, remotes },
    },
    _meta: { [OFFICIAL]: { status, publishedAt: DAY, updatedAt, isLatest } },
  };
}

export const remote = (url: string): NonNullable<Version["remotes"]> => [{ type: "streamable-http", url }];
