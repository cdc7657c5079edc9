/** A front or a session worker as a process of its own, to be killed; a command that is never answered is given up soon. */
import { startFront } from "../../app/front/front.ts";
import { createMetrics } from "../../app/processes/metrics.ts";
import { openRuntime } from "../../app/processes/runtime.ts";
import { startRoles } from "../../app/processes/start-roles.ts";
import type { Config } from "../../src/runtime/config.ts";
import { session } from "../../workers/session/contract.ts";

export interface PartOptions {
  part: "front" | "session";
  config: Config;
  natsUrl: string;
  ca: string;
  /** The most that a session's operation may take, in milliseconds. */
  operationMs: number;
}

const { part, config, natsUrl, ca, operationMs } = JSON.parse(process.env.PART_OPTIONS!) as PartOptions;
for (const operation of Object.values(session.operations) as { timeoutMs?: number }[])
  operation.timeoutMs = Math.min(operation.timeoutMs ?? operationMs, operationMs);
const runtime = await openRuntime(config, natsUrl, { ca: [ca] });
if (part === "front") await startFront(runtime, createMetrics());
else await startRoles(runtime, ["session"], createMetrics());
process.send!("ready");
