/**
 * Bodies of requests: how many bytes of them may be under way, and how they are read. Strict JSON is the only form
 * (src/domain/protocols/strict-json.ts); its values are counted before any is made, and bodies that are not small wait in the
 * queue of requests (queue.ts, docs/decisions/0134).
 */
import type { FastifyInstance, FastifyRequest } from "fastify";
import { parseStrictJson } from "../../src/domain/protocols/strict-json.ts";
import { DEFAULT_BODY_LIMIT_BYTES } from "../../src/rpc/contract.ts";
import { type Failure, fail } from "../../src/rpc/errors.ts";
import { createScopedSemaphore, originOfAddress } from "./limits.ts";
import { BodyFault, sendProblem } from "./refusals.ts";

/** Maximum nesting of a request body, far above any contract's. */
const MAX_BODY_DEPTH = 32;
/** Maximum number of values and members of a request body: the longest lists of any contract have a thousand. */
const MAX_BODY_VALUES = 10_000;

/** A body that is longer waits in the queue to be read. */
const LEAST_WAITING_BYTES = 4 * 1024;
/** Of the worst kind, as many cost what a request does (queue.ts). */
const BYTES_A_UNIT = 4 * 1024;

/** Refuses bodies that are too many or encoded before they are read, and reads the others. */
export function readBodies(app: FastifyInstance, percent: number): void {
  const underWay = createScopedSemaphore("request_bytes", percent);
  app.addHook("onRequest", (request, reply, done) => {
    const bytes = announcedBytes(request);
    if (bytes === 0) return done();
    const coding = request.headers["content-encoding"];
    if (coding !== undefined && coding.toLowerCase() !== "identity")
      return void sendProblem(request, reply, encoded(coding));
    const permits = underWay.acquire(originOfAddress(request.ip), bytes, true);
    if (!permits) return void sendProblem(request, reply, tooManyBytes());
    reply.raw.once("close", () => permits.release());
    done();
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (request, sent, done) => {
    const body = sent as Buffer;
    request.setDecorator("bodyBytes", body);
    // Many clients send a content type without a body: that is valid where no body is required.
    if (body.length === 0 && !request.routeOptions.config.needsBody) return done(null, undefined);
    readQueued(request, body.length, () => parsed(body), done);
  });
}

/** Bytes of body that a request announces, at most: all that its route takes where it does not say; 0 where it has none. */
export function announcedBytes({ headers, method, routeOptions }: FastifyRequest): number {
  if (method === "GET" || method === "HEAD") return 0;
  const limit = routeOptions.bodyLimit ?? DEFAULT_BODY_LIMIT_BYTES;
  if (headers["transfer-encoding"] !== undefined) return limit;
  const length = Number(headers["content-length"] ?? 0);
  // Longer ones are refused before they are read.
  return length > limit ? 0 : length;
}

const encoded = (coding: string): Failure =>
  fail(
    "unsupported_media_type",
    `Bodies are read as they are: send it without Content-Encoding, not as ${coding.slice(0, 40)}.`,
  );

const tooManyBytes = (): Failure =>
  fail(
    "rate_limited",
    "Too many bytes of request bodies are under way, yours or everybody's (limit request-bytes). Send the next when one was answered.",
    { retryAfterSeconds: 1 },
  );

/** Reads a body when it is the next in the queue; what is made of a large one waits there again. */
export function readQueued(
  { server, ip }: FastifyRequest,
  bytes: number,
  read: () => unknown,
  done: (error: Error | null, value?: unknown) => void,
): void {
  const { network } = originOfAddress(ip);
  const units = Math.ceil(bytes / BYTES_A_UNIT);
  const work = (): void => {
    let value: unknown;
    try {
      value = read();
    } catch (error) {
      done(error as Error);
      return;
    }
    if (isLargeBody(bytes)) server.queue.later(network, units, () => done(null, value));
    else done(null, value);
  };
  if (bytes <= LEAST_WAITING_BYTES) work();
  else server.queue.later(network, units, work);
}

/** Whether what is made of a body waits in the queue again, and it is paid for before it is read. */
export const isLargeBody = (bytes: number): boolean => bytes > DEFAULT_BODY_LIMIT_BYTES;

function parsed(body: Buffer): unknown {
  const limits = {
    maxBytes: Number.MAX_SAFE_INTEGER,
    maxDepth: MAX_BODY_DEPTH,
    maxValues: MAX_BODY_VALUES,
  };
  const json = parseStrictJson(body, limits);
  if (!json.ok) throw new BodyFault(json.reason.replaceAll("_", " "));
  return json.value;
}
