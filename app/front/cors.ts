/** CORS, and the answers to a path's other methods. */
import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  HTTPMethods,
  onRequestHookHandler,
} from "fastify";
import findMyWay from "find-my-way";
import { TRUST_HEADERS } from "../../src/domain/trust/trust-headers.ts";
import { fail } from "../../src/rpc/errors.ts";
import { sendProblem } from "./refusals.ts";

const ALLOWED_HEADERS = [
  ...["authorization", "content-type", "if-none-match", "idempotency-key", "x-bridge-key"],
  ...["mcp-protocol-version", "mcp-method", "mcp-name"],
  ...Object.values(TRUST_HEADERS),
].join(", ");

declare module "fastify" {
  interface FastifyInstance {
    knownPaths: KnownPaths;
  }
}

/**
 * The paths that have routes, for requests by a method that no route of the front has: Node knows three dozen methods, and a route
 * of each at every path was most of a front's start.
 */
export class KnownPaths {
  readonly #paths: ReturnType<typeof findMyWay>;

  constructor(maxParamLength: number) {
    this.#paths = findMyWay({ maxParamLength });
  }

  /** @param path in Fastify's syntax */
  add(path: string, allow: string): void {
    this.#paths.on("GET", path, () => undefined, { allow });
  }

  /** The Allow field of a request's path; undefined: nothing is there. */
  allowOf(url: string): string | undefined {
    return (this.#paths.find("GET", url)?.store as { allow: string } | undefined)?.allow;
  }
}

/** Replaces the open CORS header fields of a path that requires credentials (Fetch standard, section 3.2). */
export const allowOrigins =
  (origins: readonly string[]): onRequestHookHandler =>
  (request, reply, done) => {
    const { origin } = request.headers;
    reply.removeHeader("access-control-allow-origin").header("vary", "origin");
    if (origin !== undefined && origins.includes(origin)) reply.header("access-control-allow-origin", origin);
    done();
  };

/**
 * Answers the other methods of a path: OPTIONS with the allowed methods (also for a browser's preflight, Fetch standard
 * section 3.2), the rest with 405 and an Allow header (RFC 9110 section 15.5.6).
 * @param methods served methods; GET implies HEAD
 */
export function registerOtherMethods(
  app: FastifyInstance,
  path: string,
  methods: ReadonlySet<string>,
  onRequest?: onRequestHookHandler | onRequestHookHandler[],
): void {
  const served = new Set([...methods, ...(methods.has("GET") ? ["HEAD"] : [])]);
  const allow = [...served, "OPTIONS"].join(", ");
  app.knownPaths.add(routePath(path), allow);
  app.options(routePath(path), { ...(onRequest && { onRequest }) }, (_, reply) =>
    reply
      .code(204)
      .headers({
        allow,
        "access-control-allow-methods": allow,
        "access-control-allow-headers": ALLOWED_HEADERS,
        "access-control-max-age": "86400",
      })
      .send(),
  );
  app.route({
    method: (app.supportedMethods as HTTPMethods[]).filter(
      (method) => !served.has(method) && method !== "OPTIONS",
    ),
    url: routePath(path),
    // Decided before the body is read, so that no parser answers first.
    onRequest: (request, reply, _done) => {
      methodNotAllowed(request, reply, allow);
    },
    handler: () => undefined,
  });
}

/** A contract's path in Fastify's syntax. */
export const routePath = (path: string): string =>
  path.replace(/\{rest\}$/, "*").replace(/\{(\w+)\}/g, ":$1");

export const methodNotAllowed = (request: FastifyRequest, reply: FastifyReply, allow: string) =>
  sendProblem(request, reply.header("allow", allow), fail("method_not_allowed", `Use ${allow}.`));
