/** Starts the roles of a worker process and announces each on NATS. */
import { once } from "node:events";
import { MessageChannel, type TransferListItem, Worker } from "node:worker_threads";
import { serveEncoder } from "../../src/adapters/encoder/over-port.ts";
import type { Config } from "../../src/runtime/config.ts";
import { callsOver } from "../../src/threads/calls.ts";
import type { ThreadPulse } from "../../src/threads/watchdog.ts";
import { forgetThread, INDEX_LOOP_LIMITS, watchThread } from "../../src/threads/watchdog.ts";
import { type DedicatedThreadRole, ROLE_SPECS, type Role, type RoleSpec } from "../roles.ts";
import { announced, type NamedRole } from "./announce-role.ts";
import {
  brokerDependency,
  filledIndexDependency,
  frontierDependency,
  indexDependency,
  storageDependency,
} from "./dependencies.ts";
import type { Dependency, Health } from "./health.ts";
import { indexEngineOf } from "./index-engines.ts";
import type { Metrics, MetricsOfThread } from "./metrics.ts";
import type { Extra, OpenedCore } from "./opened-core.ts";
import type { OpenedRuntime } from "./runtime.ts";

/** Data for starting a role's dedicated thread. */
export interface RoleThreadData {
  role: DedicatedThreadRole;
  config: Config;
  natsUrl: string;
  extra: Extra;
  /** The heartbeat of the thread's event loop for the watchdog. */
  pulse: ThreadPulse;
}

/** What the main thread asks a role's dedicated thread. */
export interface ThreadQuestions {
  /** Its instruments. */
  metrics(): Promise<MetricsOfThread>;
  /** Why what it depends on cannot be used; undefined if it can. */
  readiness(): Promise<string | undefined>;
}

/** A thread in a long turn must not hold up a scrape. */
const ANSWER_WITHIN_MS = 1_500;

/** Where what a process starts is seen. */
interface Watchers {
  metrics: Metrics;
  health?: Health | undefined;
}

/** Starts a role inside its dedicated thread. */
export async function startInThread(core: OpenedCore, role: DedicatedThreadRole): Promise<NamedRole> {
  const { start } = await ROLE_SPECS[role].load();
  return announced(core, role, await start(core));
}

/** Starts roles in this process, announces them on NATS and adds them to the metrics. */
export async function startRoles(
  runtime: OpenedRuntime,
  roles: readonly Role[],
  metrics: Metrics,
  health?: Health,
): Promise<NamedRole[]> {
  metrics.watchBroker(runtime.broker.connectionState);
  health?.dependsOn([brokerDependency(runtime.broker)]);
  return Promise.all(
    roles.map(async (role) => {
      const inThread = runsInThread(role, runtime);
      const running = await (inThread
        ? startThread(runtime, role, { metrics, health })
        : startHere(runtime, role));
      if (!inThread) health?.dependsOn(dependenciesOf(role, runtime));
      const { trouble } = running;
      if (trouble) health?.dependsOn([{ name: role, check: async () => trouble() }]);
      metrics.watchRole(role, running.read, trouble);
      return running;
    }),
  );
}

const runsInThread = (role: Role, { config, extra }: OpenedRuntime): role is DedicatedThreadRole =>
  "dedicatedThread" in ROLE_SPECS[role] &&
  indexEngineOf(config).searchesInThread &&
  extra.reading !== "in place";

/** Starts a role's dedicated thread. An error in it ends the process, as it would in the main thread. */
async function startThread(
  runtime: OpenedRuntime,
  role: DedicatedThreadRole,
  { metrics, health }: Watchers,
): Promise<NamedRole> {
  const { config, natsUrl, id } = runtime;
  const { logs: _, ...extra } = runtime.extra;
  // It reads the index itself (decision 10).
  const pulse = watchThread(role, INDEX_LOOP_LIMITS);
  const [encoder, transferList] = encoderForThread(runtime);
  const own: Extra = { ...extra, ...encoder, id, reading: "in place" };
  const data: RoleThreadData = { role, config, natsUrl, extra: own, pulse };
  const options = { workerData: data, transferList, name: role };
  const thread = new Worker(new URL("role-thread.ts", import.meta.url), options);
  await once(thread, "message");
  thread.on("error", (error) => {
    throw error;
  });
  const call = callsOver<keyof ThreadQuestions, unknown>(thread);
  const ask = <Q extends keyof ThreadQuestions>(question: Q) =>
    call(question, ANSWER_WITHIN_MS) as Promise<
      { answer: Awaited<ReturnType<ThreadQuestions[Q]>> } | undefined
    >;
  metrics.watchThread(async () => (await ask("metrics"))?.answer);
  health?.dependsOn([
    {
      name: `thread ${role}`,
      check: async () => {
        const answered = await ask("readiness");
        return answered ? answered.answer : "the thread does not answer";
      },
    },
  ]);
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
}

/** This process's encoder, for a thread of it: a port, which is handed over. */
function encoderForThread(runtime: OpenedRuntime): [Pick<Extra, "encoder">, TransferListItem[]] {
  const encoder = runtime.encoder();
  if (encoder === undefined) return [{}, []];
  const { port1, port2 } = new MessageChannel();
  serveEncoder(encoder, port1);
  return [{ encoder: { name: encoder.name, port: port2 } }, [port2]];
}

async function startHere(runtime: OpenedRuntime, role: Role): Promise<NamedRole> {
  const { start } = await ROLE_SPECS[role].load();
  return announced(runtime, role, await start(runtime));
}

/** What a role here depends on besides the broker. */
function dependenciesOf(role: Role, { index, frontier, broker }: OpenedRuntime): Dependency[] {
  const { dependsOn }: RoleSpec<never> = ROLE_SPECS[role];
  if (dependsOn === "filled index") return [filledIndexDependency(index)];
  if (dependsOn === "index") return [indexDependency(index)];
  if (dependsOn === "storage") return [storageDependency(broker)];
  return dependsOn === "frontier" ? [frontierDependency(frontier)] : [];
}
