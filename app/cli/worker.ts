/** `bridge front` and `bridge worker`: run the front or roles as separate processes. */

import { setTimeout as delay } from "node:timers/promises";
import type { Config } from "../../src/runtime/config.ts";
import { startWatchdog } from "../../src/threads/watchdog.ts";
import { brokerDependency } from "../processes/dependencies.ts";
import { searchesBy } from "../processes/encoder.ts";
import { createHealth } from "../processes/health.ts";
import { createMetrics, serveAdmin } from "../processes/metrics.ts";
import { newProcessId } from "../processes/process-identity.ts";
import { startRoles } from "../processes/start-roles.ts";
import { startTelemetry } from "../processes/telemetry.ts";
import { ROLES, type Role } from "../roles.ts";
import { requireContact } from "./contact.ts";
import {
  adminOptions,
  beatForParent,
  checkPort,
  joinRuntime,
  listenForStop,
  runUntilStopped,
  sayAdminPort,
} from "./parts.ts";
import { CommandError, print, say } from "./terminal.ts";

/** Processes may start in any order, and while the broker restarts. */
const WAIT_FOR_BROKER_MS = 10_000;

/** Parses role names; none means all. @throws CommandError naming an unknown one */
export function parseRoles(names: string[]): Role[] {
  const wanted = names.flatMap((name) => name.split(",")).filter(Boolean);
  for (const name of wanted)
    if (!ROLES.includes(name as Role))
      throw new CommandError(`There is no role ${JSON.stringify(name)}. Roles: ${ROLES.join(", ")}.`, 2);
  return wanted.length === 0 ? [...ROLES] : [...new Set(wanted as Role[])];
}

/** Runs roles until asked to stop, and drains them, so that no request and no visit is lost. */
export async function worker(config: Config, roles: Role[]): Promise<void> {
  if (roles.includes("crawler")) requireContact(config);
  const watchdog = startWatchdog();
  const id = newProcessId();
  const telemetry = await startTelemetry(config, `bridge-${roles.length === 1 ? roles[0] : "worker"}`, id);
  const runtime = await joinRuntime(config, { waitForBrokerMs: WAIT_FOR_BROKER_MS, id });
  const metrics = createMetrics();
  const health = createHealth();
  const admin = await serveAdmin(metrics, adminOptions(runtime, health));
  const running = await startRoles(runtime, roles, metrics, health);
  runtime.broker.connectionState.failFast();
  health.started();
  if (roles.includes("search")) say(searchesBy(config, runtime.encoder()));
  sayAdminPort(config, admin.port);
  print(`ready ${roles.join(" ")} (metrics on http://${config.BRIDGE_ADMIN_HOST}:${admin.port}/metrics)`);
  watchdog.ready();
  beatForParent();
  await runUntilStopped(async () => {
    health.draining();
    await Promise.all(running.map((role) => role.drain()));
    admin.server.close();
    await runtime.close();
    await telemetry.close();
  });
}

/**
 * Runs the public HTTP front until asked to stop. It then says that it is not ready and goes on serving until balancers have
 * seen it (BRIDGE_LAME_DUCK_MS), before it listens no more and finishes what is under way.
 */
export async function front(config: Config): Promise<void> {
  await checkPort(config.HOST, config.PORT);
  const watchdog = startWatchdog();
  const id = newProcessId();
  const telemetry = await startTelemetry(config, "bridge-front", id);
  const runtime = await joinRuntime(config, { waitForBrokerMs: WAIT_FOR_BROKER_MS, id });
  const metrics = createMetrics();
  const health = createHealth();
  const admin = await serveAdmin(metrics, adminOptions(runtime, health));
  const { startFront } = await import("../front/front.ts");
  const { openAccessLog } = await import("../processes/access-log.ts");
  const accessLog = openAccessLog(config.BRIDGE_ACCESS_LOG_PERCENT ?? 100);
  const server = await startFront(runtime, metrics, accessLog);
  metrics.watchBroker(runtime.broker.connectionState);
  health.dependsOn([brokerDependency(runtime.broker)]);
  runtime.broker.connectionState.failFast();
  health.started();
  sayAdminPort(config, admin.port);
  print(`ready ${server.url} (metrics on http://${config.BRIDGE_ADMIN_HOST}:${admin.port}/metrics)`);
  watchdog.ready();
  beatForParent();
  const request = listenForStop();
  const lameDuckMs = config.BRIDGE_LAME_DUCK_MS;
  const stop = async () => {
    health.draining();
    server.leave();
    // A terminal's Ctrl-C is no balancer's business.
    if (request.why === "SIGTERM") await delay(lameDuckMs);
    await server.close();
    accessLog?.flush();
    admin.server.close();
    await runtime.close();
    await telemetry.close();
  };
  await runUntilStopped(stop, request, lameDuckMs);
}
