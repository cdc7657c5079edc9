/** A process's id and log. */
import { hostname } from "node:os";
import { isatty } from "node:tty";
import pino, { type DestinationStream, type Logger } from "pino";
import { uuidv7 } from "../../src/rpc/ids.ts";
import type { Config } from "../../src/runtime/config.ts";
import { redact } from "../../src/telemetry/redact.ts";
import { currentScope, parseTraceparent } from "../../src/telemetry/scope.ts";
import { currentTraceparent } from "../../src/telemetry/tracing.ts";

/** Members of a line that a person at a terminal does without. */
const UNSAID = new Set(["level", "time", "pid", "hostname", "msg", "err"]);

/** A line of JSON as a person reads it: time, severity, what, and the other members; the stack of an error below. */
export function readableLine(line: string): string {
  let members: Record<string, unknown>;
  try {
    members = JSON.parse(line);
  } catch {
    return line;
  }
  const { level, time, msg, err } = members as {
    level: number;
    time: number;
    msg?: string;
    err?: { stack?: string; message?: string };
  };
  const at = new Date(time).toISOString().slice(11, 19);
  const rest = Object.entries(members)
    .filter(([name]) => !UNSAID.has(name))
    .map(([name, value]) => ` ${name}=${typeof value === "string" ? value : JSON.stringify(value)}`);
  const text = `${at} ${(pino.levels.labels[level] ?? "").toUpperCase().padEnd(5)} ${msg ?? ""}${rest.join("")}`;
  const stack = err && (err.stack ?? err.message);
  // Whoever wrote a value, it must not move the cursor.
  return `${[text, ...(stack ? stack.split("\n") : [])].map((part) => part.replace(/\p{Cc}/gu, " ")).join("\n  ")}\n`;
}

/** @param destination default: standard error, each line at once */
export const createLogger = (
  config: Pick<Config, "BRIDGE_LOG_LEVEL">,
  destination: DestinationStream = standardError(),
): Logger => pino({ level: config.BRIDGE_LOG_LEVEL, mixin: scopeOfLine }, redacting(destination));

/** Standard error: JSON, or for a terminal what a person reads. */
function standardError(): DestinationStream {
  const lines = pino.destination(2);
  return isatty(2) ? { write: (line) => lines.write(readableLine(line)) } : lines;
}

/** What a line was written for, where it was written for a request or a visit. */
function scopeOfLine(): object {
  const trace = parseTraceparent(currentTraceparent());
  const requestId = currentScope()?.requestId;
  return {
    ...(requestId !== undefined && { request_id: requestId }),
    ...(trace && { trace_id: trace.traceId, span_id: trace.spanId }),
  };
}

/** Lines without credentials and mail addresses: every log of a process is written through this. */
export const redacting = (destination: DestinationStream): DestinationStream => ({
  write: (line) => destination.write(redact(line)),
});

/** A new id: the host name and a UUIDv7. */
export const newProcessId = (): string => `${hostname()}-${uuidv7()}`;
