/** Contract → Fastify: every path of every operation validated here, sent as one NATS request, its reply bytes forwarded. */
import { hash } from "node:crypto";
import { METHODS } from "node:http";
import type { Socket } from "node:net";
import type { NatsConnection } from "@nats-io/nats-core";
import Fastify, {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type HTTPMethods,
  LogController,
  type onRequestAsyncHookHandler,
} from "fastify";
import type { Logger } from "pino";
import { watchConnection } from "../../src/adapters/nats/connection-state.ts";
import { matchesEntityTag } from "../../src/domain/protocols/header-fields.ts";
import { parseStrictJson } from "../../src/domain/protocols/strict-json.ts";
import { TRUST_HEADERS } from "../../src/domain/trust/trust-headers.ts";
import {
  DEFAULT_BODY_LIMIT_BYTES,
  type OperationSpec,
  type Principal,
  type Service,
} from "../../src/rpc/contract.ts";
import { Failure, fail } from "../../src/rpc/errors.ts";
import { uuidv7 } from "../../src/rpc/ids.ts";
import { rateLimitHeaders } from "../../src/rpc/limits.ts";
import { decodeStrings } from "../../src/rpc/validation.ts";
import { KnownReplies, type ReplyBytes } from "../../src/transport/reply-cache.ts";
import type { AccessControl } from "./access/access.ts";
import { askedHost, type OwnNames } from "./asked-host.ts";
import { boundConnections } from "./connections.ts";
import { createInvoke, type Invoke } from "./invoke.ts";
import { createHeld, createRate, originOfAddress } from "./limits.ts";
import { pageHeaders, standardHeaders } from "./problem.ts";
import {
  BodyFault,
  createMalformedAnswer,
  endWithProblem,
  failureOf,
  requestFault,
  sendProblem,
} from "./refusals.ts";
import type { TrustCheck } from "./trust-check.ts";
import { wantsWebsocket } from "./websocket.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    needsBody?: boolean;
    /** Of a page (problem.ts). A 304 has them too: it replaces the fields of what a client keeps. */
    pageHeaders?: Record<string, string>;
  }
}

const ALLOWED_HEADERS = [
  ...["authorization", "content-type", "if-none-match", "x-bridge-key"],
  ...Object.values(TRUST_HEADERS),
].join(", ");
const NO_BODY = new Uint8Array();
const HEADER_LIMIT_BYTES = 64 * 1024;
/** Time a client has to send its whole request. */
const REQUEST_TIMEOUT_MS = 15_000;
/** Pages of stored listings that a front has at hand. */
const KNOWN_REPLIES_BYTES = 16 * 1024 * 1024;
/** Nesting of a request body: no contract comes near it. */
const MAX_BODY_DEPTH = 32;

export interface FrontOptions {
  connection: NatsConnection;
  prefix: string;
  services: readonly Service[];
  log: Logger;
  trustedProxies: string[];
  /** Who may ask; not needed where no operation asks for a credential. */
  access?: AccessControl;
  /** Checks trust headers; without it nobody looks at them. */
  trustCheck?: TrustCheck;
  /** The registry's own names; without them the Host field stands as it was sent. */
  ownNames?: OwnNames;
  /** Origins whose pages may call operations that ask for a credential; the others are open to every page. */
  corsOrigins?: readonly string[];
  /** Time a client has to send its whole request, in milliseconds. Default 15,000. */
  requestTimeoutMs?: number;
  /** Per cent of the quotas of limit-table.ts that hold here. Default 100. */
  limitsPercent?: number;
  /** Counts one answered request: route path as declared, status, milliseconds. */
  onAnswered?: (path: string, status: number, tookMs: number) => void;
}

/** Sends a successful reply; GETs carry an entity tag, and 304 answers a client that has it (RFC 9110 section 13). */
const sendBytes = (
  request: FastifyRequest,
  reply: FastifyReply,
  operation: OperationSpec,
  { bytes, tag: known }: ReplyBytes,
) => {
  if (operation.method === "GET" && operation.status !== 201) {
    const tag = `"${known ?? hash("sha1", bytes, "base64url")}"`;
    reply.header("etag", tag).header("cache-control", "no-cache");
    const theirs = request.headers["if-none-match"];
    if (theirs !== undefined && matchesEntityTag(theirs, tag)) return reply.code(304).send();
  }
  const { contentType = "application/json" } = operation;
  const type = contentType === "application/octet-stream" ? contentType : `${contentType}; charset=utf-8`;
  return reply
    .code(operation.status ?? 200)
    .type(type)
    .send(bytes);
};

const tooManyRequests = (retryAfterSeconds: number): Failure =>
  fail(
    "rate_limited",
    `Too many requests of this network (limit requests); more in ${retryAfterSeconds} s.`,
    {
      retryAfterSeconds,
    },
  );
/** A path of a contract as Fastify writes it. */
const routePath = (path: string): string => path.replace(/\{rest\}$/, "*").replace(/\{(\w+)\}/g, ":$1");

/** Fastify names what a path's `{rest}` took in `*`. */
const paramsOf = ({ "*": rest, ...params }: Record<string, unknown>): Record<string, unknown> =>
  rest === undefined ? params : { ...params, rest };

/** Replaces the open CORS header fields of a path that asks for credentials (Fetch standard, section 3.2). */
const allowOrigins =
  (origins: readonly string[]): onRequestAsyncHookHandler =>
  async (request, reply) => {
    const { origin } = request.headers;
    reply.removeHeader("access-control-allow-origin").header("vary", "origin");
    if (origin !== undefined && origins.includes(origin)) reply.header("access-control-allow-origin", origin);
  };

/** Who asks is known before anything of a body is read. */
const beforeBody = (options: FrontOptions, operation: OperationSpec): onRequestAsyncHookHandler[] => {
  const { access } = options;
  if (operation.auth === "none") return [];
  if (!access || !(access.knows(operation.auth) || operation.authOptional))
    throw new TypeError(`nothing reads credentials of kind ${operation.auth}`);
  return [
    allowOrigins(options.corsOrigins ?? []),
    async (request, reply) => {
      const principal = await access.identify(operation, request);
      if (principal instanceof Failure) return sendProblem(request, reply, principal);
      request.setDecorator("principal", principal);
    },
  ];
};

const registerOperation = (
  app: FastifyInstance,
  options: FrontOptions,
  invoke: Invoke,
  service: Service,
  name: string,
): void => {
  const operation = service.operations[name]!;
  const handler = async (request: FastifyRequest, reply: FastifyReply) => {
    const { reply: result, allowances } = await invoke({
      service,
      name,
      principal: request.getDecorator<Principal | undefined>("principal"),
      input: {
        params: paramsOf(request.params as Record<string, unknown>),
        query: operation.query && decodeStrings(operation.query, request.query as Record<string, unknown>),
        body: request.body,
      },
      requestId: request.id,
      host: options.ownNames
        ? askedHost(request.headers.host, options.ownNames)
        : (request.headers.host ?? ""),
      clientAddress: request.ip,
      trustDomain: request.getDecorator<string | undefined>("trustDomain"),
    });
    reply.headers(rateLimitHeaders(allowances));
    return result instanceof Failure
      ? sendProblem(request, reply, result)
      : sendBytes(request, reply, operation, result);
  };
  for (const path of operation.paths)
    app.route({
      method: operation.method,
      url: routePath(path),
      config: {
        needsBody: operation.body !== undefined && !operation.bodyOptional,
        ...(operation.inlineStyle !== undefined && { pageHeaders: pageHeaders(operation.inlineStyle) }),
      },
      onRequest: beforeBody(options, operation),
      bodyLimit: operation.bodyLimitBytes ?? DEFAULT_BODY_LIMIT_BYTES,
      handler,
    });
};

/**
 * Answers the other methods of a path: OPTIONS with what is allowed (also to a browser's preflight, Fetch standard
 * section 3.2), the rest with 405 and an Allow header (RFC 9110 section 15.5.6).
 * @param methods those that are served; HEAD comes with GET
 */
export const registerOtherMethods = (
  app: FastifyInstance,
  path: string,
  methods: ReadonlySet<string>,
  onRequest?: onRequestAsyncHookHandler,
): void => {
  const served = new Set([...methods, ...(methods.has("GET") ? ["HEAD"] : [])]);
  const allow = [...served, "OPTIONS"].join(", ");
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
    // Decided before any body is read: no parser may answer first.
    onRequest: (request, reply, _done) => {
      reply.header("allow", allow);
      sendProblem(request, reply, fail("method_not_allowed", `Use ${allow}.`));
    },
    handler: () => undefined,
  });
};

const registerServices = (app: FastifyInstance, options: FrontOptions): void => {
  const methods = new Map<string, Set<string>>();
  const credentialed = new Set<string>();
  const invoke = createInvoke({
    ...options,
    knownReplies: new KnownReplies(KNOWN_REPLIES_BYTES),
    underWay: createHeld("requests_under_way", options.limitsPercent ?? 100),
  });
  for (const service of options.services)
    for (const [name, operation] of Object.entries(service.operations)) {
      registerOperation(app, options, invoke, service, name);
      for (const path of operation.paths) {
        methods.set(path, (methods.get(path) ?? new Set()).add(operation.method));
        if (operation.auth !== "none") credentialed.add(path);
      }
    }
  const restricted = allowOrigins(options.corsOrigins ?? []);
  for (const [path, served] of methods)
    registerOtherMethods(app, path, served, credentialed.has(path) ? restricted : undefined);
};

/** What holds before any route: one id and the standard header fields on every reply, and requests that can be read. */
const addHooks = (
  app: FastifyInstance,
  options: FrontOptions,
  malformed: ReturnType<typeof createMalformedAnswer>,
): void => {
  let closing = false;
  app.addHook("preClose", async () => {
    closing = true;
  });
  const rate = createRate("requests", options.limitsPercent ?? 100, () => performance.now());
  app.addHook("onRequest", async (request, reply) => {
    malformed.begin(request, reply);
    reply.headers(standardHeaders(request.id)).headers(request.routeOptions.config.pageHeaders ?? {});
    const waitSeconds = rate.take(originOfAddress(request.ip));
    if (waitSeconds > 0) return sendProblem(request, reply, tooManyRequests(waitSeconds));
    if (closing)
      return sendProblem(
        request,
        reply,
        fail("unavailable", "This front is closing.", { retryAfterSeconds: 1 }),
      );
    const fault = requestFault(request);
    return fault && sendProblem(request, reply, fault);
  });
  app.addHook("preHandler", async (request, reply) => {
    const { method, url, headers } = request.raw;
    const body = request.getDecorator<Uint8Array | undefined>("bodyBytes") ?? NO_BODY;
    const signed = { method: method ?? "", target: url ?? "", body };
    const domain = await options.trustCheck?.(headers, signed, request.ip);
    if (domain instanceof Failure) return sendProblem(request, reply, domain);
    request.setDecorator("trustDomain", domain);
  });
  app.addHook("onResponse", async (request, reply) => {
    options.onAnswered?.(request.routeOptions.url ?? "unknown", reply.statusCode, reply.elapsedTime);
  });
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const failure = failureOf(error);
    if (failure.code === "internal")
      request.log.error({ err: error, requestId: request.id }, "request failed");
    return sendProblem(request, reply, failure);
  });
  app.setNotFoundHandler((request, reply) =>
    sendProblem(request, reply, fail("not_found", "No operation at this address. See /docs.")),
  );
};

/** JSON of one meaning (src/domain/protocols/strict-json.ts) is the only body that is read. */
const readBodies = (app: FastifyInstance): void => {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (request, body, done) => {
    request.setDecorator("bodyBytes", body);
    // Many clients name a type for no body: where none is asked for, that is no fault.
    if (body.length === 0 && !request.routeOptions.config.needsBody) return done(null, undefined);
    const json = parseStrictJson(body as Buffer, {
      maxBytes: Number.MAX_SAFE_INTEGER,
      maxDepth: MAX_BODY_DEPTH,
    });
    if (json.ok) done(null, json.value);
    else done(new BodyFault(json.reason.replaceAll("_", " ")));
  });
};

/** Builds the front; nothing listens until the caller says so. */
export const createFront = (options: FrontOptions): FastifyInstance => {
  const malformed = createMalformedAnswer();
  const requestTimeoutMs = options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS;
  const app = Fastify({
    loggerInstance: options.log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => uuidv7(),
    trustProxy: options.trustedProxies.length > 0 ? options.trustedProxies : false,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: 60_000,
    routerOptions: { maxParamLength: 300, ignoreTrailingSlash: false },
    http: {
      maxHeaderSize: HEADER_LIMIT_BYTES,
      // Missing ones are refused by requestFault, with a problem document.
      requireHostHeader: false,
      shouldUpgradeCallback: wantsWebsocket as never,
      // Told when the server is made: told later, Node's own minute for header fields stays above it, Node swaps the
      // two, and a body may take that minute.
      requestTimeout: requestTimeoutMs,
      connectionsCheckingInterval: Math.ceil(requestTimeoutMs / 5),
    },
    clientErrorHandler: malformed.answer as never,
    forceCloseConnections: "idle",
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => {
      reply.headers(standardHeaders(request.id));
      sendProblem(request, reply, failureOf(error));
    },
  });
  for (const method of METHODS)
    if (method !== "CONNECT" && !app.supportedMethods.includes(method)) app.addHttpMethod(method);
  // Without these two, Node answers by itself: with nothing, and with a 417 that has no body.
  app.server.on("connect", (_, socket) =>
    endWithProblem(socket as Socket, fail("method_not_allowed", "This is not a proxy.")),
  );
  app.server.on("checkExpectation", (request, response) => {
    delete request.headers.expect;
    app.server.emit("request", request, response);
  });
  boundConnections(app.server, {
    percent: options.limitsPercent ?? 100,
    trustedProxies: options.trustedProxies,
  });
  app.decorateRequest("principal");
  app.decorateRequest("trustDomain");
  app.decorateRequest("bodyBytes");
  watchConnection(options.connection);
  readBodies(app);
  addHooks(app, options, malformed);
  app.register(async (scope) => registerServices(scope, options));
  return app;
};
