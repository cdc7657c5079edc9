/** The ids of a request: its own, and the trace that it is part of. A caller may give both. */
import type { IncomingMessage } from "node:http";
import { uuidv7 } from "../../src/rpc/ids.ts";
import { newTraceparent, parseTraceparent } from "../../src/telemetry/scope.ts";
import { currentTraceparent } from "../../src/telemetry/tracing.ts";

const REQUEST_ID = /^[A-Za-z0-9._-]{1,64}$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** `X-Request-Id` where it is 1 to 64 letters, digits, `.`, `_` and `-`; else a new UUIDv7. It names a request, and is no key. */
export function requestIdOf({ headers }: Pick<IncomingMessage, "headers">): string {
  const given = headers["x-request-id"];
  return typeof given === "string" && REQUEST_ID.test(given) ? given : uuidv7();
}

/** A problem's `instance` (RFC 9457 section 3.1.5), a URI reference. */
export const instanceOf = (requestId: string): string =>
  UUID.test(requestId) ? `urn:uuid:${requestId}` : `#${requestId}`;

/** The `traceparent` that goes on from here: of the front's own span, else the caller's, else of a trace that nobody records. */
export function requestTraceparent({ headers }: Pick<IncomingMessage, "headers">): string {
  const { traceparent } = headers;
  const given = parseTraceparent(traceparent) ? (traceparent as string) : undefined;
  return currentTraceparent() ?? given ?? newTraceparent();
}
