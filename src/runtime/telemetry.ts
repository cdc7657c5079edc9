/** The standard variables of OpenTelemetry that decide whether and how a process traces; its exporters read the rest themselves. */
import { ConfigError } from "./config.ts";

const PROTOCOLS = ["http/protobuf", "http/json"] as const;
const SAMPLERS = ["always_on", "always_off", "traceidratio"] as const;

export interface TelemetrySettings {
  protocol: (typeof PROTOCOLS)[number];
  /** Of traces that begin here. */
  sampler: (typeof SAMPLERS)[number];
  /** Share of traces that are recorded, 0 to 1, with `traceidratio`. */
  ratio: number;
}

type Environment = Record<string, string | undefined>;

/**
 * Traces go out where an OTLP endpoint is set. Metrics are Prometheus's, collected from each process.
 * @returns undefined where nothing is sent
 * @throws ConfigError naming the variable that cannot be used
 */
export function readTelemetrySettings(environment: Environment): TelemetrySettings | undefined {
  if (environment.OTEL_SDK_DISABLED?.toLowerCase() === "true") return undefined;
  exporterOf(environment, "OTEL_METRICS_EXPORTER", ["none", "prometheus"]);
  const { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: own, OTEL_EXPORTER_OTLP_ENDPOINT: shared } = environment;
  const isSent = exporterOf(environment, "OTEL_TRACES_EXPORTER", ["otlp", "none"]) === "otlp";
  if (!(own || shared) || !isSent) return undefined;
  return { protocol: protocolOf(environment), ...samplerOf(environment) };
}

/** What a variable that names a signal's exporter says. */
function exporterOf(environment: Environment, name: string, known: readonly string[]): string {
  const exporter = environment[name] || known[0]!;
  if (!known.includes(exporter)) throw new ConfigError(`${name}: must be ${known.join(" or ")}`);
  return exporter;
}

function protocolOf(environment: Environment): TelemetrySettings["protocol"] {
  const own = "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL";
  const name = environment[own] ? own : "OTEL_EXPORTER_OTLP_PROTOCOL";
  const given = environment[name] || PROTOCOLS[0];
  const protocol = PROTOCOLS.find((each) => each === given);
  if (!protocol) throw new ConfigError(`${name}: must be ${PROTOCOLS.join(" or ")}`);
  return protocol;
}

function samplerOf(environment: Environment): Pick<TelemetrySettings, "sampler" | "ratio"> {
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
}
