/** Starts the roles of a worker process, announces each on NATS, and stops them in the order that loses nothing. */
import { VERSIONS } from "../schemas/common.ts";
import type { CrawlerStats } from "../workers/crawler/handlers.ts";
import { ROLE_SPECS, type Role } from "../workers/roles.ts";
import { announce, type EndpointStats } from "./adapters/nats/discovery.ts";
import { operationSubject } from "./contract.ts";
import type { Metrics } from "./metrics.ts";
import type { Runtime } from "./runtime.ts";
import type { Serving } from "./serve.ts";

/** What an actor's `start` gives back. */
export interface RunningRole {
  /** Counts, for status and metrics. */
  read: () => Promise<Record<string, number>>;
  drain(): Promise<void>;
  /** The services it answers. */
  servings?: Serving[];
  crawler?: CrawlerStats;
}

export interface NamedRole extends RunningRole {
  role: Role;
}

const endpointStats = (prefix: string, { service, stats }: Serving): EndpointStats[] =>
  [...stats].map(([name, counts]) => ({
    name: `${service.name}-${name}`,
    subject: operationSubject(prefix, service.name, name),
    num_requests: counts.requests,
    num_errors: counts.failures + counts.faults,
    processing_time: Math.round(counts.processingMs * 1e6),
    average_processing_time: Math.round((counts.processingMs * 1e6) / Math.max(1, counts.requests)),
  }));

/** Starts roles in this process; each is announced on NATS and shown in metrics. */
export const startRoles = async (
  runtime: Runtime,
  roles: readonly Role[],
  metrics: Metrics,
): Promise<NamedRole[]> => {
  const { broker, id } = runtime;
  return Promise.all(
    roles.map(async (role) => {
      const { start } = await ROLE_SPECS[role].load();
      const running = await start(runtime);
      const unannounce = announce(broker.connection, broker.prefix, id, {
        role,
        description: ROLE_SPECS[role].about,
        version: VERSIONS.bridge,
        endpoints: () => (running.servings ?? []).flatMap((each) => endpointStats(broker.prefix, each)),
        data: running.read,
      });
      metrics.watchRole(role, running.read);
      return {
        ...running,
        role,
        drain: async () => {
          unannounce();
          await running.drain();
        },
      };
    }),
  );
};
