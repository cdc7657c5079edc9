/** Announces a role of this process on NATS. */
import { VERSIONS } from "../../schemas/common.ts";
import { announce, type EndpointStats } from "../../src/adapters/nats/discovery.ts";
import { operationSubject } from "../../src/rpc/contract.ts";
import type { RunningService } from "../../src/rpc/serving.ts";
import type { RunningRole } from "../../src/runtime/runtime.ts";
import { ROLE_SPECS, type Role } from "../roles.ts";
import type { OpenedCore } from "./opened-core.ts";

export interface NamedRole extends RunningRole {
  role: Role;
}

/** Announces a role of this process on NATS. */
export function announced({ broker, id }: OpenedCore, role: Role, running: RunningRole): NamedRole {
  const unannounce = announce(broker.connection, broker.prefix, id, {
    role,
    description: ROLE_SPECS[role].about,
    version: VERSIONS.bridge,
    endpoints: () => (running.servings ?? []).flatMap((each) => endpointStats(broker.prefix, each)),
    data: running.read,
    trouble: () => running.trouble?.(),
  });
  return {
    ...running,
    role,
    drain: async () => {
      unannounce();
      await running.drain();
    },
  };
}

const endpointStats = (prefix: string, { service, stats }: RunningService): EndpointStats[] =>
  [...stats].map(([name, counts]) => ({
    name: `${service.name}-${name}`,
    subject: operationSubject(prefix, service.name, name),
    num_requests: counts.requests,
    num_errors: counts.failures + counts.faults,
    processing_time: Math.round(counts.processingMs * 1e6),
    average_processing_time: Math.round((counts.processingMs * 1e6) / Math.max(1, counts.requests)),
  }));
