/** Requests that the front rejects before an operation is reached, always with a problem document and a stable code. */
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { FastifyReply, FastifyRequest } from "fastify";
import { isStorageFull } from "../../src/adapters/nats/fill.ts";
import { isBrokerFault } from "../../src/adapters/nats/requests.ts";
import { type ErrorCode, type Failure, fail, httpStatusOf, storageFull } from "../../src/rpc/errors.ts";
import { uuidv7 } from "../../src/rpc/ids.ts";
import { problemPage, sendHtml } from "./html-reply.ts";
import { prefersHtml } from "./negotiation.ts";
import { membersOfForm, problemOf, rawProblem } from "./problem.ts";
import type { RequestQueue } from "./queue.ts";

/** Codes of the problems that requests got; not every request that is refused is one that a route took. */
const problemCodes = new WeakMap<FastifyRequest, ErrorCode>();

/** Fastify's own errors, by stable code (never by message). */
const FASTIFY_CODES: Record<string, [ErrorCode, string]> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ["unsupported_media_type", "Send application/json."],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ["invalid_request", "Content-Length does not match the body."],
  FST_ERR_BAD_URL: ["invalid_url", "The path cannot be decoded."],
  FST_ERR_MAX_PARAM_LENGTH: ["uri_too_long", "A part of the path is too long."],
};

/** A body that is not strict JSON; the message is the parser's reason. */
export class BodyFault extends Error {
  override name = "BodyFault";
}

/** RFC 9110 section 7.2, restricted to host names or IP literals, with an optional port. */
const HOST_FIELD = /^(?:[A-Za-z0-9._-]{1,254}|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?$/;

/** Time for a rejected client to read the reply before its connection is closed. */
const LINGER_MS = 1_000;

export const problemCodeOf = (request: FastifyRequest): ErrorCode | undefined => problemCodes.get(request);

export function sendProblem(request: FastifyRequest, reply: FastifyReply, failure: Failure): FastifyReply {
  noteProblem(request, reply, failure);
  const problem = problemOf(failure, request.id);
  if (prefersHtml(request.headers.accept))
    return sendHtml(
      reply,
      problemPage(problem, {
        retryAfterSeconds: failure.retryAfterSeconds,
        isNoAddress: request.is404,
        menu: request.server.pageMenu ?? "public",
        isDemo: request.server.isDemo ?? false,
      }),
    );
  const form = request.routeOptions.config.failureForm;
  const said = form ? { ...problem, ...membersOfForm(form, problem) } : problem;
  // Bytes, since Fastify adds a charset to text, and RFC 9457 defines no parameter.
  return reply.type("application/problem+json").send(Buffer.from(JSON.stringify(said)));
}

/** Status and header fields of a problem, whatever its body is. */
export function noteProblem(request: FastifyRequest, reply: FastifyReply, failure: Failure): void {
  if (failure.retryAfterSeconds !== undefined) reply.header("retry-after", failure.retryAfterSeconds);
  problemCodes.set(request, failure.code);
  const status = httpStatusOf(failure.code);
  // RFC 9110 section 15.5.2: a 401 names the authentication scheme.
  if (status === 401) reply.header("www-authenticate", 'Bearer realm="bridge"');
  reply.code(status).header("cache-control", "no-store");
}

/** @param bodyLimit of the request's route, in bytes */
export function failureOf(error: { code?: string; statusCode?: number }, bodyLimit?: number): Failure {
  if (error.code === "FST_ERR_CTP_BODY_TOO_LARGE")
    return fail(
      "body_too_large",
      `The body is longer than the ${bodyLimit} bytes that this operation takes.`,
    );
  const known = FASTIFY_CODES[error.code ?? ""];
  if (known) return fail(...known);
  if (error instanceof BodyFault) return fail("invalid_json", `The body cannot be read: ${error.message}.`);
  if (error.statusCode && error.statusCode >= 400 && error.statusCode < 500)
    return fail("invalid_request", "The request cannot be read.");
  // Credentials and limits are looked up before the request is forwarded.
  if (isStorageFull(error)) return storageFull();
  if (isBrokerFault(error))
    return fail("unavailable", "The message broker does not answer.", { retryAfterSeconds: 2 });
  return fail("internal", "The error is logged under this request id.");
}

/** Validates the request line and the Host field (RFC 9112 section 3.2). */
export function requestFault(request: IncomingMessage): Failure | undefined {
  const hosts = hostFields(request);
  if (hosts > 1 || (hosts === 0 && request.httpVersion !== "1.0"))
    return fail("invalid_request", "Send exactly one Host header field.");
  if (hosts === 1 && !HOST_FIELD.test(request.headers.host ?? ""))
    return fail("invalid_request", "The Host header field is not a host name or IP literal with a port.");
  if (!isDecodable(request.url ?? ""))
    return fail("invalid_url", "The query string is not percent-encoded UTF-8.");
  return undefined;
}

function hostFields({ rawHeaders }: IncomingMessage): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) if (rawHeaders[at]!.toLowerCase() === "host") count++;
  return count;
}

/** The percent-encoding of a query string is that of well-formed UTF-8 (RFC 3986 section 2.1, RFC 3629). */
function isDecodable(url: string): boolean {
  const at = url.indexOf("?");
  if (at < 0 || !url.includes("%", at)) return true;
  try {
    decodeURIComponent(url.slice(at));
    return true;
  } catch {
    return false;
  }
}

/**
 * Answers bytes that Node's parser rejects, also with a problem document and a stable code. Earlier requests on the
 * same connection are answered first, so that responses keep their order.
 */
export function createMalformedAnswer(queue: Pick<RequestQueue, "whenAnswered">) {
  const refused = new WeakSet<Socket>();
  return (error: NodeJS.ErrnoException, socket: Socket): void => {
    if (refused.has(socket) || socket.writableEnded) return;
    refused.add(socket);
    queue.whenAnswered(socket, () => endWithProblem(socket, malformed(error)));
  };
}

/** Closes a connection with a problem document. */
export function endWithProblem(socket: Socket, failure: Failure): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  socket.end(rawProblem(failure, uuidv7()));
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

/** What Node's parser refuses, with the next step. */
function malformed(error: NodeJS.ErrnoException): Failure {
  const code = malformedCode(error);
  return fail(
    code,
    code === "invalid_url"
      ? "The address has characters that no HTTP address has. Percent-encode them as UTF-8: ü is %C3%BC, a space %20."
      : "The bytes are not a valid HTTP/1.1 request.",
  );
}

const malformedCode = (error: NodeJS.ErrnoException): ErrorCode =>
  error.code === "HPE_HEADER_OVERFLOW"
    ? "headers_too_large"
    : error.code === "ERR_HTTP_REQUEST_TIMEOUT"
      ? "request_timeout"
      : error.code === "HPE_INVALID_URL"
        ? "invalid_url"
        : "invalid_request";
