/** The Idempotency-Key header field (draft-ietf-httpapi-idempotency-key-header-07, section 2). */
import { type Failure, fail } from "../../src/rpc/errors.ts";

export const IDEMPOTENCY_KEY_FIELD = "idempotency-key";

const MAX_KEY_CHARS = 255;
/** A String of Structured Fields (RFC 9651 section 3.3.3) without parameters, which the draft does not define. */
const QUOTED = /^"((?:[\x20-\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/;
/** What most clients send. A comma would be two fields that a proxy joined. */
const BARE = /^[\x21\x23-\x2b\x2d-\x5b\x5d-\x7e]+$/;

/**
 * The key of a request.
 * @param value of the header field, or of a websocket message's `idempotency_key`
 * @returns undefined where none was sent
 */
export function readIdempotencyKey(value: unknown): string | undefined | Failure<"invalid_idempotency_key"> {
  if (value === undefined) return undefined;
  // Twice as long: each character of a quoted key may be escaped.
  if (typeof value !== "string" || value.length > 2 * MAX_KEY_CHARS + 2) return invalid();
  const key = QUOTED.exec(value)?.[1]?.replace(/\\(["\\])/g, "$1") ?? BARE.exec(value)?.[0] ?? "";
  return key.length >= 1 && key.length <= MAX_KEY_CHARS ? key : invalid();
}

const invalid = (): Failure<"invalid_idempotency_key"> =>
  fail(
    "invalid_idempotency_key",
    `Idempotency-Key is one quoted string, or visible ASCII characters without quotes, commas and backslashes, of 1 to ${MAX_KEY_CHARS} characters: a UUID, for example.`,
  );
