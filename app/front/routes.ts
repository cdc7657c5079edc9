/** Contract → Fastify routes: every path of every operation, with its hooks and its other methods. */
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from "fastify";
import {
  DEFAULT_BODY_LIMIT_BYTES,
  type OperationSpec,
  type Principal,
  type Service,
} from "../../src/rpc/contract.ts";
import { Failure } from "../../src/rpc/errors.ts";
import { rateLimitHeaders } from "../../src/rpc/limits.ts";
import { decodeStrings } from "../../src/rpc/validation.ts";
import { ReplyCache } from "../../src/transport/reply-cache.ts";
import { allowOrigins, registerOtherMethods, routePath } from "./cors.ts";
import type { FrontOptions } from "./front-options.ts";
import { createInvoke, type Invoke } from "./invoke.ts";
import { createScopedSemaphore } from "./limits.ts";
import { pageHeaders } from "./problem.ts";
import { sendProblem } from "./refusals.ts";
import { requestedHost } from "./requested-host.ts";
import { sendBytes } from "./send-reply.ts";

/** Size of the reply cache. */
const REPLY_CACHE_BYTES = 16 * 1024 * 1024;

/** Fastify names a path's `{rest}` `*`. */
const paramsOf = ({ "*": rest, ...params }: Record<string, unknown>): Record<string, unknown> =>
  rest === undefined ? params : { ...params, rest };

/** Hooks that authenticate a request before its body is read. */
const beforeBody = (options: FrontOptions, operation: OperationSpec): onRequestAsyncHookHandler[] => {
  const { access } = options;
  if (operation.auth === "none") return [];
  if (!access || !(access.knows(operation.auth) || operation.authOptional))
    throw new TypeError(`no authenticator for credentials of kind ${operation.auth}`);
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
        ? requestedHost(request.headers.host, options.ownNames)
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

export const registerServices = (app: FastifyInstance, options: FrontOptions): void => {
  const methods = new Map<string, Set<string>>();
  const credentialed = new Set<string>();
  const invoke = createInvoke({
    ...options,
    replyCache: new ReplyCache(REPLY_CACHE_BYTES),
    underWay: createScopedSemaphore("requests_under_way", options.limitsPercent ?? 100),
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
