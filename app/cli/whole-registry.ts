/** Starts every part of a registry in one process. */
import type { Config } from "../../src/runtime/config.ts";
import type { ForkedWorld } from "../../world/control.ts";
import { type FrontServer, startFront } from "../front/front.ts";
import { openAccessLog } from "../processes/access-log.ts";
import { createHealth } from "../processes/health.ts";
import { createMetrics, serveAdmin } from "../processes/metrics.ts";
import { newProcessId } from "../processes/process-identity.ts";
import { publicUrlOf } from "../processes/registry-address.ts";
import { type OpenedRuntime, openRuntime } from "../processes/runtime.ts";
import { startRoles } from "../processes/start-roles.ts";
import { startTelemetry } from "../processes/telemetry.ts";
import { ROLES } from "../roles.ts";
import { adminOptions, sayAdminPort } from "./parts.ts";
import { type Progress, showProgress } from "./progress.ts";

export interface RunningRegistry {
  runtime: OpenedRuntime;
  front: FrontServer;
  /** http://host:port of probes and metrics. */
  adminUrl: string;
  progress: Progress;
  stop(): Promise<void>;
}

export async function startRegistry(
  config: Config,
  natsUrl: string,
  world: ForkedWorld | undefined,
): Promise<RunningRegistry> {
  const id = newProcessId();
  const telemetry = await startTelemetry(config, "bridge", id);
  const extra = {
    id,
    publicUrl: publicUrlOf(config),
    waitForBrokerMs: 10_000,
    ...(world && { ca: [world.ca] }),
  };
  const runtime = await openRuntime(config, natsUrl, extra);
  const metrics = createMetrics();
  const health = createHealth();
  const accessLog = openAccessLog(config.BRIDGE_ACCESS_LOG_PERCENT ?? 0);
  const [admin, front, roles] = await Promise.all([
    serveAdmin(metrics, adminOptions(runtime, health)),
    startFront(runtime, metrics, accessLog),
    startRoles(runtime, ROLES, metrics, health),
  ]);
  health.started();
  const progress = showProgress(runtime, roles.find(({ role }) => role === "crawler")!);
  const stop = async () => {
    health.draining();
    progress.stop();
    await front.close();
    accessLog?.flush();
    await Promise.all(roles.map((role) => role.drain()));
    admin.server.close();
    await runtime.close();
    await telemetry.close();
  };
  sayAdminPort(config, admin.port);
  const adminUrl = `http://${config.BRIDGE_ADMIN_HOST}:${admin.port}`;
  return { runtime, front, adminUrl, progress, stop };
}
