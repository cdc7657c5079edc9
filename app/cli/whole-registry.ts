/** Starts every part of a registry in one process. */
import type { Config } from "../../src/runtime/config.ts";
import type { ForkedWorld } from "../../test/world/control.ts";
import { type FrontServer, startFront } from "../front/front.ts";
import { createMetrics, serveAdmin } from "../processes/metrics.ts";
import { publicUrlOf } from "../processes/registry-address.ts";
import { type OpenedRuntime, openRuntime } from "../processes/runtime.ts";
import { startRoles } from "../processes/start-roles.ts";
import { ROLES } from "../roles.ts";
import { adminOptions } from "./parts.ts";
import { type Progress, showProgress } from "./progress.ts";

export interface Started {
  runtime: OpenedRuntime;
  front: FrontServer;
  progress: Progress;
  stop(): Promise<void>;
}

export const start = async (
  config: Config,
  natsUrl: string,
  world: ForkedWorld | undefined,
): Promise<Started> => {
  const extra = { publicUrl: publicUrlOf(config), waitForBrokerMs: 10_000, ...(world && { ca: [world.ca] }) };
  const runtime = await openRuntime(config, natsUrl, extra);
  const metrics = createMetrics();
  const [admin, front, roles] = await Promise.all([
    serveAdmin(metrics, adminOptions(runtime)),
    startFront(runtime, metrics),
    startRoles(runtime, ROLES, metrics),
  ]);
  const progress = showProgress(runtime, roles.find(({ role }) => role === "crawler")!);
  const stop = async () => {
    progress.stop();
    await front.close();
    await Promise.all(roles.map((role) => role.drain()));
    admin.server.close();
    await runtime.close();
  };
  return { runtime, front, progress, stop };
};
