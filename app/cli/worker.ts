/** `bridge front` and `bridge worker`: run the front or roles as separate processes. */

import type { Config } from "../../src/runtime/config.ts";
import { startWatchdog, type Watchdog } from "../../src/threads/watchdog.ts";
import { homePaths } from "../processes/home.ts";
import { createMetrics, serveAdmin } from "../processes/metrics.ts";
import { startRoles } from "../processes/start-roles.ts";
import { ROLES, type Role } from "../roles.ts";
import { requireContact } from "./contact.ts";
import { adminOptions, checkPort, joinRuntime, runUntilStopped } from "./parts.ts";
import { CommandError, print } from "./terminal.ts";

/** Processes may start in any order, and while the broker restarts. */
const WAIT_FOR_BROKER_MS = 10_000;

/** Parses role names; none means all. @throws CommandError naming an unknown one */
export const parseRoles = (names: string[]): Role[] => {
  const wanted = names.flatMap((name) => name.split(",")).filter(Boolean);
  for (const name of wanted)
    if (!ROLES.includes(name as Role))
      throw new CommandError(`There is no role ${JSON.stringify(name)}. Roles: ${ROLES.join(", ")}.`, 2);
  return wanted.length === 0 ? [...ROLES] : [...new Set(wanted as Role[])];
};

const watched = (config: Config): Watchdog =>
  startWatchdog(config.BRIDGE_TURN_CPU_MS, homePaths(config.BRIDGE_HOME).endings);

/** Runs roles until asked to stop, and drains them, so that no request and no visit is lost. */
export const worker = async (config: Config, roles: Role[]): Promise<void> => {
  if (roles.includes("crawler")) requireContact(config);
  const watchdog = watched(config);
  const runtime = await joinRuntime(config, { waitForBrokerMs: WAIT_FOR_BROKER_MS });
  const metrics = createMetrics();
  const admin = await serveAdmin(metrics, adminOptions(runtime));
  const running = await startRoles(runtime, roles, metrics);
  runtime.broker.connectionState.failFast();
  print(`ready ${roles.join(" ")} (metrics on http://${config.BRIDGE_ADMIN_HOST}:${admin.port}/metrics)`);
  watchdog.ready();
  await runUntilStopped(async () => {
    await Promise.all(running.map((role) => role.drain()));
    admin.server.close();
    await runtime.close();
  });
};

/** Runs the public HTTP front until asked to stop. */
export const front = async (config: Config): Promise<void> => {
  await checkPort(config.HOST, config.PORT);
  const watchdog = watched(config);
  const runtime = await joinRuntime(config, { waitForBrokerMs: WAIT_FOR_BROKER_MS });
  const metrics = createMetrics();
  const admin = await serveAdmin(metrics, adminOptions(runtime));
  const { startFront } = await import("../front/front.ts");
  const server = await startFront(runtime, metrics);
  runtime.broker.connectionState.failFast();
  print(`ready ${server.url}`);
  watchdog.ready();
  await runUntilStopped(async () => {
    await server.close();
    admin.server.close();
    await runtime.close();
  });
};
