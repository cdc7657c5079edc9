/** One call of an operation, over HTTP or the websocket: input checked, limits charged, a worker asked. */
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
import type { KnownReplies, ReplyBytes } from "../../src/transport/reply-cache.ts";
import type { AccessControl } from "./access/access.ts";
import { type Held, originOfAddress } from "./limits.ts";

export interface Invocation {
  service: Service;
  name: string;
  /** As access control identified the caller. */
  principal: Principal | undefined;
  /** As it was sent, strings of a query decoded. */
  input: { params?: unknown; query?: unknown; body?: unknown };
  requestId: string;
  /** Host the caller asked for; "" where none was named. */
  host: string;
  clientAddress: string;
  /** Domain that signed the request, where one did. */
  trustDomain?: string | undefined;
}

export interface Invoked {
  reply: ReplyBytes | Failure;
  /** What is left of the limits that it was charged to. */
  allowances: readonly Allowance[];
}

export type Invoke = (invocation: Invocation) => Promise<Invoked>;

export interface InvokeOptions {
  connection: NatsConnection;
  prefix: string;
  /** Not needed where no operation asks for a credential or names a limit. */
  access?: AccessControl | undefined;
  knownReplies?: KnownReplies;
  /** Places of callers without a credential, each held while a worker is asked. */
  underWay?: Held;
}

const tooManyUnderWay = (): Failure =>
  fail("rate_limited", "Too many requests of this network are not answered yet (limit requests-under-way).", {
    retryAfterSeconds: 1,
  });

export const createInvoke =
  ({ connection, prefix, access, knownReplies, underWay }: InvokeOptions): Invoke =>
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
    const place = bounded?.hold(originOfAddress(clientAddress));
    if (bounded && !place) return { reply: tooManyUnderWay(), allowances };
    const timeoutMs = timeoutOf(operation);
    const context = { requestId, timeoutMs, host, clientAddress, trustDomain, principal, allowances };
    const subject = operationSubject(prefix, service.name, name);
    try {
      const reply = await callBytes(connection, subject, JSON.stringify(input), context, knownReplies);
      return { reply, allowances };
    } finally {
      place?.release();
    }
  };
