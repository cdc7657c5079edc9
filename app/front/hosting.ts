/**
 * The listener for names of sites that lead here: the site's document under a certificate of the name, and nothing else. Which names
 * there are is followed in memory, so that a stranger's name costs a look into a table; certificates are read when they are asked for.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import { createSecureContext, type SecureContext } from "node:tls";
import type { FastifyInstance } from "fastify";
import { LRUCache } from "lru-cache";
import { followRecords } from "../../src/stores/follow.ts";
import {
  HOSTED_NAMES,
  HostedNameRecord,
  hostedName,
  hostedNameKey,
  openHostedNames,
  openKeeping,
  siteOfKey,
  siteOfName,
} from "../../src/stores/hosted-names.ts";
import type { OpenedRuntime } from "../processes/runtime.ts";
import { boundConnections } from "./connections.ts";
import { createRate } from "./limits.ts";
import { listenAt } from "./listeners.ts";

/** Certificates that are ready for a handshake. */
const MOST_CONTEXTS = 1_000;
const HANDSHAKE_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 20_000;
const SERVED: ReadonlySet<string> = new Set(["/.well-known/bridge.json", "/agent-bridge.json"]);
const CHALLENGES = "/.well-known/acme-challenge/:token";
/** Tokens are base64url (RFC 8555 section 8.3). */
const TOKEN = /^[\w-]{1,128}$/;

export interface HostingListener {
  /** Of its socket. */
  port: number;
  close(): Promise<void>;
}

const bareName = (host: string): string => host.replace(/:\d{1,5}$/, "").toLowerCase();

const refuse = (response: ServerResponse): void => {
  response.writeHead(404, { "content-type": "application/problem+json", "cache-control": "no-store" });
  response.end(
    JSON.stringify({
      type: "about:blank",
      title: "Not found",
      status: 404,
      code: "not_found",
      detail: "This name serves a discovery document at /.well-known/bridge.json.",
    }),
  );
};

/** The names that there are, and what each is served with. */
const followNames = async ({ broker, clock, log, identity }: OpenedRuntime) => {
  const names = openHostedNames(broker);
  const keeping = openKeeping(identity);
  const known = new Map<string, number>();
  const contexts = new LRUCache<string, { revision: number; context: SecureContext }>({ max: MOST_CONTEXTS });
  const following = await followRecords({
    bucket: broker.buckets.account_sites,
    schema: HostedNameRecord,
    key: HOSTED_NAMES,
    onPut: (_, { siteId }, revision) => known.set(hostedName(siteId), revision),
    onRemove: (key) => known.delete(hostedName(siteOfKey(key))),
    clock,
    log,
  });
  const recordOf = async (name: string): Promise<HostedNameRecord | undefined> => {
    const siteId = known.has(name) ? siteOfName(name) : undefined;
    return siteId === undefined ? undefined : (await names.get(hostedNameKey(siteId)))?.value;
  };
  const contextOf = async (name: string): Promise<SecureContext | undefined> => {
    const revision = known.get(name);
    const kept = revision === undefined ? undefined : contexts.get(name);
    if (revision === undefined || kept?.revision === revision) return kept?.context;
    const record = await recordOf(name);
    const pair = record && keeping.opened(record);
    if (!pair) return undefined;
    const context = createSecureContext(pair);
    contexts.set(name, { revision, context });
    return context;
  };
  return { recordOf, contextOf, stop: following.stop };
};

type Names = Awaited<ReturnType<typeof followNames>>;

/** What the authority looks for, on the front's own listener: port 80 of the name leads there. */
const answerChallenges = (app: FastifyInstance, { recordOf }: Names): void => {
  app.get(CHALLENGES, async (request, reply) => {
    const { token } = request.params as { token: string };
    const record = TOKEN.test(token) ? await recordOf(bareName(request.headers.host ?? "")) : undefined;
    const found = record?.challenge?.token === token ? record.challenge.answer : undefined;
    reply.type("text/plain; charset=utf-8").header("cache-control", "no-store");
    return found === undefined ? reply.code(404).send("no such challenge\n") : reply.send(found);
  });
};

/**
 * Serves the names that records say, and answers the authority's challenges on the front's own listener.
 * @param app before it listens; it answers what this listener takes
 * @returns undefined where the registry serves no names
 */
export const openHosting = async (
  runtime: OpenedRuntime,
  app: FastifyInstance,
): Promise<{ listen(): Promise<HostingListener> } | undefined> => {
  const { config, log } = runtime;
  if (config.BRIDGE_HOSTING_NAME === undefined) return undefined;
  const names = await followNames(runtime);
  answerChallenges(app, names);
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const path = (request.url ?? "").split("?", 1)[0]!;
    const reads = request.method === "GET" || request.method === "HEAD";
    if (reads && SERVED.has(path)) app.server.emit("request", request, response);
    else refuse(response);
  };
  const server = createServer(
    {
      minVersion: "TLSv1.2",
      handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      SNICallback: (name, done) => {
        names.contextOf(name.toLowerCase()).then(
          (context) => (context ? done(null, context) : done(new Error("no such name"))),
          (error: unknown) => done(error instanceof Error ? error : new Error(String(error))),
        );
      },
    },
    answer,
  );
  // Of a client that broke off or asked for a name that is not served: nobody's fault here.
  server.on("tlsClientError", (_, socket) => socket.destroy());
  boundConnections(server, {
    percent: config.BRIDGE_LIMITS_PERCENT,
    trustedProxies: config.BRIDGE_TRUSTED_PROXIES,
    rate: createRate("handshakes", config.BRIDGE_LIMITS_PERCENT, () => performance.now()),
  });
  return {
    listen: async () => {
      const address = { host: config.HOST, port: config.BRIDGE_HOSTING_PORT };
      const { port, close } = await listenAt(server, address);
      log.info({ port }, "names of sites are served");
      return {
        port,
        close: () =>
          new Promise((resolve) => {
            const beside = close();
            names.stop();
            server.close(() => resolve(beside));
            server.closeAllConnections();
          }),
      };
    },
  };
};
