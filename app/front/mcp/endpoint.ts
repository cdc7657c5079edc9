/**
 * `POST /mcp`: the Model Context Protocol over Streamable HTTP, revision 2026-07-28; clients of 2025-11-25 and earlier are
 * served without sessions. An adapter: what it answers, operations answer (docs/decisions/0067).
 */
import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import type { McpHttpHandler } from "@modelcontextprotocol/server";
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from "fastify";
import { fail } from "../../../src/rpc/errors.ts";
import { allowOrigins, registerOtherMethods } from "../cors.ts";
import { sendProblem } from "../refusals.ts";
import { goneSignal } from "../send.ts";
import { createFrontCaller, type FrontOperations } from "./front-caller.ts";
import type { OperationCaller } from "./tools/tool.ts";

export interface McpEndpointOptions extends FrontOperations {
  /** The public URL's origin, whose own pages may call. */
  ownOrigin: string | undefined;
  /** Other origins whose pages may call. */
  corsOrigins: readonly string[];
  /** The registry's; it signs what clients carry from a question to its answer. */
  secret: string;
  hostOf(request: FastifyRequest): string;
}

const PATH = "/mcp";
const BODY_LIMIT_BYTES = 1024 * 1024;
/** Header fields that the protocol reads. */
const FIELDS = ["accept", "content-type", "mcp-protocol-version", "mcp-method", "mcp-name"] as const;

export function registerMcp(app: FastifyInstance, options: McpEndpointOptions): void {
  const { ownOrigin, corsOrigins } = options;
  const allowed = [...(ownOrigin === undefined ? [] : [ownOrigin]), ...corsOrigins];
  const hooks = [allowOrigins(allowed), checkOrigin(allowed)];
  const onFault = (error: unknown) => app.log.error({ err: error }, "tool failed");
  const serve = handlerOf(options.secret, onFault);
  app.route({
    method: "POST",
    url: PATH,
    config: { needsBody: true },
    onRequest: hooks,
    bodyLimit: BODY_LIMIT_BYTES,
    handler: async (request, reply) => {
      if (Array.isArray(request.body))
        return sendProblem(
          request,
          reply,
          fail("invalid_request", "Send one message a request, not a batch."),
        );
      const caller = createFrontCaller(options, {
        headers: request.headers,
        requestId: request.id,
        traceparent: request.getDecorator<string | undefined>("traceparent"),
        host: options.hostOf(request),
        clientAddress: request.ip,
        trustDomain: request.getDecorator<string | undefined>("trustDomain"),
      });
      const signal = goneSignal(reply);
      return sendResponse(reply, await serve(webRequestOf(request, signal), request.body, caller));
    },
  });
  registerOtherMethods(app, PATH, new Set(["POST"]), hooks);
}

/** A page of another origin must not reach a registry on somebody's machine (DNS rebinding): its requests name that origin. */
const checkOrigin =
  (allowed: readonly string[]): onRequestAsyncHookHandler =>
  async (request, reply) => {
    const { origin } = request.headers;
    if (origin === undefined || allowed.includes(origin)) return;
    return sendProblem(
      request,
      reply,
      fail("permission_denied", "Pages of this origin may not call /mcp; see BRIDGE_CORS_ORIGINS."),
    );
  };

/** Tools and the protocol's package are loaded with the first request: a front that nobody asks by MCP does without. */
function handlerOf(secret: string, onFault: (error: unknown) => void) {
  const callers = new WeakMap<Request, OperationCaller>();
  let handler: Promise<McpHttpHandler> | undefined;
  const open = async (): Promise<McpHttpHandler> => {
    const [{ createMcpHandler }, { createMcpServer }, { openAgreements }] = await Promise.all([
      import("@modelcontextprotocol/server"),
      import("./server.ts"),
      import("./agreements.ts"),
    ]);
    const agreements = openAgreements(secret);
    return createMcpHandler(
      ({ requestInfo }) => {
        const caller = requestInfo && callers.get(requestInfo);
        if (!caller) throw new Error("an MCP request without its caller");
        return createMcpServer(caller, agreements, onFault);
      },
      // No list changes while a server runs: there is nothing to subscribe to.
      { maxSubscriptions: 0 },
    );
  };
  return async (request: Request, body: unknown, caller: OperationCaller): Promise<Response> => {
    callers.set(request, caller);
    handler ??= open();
    return (await handler).fetch(request, { parsedBody: body });
  };
}

async function sendResponse(reply: FastifyReply, response: Response): Promise<FastifyReply> {
  reply.code(response.status).header("cache-control", "no-store");
  const type = response.headers.get("content-type");
  if (type !== null) reply.header("content-type", type);
  if (response.body === null) return reply.send();
  if (!type?.startsWith("text/event-stream")) return reply.send(Buffer.from(await response.arrayBuffer()));
  // Proxies would hold events back.
  reply.header("x-accel-buffering", "no");
  return reply.send(Readable.fromWeb(response.body as ReadableStream));
}

/** The request as the protocol's own code takes it; the body was parsed before. */
function webRequestOf(request: FastifyRequest, signal: AbortSignal): Request {
  const headers = new Headers();
  for (const name of FIELDS) {
    const value = request.headers[name];
    if (typeof value === "string") headers.set(name, value);
  }
  return new Request(`http://localhost${PATH}`, { method: "POST", headers, signal });
}
