/**
 * Refusals at the listener, before a request is routed or its hooks run: under ten times what can be answered, nearly
 * every request is one, and what they cost is taken from the answers (docs/decisions/0079).
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { clientAddressOf, trustedOf } from "../../src/rpc/client-address.ts";
import { Failure, statusOf } from "../../src/rpc/errors.ts";
import { beatOnce } from "../../src/threads/watchdog.ts";
import type { Answered } from "../processes/access-log.ts";
import type { Approach } from "./invoke.ts";
import { originOfAddress, type Rate, tooManyRequests } from "./limits.ts";
import { problemHeaders, problemOf } from "./problem.ts";
import { requestIdOf, traceparentOf } from "./request-ids.ts";
import type { Turns } from "./turns.ts";

/**
 * Lets a request for one operation come, or refuses it.
 * @param url the request target as sent
 * @returns undefined: whether it comes is not asked
 */
export type Approaching = (clientAddress: string, url: string) => Failure | Approach | undefined;

export interface EarlyRefusals {
  /** From now on requests for this operation are asked for at the listener. @param path without parameters */
  watch(method: string, path: string, approaching: Approaching): void;
  /** Has a request come, unless it did at the listener. @returns the refusal */
  admit(
    request: IncomingMessage,
    response: ServerResponse,
    come: () => ReturnType<Approaching>,
  ): Failure | undefined;
  /** How a request came; undefined: it was not asked for. */
  approachOf(request: IncomingMessage): Approach | undefined;
  /** Stands before whatever answers the server's requests, and has each taken up in its turn; called once, when that listens. */
  guard(server: Server): void;
  /** Whether the request was counted against its network's rate; says so once. */
  wasCounted(request: IncomingMessage): boolean;
  /** Refuses no more: the front is closing, and says so by itself. */
  stop(): void;
}

export interface EarlyRefusalsOptions {
  rate: Rate;
  turns: Turns;
  trustedProxies: readonly string[];
  /** Called for each request when it comes, before it is taken up. */
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
  const { rate, turns, begin, onAnswered } = options;
  const isProxy = trustedOf(options.trustedProxies);
  const watched = new Map<string, Approaching>();
  const counted = new WeakSet<IncomingMessage>();
  const approaches = new WeakMap<IncomingMessage, Approach>();
  let stopped = false;

  const admit: EarlyRefusals["admit"] = (request, response, come) => {
    if (approaches.has(request)) return undefined;
    const came = come();
    if (came === undefined || came instanceof Failure) return came;
    approaches.set(request, came);
    response.once("close", came.ended);
    return undefined;
  };

  const failureOf = (
    request: IncomingMessage,
    response: ServerResponse,
    approaching: Approaching,
  ): Failure | undefined => {
    const address = clientAddressOf(request, isProxy);
    const waitSeconds = rate.take(originOfAddress(address));
    if (waitSeconds > 0) return tooManyRequests(waitSeconds);
    counted.add(request);
    return admit(request, response, () => approaching(address, request.url ?? ""));
  };

  const refuses = (request: IncomingMessage, response: ServerResponse): boolean => {
    const method = request.method ?? "";
    const path = pathOf(request.url ?? "");
    const approaching = watched.get(`${method} ${path}`);
    const failure = approaching && !stopped ? failureOf(request, response, approaching) : undefined;
    if (!failure) return false;
    const startedMs = performance.now();
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
    watch: (method, path, approaching) => {
      // GET implies HEAD.
      for (const each of method === "GET" ? ["GET", "HEAD"] : [method])
        watched.set(`${each} ${path}`, approaching);
    },
    admit,
    approachOf: (request) => approaches.get(request),
    guard: (server) => {
      const answers = server.listeners("request") as ((...args: unknown[]) => void)[];
      server.removeAllListeners("request");
      server.on("request", (request: IncomingMessage, response: ServerResponse) => {
        begin(request, response);
        const { network } = originOfAddress(clientAddressOf(request, isProxy));
        turns.enter({ request, response }, network, () => {
          beatOnce(`${request.method} ${pathOf(request.url ?? "")}`);
          if (!refuses(request, response))
            for (const answer of answers) answer.call(server, request, response);
        });
      });
    },
    wasCounted: (request) => counted.delete(request),
    stop: () => {
      stopped = true;
    },
  };
};
