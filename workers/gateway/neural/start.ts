/** The Neural Engine, bound to this process. */
import type { Runtime } from "../../../src/runtime/runtime.ts";
import { createFetchPage } from "../common/page-input.ts";
import { openScans } from "../common/scans.ts";
import type { RunningModule } from "../role.ts";
import { neural } from "./contract.ts";
import { neuralHandlers } from "./handlers.ts";

export const start = async (runtime: Runtime): Promise<RunningModule> => {
  const { polite } = runtime;
  // Threads of its own: its models are larger than all the rest of the gateway.
  const { scans, close } = openScans(new URL("./thread.ts", import.meta.url));
  const handlers = neuralHandlers({ fetchPage: createFetchPage(polite), scans });
  return { serving: runtime.serve(neural, handlers), close };
};
