/** OpenTelemetry's SDK, set up for one thread. Loaded only where an OTLP endpoint is set (app/processes/telemetry.ts). */
import FastifyOtel from "@fastify/otel";
import { DiagLogLevel, diag } from "@opentelemetry/api";
import { OTLPTraceExporter as JsonTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { UndiciInstrumentation } from "@opentelemetry/instrumentation-undici";
import {
  defaultResource,
  detectResources,
  envDetector,
  type Resource,
  resourceFromAttributes,
} from "@opentelemetry/resources";
import { BatchSpanProcessor, NodeTracerProvider } from "@opentelemetry/sdk-trace-node";
import type { TelemetrySettings } from "../../runtime/telemetry.ts";
import type { Tracer } from "../../telemetry/tracing.ts";
import { redactingExporter } from "./redacting-exporter.ts";
import { samplerOf } from "./sampler.ts";
import { callersPropagator, tracerOver } from "./tracer.ts";

export interface TelemetryIdentity {
  /** `service.name`, unless OTEL_SERVICE_NAME or OTEL_RESOURCE_ATTRIBUTES name another. */
  name: string;
  version: string;
  /** `service.instance.id`. */
  id: string;
  /** Is told what cannot be sent. */
  warn: (message: string) => void;
}

export interface OpenedTelemetry {
  tracer: Tracer;
  /** Sends what is left, for at most a few seconds. Never rejects. */
  close(): Promise<void>;
}

const CLOSE_WITHIN_MS = 3_000;

/** Opens what the settings ask for. Variables of OpenTelemetry name endpoints, header fields and time-outs. */
export function openTelemetry(settings: TelemetrySettings, identity: TelemetryIdentity): OpenedTelemetry {
  const warn = (message: string): void => identity.warn(message);
  diag.setLogger(
    { error: warn, warn, info: () => undefined, debug: () => undefined, verbose: () => undefined },
    DiagLogLevel.WARN,
  );
  const provider = openTraces(settings, resourceOf(identity));
  return {
    tracer: tracerOver(provider.getTracer("bridge", identity.version)),
    close: async () => {
      const late = new Promise<void>((resolve) => void setTimeout(resolve, CLOSE_WITHIN_MS).unref());
      const sent = provider.shutdown().catch(() => undefined);
      await Promise.race([sent, late]);
    },
  };
}

function openTraces(settings: TelemetrySettings, resource: Resource): NodeTracerProvider {
  const exporter = settings.protocol === "http/json" ? new JsonTraceExporter() : new OTLPTraceExporter();
  // Of 2,048 spans that wait, further ones are dropped.
  const processor = new BatchSpanProcessor(redactingExporter(exporter));
  const provider = new NodeTracerProvider({
    resource,
    sampler: samplerOf(settings),
    spanProcessors: [processor],
  });
  provider.register({ propagator: callersPropagator });
  instrument(provider);
  return provider;
}

/** Spans of the front's requests and of outgoing connections, by the libraries' own instrumentations. */
function instrument(provider: NodeTracerProvider): void {
  const instrumentations = [
    new FastifyOtel.FastifyOtelInstrumentation({
      registerOnInitialization: true,
      instrumentHooks: false,
      instrumentHandler: false,
      recordExceptions: false,
      requestHook: (span, { method, routeOptions }) =>
        void span.updateName(`${method} ${routeOptions.url ?? "unknown"}`),
    }),
    new UndiciInstrumentation({ requireParentforSpans: true }),
  ];
  for (const each of instrumentations) {
    each.setTracerProvider(provider);
    each.enable();
  }
}

/** OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES go before what is given. */
const resourceOf = ({ name, version, id }: TelemetryIdentity): Resource =>
  defaultResource()
    .merge(
      resourceFromAttributes({
        "service.name": name,
        "service.version": version,
        "service.instance.id": id,
      }),
    )
    .merge(detectResources({ detectors: [envDetector] }));
