/** Entry point of a role's dedicated thread: a small worker process with its own broker connection. */
import { parentPort, workerData } from "node:worker_threads";
import { instruments } from "../../src/telemetry/instruments.ts";
import { answerCalls } from "../../src/threads/calls.ts";
import { beat } from "../../src/threads/watchdog.ts";
import { openCore } from "./core.ts";
import { brokerDependency, filledIndexDependency } from "./dependencies.ts";
import { type RoleThreadData, startInThread, type ThreadQuestions } from "./start-roles.ts";
import { startTelemetry } from "./telemetry.ts";

const { role, config, natsUrl, extra, pulse } = workerData as RoleThreadData;
const port = parentPort!;
const telemetry = await startTelemetry(config, `bridge-${role}`, extra.id ?? role);
const core = await openCore(config, natsUrl, extra);
const running = await startInThread(core, role);
core.broker.connectionState.failFast();

const answers: ThreadQuestions = {
  metrics: () => instruments.getMetricsAsJSON() as ReturnType<ThreadQuestions["metrics"]>,
  readiness: async () => {
    for (const { check } of [brokerDependency(core.broker), filledIndexDependency(core.index)]) {
      const why = await check().catch((error: unknown) => String(error));
      if (why !== undefined) return why;
    }
    return undefined;
  },
};
answerCalls(port, (question: keyof ThreadQuestions) => answers[question]().catch(String));
port.on("message", async (message) => {
  if (message !== "drain") return;
  await running.drain();
  await core.close();
  await telemetry.close();
  process.exit();
});
port.postMessage("ready");
beat(pulse);
