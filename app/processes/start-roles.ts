/** Starts the roles of a worker process, announces each on NATS, and stops them in the order that loses nothing. */
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { VERSIONS } from "../../schemas/common.ts";
import { announce, type EndpointStats } from "../../src/adapters/nats/discovery.ts";
import { operationSubject } from "../../src/rpc/contract.ts";
import type { Config } from "../../src/runtime/config.ts";
import type { RunningRole } from "../../src/runtime/runtime.ts";
import type { Pulse } from "../../src/threads/pulse.ts";
import { forgetThread, INDEX_TURNS, watchThread } from "../../src/threads/watchdog.ts";
import type { Serving } from "../../src/transport/serve.ts";
import { type DedicatedThreadRole, ROLE_SPECS, type Role } from "../roles.ts";
import type { Extra, OpenedCore } from "./core.ts";
import { indexEngineOf } from "./index-engines.ts";
import type { Metrics } from "./metrics.ts";
import type { OpenedRuntime } from "./runtime.ts";

/** What a role's dedicated thread is started with. */
export interface RoleThreadData {
  role: DedicatedThreadRole;
  config: Config;
  natsUrl: string;
  extra: Extra;
  /** Shows the watchdog that it turns. */
  pulse: Pulse;
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

/** Announces a role that runs here on NATS. */
const announced = ({ broker, id }: OpenedCore, role: Role, running: RunningRole): NamedRole => {
  const unannounce = announce(broker.connection, broker.prefix, id, {
    role,
    description: ROLE_SPECS[role].about,
    version: VERSIONS.bridge,
    endpoints: () => (running.servings ?? []).flatMap((each) => endpointStats(broker.prefix, each)),
    data: running.read,
  });
  return {
    ...running,
    role,
    drain: async () => {
      unannounce();
      await running.drain();
    },
  };
};

const startHere = async (runtime: OpenedRuntime, role: Role): Promise<NamedRole> => {
  const { start } = await ROLE_SPECS[role].load();
  return announced(runtime, role, await start(runtime));
};

/** Starts, in its dedicated thread, a role that needs no more than the core. */
export const startInThread = async (core: OpenedCore, role: DedicatedThreadRole): Promise<NamedRole> => {
  const { start } = await ROLE_SPECS[role].load();
  return announced(core, role, await start(core));
};

/** A thread that fails ends the process, as the role would have done here. */
const startThread = async (runtime: OpenedRuntime, role: DedicatedThreadRole): Promise<NamedRole> => {
  const { config, natsUrl, extra, id } = runtime;
  // It reads the index itself (decision 29).
  const pulse = watchThread(role, INDEX_TURNS);
  const data: RoleThreadData = { role, config, natsUrl, extra: { ...extra, id, reading: "in place" }, pulse };
  const thread = new Worker(new URL("role-thread.ts", import.meta.url), { workerData: data, name: role });
  await once(thread, "message");
  thread.on("error", (error) => {
    throw error;
  });
  return {
    role,
    read: async () => ({}),
    drain: async () => {
      const ended = once(thread, "exit");
      thread.postMessage("drain");
      await ended;
      forgetThread(pulse);
    },
  };
};

const runsInThread = (role: Role, { config }: OpenedRuntime): role is DedicatedThreadRole =>
  "dedicatedThread" in ROLE_SPECS[role] && indexEngineOf(config).searchesInThread;

/** Starts roles in this process; each is announced on NATS and shown in metrics. */
export const startRoles = async (
  runtime: OpenedRuntime,
  roles: readonly Role[],
  metrics: Metrics,
): Promise<NamedRole[]> =>
  Promise.all(
    roles.map(async (role) => {
      const running = await (runsInThread(role, runtime)
        ? startThread(runtime, role)
        : startHere(runtime, role));
      metrics.watchRole(role, running.read);
      return running;
    }),
  );
