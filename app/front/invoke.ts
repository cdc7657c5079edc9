/** One call of an operation, over HTTP or the websocket: validates the input, charges limits, and calls a worker. */
import { hash } from "node:crypto";
import type { NatsConnection } from "@nats-io/nats-core";
import {
  cancelSubject,
  type OperationSpec,
  operationSubject,
  type Principal,
  type RemainingQuota,
  type Service,
  timeoutOf,
} from "../../src/rpc/contract.ts";
import { Failure, fail, isPassing } from "../../src/rpc/errors.ts";
import { type CountedLimit, LIMITS_OF_CREDENTIAL, type Units } from "../../src/rpc/limit-table.ts";
import type { RateDecision } from "../../src/rpc/limits.ts";
import { parseRequest } from "../../src/rpc/validation.ts";
import type { AuditLog } from "../../src/stores/operators.ts";
import { withinScope } from "../../src/telemetry/scope.ts";
import { traced } from "../../src/telemetry/tracing.ts";
import { attemptsOf } from "../../src/transport/attempts.ts";
import { callBytes, type ReplyBytes, type ReplyCache, replyKey } from "../../src/transport/client.ts";
import {
  type CallerOrigin,
  type Concurrency,
  concurrencyOf,
  type Permit,
} from "../../src/transport/concurrency.ts";
import type { AccessControl } from "./access/access.ts";
import { isLargeBody } from "./bodies.ts";
import type { Idempotency, KeyClaim, KeyedCall } from "./idempotency.ts";
import { readIdempotencyKey } from "./idempotency-key.ts";
import { originOfAddress, type ScopedSemaphore } from "./limits.ts";

export interface Invocation {
  /** The caller, as identified by access control. */
  principal: Principal | undefined;
  /** The input as sent, with query strings decoded. */
  input: { params?: unknown; query?: unknown; body?: unknown };
  /** The body as it was sent, strict JSON; undefined: it is not known, or there is none. */
  sent?: Uint8Array | undefined;
  requestId: string;
  /** Of the request's span, or as the caller gave it; undefined: as in the current scope. */
  traceparent?: string | undefined;
  /** The requested host; "" if there is none. */
  host: string;
  clientAddress: string;
  /** Domain that signed the request, if any. */
  trustDomain?: string | undefined;
  /** The Idempotency-Key as sent; operations that make nothing ignore it. */
  idempotencyKey?: unknown;
  /** The credential as sent: the reply that is kept for the key is encrypted under it. */
  credential?: string | undefined;
  /** Aborts when the caller has gone away. */
  signal?: AbortSignal | undefined;
  /** That it was given before it was read; undefined: it is asked for now. */
  permit?: Permit | undefined;
  /** What it was charged before its body was read; undefined: nothing yet. */
  paid?: RateDecision | undefined;
}

export interface InvocationResult {
  reply: ReplyBytes | Failure;
  /** What is left of the charged limits. */
  allowances: readonly RemainingQuota[];
  /** The reply is that of an earlier request with the same Idempotency-Key; nothing was done now. */
  replayed?: true;
}

/** Calls one operation. */
export interface Invoke {
  (invocation: Invocation): Promise<InvocationResult>;
  /** The reply of an operation that answers an anonymous caller with what is known here; undefined: a worker is asked. */
  constant(principal: Principal | undefined): ReplyBytes | undefined;
  /** Admits a call, or refuses it, before it is read. */
  admit(asking: CallerOrigin): Failure | Permit;
  /**
   * Charges a call before its body is read, for a body that costs something to read.
   * @returns undefined where nothing is charged, or what is charged follows from the body
   */
  charge(principal: Principal | undefined, clientAddress: string): Promise<RateDecision | undefined>;
}

export interface InvokeOptions {
  connection: NatsConnection;
  prefix: string;
  /** The broker's clock, in milliseconds (transport/client.ts). */
  now?: (() => number) | undefined;
  /** Not needed if no operation requires a credential or names a limit. */
  access?: AccessControl | undefined;
  replyCache?: ReplyCache;
  /** Permits of anonymous callers, held during the call. */
  underWay?: ScopedSemaphore;
  /** Without it, an Idempotency-Key is ignored. */
  idempotency?: Idempotency | undefined;
  /** Where acts of operators are noted. */
  audit?: AuditLog | undefined;
}

const CALLERS = Object.keys(LIMITS_OF_CREDENTIAL) as (keyof typeof LIMITS_OF_CREDENTIAL)[];

const encoder = new TextEncoder();
const CLOSE = encoder.encode("}");

type Called = Pick<InvocationResult, "reply" | "replayed">;

/** What the calls of one operation have in common. */
interface Prepared {
  service: Service;
  name: string;
  operation: OperationSpec;
  subject: string;
  /** Where its workers are told that a caller has gone. */
  cancelled: string;
  /** Whether it may be done twice: what asks a site would ask it twice. */
  isRead: boolean;
  timeoutMs: number;
  concurrency: Concurrency;
  /** Rows of the limit table that a call of each kind of caller is charged to. */
  rowsOf: Record<(typeof CALLERS)[number], [CountedLimit, Units][]>;
}

/** @returns what calls an operation; all that is the same for every call of it is worked out once, and its concurrency is one */
export function createInvoke(options: InvokeOptions) {
  const known = new Map<OperationSpec, Invoke>();
  return (service: Service, name: string): Invoke => {
    const operation = service.operations[name]!;
    const invoke = known.get(operation) ?? invokeOf(options, service, name);
    known.set(operation, invoke);
    return invoke;
  };
}

function invokeOf(options: InvokeOptions, service: Service, name: string): Invoke {
  const prepared = prepare(options, service, name);
  const { operation, subject, concurrency, timeoutMs } = prepared;
  const { staleIfErrorSeconds } = operation;
  const call = async (invocation: Invocation): Promise<InvocationResult> => {
    const input = parseRequest(operation, invocation.input);
    if (input instanceof Failure) return { reply: input, allowances: [] };
    const permit = invocation.permit ?? concurrency.admit(originOfAddress(invocation.clientAddress));
    let allowances: readonly RemainingQuota[] = [];
    let replayed: true | undefined;
    const reply =
      permit instanceof Failure
        ? permit
        : await permit.run(async () => {
            const giveUpAtMs = permit.atMs + timeoutMs;
            const called = await chargeAndCall(options, prepared, invocation, input, giveUpAtMs);
            ({ allowances, replayed } = called);
            return called.reply;
          });
    const stale =
      staleIfErrorSeconds !== undefined && mayBeStale(reply)
        ? options.replyCache?.stale(replyKey(subject, JSON.stringify(input)), staleIfErrorSeconds)
        : undefined;
    return { reply: stale ?? reply, allowances, ...(replayed && { replayed }) };
  };
  const { constant: value } = operation;
  let last: { text: string; reply: ReplyBytes } | undefined;
  const constant: Invoke["constant"] = (principal) => {
    if (!value || principal) return undefined;
    const text = JSON.stringify(value());
    if (last?.text !== text) {
      const bytes = encoder.encode(text);
      last = { text, reply: { bytes, tag: hash("sha1", bytes, "base64url") } };
    }
    return last.reply;
  };
  const invoke = async (invocation: Invocation): Promise<InvocationResult> => {
    const { requestId, traceparent } = invocation;
    const known = constant(invocation.principal);
    if (known) return { reply: known, allowances: [] };
    // A request's body is read in the turns of its socket, which belong to no trace: it is taken up again here.
    return withinScope({ requestId, traceparent }, () =>
      traced(`invoke ${service.name}.${name}`, { parent: traceparent }, () => call(invocation)),
    );
  };
  // Units that follow from a body are charged once that is read.
  const needsBody = Object.values(operation.limits ?? {}).some((units) => typeof units === "function");
  const charge: Invoke["charge"] = async (principal, clientAddress) =>
    needsBody ? undefined : chargeCall(options, prepared, { principal, clientAddress }, {});
  return Object.assign(invoke, { constant, admit: concurrency.admit, charge });
}

function prepare({ prefix }: InvokeOptions, service: Service, name: string): Prepared {
  const operation = service.operations[name]!;
  return {
    service,
    name,
    operation,
    subject: operationSubject(prefix, service.name, name),
    cancelled: cancelSubject(prefix, service.name),
    isRead: operation.method === "GET" && !operation.waitsForSites,
    timeoutMs: timeoutOf(operation),
    concurrency: concurrencyOf(operation, { service: service.name, operation: name }),
    rowsOf: Object.fromEntries(
      CALLERS.map((caller) => [
        caller,
        Object.entries({ ...LIMITS_OF_CREDENTIAL[caller], ...operation.limits }),
      ]),
    ) as Prepared["rowsOf"],
  };
}

/** Charges the limits of a call that runs, and makes it. */
async function chargeAndCall(
  options: InvokeOptions,
  prepared: Prepared,
  invocation: Invocation,
  input: object,
  giveUpAtMs: number,
): Promise<InvocationResult> {
  const { service, name, operation, subject, cancelled, isRead, timeoutMs } = prepared;
  const { connection, prefix, replyCache, underWay, idempotency, audit, now } = options;
  const { principal, requestId, host, clientAddress, trustDomain, credential } = invocation;
  const operationName = `${service.name}.${name}`;
  const once = operation.makes ? idempotency : undefined;
  const key = once && readIdempotencyKey(invocation.idempotencyKey);
  if (key instanceof Failure) return { reply: key, allowances: [] };
  const paid =
    invocation.paid ?? (await chargeCall(options, prepared, invocation, input as { body?: unknown }));
  const allowances = paid?.allowances ?? [];
  if (paid?.ok === false) return { reply: paid.failure, allowances };
  const bounded = principal ? undefined : underWay;
  const permits = bounded?.acquire(originOfAddress(clientAddress));
  if (bounded && !permits) return { reply: tooManyUnderWay(), allowances };
  const context = { requestId, host, clientAddress, trustDomain, principal, allowances };
  const act = { action: operationName, input };
  const send = (claim?: Pick<KeyClaim, "name" | "seed">) =>
    audited(audit, principal, operation, act, () => {
      const leftMs = Math.max(1, Math.ceil(giveUpAtMs - performance.now()));
      return callBytes(
        connection,
        subject,
        payloadOf(input, invocation.sent),
        { ...context, timeoutMs: leftMs, once: claim?.name, ...(operation.resumes && { seed: claim?.seed }) },
        {
          replyCache,
          keepUntagged: operation.staleIfErrorSeconds !== undefined,
          now,
          attempts: attemptsOf(connection, prefix, service.name),
          isRead,
          // What makes something is ended, and its reply kept for who asks again.
          ...(!operation.makes && { signal: invocation.signal, cancelled }),
        },
      );
    });
  try {
    if (!once || key === undefined) return { reply: await send(), allowances };
    const caller = { principal, credential, clientAddress };
    const keyed = { key, operation: operationName, ...caller, input, resumes: operation.resumes === true };
    return { ...(await callOnce(once, { ...keyed, timeoutMs }, operation, send)), allowances };
  } finally {
    permits?.release();
  }
}

/** Charges a call to the limits of its caller. @returns undefined where it has none */
async function chargeCall(
  { access }: InvokeOptions,
  { service, name, rowsOf }: Prepared,
  { principal, clientAddress }: Pick<Invocation, "principal" | "clientAddress">,
  input: { body?: unknown },
): Promise<RateDecision | undefined> {
  const wanted = rowsOf[principal?.kind ?? "none"];
  if (!access || (!principal && wanted.length === 0)) return undefined;
  const rows = wanted.map(
    ([row, units]) => [row, typeof units === "function" ? units(input) : units] as const,
  );
  return access.charge(principal, { service: service.name, name, rows, clientAddress });
}

const tooManyUnderWay = (): Failure =>
  fail("rate_limited", "Too many pending requests from this network (limit requests-under-way).", {
    retryAfterSeconds: 1,
  });

/** Notes what an operator changes, before and after it is done. */
function audited<T extends ReplyBytes | Failure>(
  audit: AuditLog | undefined,
  principal: Principal | undefined,
  { method }: OperationSpec,
  act: { action: string; input: unknown },
  work: () => Promise<T>,
): Promise<T> {
  if (!audit || principal?.kind !== "operator" || method === "GET") return work();
  const { name: operator, accountId: account_id } = principal;
  return audit.during({ operator, account_id, ...act }, work, (reply) =>
    reply instanceof Failure ? reply.code : "done",
  );
}

/**
 * What a worker is sent, which reads it by the same contract again. A large body goes on as it came: strict JSON has one
 * meaning for both, and to write it anew takes a turn longer than to read it.
 */
function payloadOf(input: { params?: unknown; query?: unknown }, sent?: Uint8Array): string | Uint8Array {
  if (!sent || !isLargeBody(sent.length)) return JSON.stringify(input);
  const { params = {}, query = {} } = input;
  return Buffer.concat([
    encoder.encode(`${JSON.stringify({ params, query }).slice(0, -1)},"body":`),
    sent,
    CLOSE,
  ]);
}

/** Calls once for each key. */
async function callOnce(
  idempotency: Idempotency,
  keyed: KeyedCall,
  operation: OperationSpec,
  send: (claim: Pick<KeyClaim, "name" | "seed">) => Promise<ReplyBytes | Failure>,
): Promise<Called> {
  const begun = await idempotency.begin(keyed);
  if (begun.kind === "refused") return { reply: begun.failure };
  if (begun.kind === "replayed") return { reply: begun.reply, replayed: true };
  try {
    const reply = await send(begun.claim);
    await begun.claim.settle(outcomeOf(operation, reply));
    return { reply };
  } catch (error) {
    await begun.claim.settle({ kind: "unknown" });
    throw error;
  }
}

/** What became of a call, for its Idempotency-Key. */
function outcomeOf({ made }: OperationSpec, reply: ReplyBytes | Failure) {
  if (reply instanceof Failure) return { kind: reply.brokeOff ? "unknown" : "nothing" } as const;
  if (made && !made(JSON.parse(new TextDecoder().decode(reply.bytes)))) return { kind: "nothing" } as const;
  return { kind: "done", reply } as const;
}

/** Failures in place of which an earlier reply is better than none. */
const mayBeStale = (reply: ReplyBytes | Failure): boolean =>
  reply instanceof Failure && (isPassing(reply.code) || reply.code === "timeout");
