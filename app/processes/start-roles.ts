/** Starts the roles of a worker process and announces each on NATS. */
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { Config } from "../../src/runtime/config.ts";
import type { Pulse } from "../../src/threads/pulse.ts";
import { forgetThread, INDEX_TURNS, watchThread } from "../../src/threads/watchdog.ts";
import { type DedicatedThreadRole, ROLE_SPECS, type Role } from "../roles.ts";
import { announced, type NamedRole } from "./announce-role.ts";
import { indexEngineOf } from "./index-engines.ts";
import type { Metrics } from "./metrics.ts";
import type { Extra, OpenedCore } from "./opened-core.ts";
import type { OpenedRuntime } from "./runtime.ts";

/** Data for starting a role's dedicated thread. */
export interface RoleThreadData {
  role: DedicatedThreadRole;
  config: Config;
  natsUrl: string;
  extra: Extra;
  /** The heartbeat of the thread's event loop for the watchdog. */
  pulse: Pulse;
}

const startHere = async (runtime: OpenedRuntime, role: Role): Promise<NamedRole> => {
  const { start } = await ROLE_SPECS[role].load();
  return announced(runtime, role, await start(runtime));
};

/** Starts a role inside its dedicated thread. */
export const startInThread = async (core: OpenedCore, role: DedicatedThreadRole): Promise<NamedRole> => {
  const { start } = await ROLE_SPECS[role].load();
  return announced(core, role, await start(core));
};

/** Starts a role's dedicated thread. An error in it ends the process, as it would in the main thread. */
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

/** Starts roles in this process, announces them on NATS and adds them to the metrics. */
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
