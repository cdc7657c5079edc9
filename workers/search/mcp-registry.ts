/** MCP servers as the MCP Registry lists them: pages round the circle of the index of what can be done, which no change turns. */
import type { z } from "zod";
import { LEVELS } from "../../schemas/agent-web.ts";
import type { ServerList, ServerResponse } from "../../schemas/mcp-registry.ts";
import { isListed, type KnownService, serverResponse } from "../../src/agent-web/as/mcp-server.ts";
import { REMOVED_STATUS, ringOfLevel } from "../../src/agent-web/search/documents.ts";
import { serverTag } from "../../src/agent-web/search/service-entry.ts";
import type { CirclePosition, IndexFilter } from "../../src/ports/index.ts";
import type { Handlers } from "../../src/rpc/contract.ts";
import { fail } from "../../src/rpc/errors.ts";
import type { search } from "./contract.ts";
import { type DoableDeps, knownNow, readListings } from "./doable.ts";
import type { serversQuery } from "./mcp-registry-contract.ts";
import { circleKey, doableScopeOf, readCirclePosition, readCursor, writeCursor } from "./rules.ts";

type Query = z.output<typeof serversQuery>;
type Operation = "listServers" | "listServerVersions" | "getServerVersion";

/** Services that one page reads, and at once: with a filter that leaves few, a page ends there. */
const MOST_READ = 1_000;
const READ_AT_ONCE = 200;
/** Services of one name, of which there should be one: two hosts that claim it are both looked at. */
const MOST_OF_NAME = 10;

/** The two rounds of a list: what there is, and what is gone. */
const ROUNDS = ["there", "gone"] as const;
interface Place {
  round: (typeof ROUNDS)[number];
  after: CirclePosition | undefined;
}

export const mcpRegistryHandlers = (deps: DoableDeps): Pick<Handlers<typeof search>, Operation> => ({
  listServers: async ({ query }) => {
    const { secret, now } = deps;
    const scope = doableScopeOf("mcp servers", query);
    const from = query.cursor === undefined ? "" : readCursor(secret, query.cursor, scope, now());
    if (from === undefined) return fail("invalid_cursor", "Start again without a cursor.");
    const { servers, next } = await pageOf(deps, query, readPlace(from));
    const nextCursor = next && writeCursor(secret, writePlace(next), scope, now());
    return listOf(servers, nextCursor);
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

const readPlace = (text: string): Place =>
  text === ""
    ? { round: "there", after: undefined }
    : { round: text.startsWith("gone") ? "gone" : "there", after: positionIn(text) };
function positionIn(text: string): CirclePosition | undefined {
  const at = text.indexOf(" ");
  return at < 0 ? undefined : readCirclePosition(text.slice(at + 1));
}

const writePlace = ({ round, after }: Place): string => (after ? `${round} ${circleKey(after)}` : round);

/** One page, and where the next one begins. */
async function pageOf(
  deps: DoableDeps,
  query: Query,
  from: Place,
): Promise<{ servers: ServerResponse[]; next: Place | undefined }> {
  const withDeleted = isWithDeleted(query);
  const servers: ServerResponse[] = [];
  let place = from;
  let read = 0;
  while (servers.length < query.limit && read < MOST_READ) {
    const taken = await take(deps, query, place, query.limit - servers.length);
    servers.push(...taken.servers);
    read += taken.read;
    if (taken.last) place = { ...place, after: taken.last };
    if (!taken.isOver) continue;
    if (!withDeleted || place.round === "gone") return { servers, next: undefined };
    place = { round: "gone", after: undefined };
  }
  return { servers, next: place };
}

/** Those that changed are asked for to follow this registry: what is gone is among them. */
const isWithDeleted = ({ include_deleted, updated_since }: Query): boolean =>
  include_deleted || updated_since !== undefined;

/** At most `room` servers behind a place. */
async function take(deps: DoableDeps, query: Query, { round, after }: Place, room: number) {
  const filter = filterOf(round, isWithDeleted(query));
  const isAsked = (known: KnownService, server: ServerResponse) =>
    matches(query, server) && (isListed(known) || isWithDeleted(query));
  const readSome = async (limit: number) => {
    const asked = { filter, offset: 0, limit, ...(after && { after }) };
    const { listings, count, last } = await deps.tools.list(asked);
    const known = await knownNow(deps.index, readListings(listings));
    const servers = known.map((each) => {
      const server = serverResponse(each, deps.publicUrl);
      return server && isAsked(each, server) ? server : undefined;
    });
    return { servers, count, last };
  };
  let some = await readSome(READ_AT_ONCE);
  const isOver = () => some.count < READ_AT_ONCE;
  const end = some.servers.flatMap((server, at) => (server ? [at] : []))[room - 1];
  // The page ends amid them: where, the engine alone can say.
  const isCut = end !== undefined && end + 1 < some.count;
  const over = isOver() && !isCut;
  if (isCut) some = await readSome(end + 1);
  const servers = some.servers.filter((server) => server !== undefined).slice(0, room);
  return { servers, read: some.count, last: some.last, isOver: over };
}

const filterOf = (round: Place["round"], withDeleted: boolean): IndexFilter => ({
  category: "mcp",
  tags: ["kind:service"],
  ...(round === "gone"
    ? { status: REMOVED_STATUS }
    : { minRing: ringOfLevel(withDeleted ? "claimed" : "published") }),
});

function matches({ search: part, updated_since, version }: Query, server: ServerResponse): boolean {
  const { updatedAt } = server._meta["io.modelcontextprotocol.registry/official"];
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
