/** Contract → Fastify: every path of every operation validated here, sent as one NATS request, its reply bytes forwarded. */
import { hash, randomUUID } from "node:crypto";
import cors from "@fastify/cors";
import type { NatsConnection } from "@nats-io/nats-core";
import Fastify, {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from "fastify";
import type { Logger } from "pino";
import { callBytes } from "./client.ts";
import {
  DEFAULT_BODY_LIMIT_BYTES,
  type OperationSpec,
  operationSubject,
  type Service,
  timeoutOf,
} from "./contract.ts";
import { type ErrorCode, Failure, fail } from "./errors.ts";
import { problemOf, rawProblem } from "./problem.ts";
import { decodeStrings, parseInput } from "./validation.ts";

const HEADER_LIMIT_BYTES = 64 * 1024;
/** Time a client has to send its whole request. */
const REQUEST_TIMEOUT_MS = 15_000;
const ALL_METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

export interface FrontOptions {
  connection: NatsConnection;
  prefix: string;
  services: readonly Service[];
  log: Logger;
  trustedProxies: string[];
  /** Counts one answered request: route path as declared, status, milliseconds. */
  onAnswered?: (path: string, status: number, tookMs: number) => void;
}

/** UUIDv7 (RFC 9562 section 5.7): sorts by time, so that logs do too. Random bits from randomUUID, which draws them in bulk. */
export const uuidv7 = (nowMs = Date.now()): string => {
  const time = nowMs.toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
};

export const sendProblem = (request: FastifyRequest, reply: FastifyReply, failure: Failure): FastifyReply => {
  if (failure.retryAfterSeconds !== undefined) reply.header("retry-after", failure.retryAfterSeconds);
  const problem = problemOf(failure, request.id);
  return reply.code(problem.status).type("application/problem+json").send(JSON.stringify(problem));
};

/** Fastify's own refusals, by its stable codes (never by message). */
const FASTIFY_CODES: Record<string, [ErrorCode, string]> = {
  FST_ERR_CTP_BODY_TOO_LARGE: [
    "body_too_large",
    "Send a smaller body; the limit stands in the operation's documentation.",
  ],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ["unsupported_media_type", "Send application/json."],
  FST_ERR_CTP_EMPTY_JSON_BODY: ["invalid_json", "The body is empty; send a JSON object."],
  FST_ERR_CTP_INVALID_JSON_BODY: ["invalid_json", "The body is not valid JSON."],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ["invalid_request", "Content-Length does not match the body."],
  FST_ERR_BAD_URL: ["invalid_url", "The path cannot be decoded."],
  FST_ERR_MAX_PARAM_LENGTH: ["uri_too_long", "A part of the path is too long."],
};

const failureOf = (error: { code?: string; statusCode?: number }): Failure => {
  const known = FASTIFY_CODES[error.code ?? ""];
  if (known) return fail(...known);
  if (error instanceof SyntaxError) return fail("invalid_json", "The body is not valid JSON.");
  if (error.statusCode && error.statusCode >= 400 && error.statusCode < 500)
    return fail("invalid_request", "The request cannot be read.");
  return fail("internal", "The fault is logged under this request id.");
};

const entityTag = (bytes: Uint8Array): string => `"${hash("sha1", bytes, "base64url")}"`;

/** Sends a successful reply; GETs carry an entity tag, and 304 answers a client that has it (RFC 9110 section 13). */
const sendBytes = (
  request: FastifyRequest,
  reply: FastifyReply,
  operation: OperationSpec,
  bytes: Uint8Array,
) => {
  if (operation.method === "GET" && operation.status !== 201) {
    const tag = entityTag(bytes);
    reply.header("etag", tag).header("cache-control", "no-cache");
    const known = request.headers["if-none-match"];
    if (known && (known === "*" || known.split(/\s*,\s*/).some((one) => one.replace(/^W\//, "") === tag)))
      return reply.code(304).send();
  }
  const type =
    operation.contentType === "text/html" ? "text/html; charset=utf-8" : "application/json; charset=utf-8";
  return reply
    .code(operation.status ?? 200)
    .type(type)
    .send(bytes);
};

const registerOperation = (
  app: FastifyInstance,
  options: FrontOptions,
  service: Service,
  name: string,
): void => {
  const operation = service.operations[name]!;
  const subject = operationSubject(options.prefix, service.name, name);
  const handler = async (request: FastifyRequest, reply: FastifyReply) => {
    const raw = {
      params: request.params,
      query: operation.query && decodeStrings(operation.query, request.query as Record<string, unknown>),
      body: request.body,
    };
    const input = parseInput(operation, raw);
    if (input instanceof Failure) return sendProblem(request, reply, input);
    const result = await callBytes(options.connection, subject, JSON.stringify(input), {
      requestId: request.id,
      timeoutMs: timeoutOf(operation),
      host: request.host,
      clientAddress: request.ip,
    });
    return result instanceof Failure
      ? sendProblem(request, reply, result)
      : sendBytes(request, reply, operation, result);
  };
  for (const path of operation.paths)
    app.route({
      method: operation.method,
      url: path.replace(/\{(\w+)\}/g, ":$1"),
      bodyLimit: operation.bodyLimitBytes ?? DEFAULT_BODY_LIMIT_BYTES,
      handler,
    });
};

/** Every declared path answers other methods with 405 and an Allow header (RFC 9110 section 15.5.6). */
const registerOtherMethods = (app: FastifyInstance, services: readonly Service[]): void => {
  const allowed = new Map<string, Set<string>>();
  for (const service of services)
    for (const operation of Object.values(service.operations))
      for (const path of operation.paths) {
        const methods = allowed.get(path) ?? new Set(["OPTIONS"]);
        methods.add(operation.method);
        if (operation.method === "GET") methods.add("HEAD");
        allowed.set(path, methods);
      }
  for (const [path, methods] of allowed)
    app.route({
      method: ALL_METHODS.filter((method) => !methods.has(method)),
      url: path.replace(/\{(\w+)\}/g, ":$1"),
      // Decided before any body is read: no parser may answer first.
      onRequest: (request, reply, _done) => {
        reply.header("allow", [...methods].join(", "));
        sendProblem(request, reply, fail("method_not_allowed", `Use ${[...methods].join(", ")}.`));
      },
      handler: () => undefined,
    });
};

/** Node's parser refused the bytes before there was a request: still a problem document, still a stable code. */
const answerMalformed = (error: NodeJS.ErrnoException, socket: import("node:net").Socket): void => {
  if (!socket.writable) return;
  const code: ErrorCode =
    error.code === "HPE_HEADER_OVERFLOW"
      ? "headers_too_large"
      : error.code === "ERR_HTTP_REQUEST_TIMEOUT"
        ? "request_timeout"
        : "invalid_request";
  socket.end(rawProblem(fail(code, "The bytes are not an HTTP/1.1 request that is read here."), uuidv7()));
};

/** Builds the front; nothing listens until the caller says so. */
export const createFront = (options: FrontOptions): FastifyInstance => {
  const app = Fastify({
    loggerInstance: options.log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => uuidv7(),
    trustProxy: options.trustedProxies.length > 0 ? options.trustedProxies : false,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: 60_000,
    routerOptions: { maxParamLength: 300, ignoreTrailingSlash: false },
    http: { maxHeaderSize: HEADER_LIMIT_BYTES },
    clientErrorHandler: answerMalformed as never,
    forceCloseConnections: "idle",
    return503OnClosing: true,
    frameworkErrors: (error, request, reply) => void sendProblem(request, reply, failureOf(error)),
  });
  app.removeContentTypeParser("text/plain");
  app.register(cors, {
    origin: "*",
    methods: ["GET", "POST"],
    exposedHeaders: ["x-request-id", "etag", "retry-after"],
  });
  app.addHook("onRequest", async (request, reply) => {
    reply.header("x-request-id", request.id);
    reply.header("x-bridge-enabled", "1.0");
    reply.header("x-content-type-options", "nosniff");
    reply.header("referrer-policy", "no-referrer");
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
  app.register(async (scope) => {
    for (const service of options.services)
      for (const name of Object.keys(service.operations)) registerOperation(scope, options, service, name);
    registerOtherMethods(scope, options.services);
  });
  return app;
};
