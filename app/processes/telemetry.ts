/** Starts OpenTelemetry in a thread where an OTLP endpoint is set; else nothing of it is loaded. */
import { VERSIONS } from "../../schemas/common.ts";
import type { Config } from "../../src/runtime/config.ts";
import { readTelemetrySettings } from "../../src/runtime/telemetry.ts";
import { useTracer } from "../../src/telemetry/tracing.ts";
import { createLogger } from "./process-identity.ts";

export interface Telemetry {
  /** Sends what is left. */
  close(): Promise<void>;
}

/**
 * @param name of the service: what runs here, such as `bridge-front`
 * @param id of this process
 * @throws ConfigError for a variable that cannot be used
 */
export async function startTelemetry(config: Config, name: string, id: string): Promise<Telemetry> {
  const settings = readTelemetrySettings(process.env);
  if (!settings) return { close: async () => undefined };
  const { openTelemetry } = await import("../../src/adapters/opentelemetry/open.ts");
  const log = createLogger(config);
  const warn = (reason: string): void => log.warn({ reason }, "telemetry cannot be sent");
  const opened = openTelemetry(settings, { name, version: VERSIONS.bridge, id, warn });
  useTracer(opened.tracer);
  return {
    close: async () => {
      useTracer(undefined);
      await opened.close();
    },
  };
}
