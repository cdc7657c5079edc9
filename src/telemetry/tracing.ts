/**
 * Spans of what a process does, as the code that does it names them. Without a tracer (no OTLP endpoint is set) a span
 * costs one comparison, and nothing of OpenTelemetry is loaded.
 */
import { currentScope } from "./scope.ts";

export type Attributes = Readonly<Record<string, string | number | boolean>>;

export interface TraceSpan {
  set(attributes: Attributes): void;
  /** Marks the span as failed. @param reason a stable code, never text of a stranger */
  fail(reason: string): void;
}

export interface SpanOptions {
  /** Default: work within the process. */
  kind?: "server" | "client" | "consumer";
  attributes?: Attributes;
  /** Another process's span that caused this one, as `traceparent`; default: the current span. */
  parent?: string | undefined;
}

export interface Tracer {
  run<T>(name: string, options: SpanOptions, work: (span: TraceSpan) => Promise<T>): Promise<T>;
  /** A span that is over. Times in milliseconds since the epoch. */
  record(name: string, options: SpanOptions, startMs: number, endMs: number): void;
  /** The current span, as `traceparent`. */
  traceparent(): string | undefined;
}

const NO_SPAN: TraceSpan = { set: () => undefined, fail: () => undefined };

let tracer: Tracer | undefined;

/** Sets the process's tracer; undefined removes it. */
export function useTracer(given: Tracer | undefined): void {
  tracer = given;
}

export const isTracing = (): boolean => tracer !== undefined;

/**
 * Does work in a span of its own, the current one's child. A throw marks it as failed.
 * @param name fixed, or made of names from tables: spans are grouped by it
 */
export const traced = <T>(
  name: string,
  options: SpanOptions,
  work: (span: TraceSpan) => Promise<T>,
): Promise<T> => (tracer ? tracer.run(name, options, work) : work(NO_SPAN));

/** A span of work that is over, such as one record of a batch. */
export const recordSpan = (name: string, options: SpanOptions, startMs: number, endMs: number): void =>
  tracer?.record(name, options, startMs, endMs);

/** The trace that goes with what is sent to another process: the current span, else what the request came with. */
export const currentTraceparent = (): string | undefined =>
  tracer?.traceparent() ?? currentScope()?.traceparent;
