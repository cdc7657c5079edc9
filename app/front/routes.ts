/** Contract → Fastify routes: every path of every operation, with its hooks and its other methods. */

import { randomBytes } from "node:crypto";
import type { NatsConnection } from "@nats-io/nats-core";
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from "fastify";
import { LRUCache } from "lru-cache";
import type { Logger } from "pino";
import { parseHost } from "../../src/domain/names/domain-name.ts";
import {
  credentialsOf,
  DEFAULT_BODY_LIMIT_BYTES,
  isOpenToAll,
  type OperationSpec,
  type Principal,
  type Service,
} from "../../src/rpc/contract.ts";
import { Failure } from "../../src/rpc/errors.ts";
import { type RateDecision, rateLimitHeaders } from "../../src/rpc/limits.ts";
import { decodeStrings } from "../../src/rpc/validation.ts";
import type { AuditLog } from "../../src/stores/operators.ts";
import { ReplyCache } from "../../src/transport/client.ts";
import type { AccessLogEntry } from "../processes/access-log.ts";
import { type AccessControl, credentialOf } from "./access/access.ts";
import type { Admit, AskPermit, StaticOperation } from "./admit.ts";
import { announcedBytes, isLargeBody } from "./bodies.ts";
import { callBack } from "./call-back.ts";
import { allowOrigins, registerOtherMethods, routePath } from "./cors.ts";
import type { Idempotency } from "./idempotency.ts";
import { IDEMPOTENCY_KEY_FIELD } from "./idempotency-key.ts";
import { createInvoke, type Invoke } from "./invoke.ts";
import { createScopedSemaphore } from "./limits.ts";
import { registerMcp } from "./mcp/endpoint.ts";
import { type PeopleOptions, registerPeople } from "./people/register.ts";
import { pageHeaders } from "./problem.ts";
import { sendProblem } from "./refusals.ts";
import { goneSignal, sendBytes, sendReply, staleHeaders, writeBytes } from "./send.ts";
import type { TrustCheck } from "./trust-check.ts";

interface OwnNames {
  /** Host and port of the public URL. */
  publicHost: string;
  /** Other names of the registry, without ports. */
  aliases: readonly string[];
}

/** Options of the front. */
export interface FrontOptions {
  connection: NatsConnection;
  prefix: string;
  /** The broker's clock, in milliseconds. */
  now?: () => number;
  services: readonly Service[];
  log: Logger;
  trustedProxies: string[];
  /** Access control; not needed if no operation requires a credential. */
  access?: AccessControl;
  /** Requests at most once; without it, an Idempotency-Key is ignored. */
  idempotency?: Idempotency;
  /** Where acts of operators are noted. */
  audit?: AuditLog;
  /** Aborts when clients are to send their next requests elsewhere; default: never. */
  leaving?: AbortSignal;
  /** Verifies trust headers; without it they are ignored. */
  trustCheck?: TrustCheck;
  /** The registry's own names; without them the Host field is used as sent. */
  ownNames?: OwnNames;
  /** Origin of the public URL, whose own pages may call /mcp; without it there is no /mcp. */
  ownOrigin?: string;
  /** The registry's secret; without it what this front signs is for itself alone. */
  secret?: string;
  /** Origins whose pages may call operations that require a credential; other operations allow every origin. */
  corsOrigins?: readonly string[];
  /** Time for a client to send its whole request, in milliseconds. Default 15,000. */
  requestTimeoutMs?: number;
  /** Scale of the table's quotas, in percent. Default 100. */
  limitsPercent?: number;
  /** The pages for people that this listener has. */
  people?: Pick<PeopleOptions, "pages" | "publicUrl" | "logIn" | "menu" | "isDemo">;
  /** Called for each response. */
  onAnswered?: (answered: AccessLogEntry) => void;
}

/** Size of the reply cache. */
const REPLY_CACHE_BYTES = 16 * 1024 * 1024;

/** Total size of the addresses that are known to have been answered, of one operation. */
const ANSWERED_BYTES = 1 << 20;

/**
 * The requested host, which selects the site whose document is served. It comes only from the Host field (RFC 9110
 * section 7.2), which is part of every cache key: many proxies pass X-Forwarded-Host on unchecked.
 *
 * The public host name as sent. The public URL's host for an alias, and for anything that is not a public host name (an
 * address, one label, or nothing), as internal proxies and probes send.
 * @param field value of the Host header field
 */
export function requestedHost(field: string | undefined, { publicHost, aliases }: OwnNames): string {
  const parsed = parseHost((field ?? "").replace(/:\d{1,5}$/, ""));
  return field !== undefined && parsed.ok && !aliases.includes(parsed.host) ? field : publicHost;
}

export function registerServices(app: FastifyInstance, options: FrontOptions, admit: Admit): void {
  const methods = new Map<string, Set<string>>();
  const credentialed = new Set<string>();
  const invoke = createInvoke({
    ...options,
    replyCache: new ReplyCache(REPLY_CACHE_BYTES),
    underWay: createScopedSemaphore("requests_under_way", options.limitsPercent ?? 100),
  });
  const invokes = new Map<string, Invoke>();
  for (const service of options.services)
    for (const [name, operation] of Object.entries(service.operations)) {
      invokes.set(`${service.name}.${name}`, invoke(service, name));
      registerOperation(app, options, admit, operation, invokes.get(`${service.name}.${name}`)!);
      for (const path of operation.paths) {
        methods.set(path, (methods.get(path) ?? new Set()).add(operation.method));
        if (operation.auth !== "none") credentialed.add(path);
      }
    }
  const invokeOf = (service: string, operation: string) => invokes.get(`${service}.${operation}`);
  if (options.people)
    registerPeople(app, {
      ...options.people,
      access: options.access,
      secret: options.secret,
      services: options.services,
      limitsPercent: options.limitsPercent ?? 100,
      invokeOf,
      hostOf: (request) => hostOf(options, request),
    });
  const restricted = allowOrigins(options.corsOrigins ?? []);
  for (const [path, served] of methods)
    registerOtherMethods(app, path, served, credentialed.has(path) ? restricted : undefined);
  if (options.access && options.ownOrigin !== undefined) {
    const shared = {
      access: options.access,
      invokeOf,
      corsOrigins: options.corsOrigins ?? [],
      hostOf: (request: FastifyRequest) => hostOf(options, request),
    };
    const { ownOrigin, secret = randomBytes(32).toString("base64url") } = options;
    registerMcp(app, { ...shared, ownOrigin, secret });
  }
}

function registerOperation(
  app: FastifyInstance,
  options: FrontOptions,
  admit: Admit,
  operation: OperationSpec,
  invoke: Invoke,
): void {
  const answered = answeredUrls(operation);
  /**
   * Before its credential and its body cost anything. A request that an earlier reply may do for goes the whole way, and a
   * constant waits for nothing.
   */
  const askPermit: AskPermit = (origin, url) =>
    operation.constant || answered?.has(url) ? undefined : invoke.admit(origin);
  const handler = async (request: FastifyRequest, reply: FastifyReply) => {
    const principal = request.getDecorator<Principal | undefined>("principal");
    const known = invoke.constant(principal);
    if (known) return sendBytes(request, reply, operation, known);
    const credential = operation.makes && principal ? credentialOf(operation.auth, request) : undefined;
    const {
      reply: result,
      allowances,
      replayed,
    } = await invoke({
      principal,
      input: {
        params: paramsOf(request.params as Record<string, unknown>),
        query: decodeStrings(operation.query, request.query as Record<string, unknown>),
        body: request.body,
      },
      sent: request.getDecorator<Uint8Array | undefined>("bodyBytes"),
      requestId: request.id,
      traceparent: request.getDecorator<string | undefined>("traceparent"),
      host: hostOf(options, request),
      clientAddress: request.ip,
      trustDomain: request.getDecorator<string | undefined>("trustDomain"),
      idempotencyKey: request.headers[IDEMPOTENCY_KEY_FIELD],
      credential: credential instanceof Failure ? undefined : credential,
      signal: goneSignal(reply),
      permit: admit.permitOf(request.raw),
      paid: request.getDecorator<RateDecision | undefined>("paid"),
    });
    if (replayed) reply.header("idempotency-replayed", "true");
    if (allowances.length > 0) reply.headers(rateLimitHeaders(allowances));
    if (result instanceof Failure) return sendProblem(request, reply, result);
    if (result.staleSeconds !== undefined) reply.headers(staleHeaders(result.staleSeconds));
    else answered?.set(request.url, true);
    return sendReply(request, reply, operation, result);
  };
  const admitted: onRequestHookHandler = (request, reply, done) => {
    const refused = admit.ask(request.raw, reply.raw, askPermit);
    if (refused) sendProblem(request, reply, refused);
    else done();
  };
  /** Whoever may not send a large body is refused before it is read. */
  const charge = async (request: FastifyRequest, reply: FastifyReply) => {
    const paid = await invoke.charge(request.getDecorator<Principal | undefined>("principal"), request.ip);
    request.setDecorator("paid", paid);
    if (paid?.ok !== false) return;
    return sendProblem(request, reply.headers(rateLimitHeaders(paid.allowances)), paid.failure);
  };
  const pay: onRequestHookHandler = (request, reply, done) => {
    if (isLargeBody(announcedBytes(request))) callBack(charge(request, reply), reply, done);
    else done();
  };
  for (const path of operation.paths) {
    if (!path.includes("{"))
      admit.watch(operation.method, path, { ask: askPermit, constant: constantOf(operation, invoke) });
    app.route({
      method: operation.method,
      url: routePath(path),
      config: routeConfigOf(operation),
      // Again: a path with parameters is known only here.
      onRequest: [admitted, ...beforeBody(options, operation), pay],
      bodyLimit: operation.bodyLimitBytes ?? DEFAULT_BODY_LIMIT_BYTES,
      handler,
    });
  }
}

/** What hooks and failures ask of a route. */
const routeConfigOf = (operation: OperationSpec) => ({
  needsBody: operation.body !== undefined && !operation.bodyOptional,
  ...(operation.failureForm && { failureForm: operation.failureForm }),
  ...(operation.inlineStyle !== undefined && { pageHeaders: pageHeaders(operation.inlineStyle) }),
});

/** Addresses whose earlier reply may stand in for one that cannot be had (staleIfErrorSeconds); undefined: there are none. */
const answeredUrls = ({ staleIfErrorSeconds }: OperationSpec): LRUCache<string, true> | undefined =>
  staleIfErrorSeconds === undefined
    ? undefined
    : new LRUCache({
        maxSize: ANSWERED_BYTES,
        sizeCalculation: (_, url) => url.length,
        ttl: staleIfErrorSeconds * 1_000,
      });

/** Fastify names a path's `{rest}` `*`. */
const paramsOf = ({ "*": rest, ...params }: Record<string, unknown>): Record<string, unknown> =>
  rest === undefined ? params : { ...params, rest };

const hostOf = ({ ownNames }: FrontOptions, { headers }: FastifyRequest): string =>
  ownNames ? requestedHost(headers.host, ownNames) : (headers.host ?? "");

/** How the listener answers for an operation that says the same to everybody. */
const constantOf = (operation: OperationSpec, invoke: Invoke): StaticOperation["constant"] =>
  operation.constant &&
  ((request, response, fields) =>
    writeBytes(request, response, operation, invoke.constant(undefined)!, fields));

/** Hooks that authenticate a request before its body is read. */
function beforeBody(options: FrontOptions, operation: OperationSpec): onRequestHookHandler[] {
  const { access } = options;
  const kinds = credentialsOf(operation);
  const identified = async (request: FastifyRequest, reply: FastifyReply) => {
    const principal = await access!.identify(operation, request);
    if (principal instanceof Failure) return sendProblem(request, reply, principal);
    request.setDecorator("principal", principal);
  };
  const identify: onRequestHookHandler = (request, reply, done) => {
    // Nobody, where nobody need be: only the field names an agent there (credentialOf).
    if (operation.auth === "none" && request.headers.authorization === undefined) return done();
    callBack(identified(request, reply), reply, done);
  };
  if (operation.auth === "none") return access?.knows(kinds) ? [identify] : [];
  if (!access || !(access.knows(kinds) || isOpenToAll(operation)))
    throw new TypeError(`no authenticator for credentials of kind ${kinds.join(" or ")}`);
  return [allowOrigins(options.corsOrigins ?? []), identify];
}
