/**
 * What leaves of a span: attributes of a list, their texts without credentials. Instrumentations of others put whole
 * addresses into spans, with paths and queries that may hold a key.
 */
import type { Attributes } from "@opentelemetry/api";
import type { ReadableSpan, SpanExporter } from "@opentelemetry/sdk-trace-node";
import { redact } from "../../telemetry/redact.ts";

/** Attributes that leave the process. */
const KEPT = new Set([
  "http.request.method",
  "http.route",
  "http.response.status_code",
  "network.protocol.version",
  "server.address",
  "server.port",
  "url.scheme",
  "error.type",
  "exception.type",
  "messaging.system",
  "messaging.batch.message_count",
  "db.system",
  "db.system.name",
  "db.operation",
  "db.operation.name",
  "db.response.status_code",
  "dns.question.name",
  "dns.outcome",
  "gate.outcome",
  "bridge.host",
  "bridge.outcome",
]);
const MAX_TEXT = 256;

export const cleanAttributes = (attributes: Attributes): Attributes =>
  Object.fromEntries(
    Object.entries(attributes)
      .filter(([name, value]) => KEPT.has(name) && !Array.isArray(value))
      .map(([name, value]) => [name, typeof value === "string" ? clean(value) : value]),
  );

const clean = (text: string): string => redact(text.slice(0, MAX_TEXT));

/** An exporter that is given nothing else. */
export const redactingExporter = (exporter: SpanExporter): SpanExporter => ({
  export: (spans, done) => exporter.export(spans.map(cleanSpan), done),
  shutdown: () => exporter.shutdown(),
  forceFlush: async () => exporter.forceFlush?.(),
});

const cleanSpan = (span: ReadableSpan): ReadableSpan => ({
  name: clean(span.name),
  kind: span.kind,
  spanContext: () => span.spanContext(),
  ...(span.parentSpanContext && { parentSpanContext: span.parentSpanContext }),
  startTime: span.startTime,
  endTime: span.endTime,
  status: {
    ...span.status,
    ...(span.status.message !== undefined && { message: clean(span.status.message) }),
  },
  attributes: cleanAttributes(span.attributes),
  links: span.links.map(({ context }) => ({ context })),
  events: span.events.map(({ name, time, attributes }) => ({
    name: clean(name),
    time,
    attributes: cleanAttributes(attributes ?? {}),
    droppedAttributesCount: 0,
  })),
  duration: span.duration,
  ended: span.ended,
  resource: span.resource,
  instrumentationScope: span.instrumentationScope,
  droppedAttributesCount: span.droppedAttributesCount,
  droppedEventsCount: span.droppedEventsCount,
  droppedLinksCount: span.droppedLinksCount,
});
