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
import { parseInput } from "../../src/rpc/validation.ts";
import { callBytes } from "../../src/transport/client.ts";
import type { ReplyBytes, ReplyCache } from "../../src/transport/reply-cache.ts";
import type { AccessControl } from "./access/access.ts";
import { originOfAddress, type ScopedSemaphore } from "./limits.ts";

export interface Invocation {
  service: Service;
  name: string;
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

export const createInvoke =
  ({ connection, prefix, access, replyCache, underWay }: InvokeOptions): Invoke =>
  async ({ service, name, principal, input: raw, requestId, host, clientAddress, trustDomain }) => {
    const operation = service.operations[name]!;
    const input = parseInput(operation, raw);
    if (input instanceof Failure) return { reply: input, allowances: [] };
    const admission = await access?.admit(principal, {
      service: service.name,
      name,
      operation,
      clientAddress,
      units: operation.units?.(input as { body?: unknown }),
    });
    const allowances = admission?.allowances ?? [];
    if (admission?.ok === false) return { reply: admission.failure, allowances };
    const bounded = principal ? undefined : underWay;
    const place = bounded?.acquire(originOfAddress(clientAddress));
    if (bounded && !place) return { reply: tooManyUnderWay(), allowances };
    const timeoutMs = timeoutOf(operation);
    const context = { requestId, timeoutMs, host, clientAddress, trustDomain, principal, allowances };
    const subject = operationSubject(prefix, service.name, name);
    try {
      const reply = await callBytes(connection, subject, JSON.stringify(input), context, replyCache);
      return { reply, allowances };
    } finally {
      place?.release();
    }
  };
