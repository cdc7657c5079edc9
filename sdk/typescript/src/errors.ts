/** What goes wrong, as classes: catch a class, or match `code`, which is stable. Never match a message. */
import type { Problem } from "./api.ts";

export interface BridgeErrorOptions {
  code: string;
  status?: number | null;
  retryAfter?: number | null;
  requestId?: string | null;
  next?: string;
  problem?: Problem | null;
  cause?: unknown;
}

/** A call that failed. */
export class BridgeError extends Error {
  override name = "BridgeError";
  /** Stable; match on this. */
  readonly code: string;
  /** HTTP status; null where no reply came. */
  readonly status: number | null;
  /** Seconds after which the same call may succeed; null where the registry did not say. */
  readonly retryAfter: number | null;
  /** The request's id, to name to whoever runs the registry. */
  readonly requestId: string | null;
  /** What to do next, for a person or a model. */
  readonly next: string;
  /** The problem document (RFC 9457), as it came. */
  readonly problem: Problem | null;

  constructor(message: string, options: BridgeErrorOptions) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = options.code;
    this.status = options.status ?? null;
    this.retryAfter = options.retryAfter ?? null;
    this.requestId = options.requestId ?? null;
    this.next = options.next ?? message;
    this.problem = options.problem ?? null;
  }
}

/** The request is wrong as it is: do not send it again unchanged. */
export class InvalidRequestError extends BridgeError {
  override name = "InvalidRequestError";
}
/** No credential, a wrong one, or one that ended. */
export class AuthenticationError extends BridgeError {
  override name = "AuthenticationError";
}
/** The owner, the plan or the registry does not allow it; nothing was sent to the site. */
export class PermissionError extends BridgeError {
  override name = "PermissionError";
}
export class NotFoundError extends BridgeError {
  override name = "NotFoundError";
}
/** The state of things is in the way: read it again before another try. */
export class ConflictError extends BridgeError {
  override name = "ConflictError";
}
/** Too many requests, or a plan's quota: wait `retryAfter` seconds. */
export class RateLimitError extends BridgeError {
  override name = "RateLimitError";
}
/** The registry or the site cannot answer now. */
export class UnavailableError extends BridgeError {
  override name = "UnavailableError";
}
/** No reply came: the network, or the time this client gives a call. Whether a write was done is not known. */
export class ConnectionError extends BridgeError {
  override name = "ConnectionError";
}
/** The site or page did not do it. `requestSent` true: a form had reached the site before; do not send it again blindly. */
export class ActionError extends BridgeError {
  override name = "ActionError";
  readonly requestSent: boolean;
  /** The whole result, with the address at which the session stands. */
  readonly result: Readonly<Record<string, unknown>>;

  constructor(
    message: string,
    options: BridgeErrorOptions & { requestSent: boolean; result: Record<string, unknown> },
  ) {
    super(message, options);
    this.requestSent = options.requestSent;
    this.result = options.result;
  }
}
/** A write may or may not have been done. Look where `next` says; it is never sent again by itself. */
export class UnknownOutcomeError extends BridgeError {
  override name = "UnknownOutcomeError";
}
/** The session had ended and was opened anew, without its page and basket. Nothing was sent to the site. */
export class SessionRestartedError extends BridgeError {
  override name = "SessionRestartedError";
}

/** The step of a verification that failed; each is explained in the documentation of the evidence. */
export type VerificationStep =
  | "bundle"
  | "dns"
  | "txt"
  | "signature"
  | "manifest"
  | "document"
  | "log"
  | "freshness"
  | "policy"
  | "witnesses";

/** The evidence does not hold: do not act on this site on the registry's word. */
export class VerificationError extends BridgeError {
  override name = "VerificationError";
  readonly step: VerificationStep;

  constructor(step: VerificationStep, message: string, cause?: unknown) {
    super(`${step}: ${message}`, {
      code: `verification_${step}`,
      next: "Do not act on this site. Ask for its evidence again later, or ask its owner.",
      cause,
    });
    this.step = step;
  }
}

/** A log shows a tree that is not what it showed before. Both notes are signed: whoever publishes them shows that to all. */
export class TwoViewsError extends VerificationError {
  override name = "TwoViewsError";
  /** The checkpoint that was seen before, and the one that came now. */
  readonly earlier: string;
  readonly later: string;

  constructor(step: VerificationStep, message: string, earlier: string, later: string) {
    super(step, message);
    this.earlier = earlier;
    this.later = later;
  }
}

type ErrorClass = new (message: string, options: BridgeErrorOptions) => BridgeError;

/** Codes whose class does not follow from their status. */
const BY_CODE: Readonly<Record<string, ErrorClass>> = {
  unknown_outcome: UnknownOutcomeError,
  key_revoked: AuthenticationError,
  request_timeout: UnavailableError,
  site_unreachable: UnavailableError,
  content_too_costly: UnavailableError,
};

const BY_STATUS: Readonly<Record<number, ErrorClass>> = {
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  409: ConflictError,
  429: RateLimitError,
};

/** The error of a reply that is no success. */
export function errorOfReply(
  status: number,
  body: unknown,
  headers: Headers,
  retryAfter: number | null,
): BridgeError {
  const problem = isProblem(body) ? body : null;
  const code = problem?.code ?? (status >= 500 ? "unavailable" : "invalid_reply");
  const detail = problem?.detail ?? `The registry answered ${status}.`;
  const next = (problem as { next?: unknown } | null)?.next;
  return new (classOf(code, status))(detail, {
    code,
    status,
    retryAfter,
    requestId: headers.get("x-request-id"),
    next: typeof next === "string" ? next : detail,
    problem,
  });
}

const isProblem = (body: unknown): body is Problem =>
  typeof body === "object" && body !== null && typeof (body as Problem).code === "string";

const classOf = (code: string, status: number): ErrorClass =>
  BY_CODE[code] ?? BY_STATUS[status] ?? (status >= 500 ? UnavailableError : InvalidRequestError);
