/** What a piece of work is done for: known to every log line that is written and every span that is made meanwhile. */
import { AsyncLocalStorage } from "node:async_hooks";
import { randomFillSync } from "node:crypto";

export interface TraceScope {
  /** As in the reply's `X-Request-Id`. */
  requestId?: string | undefined;
  /** W3C trace context, `00-<trace id>-<parent id>-<flags>`. */
  traceparent?: string | undefined;
}

const scopes = new AsyncLocalStorage<TraceScope>();

/** W3C Trace Context level 2, section 3.2; ids of zeros are invalid, and of later versions no more than this is read. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/;

export interface TraceContext {
  traceId: string;
  spanId: string;
  sampled: boolean;
}

const ID_BYTES = 24;
/** Random bytes are drawn in bulk, as randomUUID does. */
const drawn = Buffer.alloc(128 * ID_BYTES);
let used = drawn.length;

/** Does work for a request, a visit or a command. */
export const withinScope = <T>(scope: TraceScope, work: () => T): T => scopes.run(scope, work);

export const currentScope = (): TraceScope | undefined => scopes.getStore();

/** @returns undefined for anything else than one valid `traceparent` */
export function parseTraceparent(text: unknown): TraceContext | undefined {
  if (typeof text !== "string" || text.length !== 55) return undefined;
  const [, traceId, spanId, flags] = TRACEPARENT.exec(text) ?? [];
  if (!traceId || !spanId || !flags) return undefined;
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

export const traceparentOf = ({ traceId, spanId, sampled }: TraceContext): string =>
  `00-${traceId}-${spanId}-${sampled ? "01" : "00"}`;

/** A trace that nobody records, so that lines of several processes can be joined all the same. */
export function newTraceparent(): string {
  if (used === drawn.length) {
    randomFillSync(drawn);
    used = 0;
  }
  const ids = drawn.toString("hex", used, used + ID_BYTES);
  used += ID_BYTES;
  return `00-${ids.slice(0, 32)}-${ids.slice(32)}-00`;
}
