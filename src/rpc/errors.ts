/** The closed union of error codes: each one's HTTP status and title (RFC 9457). Nothing matches message text. */

const CODES = {
  // 400: the request is invalid; a retry does not help
  invalid_request: [400, "The request does not fit its contract"],
  unknown_parameter: [400, "A parameter or member is unknown"],
  invalid_json: [400, "The body is not JSON"],
  invalid_domain: [400, "Not a domain name"],
  invalid_cursor: [400, "The cursor is invalid or expired"],
  invalid_url: [400, "The address cannot be used here"],
  invalid_endpoint: [400, "The endpoint cannot be named in a TXT record"],
  invalid_callback: [400, "The callback cannot receive a webhook"],
  invalid_amount: [400, "Not a valid amount in this currency"],
  invalid_time: [400, "Not an acceptable time"],
  invalid_idempotency_key: [400, "The Idempotency-Key cannot be used"],
  // 401, 403: authentication and authorization
  authentication_required: [401, "Credentials are missing or not valid"],
  permission_denied: [403, "Not allowed"],
  insufficient_plan: [403, "The plan does not include this"],
  key_revoked: [401, "The API key was revoked"],
  trust_headers_invalid: [401, "The trust headers cannot be read"],
  trust_nonce_expired: [401, "The nonce is too old, or in the future"],
  trust_key_unknown: [401, "The domain has no usable key in DNS"],
  trust_signature_wrong: [401, "The trust headers are not signed by the domain's key"],
  trust_nonce_replayed: [401, "The nonce was used before"],
  invalid_credentials: [401, "The address or the password is wrong"],
  link_invalid: [403, "The link holds no more"],
  mail_unavailable: [503, "This registry sends no mail"],
  proof_required: [403, "A proof is missing"],
  site_contested: [409, "The records of two accounts stand in DNS"],
  plan_limit: [403, "The plan's limit is reached"],
  license_invalid: [403, "The license is not valid for this domain"],
  license_missing: [403, "The wallet has no license for this site"],
  key_invalid: [400, "No such API key"],
  agent_blocked: [403, "The site's owner blocks this agent"],
  access_closed: [403, "The site takes no requests for access"],
  // 404 …: the requested resource
  unknown_path: [404, "Nothing is served at this path"],
  not_found: [404, "Not found"],
  certificate_not_found: [404, "No certificate with this id"],
  not_registered: [404, "The domain is not registered"],
  no_enabled_site: [404, "No enabled site for this domain"],
  batch_not_found: [404, "No batch with this id, or it has expired"],
  site_not_registered: [404, "This site is not registered"],
  entry_erased: [410, "The entry was erased"],
  entry_blocked: [451, "The entry may not be shown"],
  method_not_allowed: [405, "Method not allowed"],
  not_acceptable: [406, "No representation that the client accepts"],
  email_taken: [409, "An account with this address exists"],
  request_timeout: [408, "The request took too long to arrive"],
  proof_outdated: [409, "A newer proof exists"],
  account_required: [403, "An account's key is required"],
  account_not_established: [403, "The account is not established yet"],
  decision_refused: [409, "The report cannot be decided so"],
  already_appealed: [409, "There is an appeal already"],
  already_decided: [409, "The request is decided already"],
  not_approved: [409, "The request is not approved"],
  already_collected: [409, "The license was collected already"],
  already_joined: [409, "This account has already joined"],
  pool_not_locked: [409, "The pool is not locked"],
  commitment_mismatch: [400, "The value does not match the commitment"],
  queue_full: [429, "Too many requests wait for an answer"],
  offer_refused: [409, "The pool cannot take this offer"],
  not_a_member: [403, "This account is not a member"],
  too_many_series: [409, "Too many series"],
  body_too_large: [413, "The body is too large"],
  uri_too_long: [414, "The address is too long"],
  idempotency_in_progress: [409, "The first request with this Idempotency-Key is under way"],
  confirmation_required: [409, "Spending money takes a confirmation"],
  total_changed: [409, "The total is not the confirmed one"],
  total_over_limit: [409, "The total is above the caller's limit"],
  owner_confirmation_required: [403, "The site's owner has a person confirm this"],
  unknown_outcome: [409, "Nobody knows whether it was done"],
  reply_not_kept: [409, "It was done; its reply is not kept"],
  idempotency_conflict: [422, "The Idempotency-Key stands for another request"],
  not_observed: [422, "The value was not observed"],
  unsupported_media_type: [415, "Unsupported content type"],
  content_too_costly: [422, "Reading the content takes too long or too much memory"],
  headers_too_large: [431, "The header fields are too large"],
  rate_limited: [429, "Too many requests"],
  quota_exceeded: [429, "The plan's quota is used up"],
  // 5xx: faults of the registry
  internal: [500, "Internal error"],
  site_unreachable: [502, "The site did not answer"],
  unavailable: [503, "Not available right now"],
  index_not_filled: [503, "The index is being filled"],
  timeout: [504, "The deadline passed without a reply"],
  storage_full: [507, "The registry has no room to store this"],
} as const satisfies Record<string, readonly [status: number, title: string]>;

export type ErrorCode = keyof typeof CODES;

/** Codes that any operation may return, besides those it declares. */
export type CommonErrorCode = "invalid_request" | "internal" | "unavailable" | "timeout" | "storage_full";

/** Codes of access control: any operation that requires a credential may return them. */
export type AccessErrorCode =
  | "authentication_required"
  | "key_revoked"
  | "insufficient_plan"
  | "rate_limited"
  | "quota_exceeded";

/** Codes of invalid trust headers (app/front/trust-check.ts): any operation may return them. */
export type TrustErrorCode =
  | "trust_headers_invalid"
  | "trust_nonce_expired"
  | "trust_key_unknown"
  | "trust_signature_wrong"
  | "trust_nonce_replayed"
  // Each unproved name costs a DNS query: a limited number per minute and network.
  | "rate_limited";

/** Codes of an Idempotency-Key (app/front/idempotency.ts): any operation that makes something may return them. */
export type IdempotencyErrorCode =
  | "invalid_idempotency_key"
  | "idempotency_in_progress"
  | "unknown_outcome"
  | "reply_not_kept"
  | "idempotency_conflict"
  // The keys of a day are limited.
  | "rate_limited";

/** Codes of the front itself, returned before an operation is reached. */
export type FrontErrorCode =
  | "unknown_parameter"
  | "invalid_url"
  | "invalid_json"
  | "unknown_path"
  | "method_not_allowed"
  | "request_timeout"
  | "body_too_large"
  | "uri_too_long"
  | "unsupported_media_type"
  | "headers_too_large";

export const ERROR_CODES = Object.keys(CODES) as ErrorCode[];

export interface Fault {
  /** JSON Pointer (RFC 6901) into the request: /query/limit, /body/domain. */
  pointer: string;
  code: string;
  message: string;
}

export interface FailureDetails {
  errors?: Fault[] | undefined;
  retryAfterSeconds?: number | undefined;
  brokeOff?: boolean | undefined;
  overloaded?: boolean | undefined;
  callerOverloaded?: boolean | undefined;
}

/** An expected failure: returned by a handler, never thrown; sent over the wire; rendered only by the front. */
export class Failure<C extends ErrorCode = ErrorCode> {
  readonly code: C;
  readonly detail: string;
  readonly errors: Fault[] | undefined;
  readonly retryAfterSeconds: number | undefined;
  /**
   * The operation broke off: nobody knows what it did. A failure that a handler returns says that nothing was made.
   */
  readonly brokeOff: boolean;
  /** There was no capacity for it just now, whoever asked: who forwards requests sends fewer. */
  readonly overloaded: boolean;
  /** Too much of the caller's own waits, and others' would be taken: who forwards requests sends fewer of this caller's. */
  readonly callerOverloaded: boolean;

  constructor(code: C, detail: string, more: FailureDetails = {}) {
    this.code = code;
    this.detail = detail;
    this.errors = more.errors;
    this.retryAfterSeconds = more.retryAfterSeconds;
    this.brokeOff = more.brokeOff ?? false;
    this.overloaded = more.overloaded ?? false;
    this.callerOverloaded = more.callerOverloaded ?? false;
  }
}

/** Codes of a state that passes by itself: a read may be asked again, or answered with an earlier reply. */
export const isPassing = (code: ErrorCode): boolean => code === "unavailable" || code === "index_not_filled";

export const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(CODES, code);
export const httpStatusOf = (code: ErrorCode): number => CODES[code][0];
export const errorTitle = (code: ErrorCode): string => CODES[code][1];

/** The store is full (src/ports/storage.ts): what takes no more room goes on. */
export const storageFull = (more?: FailureDetails): Failure<"storage_full"> =>
  fail("storage_full", "The registry has no room to store this now. Reads go on; try again later.", {
    retryAfterSeconds: 60,
    ...more,
  });

/** `return fail("no_enabled_site", "…")` */
export const fail = <C extends ErrorCode>(code: C, detail: string, more?: FailureDetails): Failure<C> =>
  new Failure(code, detail, more);

/** A member of the body cannot be taken. @param message goes on after the member's name: "must be in the future" */
export const refusedMember = <C extends ErrorCode>(code: C, member: string, message: string): Failure<C> =>
  fail(code, `${member} ${message}.`, { errors: [{ pointer: `/body/${member}`, code, message }] });
