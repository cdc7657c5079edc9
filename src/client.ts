/** Contract → typed calls over NATS, for the front (bytes) and for the CLI (values). */
import {
  type Msg,
  type NatsConnection,
  NoRespondersError,
  headers as natsHeaders,
  RequestError,
  TimeoutError,
} from "@nats-io/nats-core";
import {
  type Input,
  operationSubject,
  type Reply,
  type RequestContext,
  type Service,
  timeoutOf,
  WIRE,
} from "./contract.ts";
import { Failure, type Fault, fail, isErrorCode } from "./errors.ts";

const requestHeaders = (context: RequestContext) => {
  const headers = natsHeaders();
  headers.set(WIRE.requestId, context.requestId);
  headers.set(WIRE.timeoutMs, String(context.timeoutMs));
  if (context.host) headers.set(WIRE.host, context.host);
  if (context.principal) headers.set(WIRE.principal, JSON.stringify(context.principal));
  if (context.allowances.length > 0) headers.set(WIRE.allowances, JSON.stringify(context.allowances));
  if (context.trustDomain) headers.set(WIRE.trustDomain, context.trustDomain);
  if (context.clientAddress) headers.set(WIRE.clientAddress, context.clientAddress);
  return headers;
};

const readFailure = (code: string, message: Msg): Failure => {
  const body = message.json<{ detail: string; errors?: Fault[]; retryAfterSeconds?: number }>();
  return isErrorCode(code) ? fail(code, body.detail, body) : fail("internal", `Unknown error code ${code}.`);
};

const isNoResponders = (error: unknown): boolean =>
  error instanceof NoRespondersError || (error instanceof RequestError && error.isNoResponders());
const isTimeout = (error: unknown): boolean =>
  error instanceof TimeoutError || (error instanceof Error && error.cause instanceof TimeoutError);

const brokerAway = (): Failure =>
  fail("unavailable", "The message broker cannot be reached.", { retryAfterSeconds: 2 });

export interface ReplyBytes {
  bytes: Uint8Array;
  /** Where the worker knows one: equal for equal bytes. */
  tag: string | undefined;
}

/**
 * Sends one request and waits for its reply bytes.
 * @returns the reply's bytes, or the failure: the worker's own, `unavailable` when no worker listens or the broker
 *   is away, `timeout` when none answered within `context.timeoutMs`.
 */
export const callBytes = async (
  connection: NatsConnection,
  subject: string,
  payload: string,
  context: RequestContext,
): Promise<ReplyBytes | Failure> => {
  try {
    const message = await connection.request(subject, payload, {
      timeout: context.timeoutMs,
      headers: requestHeaders(context),
    });
    const code = message.headers?.get(WIRE.error);
    if (code) return readFailure(code, message);
    return { bytes: message.data, tag: message.headers?.get(WIRE.entityTag) || undefined };
  } catch (error) {
    if (isTimeout(error)) return fail("timeout", `No worker answered within ${context.timeoutMs} ms.`);
    if (!isNoResponders(error)) return brokerAway();
    const detail = "No worker of this role is running. Start one with `bridge worker`.";
    return fail("unavailable", detail, { retryAfterSeconds: 2 });
  }
};

/** A typed call of one operation, for programs that are not the front. */
export const call = async <S extends Service, K extends keyof S["operations"] & string>(
  connection: NatsConnection,
  prefix: string,
  service: S,
  operation: K,
  input: Partial<Input<S["operations"][K]>>,
): Promise<Reply<S["operations"][K]> | Failure> => {
  const spec = service.operations[operation]!;
  const context = {
    requestId: "cli",
    timeoutMs: timeoutOf(spec),
    host: "",
    clientAddress: "",
    principal: undefined,
    allowances: [],
  };
  const subject = operationSubject(prefix, service.name, operation);
  const reply = await callBytes(connection, subject, JSON.stringify(input), context);
  return reply instanceof Failure ? reply : JSON.parse(new TextDecoder().decode(reply.bytes));
};
