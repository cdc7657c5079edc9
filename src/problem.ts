/** Failure → RFC 9457 problem details: rendered here and nowhere else. */
import { STATUS_CODES } from "node:http";
import type { Problem } from "../schemas/problem.ts";
import { type Failure, statusOf, titleOf } from "./errors.ts";

export const problemOf = (failure: Failure, requestId: string): Problem => ({
  type: `/docs#error-${failure.code}`,
  title: titleOf(failure.code),
  status: statusOf(failure.code),
  detail: failure.detail,
  instance: `urn:uuid:${requestId}`,
  code: failure.code,
  ...(failure.errors && { errors: failure.errors }),
});

/** Header fields of every reply, of operations, pages and refusals alike. */
export const standardHeaders = (requestId: string): Record<string, string> => ({
  "x-request-id": requestId,
  "x-bridge-enabled": "1.0",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "access-control-allow-origin": "*",
  "access-control-expose-headers":
    "x-request-id, x-bridge-enabled, etag, retry-after, allow, ratelimit, ratelimit-policy",
});

/** A whole HTTP/1.1 response, for bytes that never became a request. */
export const rawProblem = (failure: Failure, requestId: string): string => {
  const body = JSON.stringify(problemOf(failure, requestId));
  const status = statusOf(failure.code);
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    ...Object.entries(standardHeaders(requestId)).map(([name, value]) => `${name}: ${value}`),
    "content-type: application/problem+json",
    "cache-control: no-store",
    `content-length: ${Buffer.byteLength(body)}`,
    "connection: close",
    "",
    body,
  ].join("\r\n");
};
