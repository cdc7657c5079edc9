/** Contract → typed calls over NATS, for the front (bytes) and for the CLI (values). */

import { type Msg, type NatsConnection, headers as natsHeaders, TimeoutError } from "@nats-io/nats-core";
import { LRUCache } from "lru-cache";
import { isNoResponders } from "../adapters/nats/requests.ts";
import {
  type Input,
  operationSubject,
  type Reply,
  type RequestContext,
  type Service,
  timeoutOf,
  WIRE,
} from "../rpc/contract.ts";
import { Failure, type FailureDetails, fail, isErrorCode } from "../rpc/errors.ts";
import { cacheLookups } from "../telemetry/instruments.ts";
import { currentTraceparent, traced } from "../telemetry/tracing.ts";

export interface ReplyBytes {
  bytes: Uint8Array;
  /** Entity tag, if the worker sets one: equal tags mean equal bytes. */
  tag: string | undefined;
}

/**
 * A cache of tagged replies with revalidation: every request reaches a worker, so no reply is stale, and an unchanged
 * reply is not sent through the broker again (docs/decisions/0025).
 */
export class ReplyCache {
  readonly #replies: LRUCache<string, ReplyBytes>;

  /** @param maxBytes total size of replies and keys; evicts the least recently used */
  constructor(maxBytes: number) {
    this.#replies = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: ({ bytes }, key) => bytes.length + key.length,
    });
  }

  /** @param key the request: subject and payload */
  get(key: string): ReplyBytes | undefined {
    return this.#replies.get(key);
  }

  /** @returns the cached reply if the worker confirmed its tag, otherwise the new one */
  settle(key: string, known: ReplyBytes | undefined, reply: ReplyBytes): ReplyBytes {
    if (!reply.tag) return reply;
    const isKnown = known?.tag === reply.tag && reply.bytes.length === 0;
    cacheLookups.inc({ cache: "replies", result: isKnown ? "hit" : "miss" });
    if (isKnown) return known;
    // A copy, because the received bytes are a view of the whole socket buffer.
    const kept = { bytes: new Uint8Array(reply.bytes), tag: reply.tag };
    this.#replies.set(key, kept);
    return kept;
  }
}

const requestHeaders = (context: RequestContext, known: ReplyBytes | undefined) => {
  const headers = natsHeaders();
  headers.set(WIRE.context, JSON.stringify(context));
  const traceparent = currentTraceparent();
  if (traceparent) headers.set(WIRE.traceparent, traceparent);
  if (known?.tag) headers.set(WIRE.knownTag, known.tag);
  return headers;
};

const readFailure = (code: string, message: Msg): Failure => {
  const body = message.json<{ detail: string } & FailureDetails>();
  return isErrorCode(code)
    ? fail(code, body.detail, body)
    : fail("internal", `Unknown error code ${code}.`, { brokeOff: true });
};

const isTimeout = (error: unknown): boolean =>
  error instanceof TimeoutError || (error instanceof Error && error.cause instanceof TimeoutError);

const brokerAway = (): Failure =>
  fail("unavailable", "The message broker cannot be reached.", { retryAfterSeconds: 2, brokeOff: true });

/**
 * Sends one request and waits for its reply bytes.
 * @param replyCache cache of earlier replies
 * @returns the reply's bytes, or the failure: the worker's own, `unavailable` if no worker listens or the broker is
 * away, `timeout` if none replies within `context.timeoutMs`.
 */
export const callBytes = (
  connection: NatsConnection,
  subject: string,
  payload: string,
  context: RequestContext,
  replyCache?: ReplyCache,
): Promise<ReplyBytes | Failure> =>
  traced(
    `request ${subject.slice(subject.indexOf(".op.") + ".op.".length)}`,
    { kind: "client", attributes: { "messaging.system": "nats" } },
    async (span) => {
      const reply = await requestBytes(connection, subject, payload, context, replyCache);
      if (reply instanceof Failure) span.fail(reply.code);
      return reply;
    },
  );

const requestBytes = async (
  connection: NatsConnection,
  subject: string,
  payload: string,
  context: RequestContext,
  replyCache?: ReplyCache,
): Promise<ReplyBytes | Failure> => {
  const key = `${subject} ${payload}`;
  const known = replyCache?.get(key);
  try {
    const message = await connection.request(subject, payload, {
      timeout: context.timeoutMs,
      headers: requestHeaders(context, known),
    });
    const code = message.headers?.get(WIRE.error);
    if (code) return readFailure(code, message);
    const reply = { bytes: message.data, tag: message.headers?.get(WIRE.entityTag) || undefined };
    return replyCache ? replyCache.settle(key, known, reply) : reply;
  } catch (error) {
    if (isTimeout(error))
      return fail("timeout", `No worker answered within ${context.timeoutMs} ms.`, { brokeOff: true });
    if (!isNoResponders(error)) return brokerAway();
    const detail = "No worker of this role is running. Start one with `bridge worker`.";
    return fail("unavailable", detail, { retryAfterSeconds: 2 });
  }
};

/** A typed call of one operation, for programs other than the front. */
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
