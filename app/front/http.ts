/** Contract → Fastify: validates every request, calls its operation, and forwards the reply's bytes. */
import type { Socket } from "node:net";
import Fastify, {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from "fastify";
import { watchConnection } from "../../src/adapters/nats/requests.ts";
import { TRUST_HEADERS } from "../../src/domain/trust/trust-headers.ts";
import type { FailureForm, Principal } from "../../src/rpc/contract.ts";
import { Failure, fail } from "../../src/rpc/errors.ts";
import type { Menu } from "../pages/page.ts";
import type { AccessLogEntry } from "../processes/access-log.ts";
import { type Admit, createAdmit } from "./admit.ts";
import { readBodies } from "./bodies.ts";
import { callBack } from "./call-back.ts";
import { boundConnections } from "./connections.ts";
import { KnownPaths, methodNotAllowed } from "./cors.ts";
import { createRate } from "./limits.ts";
import { type Address, type Listeners, listenAt } from "./listeners.ts";
import { STANDARD_HEADERS } from "./problem.ts";
import { createRequestQueue, type RequestQueue } from "./queue.ts";
import {
  createMalformedAnswer,
  endWithProblem,
  failureOf,
  problemCodeOf,
  requestFault,
  sendProblem,
} from "./refusals.ts";
import { requestIdOf, requestTraceparent } from "./request-ids.ts";
import { type FrontOptions, registerServices } from "./routes.ts";
import type { TrustCheck } from "./trust-check.ts";
import { wantsWebsocket } from "./websocket.ts";

declare module "fastify" {
  interface FastifyInstance {
    /** Which pages a listener has, if any: those of its errors lead to them. */
    pageMenu?: Menu;
    /** Its pages say that the web is made up. */
    isDemo?: boolean;
    /** When requests are taken up and bodies read. */
    queue: RequestQueue;
    /** Set once it listens. */
    listeners: Listeners | undefined;
  }
  interface FastifyContextConfig {
    /** Whose clients the route's failures also speak to. */
    failureForm?: FailureForm;
    needsBody?: boolean;
    /** Of a page (problem.ts). A 304 has them too, since it updates the fields of a cached reply. */
    pageHeaders?: Record<string, string>;
    /** It goes on for as long as the client listens: how long that is, is no latency. */
    isStream?: true;
  }
}

const NO_BODY = new Uint8Array();
const TRUST_FIELDS = Object.values(TRUST_HEADERS);

const HEADER_LIMIT_BYTES = 64 * 1024;

/** Time for a client to send its whole request. */
const REQUEST_TIMEOUT_MS = 15_000;

/** Of a path, in characters. */
const MAX_PARAMETER_LENGTH = 300;

const NO_OPERATION = fail("unknown_path", "No operation at this address. See /docs.");

/** Requests in progress may end for this long when a front closes. */
const CLOSE_WITHIN_MS = 8_000;

/** Builds the front; the caller starts listening. */
export function createFront(options: FrontOptions): FastifyInstance {
  const percent = options.limitsPercent ?? 100;
  const rate = createRate("requests", percent, () => performance.now());
  const { trustedProxies, onAnswered } = options;
  const queue = createRequestQueue();
  const admit = createAdmit({ rate, queue, trustedProxies, leaving: options.leaving, onAnswered });
  const requestTimeoutMs = options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS;
  const app = Fastify({
    loggerInstance: options.log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestIdOf,
    // Lines name their request by themselves: a logger for each would cost more than most requests' own work.
    childLoggerFactory: (logger) => logger,
    trustProxy: options.trustedProxies.length > 0 ? options.trustedProxies : false,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: 60_000,
    routerOptions: { maxParamLength: MAX_PARAMETER_LENGTH, ignoreTrailingSlash: false },
    http: {
      maxHeaderSize: HEADER_LIMIT_BYTES,
      // requestFault rejects a missing one with a problem document.
      requireHostHeader: false,
      shouldUpgradeCallback: wantsWebsocket as never,
      // Set at construction: if set later, Node's default of a minute for header fields exceeds it, Node swaps the two,
      // and a body may take that minute.
      requestTimeout: requestTimeoutMs,
      connectionsCheckingInterval: Math.ceil(requestTimeoutMs / 5),
    },
    clientErrorHandler: createMalformedAnswer(queue) as never,
    forceCloseConnections: "idle",
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => {
      reply.headers(STANDARD_HEADERS).header("x-request-id", request.id);
      sendProblem(request, reply, failureOf(error));
    },
  });
  app.decorate("queue", queue);
  app.decorate("requestRate", rate);
  app.decorate("knownPaths", new KnownPaths(MAX_PARAMETER_LENGTH));
  // Without these two handlers, Node answers by itself: not at all, and with a 417 without a body.
  app.server.on("connect", (_, socket) =>
    endWithProblem(socket as Socket, fail("method_not_allowed", "This is not a proxy.")),
  );
  app.server.on("checkExpectation", (request, response) => {
    delete request.headers.expect;
    app.server.emit("request", request, response);
  });
  boundConnections(app.server, {
    percent,
    trustedProxies: options.trustedProxies,
  });
  if (options.people) app.decorate("pageMenu", options.people.menu);
  if (options.people) app.decorate("isDemo", options.people.isDemo ?? false);
  app.decorateRequest("principal");
  app.decorateRequest("trustDomain");
  app.decorateRequest("bodyBytes");
  app.decorateRequest("traceparent");
  app.decorateRequest("paid");
  watchConnection(options.connection);
  app.decorate("listeners", undefined);
  closeListeners(app);
  addHooks(app, options, admit);
  readBodies(app, percent);
  app.register(async (scope) => registerServices(scope, options, admit));
  admit.guard(app.server);
  return app;
}

/** All listeners end with the server, and what they took is answered. */
function closeListeners(app: FastifyInstance): void {
  let closing: Promise<void> | undefined;
  app.addHook("preClose", async () => {
    closing = app.listeners?.close();
  });
  app.addHook("onClose", async () => closing);
}

/** Hooks of every route: request ids, standard header fields, rate limits, validation of the request line, and errors. */
function addHooks(app: FastifyInstance, options: FrontOptions, admit: Admit): void {
  app.addHook("preClose", async () => admit.stop());
  // Hooks call back where nothing is awaited: a promise for each was a tenth of what a request costs.
  app.addHook("onRequest", (request, reply, done) => {
    const traceparent = requestTraceparent(request);
    request.setDecorator("traceparent", traceparent);
    reply.headers(STANDARD_HEADERS).header("x-request-id", request.id).header("traceparent", traceparent);
    const { pageHeaders } = request.routeOptions.config;
    if (pageHeaders) reply.headers(pageHeaders);
    // The client's next request goes to another front.
    if (options.leaving?.aborted) reply.header("connection", "close");
    const fault = admit.refusalOf(request.raw) ?? requestFault(request.raw);
    if (fault) return void sendProblem(request, reply, fault);
    if (!request.is404) return done();
    // Before its body is read.
    const allow = app.knownPaths.allowOf(request.url);
    if (allow === undefined) sendProblem(request, reply, NO_OPERATION);
    else methodNotAllowed(request, reply, allow);
  });
  const { trustCheck } = options;
  const verify = async (check: TrustCheck, request: FastifyRequest, reply: FastifyReply) => {
    const { method, url, headers } = request.raw;
    const body = request.getDecorator<Uint8Array | undefined>("bodyBytes") ?? NO_BODY;
    const signed = { method: method ?? "", target: url ?? "", body };
    const domain = await check(headers, signed, request.ip);
    if (domain instanceof Failure) return sendProblem(request, reply, domain);
    request.setDecorator("trustDomain", domain);
  };
  if (trustCheck)
    app.addHook("preHandler", (request, reply, done) => {
      const { headers } = request.raw;
      if (TRUST_FIELDS.every((name) => headers[name] === undefined)) return done();
      callBack(verify(trustCheck, request, reply), reply, done);
    });
  app.addHook("onResponse", (request, reply, done) => {
    if (!request.routeOptions.config.isStream) options.onAnswered?.(answeredOf(request, reply));
    done();
  });
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const failure = failureOf(error, request.routeOptions.bodyLimit);
    // Whoever breaks off is nobody's fault here, and is not to fill the log.
    const isBrokenOff = error.code === "ERR_STREAM_PREMATURE_CLOSE";
    if (failure.code === "internal" && !isBrokenOff)
      request.log.error({ err: error, request_id: request.id }, "request failed");
    return sendProblem(request, reply, failure);
  });
  app.setNotFoundHandler((request, reply) => sendProblem(request, reply, NO_OPERATION));
}

const answeredOf = (request: FastifyRequest, reply: FastifyReply): AccessLogEntry => ({
  method: request.method,
  path: request.routeOptions.url ?? "unknown",
  status: reply.statusCode,
  tookMs: reply.elapsedTime,
  bytes: Number(reply.getHeader("content-length") ?? 0),
  requestId: request.id,
  traceparent: request.getDecorator<string | undefined>("traceparent"),
  principal: request.getDecorator<Principal | undefined>("principal")?.kind ?? "none",
  problem: problemCodeOf(request),
});

/**
 * Begins to take connections.
 * @returns the address, as a URL
 * @throws the system's error (EADDRINUSE …) if the address cannot be used
 */
export async function listen(app: FastifyInstance, address: Address): Promise<string> {
  let url = "";
  app.listeners = await listenAt(app.server, address, async (options) => {
    url = await app.listen(options);
  });
  return url;
}

/**
 * Stops listening, and ends when nothing is in progress: one slow client must not hold the end of the program. Requests that
 * still arrive on open connections are answered, each as the last of its connection.
 */
export async function closeFront(app: FastifyInstance): Promise<void> {
  const force = setTimeout(() => app.server.closeAllConnections(), CLOSE_WITHIN_MS);
  await app.close().finally(() => clearTimeout(force));
}
