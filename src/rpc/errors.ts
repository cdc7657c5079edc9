/** The closed union of error codes: each one's HTTP status and title (RFC 9457). Nothing matches message text. */
const CODES = {
  // 400: the request is wrong and will stay wrong
  invalid_request: [400, "The request does not fit its contract"],
  invalid_json: [400, "The body is not JSON"],
  invalid_domain: [400, "Not a domain name"],
  invalid_cursor: [400, "The cursor is not one of ours, or is out of date"],
  invalid_url: [400, "Not an address that can be used here"],
  invalid_endpoint: [400, "Not an endpoint that a TXT record can name"],
  invalid_callback: [400, "Not a callback that a webhook can be sent to"],
  invalid_amount: [400, "Not an amount of this currency"],
  invalid_time: [400, "Not a time that can be told now"],
  // 401, 403: who asks
  authentication_required: [401, "Credentials are missing or not valid"],
  permission_denied: [403, "Not allowed"],
  insufficient_plan: [403, "The plan does not include this"],
  key_revoked: [401, "The API key was revoked"],
  trust_headers_invalid: [401, "The trust headers cannot be read"],
  trust_nonce_expired: [401, "The nonce is too old, or of the future"],
  trust_key_unknown: [401, "The domain has no key in DNS that could be checked by"],
  trust_signature_wrong: [401, "The trust headers are not signed by the domain's key"],
  trust_nonce_replayed: [401, "The nonce was used before"],
  invalid_credentials: [401, "The address or the password is wrong"],
  proof_required: [403, "A proof is missing"],
  plan_limit: [403, "The plan allows no more"],
  license_invalid: [403, "The license is not valid for this domain"],
  // 404 …: what is asked for
  not_found: [404, "Nothing here"],
  certificate_not_found: [404, "No certificate of this id"],
  not_registered: [404, "The domain is not registered"],
  no_enabled_site: [404, "No enabled site for this domain"],
  batch_not_found: [404, "No batch of this id, or it is too old"],
  site_not_registered: [404, "This site is not registered"],
  method_not_allowed: [405, "Method not allowed"],
  not_acceptable: [406, "No representation that the client accepts"],
  email_taken: [409, "There is an account with this address"],
  request_timeout: [408, "The request took too long to arrive"],
  proof_outdated: [409, "A newer proof is known"],
  account_required: [403, "This needs a key of an account"],
  account_not_established: [403, "The account is not established yet"],
  already_joined: [409, "This account joined already"],
  pool_not_locked: [409, "The pool is not locked"],
  commitment_mismatch: [400, "Not what was committed to"],
  not_a_member: [403, "This account is no member"],
  too_many_series: [409, "No room for another series"],
  body_too_large: [413, "The body is too large"],
  uri_too_long: [414, "The address is too long"],
  not_observed: [422, "What was to be observed was not seen"],
  unsupported_media_type: [415, "This content type is not read here"],
  content_too_costly: [422, "It takes too long or too much memory to read"],
  headers_too_large: [431, "The header fields are too large"],
  rate_limited: [429, "Too many requests"],
  quota_exceeded: [429, "The plan's quota is used up"],
  // 5xx: us
  internal: [500, "A fault on our side"],
  site_unreachable: [502, "The site did not answer"],
  unavailable: [503, "Not available right now"],
  timeout: [504, "No answer within the deadline"],
} as const satisfies Record<string, readonly [status: number, title: string]>;

export type ErrorCode = keyof typeof CODES;

/** Codes that any operation may answer with, beyond those it declares. */
export type CommonErrorCode = "invalid_request" | "internal" | "unavailable" | "timeout";

/** Codes of access control: what an operation that asks for a credential may answer with beyond those it declares. */
export type AccessErrorCode =
  | "authentication_required"
  | "key_revoked"
  | "insufficient_plan"
  | "rate_limited"
  | "quota_exceeded";

/** Codes of trust headers that are there and wrong (app/front/trust-check.ts): any operation may answer with them. */
export type TrustErrorCode =
  | "trust_headers_invalid"
  | "trust_nonce_expired"
  | "trust_key_unknown"
  | "trust_signature_wrong"
  | "trust_nonce_replayed"
  // Names that nobody proved before cost a look-up each: so many a minute and network.
  | "rate_limited";

/** Codes of the front itself: the address, the header fields or the body's form are refused before an operation is reached. */
export type FrontErrorCode =
  | "invalid_url"
  | "invalid_json"
  | "not_found"
  | "method_not_allowed"
  | "request_timeout"
  | "body_too_large"
  | "uri_too_long"
  | "unsupported_media_type"
  | "headers_too_large";

export const ERROR_CODES = Object.keys(CODES) as ErrorCode[];
export const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(CODES, code);
export const statusOf = (code: ErrorCode): number => CODES[code][0];
export const titleOf = (code: ErrorCode): string => CODES[code][1];

export interface Fault {
  /** JSON Pointer (RFC 6901) into the request: /query/limit, /body/domain. */
  pointer: string;
  code: string;
  message: string;
}

/** An expected failure: returned by a handler, never thrown; carried over the wire; rendered by the front alone. */
export class Failure<C extends ErrorCode = ErrorCode> {
  readonly code: C;
  readonly detail: string;
  readonly errors: Fault[] | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: C, detail: string, more: { errors?: Fault[]; retryAfterSeconds?: number } = {}) {
    this.code = code;
    this.detail = detail;
    this.errors = more.errors;
    this.retryAfterSeconds = more.retryAfterSeconds;
  }
}

/** `return fail("no_enabled_site", "…")` */
export const fail = <C extends ErrorCode>(
  code: C,
  detail: string,
  more?: { errors?: Fault[]; retryAfterSeconds?: number },
): Failure<C> => new Failure(code, detail, more);
