/** The access log: one line of JSON for each request that a front answered, on standard output. */
import pino from "pino";
import { parseTraceparent } from "../../src/telemetry/scope.ts";
import { redacting } from "./process-identity.ts";

/** One answered request, without anything that a caller could have put a credential into but its id. */
export interface AccessLogEntry {
  method: string;
  /** The declared pattern; "unknown" where none fits. */
  path: string;
  status: number;
  tookMs: number;
  /** Of the reply's body; 0 where it is sent in parts. */
  bytes: number;
  requestId: string;
  traceparent: string | undefined;
  /** Kind of the caller's credential; "none" without one. */
  principal: string;
  /** Code of the problem that was sent, if one was. */
  problem: string | undefined;
}

export interface AccessLog {
  note(answered: AccessLogEntry): void;
  /** Writes what is not written yet. */
  flush(): void;
}

/** Lines are written together, so that a request does not wait for them; of a reader that stands still, no more is kept. */
const BUFFERED_BYTES = 4_096;
const MAX_BUFFERED_BYTES = 8 << 20;
const FLUSH_EVERY_MS = 1_000;

/**
 * @param percent share of requests that are noted; faults of the registry (5xx) always are, unless it is 0
 * @param write default: standard output
 * @returns undefined where nothing is noted
 */
export function openAccessLog(percent: number, write?: (line: string) => void): AccessLog | undefined {
  if (percent === 0) return undefined;
  const output = write
    ? { write, flushSync: () => undefined }
    : pino.destination({
        dest: 1,
        sync: false,
        minLength: BUFFERED_BYTES,
        maxLength: MAX_BUFFERED_BYTES,
        periodicFlush: FLUSH_EVERY_MS,
      });
  const log = pino({ base: undefined, timestamp: pino.stdTimeFunctions.isoTime }, redacting(output));
  return {
    note: ({ requestId, traceparent, tookMs, problem, ...answered }) => {
      if (answered.status < 500 && percent < 100 && Math.random() * 100 >= percent) return;
      log.info(
        {
          ...answered,
          ms: Math.round(tookMs * 100) / 100,
          ...(problem !== undefined && { problem }),
          request_id: requestId,
          trace_id: parseTraceparent(traceparent)?.traceId,
        },
        "request",
      );
    },
    flush: () => {
      try {
        output.flushSync();
      } catch {
        // Nobody reads standard output.
      }
    },
  };
}

/** What a front calls for each response: the metrics count it, and the access log, where there is one, notes it. */
export const answeredBy = (
  metrics: { answered(answered: AccessLogEntry): void },
  accessLog: AccessLog | undefined,
): ((answered: AccessLogEntry) => void) =>
  accessLog === undefined
    ? metrics.answered
    : (answered) => {
        metrics.answered(answered);
        accessLog.note(answered);
      };
