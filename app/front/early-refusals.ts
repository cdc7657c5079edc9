/**
 * Refusals at the listener, before a request is routed or its hooks run: under ten times what can be answered, nearly
 * every request is one, and what they cost is taken from the answers (docs/decisions/0079).
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { clientAddressOf, trustedOf } from "../../src/rpc/client-address.ts";
import { type Failure, statusOf } from "../../src/rpc/errors.ts";
import { beatOnce } from "../../src/threads/pulse.ts";
import type { Answered } from "./access-log.ts";
import { originOfAddress, type Rate, tooManyRequests } from "./limits.ts";
import { problemHeaders, problemOf } from "./problem.ts";
import { requestIdOf, traceparentOf } from "./request-ids.ts";

/**
 * Whether one operation would refuse a request now.
 * @param url the request target as sent
 */
export type Refusal = (clientAddress: string, url: string) => Failure | undefined;

export interface EarlyRefusals {
  /** From now on requests for this operation are asked for at the listener. @param path without parameters */
  watch(method: string, path: string, refusal: Refusal): void;
  /** Stands before whatever answers the server's requests; called once, when that listens. */
  guard(server: Server): void;
  /** Whether the request was counted against its network's rate; says so once. */
  wasCounted(request: IncomingMessage): boolean;
  /** Refuses no more: the front is closing, and says so by itself. */
  stop(): void;
}

export interface EarlyRefusalsOptions {
  rate: Rate;
  trustedProxies: readonly string[];
  /** Called before an early refusal is written. */
  begin(request: IncomingMessage, response: ServerResponse): void;
  onAnswered?: ((answered: Answered) => void) | undefined;
}

const pathOf = (url: string): string => {
  const at = url.indexOf("?");
  return at < 0 ? url : url.slice(0, at);
};

/** Writes the problem as `sendProblem` does, field by field. @returns its bytes */
const writeProblem = (
  response: ServerResponse,
  failure: Failure,
  requestId: string,
  traceparent: string,
): number => {
  const body = JSON.stringify(problemOf(failure, requestId));
  const bytes = Buffer.byteLength(body);
  const fields = problemHeaders(failure, requestId, bytes);
  fields.push("traceparent", traceparent);
  response.writeHead(statusOf(failure.code), fields);
  response.end(body);
  return bytes;
};

/** Nothing of a request but its address, path and ids is read here. */
export const createEarlyRefusals = (options: EarlyRefusalsOptions): EarlyRefusals => {
  const { rate, begin, onAnswered } = options;
  const isProxy = trustedOf(options.trustedProxies);
  const watched = new Map<string, Refusal>();
  const counted = new WeakSet<IncomingMessage>();
  let stopped = false;

  const failureOf = (request: IncomingMessage, refusal: Refusal): Failure | undefined => {
    const address = clientAddressOf(request, isProxy);
    const waitSeconds = rate.take(originOfAddress(address));
    if (waitSeconds > 0) return tooManyRequests(waitSeconds);
    counted.add(request);
    return refusal(address, request.url ?? "");
  };

  const refuses = (request: IncomingMessage, response: ServerResponse): boolean => {
    const method = request.method ?? "";
    const path = pathOf(request.url ?? "");
    const refusal = watched.get(`${method} ${path}`);
    const failure = refusal && !stopped ? failureOf(request, refusal) : undefined;
    if (!failure) return false;
    const startedMs = performance.now();
    begin(request, response);
    const requestId = requestIdOf(request);
    const traceparent = traceparentOf(request);
    const bytes = writeProblem(response, failure, requestId, traceparent);
    onAnswered?.({
      ...{ method, path, status: response.statusCode, bytes, requestId, traceparent },
      ...{ tookMs: performance.now() - startedMs, principal: "none", problem: failure.code },
    });
    return true;
  };

  return {
    watch: (method, path, refusal) => {
      // GET implies HEAD.
      for (const each of method === "GET" ? ["GET", "HEAD"] : [method])
        watched.set(`${each} ${path}`, refusal);
    },
    guard: (server) => {
      const answers = server.listeners("request") as ((...args: unknown[]) => void)[];
      server.removeAllListeners("request");
      server.on("request", (request: IncomingMessage, response: ServerResponse) => {
        beatOnce();
        if (!refuses(request, response)) for (const answer of answers) answer.call(server, request, response);
      });
    },
    wasCounted: (request) => counted.delete(request),
    stop: () => {
      stopped = true;
    },
  };
};
