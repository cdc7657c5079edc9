/** Failure → RFC 9457 problem details: the only place that renders failures. */
import { hash } from "node:crypto";
import { STATUS_CODES } from "node:http";
import type { Problem } from "../../schemas/problem.ts";
import type { FailureForm } from "../../src/rpc/contract.ts";
import { errorTitle, type Failure, httpStatusOf } from "../../src/rpc/errors.ts";
import { instanceOf } from "./request-ids.ts";

/** Content security policy (CSP Level 3) of a reply: it loads nothing and cannot be framed. */
const POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const PAGE_HEADERS = {
  "cross-origin-opener-policy": "same-origin",
  "permissions-policy": "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()",
};

/** What a page may do beside applying its style. */
export interface PageRights {
  /** Show images of this registry, and send forms to it. */
  isOurs?: true;
  /** Run the registry's own script files, and follow its events. */
  runsScript?: true;
}

/** Header fields of every reply: operations, pages and failures. Each has its request's id besides, `x-request-id`. */
export const STANDARD_HEADERS = {
  "content-security-policy": POLICY,
  "x-frame-options": "DENY",
  "x-bridge-enabled": "1.0",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "access-control-allow-origin": "*",
  "access-control-expose-headers":
    "x-request-id, traceparent, x-bridge-enabled, etag, age, cache-status, retry-after, allow, ratelimit, ratelimit-policy, idempotency-replayed",
};

const STANDARD_FIELDS = Object.entries(STANDARD_HEADERS).flat();

/**
 * Header fields of a page: its policy allows its one style element by digest, and of this registry what it needs.
 * @param inlineStyle text of the page's style element
 */
export const pageHeaders = (
  inlineStyle: string,
  { isOurs, runsScript }: PageRights = {},
): Record<string, string> => ({
  ...PAGE_HEADERS,
  "content-security-policy": [
    isOurs ? POLICY.replace("form-action 'none'", "form-action 'self'") : POLICY,
    `style-src 'sha256-${hash("sha256", inlineStyle, "base64")}'`,
    // What a browser's agent asks for beside the page, such as /llms.txt, it asks for by the page's rights.
    ...(isOurs ? ["img-src 'self'", "connect-src 'self'"] : []),
    ...(runsScript ? ["script-src 'self'"] : []),
  ].join("; "),
  // A form names the page that it stands on by `Origin` only where the page may say where it comes from.
  ...(isOurs && { "referrer-policy": "same-origin" }),
});

/** A whole HTTP/1.1 response, for bytes that never became a request. */
export function rawProblem(failure: Failure, requestId: string): string {
  const body = JSON.stringify(problemOf(failure, requestId));
  const status = httpStatusOf(failure.code);
  const fields = [...problemHeaders(failure, requestId, Buffer.byteLength(body)), "connection", "close"];
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`;
  for (let at = 0; at < fields.length; at += 2) head += `${fields[at]}: ${fields[at + 1]}\r\n`;
  return `${head}\r\n${body}`;
}

export const problemOf = (failure: Failure, requestId: string): Problem => ({
  type: `/docs#error-${failure.code}`,
  title: errorTitle(failure.code),
  status: httpStatusOf(failure.code),
  detail: failure.detail,
  instance: instanceOf(requestId),
  request_id: requestId,
  code: failure.code,
  ...(failure.errors && { errors: failure.errors }),
});

/** ARD's codes (its appendix B), by status. */
const ARD_CODES: Readonly<Record<number, string>> = {
  401: "UNAUTHENTICATED",
  404: "NOT_FOUND",
  429: "RATE_LIMIT_EXCEEDED",
};

/** The members by which clients of another interface know a failure, beside those of the problem. */
export function membersOfForm(form: FailureForm, { detail, status }: Problem): object {
  if (form === "mcp-registry") return { error: detail };
  const other = status < 500 ? "INVALID_ARGUMENT" : "INTERNAL_ERROR";
  return { errorCode: ARD_CODES[status] ?? other, message: detail };
}

/** Header fields of a problem that is written past Fastify: name, value, name, value. @param bytes of its body */
export const problemHeaders = (
  { retryAfterSeconds }: Failure,
  requestId: string,
  bytes: number,
): string[] => [
  ...standardFields(requestId),
  ...["content-type", "application/problem+json", "cache-control", "no-store"],
  ...["content-length", String(bytes)],
  ...(retryAfterSeconds === undefined ? [] : ["retry-after", String(retryAfterSeconds)]),
];

/** Header fields of a reply that is written past Fastify: name, value, name, value. */
export const standardFields = (requestId: string): string[] => [
  ...STANDARD_FIELDS,
  "x-request-id",
  requestId,
];
