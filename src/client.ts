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

/** Whether the broker is there, and who must be told when it goes: requests would else wait for their whole deadline. */
interface Link {
  up: boolean;
  readonly waiting: Set<(reason: Error) => void>;
}
const links = new WeakMap<NatsConnection, Link>();

const followLink = async (connection: NatsConnection, link: Link): Promise<void> => {
  for await (const { type } of connection.status()) {
    if (type === "reconnect") link.up = true;
    if (type !== "disconnect" && type !== "close") continue;
    link.up = false;
    for (const leave of link.waiting) leave(new Error("the broker is away"));
  }
};

/** The connection's link, watched from the first call on: call it when the connection is made. */
export const watchLink = (connection: NatsConnection): Link => {
  const known = links.get(connection);
  if (known) return known;
  const link: Link = { up: !connection.isClosed(), waiting: new Set() };
  links.set(connection, link);
  void followLink(connection, link);
  return link;
};

const brokerAway = (): Failure =>
  fail("unavailable", "The message broker cannot be reached.", { retryAfterSeconds: 2 });

/** The reply, or a rejection as soon as the broker is lost. */
const requestWhileUp = async (
  connection: NatsConnection,
  link: Link,
  subject: string,
  payload: string,
  context: RequestContext,
): Promise<Msg> => {
  const { promise: lost, reject } = Promise.withResolvers<never>();
  link.waiting.add(reject);
  try {
    const options = { timeout: context.timeoutMs, headers: requestHeaders(context) };
    return await Promise.race([connection.request(subject, payload, options), lost]);
  } finally {
    link.waiting.delete(reject);
  }
};

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
): Promise<Uint8Array | Failure> => {
  const link = watchLink(connection);
  if (!link.up) return brokerAway();
  try {
    const message = await requestWhileUp(connection, link, subject, payload, context);
    const code = message.headers?.get(WIRE.error);
    return code ? readFailure(code, message) : message.data;
  } catch (error) {
    if (isTimeout(error)) return fail("timeout", `No worker answered within ${context.timeoutMs} ms.`);
    if (!isNoResponders(error)) return brokerAway();
    return fail("unavailable", "No worker of this role is running. Start one with `bridge worker`.", {
      retryAfterSeconds: 2,
    });
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
  const context = { requestId: "cli", timeoutMs: timeoutOf(spec), host: "", clientAddress: "" };
  const subject = operationSubject(prefix, service.name, operation);
  const reply = await callBytes(connection, subject, JSON.stringify(input), context);
  return reply instanceof Failure ? reply : JSON.parse(new TextDecoder().decode(reply));
};
