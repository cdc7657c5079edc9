/** Entry point of a role's dedicated thread: a small worker process with its own broker connection. */
import { parentPort, workerData } from "node:worker_threads";
import { beat } from "../../src/threads/pulse.ts";
import { openCore } from "./core.ts";
import { type RoleThreadData, startInThread } from "./start-roles.ts";

const { role, config, natsUrl, extra, pulse } = workerData as RoleThreadData;
const port = parentPort!;
const core = await openCore(config, natsUrl, extra);
const running = await startInThread(core, role);
core.broker.connectionState.failFast();

port.once("message", async () => {
  await running.drain();
  await core.close();
  process.exit();
});
port.postMessage("ready");
beat(pulse);
