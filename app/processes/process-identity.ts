/** A process's id and log. */
import { hostname } from "node:os";
import pino, { type DestinationStream, type Logger } from "pino";
import { uuidv7 } from "../../src/rpc/ids.ts";
import type { Config } from "../../src/runtime/config.ts";
import { redact } from "../../src/telemetry/redact.ts";
import { currentScope, parseTraceparent } from "../../src/telemetry/scope.ts";
import { currentTraceparent } from "../../src/telemetry/tracing.ts";

/** What a line was written for, where it was written for a request or a visit. */
const scopeOfLine = (): object => {
  const trace = parseTraceparent(currentTraceparent());
  const requestId = currentScope()?.requestId;
  return {
    ...(requestId !== undefined && { request_id: requestId }),
    ...(trace && { trace_id: trace.traceId, span_id: trace.spanId }),
  };
};

/** Lines without credentials and mail addresses: every log of a process is written through this. */
export const redacting = (destination: DestinationStream): DestinationStream => ({
  write: (line) => destination.write(redact(line)),
});

/** @param destination default: standard error, each line at once */
export const createLogger = (
  config: Pick<Config, "BRIDGE_LOG_LEVEL">,
  destination: DestinationStream = pino.destination(2),
): Logger => pino({ level: config.BRIDGE_LOG_LEVEL, mixin: scopeOfLine }, redacting(destination));

/** A new id: the host name and a UUIDv7. */
export const newProcessId = (): string => `${hostname()}-${uuidv7()}`;
