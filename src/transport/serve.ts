/**
 * Contract → NATS subscriptions: serves every operation of a service with its handler, and counts requests for metrics.
 */
import { hash } from "node:crypto";
import {
  type Msg,
  type NatsConnection,
  headers as natsHeaders,
  nuid,
  type Subscription,
} from "@nats-io/nats-core";
import type { Logger } from "pino";
import { z } from "zod";
import { isStorageFull } from "../adapters/nats/fill.ts";
import { isBrokerFault, isRequest, watchConnection } from "../adapters/nats/requests.ts";
import { type OnChange, warnOnChange } from "../concurrency/warn-on-change.ts";
import { IndexUnavailable } from "../ports/index.ts";
import {
  cancelSubject,
  directSubject,
  type Handlers,
  liveSubject,
  type OperationSpec,
  operationSubject,
  type RequestContext,
  type Service,
  StoredReply,
  timeoutOf,
  WIRE,
} from "../rpc/contract.ts";
import { Failure, fail, storageFull } from "../rpc/errors.ts";
import type { OperationStats, RunningService } from "../rpc/serving.ts";
import { parseInput } from "../rpc/validation.ts";
import { operationSeconds, secondsSince } from "../telemetry/instruments.ts";
import { parseTraceparent, withinScope } from "../telemetry/scope.ts";
import { traced } from "../telemetry/tracing.ts";
import { beatOnce } from "../threads/watchdog.ts";
import { type RequestMessage, serveLocally } from "./local.ts";

/** Maximum requests of one service in a process: fronts send fewer (concurrency.ts); beyond it callers get `unavailable`. */
const MAX_IN_FLIGHT = 1_024;

type AnyHandler = (input: unknown, context: RequestContext) => Promise<unknown>;

type Outcome = "ok" | "failure" | "fault";

/** The broker's clock as a process knows it (ports/broker.ts). */
export interface SharedClock {
  now(): number;
  clockErrorMs(): number;
}

/** One operation of a service that is served. */
interface Served {
  service: string;
  name: string;
  clock: SharedClock | undefined;
  /** What ends the calls under way, by the calls' names. */
  cancels: Map<string, () => void>;
  operation: OperationSpec;
  handler: AnyHandler;
  stats: OperationStats;
  changes: OnChange;
  /** The context of a request that says nothing of itself. */
  defaults: RequestContext;
}

const CLOSE = Buffer.from("}");
const NO_BYTES = new Uint8Array();
const withoutMember = new WeakMap<OperationSpec, z.ZodObject>();

/** A serialized reply around a stored member, cached as long as the member, so that a popular page is assembled once. */
interface Whole {
  rest: string;
  bytes: Uint8Array;
  tag: string;
}
const wholes = new WeakMap<Uint8Array, Whole>();

/** Where an operation's requests come from, until `end`. */
interface Source {
  subscriptions: Subscription[];
  /** Ends what comes without the broker. */
  end: () => void;
}

/**
 * Subscribes a service's handlers in a queue group, so that workers share the requests.
 * @param prefix prefix of every subject (BRIDGE_NATS_PREFIX)
 * @param clock by it a worker knows how long a request was on its way; without it, none was
 */
export function serve<S extends Service>(
  connection: NatsConnection,
  prefix: string,
  service: S,
  handlers: Handlers<S>,
  log: Logger,
  clock?: SharedClock,
): RunningService {
  const cancels = new Map<string, () => void>();
  const stats = new Map<string, OperationStats>();
  const operations: { subject: string; served: Served }[] = [];
  const underWay = new Set<Promise<void>>();
  /** Of this process, for the service. */
  const id = nuid.next();
  const changes = warnOnChange(log);
  const take = (message: RequestMessage, served: Served): void => {
    beatOnce(message.subject);
    if (underWay.size >= MAX_IN_FLIGHT) return void respondFailure(message, atLimit());
    const work = answerObserved(message, served, log).finally(() => underWay.delete(work));
    underWay.add(work);
  };
  for (const [name, operation] of Object.entries(service.operations)) {
    const served: Served = {
      service: service.name,
      name,
      operation,
      handler: (handlers as Record<string, AnyHandler>)[name]!,
      stats: { requests: 0, failures: 0, faults: 0, processingMs: 0 },
      clock,
      cancels,
      changes,
      defaults: {
        requestId: "",
        timeoutMs: timeoutOf(operation),
        host: "",
        clientAddress: "",
        principal: undefined,
        allowances: [],
      },
    };
    stats.set(name, served.stats);
    operations.push({ subject: operationSubject(prefix, service.name, name), served });
  }
  const begin = () => subscribeAll(connection, { operations, id, take, underWay: () => underWay.size });
  // To every process that serves it, since nobody knows which one has the request; outside of the queue group.
  const cancelled = connection.subscribe(cancelSubject(prefix, service.name), {
    callback: (_: Error | null, message: Msg) => cancels.get(message.string())?.(),
  });
  // A front that waits in vain asks who is there, and goes on with whoever answers first (attempts.ts).
  let isThere = true;
  const live = connection.subscribe(liveSubject(prefix, service.name), {
    callback: (_: Error | null, message: Msg) => void (isThere && isRequest(message) && message.respond(id)),
  });
  let sources = begin();
  const state = watchConnection(connection);
  const pause = async (): Promise<void> => {
    isThere = false;
    // A drain waits for the broker. Without a connection no request can arrive anyway.
    for (const { end } of sources) end();
    const subscriptions = sources.flatMap((source) => source.subscriptions);
    await Promise.all(subscriptions.map((each) => (state.up ? each.drain() : each.unsubscribe())));
    await Promise.all(underWay);
  };
  const resume = (): void => {
    isThere = true;
    sources = begin();
  };
  const remove = state.add({ pause, resume });
  return {
    service,
    stats,
    drain: async () => {
      remove();
      live.unsubscribe();
      await pause();
      cancelled.unsubscribe();
    },
  };
}

function respondFailure(message: RequestMessage, failure: Failure): void {
  const headers = natsHeaders();
  headers.set(WIRE.error, failure.code);
  const { detail, errors, retryAfterSeconds, brokeOff, overloaded, callerOverloaded } = failure;
  const more = { errors, retryAfterSeconds, brokeOff, overloaded, callerOverloaded };
  message.respond(JSON.stringify({ detail, ...more }), { headers });
}

function respond(message: RequestMessage, operation: OperationSpec, result: unknown): void {
  if (!(result instanceof StoredReply)) {
    message.respond(replyText(operation, result));
    return;
  }
  const { bytes, tag } = wholeReply(operation, result);
  const headers = natsHeaders();
  headers.set(WIRE.entityTag, tag);
  message.respond(message.headers?.get(WIRE.knownTag) === tag ? NO_BYTES : bytes, { headers });
}

/** The reply as text or bytes, validated by its schema. */
function replyText(operation: OperationSpec, result: unknown): string | Uint8Array {
  const { contentType = "application/json" } = operation;
  if (contentType === "application/octet-stream") return operation.reply.parse(result) as Uint8Array;
  const reply = operation.reply.parse(result);
  return contentType === "application/json" ? JSON.stringify(reply) : String(reply);
}

/** Serializes a stored reply. The stored member was validated when it was stored; this validates the rest. */
function wholeReply(
  operation: OperationSpec,
  { member, rest, json }: StoredReply<Record<string, unknown>>,
): Whole {
  let schema = withoutMember.get(operation);
  if (!schema) {
    if (!(operation.reply instanceof z.ZodObject)) throw new TypeError("only an object has stored members");
    schema = operation.reply.omit({ [member]: true } as Record<string, true>) as z.ZodObject;
    withoutMember.set(operation, schema);
  }
  const text = JSON.stringify(schema.parse(rest));
  const known = wholes.get(json);
  if (known?.rest === text) return known;
  const bytes = Buffer.concat([Buffer.from(`${text.slice(0, -1)},"${member}":`), json, CLOSE]);
  const whole = { rest: text, bytes, tag: hash("sha256", bytes, "base64url") };
  wholes.set(json, whole);
  return whole;
}

const atLimit = (): Failure =>
  fail("unavailable", "This worker is at its limit of concurrent requests.", {
    retryAfterSeconds: 1,
    overloaded: true,
  });

/** Answers as part of the request's trace, whose ids every line that is logged meanwhile has. */
function answerObserved(message: RequestMessage, served: Served, log: Logger): Promise<void> {
  const context = contextOf(message, served);
  const given = message.headers?.get(WIRE.traceparent);
  const traceparent = parseTraceparent(given) ? given : undefined;
  const { service, name: operation } = served;
  return withinScope({ requestId: context.requestId, traceparent }, () =>
    traced(`${service}.${operation}`, { kind: "server", parent: traceparent }, async (span) => {
      const startedMs = performance.now();
      const outcome = await answer(message, served, context, log);
      operationSeconds.observe({ service, operation, outcome }, secondsSince(startedMs));
      if (outcome === "fault") span.fail(outcome);
    }),
  );
}

/**
 * The context from the front. With a broker user per role, only the front and the operator may publish here
 * (rights.ts).
 */
const contextOf = (message: RequestMessage, { defaults }: Served): RequestContext => ({
  ...defaults,
  ...readObject(message.headers?.get(WIRE.context) ?? ""),
});

function readObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Answers one request: parse, handle, validate the reply, respond. A handler that throws or a reply that violates its
 * contract is a bug: the caller gets `internal`, the log the reason.
 */
async function answer(
  message: RequestMessage,
  served: Served,
  context: RequestContext,
  log: Logger,
): Promise<Outcome> {
  const { operation, stats } = served;
  const startedMs = performance.now();
  stats.requests++;
  try {
    const result = await handle(message, served, context);
    if (result instanceof Failure) {
      stats.failures++;
      respondFailure(message, result);
      return "failure";
    }
    respond(message, operation, result);
    return "ok";
  } catch (error) {
    stats.faults++;
    respondFailure(message, failureOf(error, served, log));
    return "fault";
  } finally {
    stats.processingMs += performance.now() - startedMs;
  }
}

/** Input that fits the contract is handled, unless its caller's deadline has passed. */
async function handle(message: RequestMessage, served: Served, context: RequestContext): Promise<unknown> {
  const { operation, clock } = served;
  const timeoutMs = Math.floor(context.timeoutMs - wayMs(message, clock));
  if (timeoutMs <= 0)
    return fail("unavailable", "Too late: too much was asked before it. Nothing was done.", {
      retryAfterSeconds: 1,
      overloaded: true,
    });
  const raw = readObject(message.string());
  if (!raw) return fail("invalid_request", "The request is not a JSON object.");
  const input = parseInput(operation, raw);
  if (input instanceof Failure) return input;
  return withinDeadline(served, input, { ...context, timeoutMs }, message.headers?.get(WIRE.call));
}

/** Milliseconds that a request was on its way, at least: the two clocks' errors are in the caller's favor. */
function wayMs(message: RequestMessage, clock: SharedClock | undefined): number {
  const sentAt = Number(message.headers?.get(WIRE.sentAt) || Number.NaN);
  if (clock === undefined || Number.isNaN(sentAt)) return 0;
  return Math.max(0, clock.now() - sentAt - 2 * clock.clockErrorMs());
}

/**
 * The handler's result, or `timeout` at the caller's deadline, so that a hung handler is waited for no longer. What only reads
 * is told to stop then, and when its caller has gone away; what makes something ends what it began.
 */
async function withinDeadline(
  { handler, operation, cancels }: Served,
  input: unknown,
  context: RequestContext,
  call: string | undefined,
): Promise<unknown> {
  const { timeoutMs } = context;
  const { promise: stopped, resolve } = Promise.withResolvers<Failure>();
  const stopping = operation.makes ? undefined : new AbortController();
  const stop = (why: Failure): void => {
    resolve(why);
    stopping?.abort();
  };
  const late = () => fail("timeout", `The operation took longer than ${timeoutMs} ms.`, { brokeOff: true });
  const timer = setTimeout(() => stop(late()), timeoutMs);
  if (stopping && call) cancels.set(call, () => stop(gone()));
  try {
    return await Promise.race([handler(input, { ...context, signal: stopping?.signal }), stopped]);
  } finally {
    clearTimeout(timer);
    if (call) cancels.delete(call);
  }
}

const gone = () => fail("unavailable", "The caller has gone away.", { brokeOff: true });

/** Maps a thrown error to a failure: an unavailable broker or index is transient, not a bug of the operation. */
function failureOf(error: unknown, { service, name, changes }: Served, log: Logger): Failure {
  const subject = `${service}.${name}`;
  if (isStorageFull(error)) {
    changes.warn(`${subject}: the store is full`, error);
    return storageFull({ brokeOff: true });
  }
  if (isBrokerFault(error)) {
    changes.warn(`${subject}: the broker did not answer`, error);
    return fail("unavailable", "The message broker does not answer.", {
      retryAfterSeconds: 2,
      brokeOff: true,
    });
  }
  if (error instanceof IndexUnavailable) {
    changes.warn(`${subject}: the index did not answer`, error);
    const { isBusy: overloaded } = error;
    return fail("unavailable", "The index does not answer.", {
      retryAfterSeconds: 2,
      brokeOff: true,
      overloaded,
    });
  }
  log.error({ err: error, subject }, "operation failed");
  return fail("internal", "The error is logged under this request id.", { brokeOff: true });
}

/** Takes each operation's requests: those of the queue group, those that are meant for this process, and its own. */
const subscribeAll = (
  connection: NatsConnection,
  {
    operations,
    id,
    take,
    underWay,
  }: {
    operations: readonly { subject: string; served: Served }[];
    id: string;
    take: (message: RequestMessage, served: Served) => void;
    underWay: () => number;
  },
): Source[] =>
  operations.map(({ subject, served }) => {
    const callback = (_: Error | null, message: Msg): void => {
      if (isRequest(message)) take(message, served);
    };
    return {
      subscriptions: [
        connection.subscribe(subject, { queue: "bridge", callback }),
        connection.subscribe(directSubject(subject, id), { callback }),
      ],
      end: serveLocally(connection, subject, { take: (request) => take(request, served), underWay }),
    };
  });
