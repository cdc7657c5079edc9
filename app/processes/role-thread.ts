/** A role in a thread of its own: what a worker process is, in small. Its requests come to it from the broker. */
import { parentPort, workerData } from "node:worker_threads";
import type { Config } from "../../src/runtime/config.ts";
import { beat, type Pulse } from "../../src/threads/pulse.ts";
import type { ApartRole } from "../roles.ts";
import { type Extra, openCore } from "./core.ts";
import { startApart } from "./start-roles.ts";

export interface RoleThreadData {
  role: ApartRole;
  config: Config;
  natsUrl: string;
  extra: Extra;
  /** Shows the watchdog that it turns. */
  pulse: Pulse;
}

const { role, config, natsUrl, extra, pulse } = workerData as RoleThreadData;
const port = parentPort!;
const core = await openCore(config, natsUrl, extra);
const running = await startApart(core, role);
core.broker.link.failFast();

port.once("message", async () => {
  await running.drain();
  await core.close();
  process.exit();
});
port.postMessage("ready");
beat(pulse);
