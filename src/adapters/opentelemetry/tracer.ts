/** The tracer of src/telemetry/tracing.ts over OpenTelemetry's API. */
import {
  type Context,
  context,
  type Span as OtelSpan,
  type Tracer as OtelTracer,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  type TextMapPropagator,
  trace,
} from "@opentelemetry/api";
import { parseTraceparent, traceparentOf } from "../../telemetry/scope.ts";
import type { SpanOptions, Tracer, TraceSpan } from "../../telemetry/tracing.ts";

const KINDS: Record<NonNullable<SpanOptions["kind"]>, SpanKind> = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
};

/**
 * Takes what callers send of their trace. It gives nothing to anybody: what is sent to sites must not tell them apart or
 * join what they see, and what is sent to the registry's own processes gets its header elsewhere (requests.ts, client.ts).
 */
export const callersPropagator: TextMapPropagator = {
  inject: () => undefined,
  extract: (from, carrier, getter) => {
    const given = getter.get(carrier, "traceparent");
    return typeof given === "string" ? withParent(given, from, true) : from;
  },
  fields: () => ["traceparent"],
};

export function tracerOver(tracer: OtelTracer): Tracer {
  const start = (name: string, { kind, attributes, parent }: SpanOptions, startTime?: number) => {
    // A parent within the registry: whether the trace is recorded was decided where it entered.
    const from = parent === undefined ? context.active() : withParent(parent, ROOT_CONTEXT, false);
    const options = {
      kind: kind ? KINDS[kind] : SpanKind.INTERNAL,
      ...(attributes && { attributes }),
      ...(startTime !== undefined && { startTime }),
    };
    const span = tracer.startSpan(name, options, from);
    return { span, within: trace.setSpan(from, span) };
  };
  return {
    run: (name, options, work) => {
      const { span, within } = start(name, options);
      const done = async () => {
        try {
          return await work(handleOf(span));
        } catch (error) {
          span.setStatus({
            code: SpanStatusCode.ERROR,
            message: error instanceof Error ? error.name : "thrown",
          });
          throw error;
        } finally {
          span.end();
        }
      };
      return context.with(within, done);
    },
    record: (name, options, startMs, endMs) => start(name, options, startMs).span.end(endMs),
    traceparent: () => {
      const current = trace.getSpanContext(context.active());
      return current && traceparentOf({ ...current, sampled: (current.traceFlags & 1) === 1 });
    },
  };
}

function withParent(parent: string, from: Context, isRemote: boolean): Context {
  const given = parseTraceparent(parent);
  if (!given) return from;
  const { traceId, spanId, sampled } = given;
  return trace.setSpanContext(from, { traceId, spanId, traceFlags: sampled ? 1 : 0, isRemote });
}

const handleOf = (span: OtelSpan): TraceSpan => ({
  set: (attributes) => void span.setAttributes(attributes),
  fail: (reason) => void span.setStatus({ code: SpanStatusCode.ERROR, message: reason }),
});
