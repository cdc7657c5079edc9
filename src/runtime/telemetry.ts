/** The standard variables of OpenTelemetry that decide whether and how a process traces; its exporters read the rest themselves. */
import { ConfigError } from "./config.ts";

const PROTOCOLS = ["http/protobuf", "http/json"] as const;
export type OtlpProtocol = (typeof PROTOCOLS)[number];

const SAMPLERS = ["always_on", "always_off", "traceidratio"] as const;

export interface TelemetrySettings {
  /** Undefined: none are sent. */
  traces: OtlpProtocol | undefined;
  metrics: OtlpProtocol | undefined;
  /** Of traces that begin here. */
  sampler: (typeof SAMPLERS)[number];
  /** Share of traces that are recorded, 0 to 1, with `traceidratio`. */
  ratio: number;
}

type Environment = Record<string, string | undefined>;
type Signal = "TRACES" | "METRICS";

const protocolOf = (environment: Environment, signal: Signal): OtlpProtocol => {
  const own = `OTEL_EXPORTER_OTLP_${signal}_PROTOCOL`;
  const name = environment[own] ? own : "OTEL_EXPORTER_OTLP_PROTOCOL";
  const given = environment[name] || PROTOCOLS[0];
  const protocol = PROTOCOLS.find((each) => each === given);
  if (!protocol) throw new ConfigError(`${name}: must be ${PROTOCOLS.join(" or ")}`);
  return protocol;
};

/** Whether there is an endpoint for a signal, and it is not turned off. */
const isSent = (environment: Environment, signal: Signal, byDefault: boolean): boolean => {
  const own = environment[`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`];
  if (!own && !environment.OTEL_EXPORTER_OTLP_ENDPOINT) return false;
  const exporter = environment[`OTEL_${signal}_EXPORTER`] || (own || byDefault ? "otlp" : "none");
  if (exporter !== "otlp" && exporter !== "none")
    throw new ConfigError(`OTEL_${signal}_EXPORTER: must be otlp or none`);
  return exporter === "otlp";
};

const samplerOf = (environment: Environment): Pick<TelemetrySettings, "sampler" | "ratio"> => {
  const given = (environment.OTEL_TRACES_SAMPLER || "parentbased_always_on").replace(/^parentbased_/, "");
  const sampler = SAMPLERS.find((each) => each === given);
  if (!sampler)
    throw new ConfigError(
      `OTEL_TRACES_SAMPLER: must be one of ${SAMPLERS.join(", ")}, or parentbased_ and one`,
    );
  const ratio = Number(environment.OTEL_TRACES_SAMPLER_ARG || 1);
  if (!(ratio >= 0 && ratio <= 1))
    throw new ConfigError("OTEL_TRACES_SAMPLER_ARG: must be a number from 0 to 1");
  return { sampler, ratio };
};

/**
 * Traces go out where an OTLP endpoint is set; metrics, which Prometheus collects, only where OTEL_METRICS_EXPORTER or an
 * endpoint of their own asks for it.
 * @returns undefined where nothing is sent
 * @throws ConfigError naming the variable that cannot be used
 */
export const readTelemetrySettings = (environment: Environment): TelemetrySettings | undefined => {
  if (environment.OTEL_SDK_DISABLED?.toLowerCase() === "true") return undefined;
  const traces = isSent(environment, "TRACES", true) ? protocolOf(environment, "TRACES") : undefined;
  const metrics = isSent(environment, "METRICS", false) ? protocolOf(environment, "METRICS") : undefined;
  return traces || metrics ? { traces, metrics, ...samplerOf(environment) } : undefined;
};
