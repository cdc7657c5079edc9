/** MCP servers as the MCP Registry lists them. */
import type { z } from "zod";
import { LEVELS } from "../../schemas/agent-web.ts";
import { OFFICIAL_META, type ServerList, type ServerResponse } from "../../schemas/mcp-registry.ts";
import { isListed, serverResponse } from "../../src/agent-web/as/mcp-server.ts";
import { REMOVED_STATUS, ringOfLevel } from "../../src/agent-web/search/documents.ts";
import { serverTag } from "../../src/agent-web/search/service-entry.ts";
import type { IndexFilter } from "../../src/ports/index.ts";
import type { Handlers } from "../../src/rpc/contract.ts";
import { fail } from "../../src/rpc/errors.ts";
import type { search } from "./contract.ts";
import { type DoableDeps, knownNow, readListings } from "./doable.ts";
import type { serversQuery } from "./mcp-registry-contract.ts";
import { doableScopeOf, readCursor, writeCursor } from "./rules.ts";
import { walk } from "./walk.ts";

type Query = z.output<typeof serversQuery>;
type Operation = "listServers" | "listServerVersions" | "getServerVersion";

/** Services of one name, of which there should be one: two hosts that claim it are both looked at. */
const MOST_OF_NAME = 10;

export const mcpRegistryHandlers = (deps: DoableDeps): Pick<Handlers<typeof search>, Operation> => ({
  listServers: async ({ query }) => {
    const { secret, now } = deps;
    const scope = doableScopeOf("mcp servers", query);
    const from = query.cursor === undefined ? "" : readCursor(secret, query.cursor, scope, now());
    if (from === undefined) return fail("invalid_cursor", "Start again without a cursor.");
    const { taken, next } = await walk(deps, {
      rounds: roundsOf(query),
      shown: (known) => {
        const server = serverResponse(known, deps.publicUrl);
        const isAsked = isListed(known) || isWithDeleted(query);
        return server && isAsked && matches(query, server) ? server : undefined;
      },
      limit: query.limit,
      from,
    });
    const nextCursor = next && writeCursor(secret, next, scope, now());
    return listOf(taken, nextCursor);
  },
  listServerVersions: async ({ params, query }) => {
    const server = await serverNamed(deps, params.serverName, query.include_deleted);
    return server ? listOf([server], undefined) : noServer();
  },
  getServerVersion: async ({ params: { serverName, version }, query }) => {
    const server = await serverNamed(deps, serverName, query.include_deleted);
    if (!server) return noServer();
    return isOfVersion(server, version) ? server : fail("not_found", "Server version not found.");
  },
});

const noServer = () => fail("not_found", "Server not found.");

const listOf = (servers: ServerResponse[], nextCursor: string | undefined): z.infer<typeof ServerList> => ({
  servers,
  metadata: { ...(nextCursor !== undefined && { nextCursor }), count: servers.length },
});

/** Those that changed are asked for to follow this registry: what is gone is among them. */
const isWithDeleted = ({ include_deleted, updated_since }: Query): boolean =>
  include_deleted || updated_since !== undefined;

/** What there is, and what is gone. */
function roundsOf(query: Query): IndexFilter[] {
  const servers = { category: "mcp", tags: ["kind:service"] };
  return isWithDeleted(query)
    ? [
        { ...servers, minRing: ringOfLevel("claimed") },
        { ...servers, status: REMOVED_STATUS },
      ]
    : [{ ...servers, minRing: ringOfLevel("published") }];
}

function matches({ search: part, updated_since, version }: Query, server: ServerResponse): boolean {
  const { updatedAt } = server._meta[OFFICIAL_META];
  return (
    (part === undefined || server.server.name.toLowerCase().includes(part.toLowerCase())) &&
    (updated_since === undefined || Date.parse(updatedAt) >= Date.parse(updated_since)) &&
    (version === undefined || isOfVersion(server, version))
  );
}

const isOfVersion = ({ server }: ServerResponse, version: string): boolean =>
  version === "latest" || version === server.version;

/** Of several hosts that claim one name, the one that is known best. */
async function serverNamed(
  { tools, index, publicUrl }: DoableDeps,
  name: string,
  withDeleted: boolean,
): Promise<ServerResponse | undefined> {
  const tagged = { category: "mcp", tags: ["kind:service", serverTag(name)] };
  const filters = withDeleted ? [tagged, { ...tagged, status: REMOVED_STATUS }] : [tagged];
  for (const filter of filters) {
    const { listings } = await tools.list({ filter, offset: 0, limit: MOST_OF_NAME });
    const known = await knownNow(
      index,
      readListings(listings).filter(({ entry }) => entry?.server?.name === name),
    );
    const [best] = known
      .filter((each) => withDeleted || isListed(each))
      .sort(
        (a, b) =>
          LEVELS.indexOf(b.level) - LEVELS.indexOf(a.level) ||
          (a.doable.service.host < b.doable.service.host ? -1 : 1),
      );
    if (best) return serverResponse(best, publicUrl);
  }
  return undefined;
}
