/**
 * Whether a request is admitted, decided at the listener before it is routed or its hooks run: by the rate of its network (the
 * limit table), then by the concurrency of its operation. Under ten times what can be answered nearly every request is refused,
 * and what that costs is taken from the answers (docs/decisions/0134). What is the same for everybody is answered there, too.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { TRUST_HEADERS } from "../../src/domain/trust/trust-headers.ts";
import { clientAddressOf, trustedOf } from "../../src/rpc/client-address.ts";
import { Failure, httpStatusOf } from "../../src/rpc/errors.ts";
import { beatOnce } from "../../src/threads/watchdog.ts";
import type { Permit } from "../../src/transport/concurrency.ts";
import type { AccessLogEntry } from "../processes/access-log.ts";
import { type Origin, originOfAddress, type Rate, tooManyRequests } from "./limits.ts";
import { problemHeaders, problemOf, standardFields } from "./problem.ts";
import type { RequestQueue } from "./queue.ts";
import { requestFault } from "./refusals.ts";
import { requestIdOf, requestTraceparent } from "./request-ids.ts";

/**
 * Asks the concurrency of one operation.
 * @param url the request target as sent
 * @returns undefined: it needs no permit
 */
export type AskPermit = (origin: Origin, url: string) => Failure | Permit | undefined;

/** An operation whose paths have no parameters. */
export interface StaticOperation {
  ask: AskPermit;
  /** Answers with what is the same for everybody. @param fields of every reply: name, value, … @returns bytes of its body */
  constant?: ((request: IncomingMessage, response: ServerResponse, fields: string[]) => number) | undefined;
}

/** What was decided of a request. */
interface Decided {
  origin: Origin;
  refusal: Failure | undefined;
  permit: Permit | undefined;
}
const DECIDED = Symbol("decided");
type DecidedRequest = IncomingMessage & { [DECIDED]?: Decided };

export interface Admit {
  /** From now on requests for this operation are asked for at the listener. @param path without parameters */
  watch(method: string, path: string, watched: StaticOperation): void;
  /** Why a request is refused that the listener did not answer: its rate is exceeded. */
  refusalOf(request: IncomingMessage): Failure | undefined;
  /** Asks for a permit, unless the listener did: of a path with parameters, once it is routed. @returns the refusal */
  ask(request: IncomingMessage, response: ServerResponse, ask: AskPermit): Failure | undefined;
  /** The permit of a request; undefined: it has none. */
  permitOf(request: IncomingMessage): Permit | undefined;
  /** Stands before whatever answers the server's requests, which come from the queue; called once, when those are there. */
  guard(server: Server): void;
  /** Answers no more by itself: the front is closing, and says so in its answers. */
  stop(): void;
}

export interface AdmitOptions {
  rate: Rate;
  queue: RequestQueue;
  trustedProxies: readonly string[];
  /** Aborts when clients are to send their next requests elsewhere, which Fastify's answers tell them. */
  leaving?: AbortSignal | undefined;
  onAnswered?: ((answered: AccessLogEntry) => void) | undefined;
}

const CREDENTIALS = ["authorization", ...Object.values(TRUST_HEADERS)];

/** Nothing of a request but its address, path and header fields is read here. */
export function createAdmit({ rate, queue, trustedProxies, leaving, onAnswered }: AdmitOptions): Admit {
  const isProxy = trustedOf(trustedProxies);
  const answer = answerWith(onAnswered);
  const watched = new Map<string, StaticOperation>();
  let stopped = false;

  const ask: Admit["ask"] = (request: DecidedRequest, response, askPermit) => {
    request[DECIDED] ??= {
      origin: originOfAddress(clientAddressOf(request, isProxy)),
      refusal: undefined,
      permit: undefined,
    };
    const decided = request[DECIDED];
    if (decided.permit) return undefined;
    const permit = askPermit(decided.origin, request.url ?? "");
    if (permit === undefined || permit instanceof Failure) return permit;
    decided.permit = permit;
    response.once("close", permit.release);
    return undefined;
  };

  /** @returns whether it answered the request */
  const decide = (request: DecidedRequest, response: ServerResponse, origin: Origin, path: string) => {
    const waitSeconds = rate.take(origin);
    const refusal = waitSeconds > 0 ? tooManyRequests(waitSeconds) : undefined;
    request[DECIDED] = { origin, refusal, permit: undefined };
    const operation = stopped ? undefined : watched.get(`${request.method} ${path}`);
    if (!operation) return false;
    const failure = refusal ?? ask(request, response, operation.ask);
    const { constant } = operation;
    if (failure)
      answer(request, path, (requestId, traceparent) => ({
        status: httpStatusOf(failure.code),
        problem: failure.code,
        bytes: writeProblem(response, failure, requestId, traceparent),
      }));
    else if (constant && !leaving?.aborted && isPlain(request))
      answer(request, path, (requestId, traceparent) => {
        const fields = [...standardFields(requestId), "traceparent", traceparent];
        const bytes = constant(request, response, fields);
        return { status: response.statusCode, bytes, problem: undefined };
      });
    else return false;
    return true;
  };

  return {
    watch: (method, path, operation) => {
      // GET implies HEAD.
      for (const each of method === "GET" ? ["GET", "HEAD"] : [method])
        watched.set(`${each} ${path}`, operation);
    },
    refusalOf: (request: DecidedRequest) => request[DECIDED]?.refusal,
    ask,
    permitOf: (request: DecidedRequest) => request[DECIDED]?.permit,
    guard: (server) => {
      const answers = server.listeners("request") as ((...args: unknown[]) => void)[];
      server.removeAllListeners("request");
      server.on("request", (request: IncomingMessage, response: ServerResponse) => {
        const origin = originOfAddress(clientAddressOf(request, isProxy));
        queue.enter(request, response, origin.network, () => {
          const path = pathOf(request.url ?? "");
          beatOnce(`${request.method} ${path}`);
          if (!decide(request, response, origin, path))
            for (const answer of answers) answer.call(server, request, response);
        });
      });
    },
    stop: () => {
      stopped = true;
    },
  };
}

/** Answers past Fastify, and tells of it. */
const answerWith =
  (onAnswered: AdmitOptions["onAnswered"]) =>
  (
    request: IncomingMessage,
    path: string,
    write: (requestId: string, traceparent: string) => Pick<AccessLogEntry, "status" | "bytes" | "problem">,
  ): void => {
    const startedMs = performance.now();
    const requestId = requestIdOf(request);
    const traceparent = requestTraceparent(request);
    const written = write(requestId, traceparent);
    const tookMs = performance.now() - startedMs;
    const { method = "" } = request;
    onAnswered?.({ method, path, requestId, traceparent, tookMs, principal: "none", ...written });
  };

/** Writes the problem as `sendProblem` does, field by field. @returns its bytes */
function writeProblem(
  response: ServerResponse,
  failure: Failure,
  requestId: string,
  traceparent: string,
): number {
  const body = JSON.stringify(problemOf(failure, requestId));
  const bytes = Buffer.byteLength(body);
  const fields = problemHeaders(failure, requestId, bytes);
  fields.push("traceparent", traceparent);
  response.writeHead(httpStatusOf(failure.code), fields);
  response.end(body);
  return bytes;
}

/** Whether a request is valid and says nothing of who asks, and has no body. */
function isPlain(request: IncomingMessage): boolean {
  const { headers } = request;
  if (headers["transfer-encoding"] !== undefined || headers["content-length"] !== undefined) return false;
  return CREDENTIALS.every((name) => headers[name] === undefined) && !requestFault(request);
}

function pathOf(url: string): string {
  const at = url.indexOf("?");
  return at < 0 ? url : url.slice(0, at);
}
