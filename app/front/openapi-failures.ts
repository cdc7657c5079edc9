/** The failures of an operation as OpenAPI responses: one per status, with the codes that it may have there. */
import type { OperationSpec } from "../../src/rpc/contract.ts";
import {
  type AccessErrorCode,
  type CommonErrorCode,
  type ErrorCode,
  errorTitle,
  type FrontErrorCode,
  httpStatusOf,
  type IdempotencyErrorCode,
  type TrustErrorCode,
} from "../../src/rpc/errors.ts";
import type { Json } from "../../src/rpc/json-schema.ts";

const COMMON_ERRORS: readonly CommonErrorCode[] = [
  "invalid_request",
  "internal",
  "unavailable",
  "timeout",
  // Reads store something too: what they count.
  "storage_full",
];

/** Error codes of the front itself. */
const ALWAYS_ERRORS: readonly FrontErrorCode[] = ["request_timeout", "headers_too_large"];
const BODY_ERRORS: readonly FrontErrorCode[] = ["invalid_json", "body_too_large", "unsupported_media_type"];
const TRUST_ERRORS: readonly TrustErrorCode[] = [
  "trust_headers_invalid",
  "trust_nonce_expired",
  "trust_key_unknown",
  "trust_signature_wrong",
  "trust_nonce_replayed",
  "rate_limited",
];
const IDEMPOTENCY_ERRORS: readonly IdempotencyErrorCode[] = [
  "invalid_idempotency_key",
  "idempotency_in_progress",
  "unknown_outcome",
  "reply_not_kept",
  "idempotency_conflict",
];

/** Codes that every operation has, or that are alone with their status: they are no part of the name of a set of codes. */
const UNNAMED: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  ...COMMON_ERRORS,
  ...ALWAYS_ERRORS,
  ...TRUST_ERRORS,
  "authentication_required",
  "invalid_url",
  "uri_too_long",
  "body_too_large",
  "unsupported_media_type",
]);

/** `some_words` or `some-words` → `SomeWords` */
export const pascal = (text: string): string =>
  text.replace(/(?:^|[^A-Za-z0-9])([A-Za-z0-9])/g, (_, first: string) => first.toUpperCase());

/**
 * @param components `schemas` and `responses` that the document has so far; what is missing is added
 * @returns responses by status, as references
 */
export function failureResponses(
  operation: OperationSpec,
  components: { schemas: Json; responses: Json },
): Json {
  const byStatus = Map.groupBy(errorCodesOf(operation).toSorted(), httpStatusOf);
  return Object.fromEntries(
    [...byStatus]
      .sort(([a], [b]) => a - b)
      .map(([status, codes]) => {
        const name = nameOf(status, codes);
        components.schemas[name] ??= problemSchema(codes);
        components.responses[name] ??= {
          description: codes.map((code) => `\`${code}\`: ${errorTitle(code)}`).join("; "),
          content: { "application/problem+json": { schema: { $ref: `#/components/schemas/${name}` } } },
        };
        return [String(status), { $ref: `#/components/responses/${name}` }];
      }),
  );
}

/** Every code that an operation may answer with. */
export const errorCodesOf = (operation: OperationSpec): readonly ErrorCode[] => [
  ...new Set<ErrorCode>([
    ...COMMON_ERRORS,
    ...frontErrors(operation),
    ...accessErrors(operation),
    ...operation.errors,
  ]),
];

const frontErrors = (
  operation: OperationSpec,
): readonly (FrontErrorCode | TrustErrorCode | IdempotencyErrorCode)[] => [
  ...ALWAYS_ERRORS,
  // Any query string may be malformed; with path parameters, the path may be too, or too long.
  "invalid_url",
  ...(operation.anyQuery ? [] : (["unknown_parameter"] as const)),
  ...(operation.params ? (["uri_too_long"] as const) : []),
  ...(operation.body ? BODY_ERRORS : []),
  ...TRUST_ERRORS,
  ...(operation.makes ? IDEMPOTENCY_ERRORS : []),
];

/** Error codes of access control. */
const accessErrors = ({ auth, plan, keyItself }: OperationSpec): readonly AccessErrorCode[] => [
  // Every call is charged to the limit table, at least to `requests`; where nobody needs a credential, an agent's must be valid.
  "rate_limited",
  "authentication_required",
  ...(auth !== "none" ? (["quota_exceeded"] as const) : []),
  ...(auth === "key" ? (["key_revoked"] as const) : []),
  // An agent's token stands for its account's key, if there is one.
  ...(plan || (auth === "key" && !keyItself) ? (["insufficient_plan"] as const) : []),
];

/** Two operations with the same codes of a status share one response and one type of it. */
const nameOf = (status: number, codes: readonly ErrorCode[]): string =>
  `Problem${status}${codes
    .filter((code) => !UNNAMED.has(code))
    .map(pascal)
    .join("")}`;

/** Problem of a status: `code` is one of these. */
const problemSchema = (codes: readonly ErrorCode[]): Json => ({
  type: "object",
  allOf: [
    { $ref: "#/components/schemas/Problem" },
    {
      type: "object",
      properties: { code: { type: "string", enum: codes } },
      required: ["code"],
    },
  ],
});
