/**
 * `POST /a2a`: the Agent2Agent protocol 1.0, JSON-RPC binding. The agent keeps nothing: a message is answered by a message
 * at once, so there are no tasks, streams or notifications, and their methods say so.
 */
import type { FastifyInstance, FastifyRequest } from "fastify";
import { z } from "zod";
import { Failure } from "../../../src/rpc/errors.ts";
import { allowOrigins, registerOtherMethods } from "../cors.ts";
import { createFrontCaller, type FrontOperations } from "../mcp/front-caller.ts";
import type { OperationCaller } from "../mcp/tools/tool.ts";
import { A2A_PATH } from "./card.ts";

export interface A2aEndpointOptions extends FrontOperations {
  /** Origins whose pages may call with a credential. */
  corsOrigins: readonly string[];
  hostOf(request: FastifyRequest): string;
}

const Request = z.looseObject({
  jsonrpc: z.literal("2.0"),
  id: z.union([z.string().max(256), z.number(), z.null()]).optional(),
  method: z.string().max(64),
  params: z.unknown().optional(),
});

/** JSON-RPC's own codes, and the protocol's (specification section 5.4) with their reasons. */
const CODES = {
  invalid_request: [-32600, "INVALID_REQUEST"],
  method_not_found: [-32601, "METHOD_NOT_FOUND"],
  invalid_params: [-32602, "INVALID_PARAMS"],
  internal: [-32603, "INTERNAL"],
  task_not_found: [-32001, "TASK_NOT_FOUND"],
  push_not_supported: [-32003, "PUSH_NOTIFICATION_NOT_SUPPORTED"],
  unsupported: [-32004, "UNSUPPORTED_OPERATION"],
  no_extended_card: [-32007, "EXTENDED_AGENT_CARD_NOT_CONFIGURED"],
  version_not_supported: [-32009, "VERSION_NOT_SUPPORTED"],
} as const;

interface RpcError {
  code: number;
  message: string;
  data: object[];
}

const refuse = (
  code: keyof typeof CODES,
  message: string,
  metadata: Record<string, string> = {},
): RpcError => ({
  code: CODES[code][0],
  message,
  data: [
    {
      "@type": "type.googleapis.com/google.rpc.ErrorInfo",
      reason: CODES[code][1],
      domain: "a2a-protocol.org",
      metadata,
    },
  ],
});

/** A refusal of an operation, with its stable code. */
const ofFailure = ({ code, detail, retryAfterSeconds }: Failure): RpcError =>
  refuse(code === "invalid_request" || code === "invalid_domain" ? "invalid_params" : "internal", detail, {
    code,
    ...(retryAfterSeconds !== undefined && { retry_after_seconds: String(retryAfterSeconds) }),
  });

const NO_TASKS = "This agent answers at once and keeps no tasks.";
/** Methods of the protocol that an agent without state refuses, or answers without looking. */
const FIXED: Readonly<Record<string, () => { result: object } | { error: RpcError }>> = {
  GetTask: () => ({ error: refuse("task_not_found", NO_TASKS) }),
  CancelTask: () => ({ error: refuse("task_not_found", NO_TASKS) }),
  ListTasks: () => ({ result: { tasks: [], nextPageToken: "", pageSize: 50, totalSize: 0 } }),
  SendStreamingMessage: () => ({ error: refuse("unsupported", "This agent does not stream: SendMessage.") }),
  SubscribeToTask: () => ({ error: refuse("unsupported", NO_TASKS) }),
  GetExtendedAgentCard: () => ({ error: refuse("no_extended_card", "The public card is the whole card.") }),
  ...Object.fromEntries(
    ["Create", "Get", "List", "Delete"].map((verb) => [
      `${verb}TaskPushNotificationConfig${verb === "List" ? "s" : ""}`,
      () => ({ error: refuse("push_not_supported", NO_TASKS) }),
    ]),
  ),
};

const sendMessage = async (
  params: unknown,
  caller: OperationCaller,
): Promise<{ result: object } | { error: RpcError }> => {
  const { answerMessage, SendMessageParams } = await import("./message.ts");
  const parsed = SendMessageParams.safeParse(params);
  if (!parsed.success) {
    const { path, message } = parsed.error.issues[0]!;
    return { error: refuse("invalid_params", `params.${path.join(".")}: ${message}`) };
  }
  const { message } = parsed.data;
  if (message.taskId) return { error: refuse("task_not_found", NO_TASKS) };
  const answer = await answerMessage(message, caller);
  return answer instanceof Failure ? { error: ofFailure(answer) } : { result: { message: answer } };
};

const answer = async (
  version: unknown,
  body: unknown,
  caller: OperationCaller,
): Promise<{ id: unknown } & ({ result: object } | { error: RpcError })> => {
  const parsed = Request.safeParse(body);
  if (!parsed.success)
    return { id: null, error: refuse("invalid_request", "Send one JSON-RPC 2.0 request.") };
  const { id = null, method, params } = parsed.data;
  if (version !== "1.0")
    return {
      id,
      error: refuse("version_not_supported", "Send A2A-Version: 1.0; this agent speaks no other."),
    };
  if (method === "SendMessage") return { id, ...(await sendMessage(params, caller)) };
  const fixed = Object.hasOwn(FIXED, method) ? FIXED[method] : undefined;
  return { id, ...(fixed?.() ?? { error: refuse("method_not_found", "No such method of A2A 1.0.") }) };
};

export const registerA2a = (app: FastifyInstance, options: A2aEndpointOptions): void => {
  const origins = allowOrigins(options.corsOrigins);
  app.route({
    method: "POST",
    url: A2A_PATH,
    config: { needsBody: true },
    onRequest: origins,
    bodyLimit: 64 * 1024,
    handler: async (request, reply) => {
      const caller = createFrontCaller(options, {
        headers: request.headers,
        requestId: request.id,
        traceparent: request.getDecorator<string | undefined>("traceparent"),
        host: options.hostOf(request),
        clientAddress: request.ip,
        trustDomain: request.getDecorator<string | undefined>("trustDomain"),
      });
      const said = await answer(request.headers["a2a-version"], request.body, caller);
      return reply.header("cache-control", "no-store").send({ jsonrpc: "2.0", ...said });
    },
  });
  registerOtherMethods(app, A2A_PATH, new Set(["POST"]), origins);
};
