/** Which traces are recorded: decided where they enter, by this registry alone. */
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  RandomIdGenerator,
  type Sampler,
  TraceIdRatioBasedSampler,
} from "@opentelemetry/sdk-trace-node";
import type { TelemetrySettings } from "../../runtime/telemetry.ts";

/**
 * A caller names its trace, and neither its flag nor its id may decide that it is recorded: anybody could have all of their
 * requests recorded by either. A trace that began within the registry goes on as its beginning was decided.
 */
export function samplerOf({ sampler, ratio }: Pick<TelemetrySettings, "sampler" | "ratio">): Sampler {
  const root: Sampler = {
    always_on: () => new AlwaysOnSampler(),
    always_off: () => new AlwaysOffSampler(),
    traceidratio: () => new TraceIdRatioBasedSampler(ratio),
  }[sampler]();
  const ids = new RandomIdGenerator();
  const ofCaller: Sampler = {
    shouldSample: (context, _, ...rest) => root.shouldSample(context, ids.generateTraceId(), ...rest),
    toString: () => `OfCaller{${root}}`,
  };
  return new ParentBasedSampler({ root, remoteParentSampled: ofCaller, remoteParentNotSampled: ofCaller });
}
