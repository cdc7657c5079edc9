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

/** A whole HTTP/1.1 response, for bytes that never became a request. */
export const rawProblem = (failure: Failure, requestId: string): string => {
  const body = JSON.stringify(problemOf(failure, requestId));
  const status = statusOf(failure.code);
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    "Content-Type: application/problem+json",
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Connection: close",
    "",
    body,
  ].join("\r\n");
};
