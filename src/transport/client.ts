/** Contract → typed calls over NATS, for the front (bytes) and for the CLI (values). */

import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { type NatsConnection, headers as natsHeaders, TimeoutError } from "@nats-io/nats-core";
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
import { Failure, type FailureDetails, fail, isErrorCode, isPassing } from "../rpc/errors.ts";
import { cacheLookups, repeatedRequests } from "../telemetry/instruments.ts";
import { currentTraceparent, traced } from "../telemetry/tracing.ts";
import type { Attempts } from "./attempts.ts";
import { type ReplyMessage, requestLocally } from "./local.ts";

export interface ReplyBytes {
  bytes: Uint8Array;
  /** Entity tag, if the worker sets one: equal tags mean equal bytes. */
  tag: string | undefined;
  /** Of an earlier reply in place of one that cannot be had: seconds since a worker gave it. */
  staleSeconds?: number | undefined;
}

interface KeptReply extends ReplyBytes {
  /** When a worker gave or confirmed it, monotonic milliseconds. */
  receivedAtMs: number;
}

const keptReplies = (maxBytes: number) =>
  new LRUCache<string, KeptReply>({
    maxSize: maxBytes,
    sizeCalculation: ({ bytes }, key) => bytes.length + key.length,
  });

/**
 * A cache of tagged replies with revalidation: every request reaches a worker, and an unchanged reply is not sent
 * through the broker again (docs/decisions/0025). Beside them, untagged replies of operations that may answer with an
 * earlier one where no new one can be had (docs/decisions/0134).
 */
export class ReplyCache {
  readonly #tagged: LRUCache<string, KeptReply>;
  readonly #untagged: LRUCache<string, KeptReply>;

  /** @param maxBytes total size of replies and keys, of either kind; evicts the least recently used */
  constructor(maxBytes: number) {
    this.#tagged = keptReplies(maxBytes);
    this.#untagged = keptReplies(maxBytes);
  }

  /** @param key the request: subject and payload */
  get(key: string): ReplyBytes | undefined {
    return this.#tagged.get(key);
  }

  /**
   * @param keepUntagged whether the reply may be needed again though it has no tag
   * @returns the cached reply if the worker confirmed its tag, otherwise the new one
   */
  settle(key: string, known: ReplyBytes | undefined, reply: ReplyBytes, keepUntagged = false): ReplyBytes {
    const receivedAtMs = performance.now();
    const isKnown = reply.tag !== undefined && known?.tag === reply.tag && reply.bytes.length === 0;
    if (reply.tag) cacheLookups.inc({ cache: "replies", result: isKnown ? "hit" : "miss" });
    if (isKnown) {
      (known as KeptReply).receivedAtMs = receivedAtMs;
      return known;
    }
    if (!reply.tag && !keepUntagged) return reply;
    // A copy, because the received bytes are a view of the whole socket buffer.
    const kept = { bytes: new Uint8Array(reply.bytes), tag: reply.tag, receivedAtMs };
    (reply.tag ? this.#tagged : this.#untagged).set(key, kept);
    return kept;
  }

  /** An earlier reply to the same request, no older than so many seconds. */
  stale(key: string, maxAgeSeconds: number): ReplyBytes | undefined {
    const kept = this.#tagged.get(key) ?? this.#untagged.get(key);
    if (kept === undefined) return undefined;
    const staleSeconds = Math.floor((performance.now() - kept.receivedAtMs) / 1_000);
    return staleSeconds > maxAgeSeconds ? undefined : { bytes: kept.bytes, tag: kept.tag, staleSeconds };
  }
}

const decoder = new TextDecoder();

/** What a call may bring along. */
export interface CallOptions {
  /** Cache of earlier replies. */
  replyCache?: ReplyCache | undefined;
  /** Whether the cache keeps an untagged reply, too. */
  keepUntagged?: boolean;
  /** The broker's clock, in milliseconds: by it a worker knows how long the request was on its way. */
  now?: (() => number) | undefined;
  /** Aborts when nobody waits for the reply any more; the worker is told at `cancelled`. */
  signal?: AbortSignal | undefined;
  /** Subject on which workers are told that a request was given up (cancelSubject). */
  cancelled?: string;
  /** Asks again while workers come and go; without it, once. */
  attempts?: Attempts;
  /** With `attempts`: whether it may be done twice. */
  isRead?: boolean;
}

/** Between attempts of a read whose worker could not finish it. */
const REPEAT_PAUSES_MS = [100, 400];

/** The request as caches know it. */
export const replyKey = (subject: string, payload: string): string => `${subject} ${payload}`;

/**
 * Sends one request and waits for its reply bytes.
 * @param payload as bytes, where it is large: no reply to it is kept
 * @returns the reply's bytes, or the failure: the worker's own, `unavailable` if no worker listens or the broker is
 * away or nobody waits for the reply any more, `timeout` if none replies within `context.timeoutMs`.
 */
export const callBytes = (
  connection: NatsConnection,
  subject: string,
  payload: string | Uint8Array,
  context: RequestContext,
  options: CallOptions = {},
): Promise<ReplyBytes | Failure> =>
  traced(
    `request ${subject.slice(subject.indexOf(".op.") + ".op.".length)}`,
    { kind: "client", attributes: { "messaging.system": "nats" } },
    async (span) => {
      const reply = await requestBytes(connection, subject, payload, context, options);
      if (reply instanceof Failure) span.fail(reply.code);
      return reply;
    },
  );

async function requestBytes(
  connection: NatsConnection,
  subject: string,
  payload: string | Uint8Array,
  context: RequestContext,
  options: CallOptions,
): Promise<ReplyBytes | Failure> {
  const { attempts, isRead, signal } = options;
  const giveUpAtMs = performance.now() + context.timeoutMs;
  const ask = (timeoutMs: number) =>
    requestOnce(connection, subject, payload, { ...context, timeoutMs }, options);
  let reply = await ask(context.timeoutMs);
  for (const pauseMs of attempts && isRead ? REPEAT_PAUSES_MS : []) {
    const waitMs = pauseMs * (0.5 + Math.random());
    const leftMs = Math.floor(giveUpAtMs - performance.now() - waitMs);
    if (!brokeOffOnTheWay(reply) || signal?.aborted || leftMs <= 0 || !attempts!.mayRepeat()) break;
    repeatedRequests.inc({ why: "broke_off" });
    await delay(waitMs);
    reply = await ask(leftMs);
  }
  return reply;
}

async function requestOnce(
  connection: NatsConnection,
  subject: string,
  payload: string | Uint8Array,
  context: RequestContext,
  { replyCache, keepUntagged, now, signal, cancelled, attempts, isRead = false }: CallOptions,
): Promise<ReplyBytes | Failure> {
  const key = typeof payload === "string" ? replyKey(subject, payload) : undefined;
  const known = key === undefined ? undefined : replyCache?.get(key);
  const call = cancelled && signal ? randomUUID() : undefined;
  const send = async (to: string, timeoutMs: number): Promise<ReplyMessage> => {
    const how = {
      timeout: timeoutMs,
      headers: requestHeaders({ ...context, timeoutMs }, known, now, call),
    };
    return requestLocally(connection, to, payload, how) ?? connection.request(to, payload, how);
  };
  try {
    const request = attempts
      ? attempts.make(subject, isRead, context.timeoutMs, send)
      : send(subject, context.timeoutMs);
    const answer = signal ? await unlessAborted(request, signal) : await request;
    if (answer === undefined) {
      if (cancelled && call) connection.publish(cancelled, call);
      return fail("unavailable", "The caller has gone away.", { brokeOff: true });
    }
    const code = answer.headers?.get(WIRE.error);
    if (code) return readFailure(code, answer);
    const reply = { bytes: answer.data, tag: answer.headers?.get(WIRE.entityTag) || undefined };
    return replyCache && key !== undefined ? replyCache.settle(key, known, reply, keepUntagged) : reply;
  } catch (error) {
    if (isTimeout(error))
      return fail("timeout", `No worker answered within ${context.timeoutMs} ms.`, { brokeOff: true });
    if (!isNoResponders(error)) return brokerAway();
    const detail = "No worker of this role is running. Start one with `bridge worker`.";
    return fail("unavailable", detail, { retryAfterSeconds: 2 });
  }
}

/** A typed call of one operation, for programs other than the front. */
export async function callOperation<S extends Service, K extends keyof S["operations"] & string>(
  connection: NatsConnection,
  prefix: string,
  service: S,
  operation: K,
  input: Partial<Input<S["operations"][K]>>,
): Promise<Reply<S["operations"][K]> | Failure> {
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
  return reply instanceof Failure ? reply : JSON.parse(decoder.decode(reply.bytes));
}

function requestHeaders(
  context: RequestContext,
  known: ReplyBytes | undefined,
  now: (() => number) | undefined,
  call: string | undefined,
) {
  const headers = natsHeaders();
  headers.set(WIRE.context, JSON.stringify(context));
  const traceparent = currentTraceparent();
  if (traceparent) headers.set(WIRE.traceparent, traceparent);
  if (call) headers.set(WIRE.call, call);
  if (now) headers.set(WIRE.sentAt, now().toFixed(1));
  if (known?.tag) headers.set(WIRE.knownTag, known.tag);
  return headers;
}

/** The reply, or undefined when nobody waits for it any more. */
async function unlessAborted(
  request: Promise<ReplyMessage>,
  signal: AbortSignal,
): Promise<ReplyMessage | undefined> {
  const { promise: aborted, resolve } = Promise.withResolvers<undefined>();
  const onAbort = (): void => resolve(undefined);
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    return await Promise.race([request, aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

function readFailure(code: string, { data }: ReplyMessage): Failure {
  const body = JSON.parse(decoder.decode(data)) as { detail: string } & FailureDetails;
  return isErrorCode(code)
    ? fail(code, body.detail, body)
    : fail("internal", `Unknown error code ${code}.`, { brokeOff: true });
}

const isTimeout = (error: unknown): boolean =>
  error instanceof TimeoutError || (error instanceof Error && error.cause instanceof TimeoutError);

const brokerAway = (): Failure =>
  fail("unavailable", "The message broker cannot be reached.", { retryAfterSeconds: 2, brokeOff: true });

/** Whether another worker, or the same a moment later, may answer where this one could not. */
const brokeOffOnTheWay = (reply: ReplyBytes | Failure): boolean =>
  reply instanceof Failure && isPassing(reply.code) && reply.brokeOff === true && !reply.overloaded;
