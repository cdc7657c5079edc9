/**
 * `POST /payments/events`: what the operator's payment provider sends. Its signature is over the bytes as they came, so they are handed on as
 * they are; the role that has the secret verifies them.
 */
import type { FastifyInstance, FastifyRequest } from "fastify";
import { Failure } from "../../src/rpc/errors.ts";
import { MOST_EVENT_BYTES, payments } from "../../workers/accounts/payments/contract.ts";
import { registerOtherMethods } from "./cors.ts";
import type { createInvoke } from "./invoke.ts";
import { sendProblem } from "./refusals.ts";

const [PATH] = payments.operations.receiveEvent.paths;

export const registerPaymentEvents = (
  app: FastifyInstance,
  invokeOf: ReturnType<typeof createInvoke>,
  hostOf: (request: FastifyRequest) => string,
): void => {
  const invoke = invokeOf(payments, "receiveEvent");
  app.route({
    method: "POST",
    url: PATH,
    config: { needsBody: true },
    bodyLimit: MOST_EVENT_BYTES,
    handler: async (request, reply) => {
      const bytes = request.getDecorator<Uint8Array>("bodyBytes");
      const { "stripe-signature": signature = "" } = request.headers;
      const { reply: result } = await invoke({
        principal: undefined,
        // The parser of bodies has refused what is no UTF-8: text and bytes say the same.
        input: { body: { payload: Buffer.from(bytes).toString("utf8"), signature } },
        requestId: request.id,
        traceparent: request.getDecorator<string | undefined>("traceparent"),
        host: hostOf(request),
        clientAddress: request.ip,
      });
      if (result instanceof Failure) return sendProblem(request, reply, result);
      return reply.header("cache-control", "no-store").send({ received: true });
    },
  });
  registerOtherMethods(app, PATH, new Set(["POST"]));
};
