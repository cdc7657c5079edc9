/** One call of an operation, over HTTP or the websocket: validates the input, charges limits, and calls a worker. */
import type { NatsConnection } from "@nats-io/nats-core";
import {
  type Allowance,
  operationSubject,
  type Principal,
  type Service,
  timeoutOf,
} from "../../src/rpc/contract.ts";
import { Failure, fail } from "../../src/rpc/errors.ts";
import { frontLimitsOf } from "../../src/rpc/limit-table.ts";
import { parseRequest } from "../../src/rpc/validation.ts";
import { callBytes, type ReplyBytes, type ReplyCache } from "../../src/transport/client.ts";
import type { AccessControl } from "./access/access.ts";
import { originOfAddress, type ScopedSemaphore } from "./limits.ts";

export interface Invocation {
  /** The caller, as identified by access control. */
  principal: Principal | undefined;
  /** The input as sent, with query strings decoded. */
  input: { params?: unknown; query?: unknown; body?: unknown };
  requestId: string;
  /** The requested host; "" if there is none. */
  host: string;
  clientAddress: string;
  /** Domain that signed the request, if any. */
  trustDomain?: string | undefined;
}

export interface Invoked {
  reply: ReplyBytes | Failure;
  /** What is left of the charged limits. */
  allowances: readonly Allowance[];
}

/** Calls one operation. */
export type Invoke = (invocation: Invocation) => Promise<Invoked>;

export interface InvokeOptions {
  connection: NatsConnection;
  prefix: string;
  /** Not needed if no operation requires a credential or names a limit. */
  access?: AccessControl | undefined;
  replyCache?: ReplyCache;
  /** Permits of anonymous callers, held during the call. */
  underWay?: ScopedSemaphore;
}

const tooManyUnderWay = (): Failure =>
  fail("rate_limited", "Too many pending requests from this network (limit requests-under-way).", {
    retryAfterSeconds: 1,
  });

/** @returns what calls an operation; all that is the same for every call is worked out once */
export const createInvoke =
  ({ connection, prefix, access, replyCache, underWay }: InvokeOptions) =>
  (service: Service, name: string): Invoke => {
    const operation = service.operations[name]!;
    const subject = operationSubject(prefix, service.name, name);
    const timeoutMs = timeoutOf(operation);
    const rows = frontLimitsOf(operation.auth, operation.limits);
    const charges = operation.auth !== "none" || rows.length > 0 ? access : undefined;
    return async ({ principal, input: raw, requestId, host, clientAddress, trustDomain }) => {
      const input = parseRequest(operation, raw);
      if (input instanceof Failure) return { reply: input, allowances: [] };
      const units = operation.units?.(input as { body?: unknown });
      const call = { service: service.name, name, rows, clientAddress, units };
      const admission = await charges?.admit(principal, call);
      const allowances = admission?.allowances ?? [];
      if (admission?.ok === false) return { reply: admission.failure, allowances };
      const bounded = principal ? undefined : underWay;
      const place = bounded?.acquire(originOfAddress(clientAddress));
      if (bounded && !place) return { reply: tooManyUnderWay(), allowances };
      const context = { requestId, timeoutMs, host, clientAddress, trustDomain, principal, allowances };
      try {
        const reply = await callBytes(connection, subject, JSON.stringify(input), context, replyCache);
        return { reply, allowances };
      } finally {
        place?.release();
      }
    };
  };
