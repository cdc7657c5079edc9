/** The Neural Engine, bound to this process. */
import type { Runtime } from "../../../src/runtime.ts";
import { serve } from "../../../src/serve.ts";
import { Pool } from "../../../src/threads/pool.ts";
import { createFetchPage } from "../common/page-input.ts";
import { scansOn } from "../common/scans.ts";
import type { RunningModule } from "../role.ts";
import { neural } from "./contract.ts";
import { neuralHandlers } from "./handlers.ts";
import { loadTasks } from "./models.ts";

/** A thread reads the models before its first job. */
const JOB_TIMEOUT_MS = 10_000;

export const start = async ({ broker, log, polite }: Runtime): Promise<RunningModule> => {
  const pool = new Pool({ thread: new URL("./thread.ts", import.meta.url), jobTimeoutMs: JOB_TIMEOUT_MS });
  const handlers = neuralHandlers({
    fetchPage: createFetchPage(polite),
    scans: scansOn(pool),
    tasks: loadTasks(),
  });
  return {
    serving: serve(broker.connection, broker.prefix, neural, handlers, log),
    close: () => pool.close(),
  };
};
