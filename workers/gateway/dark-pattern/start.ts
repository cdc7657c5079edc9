/** The Dark Pattern Detector as a module of the gateway. */
import type { Runtime } from "../../../src/runtime/runtime.ts";
import { createFetchPage } from "../common/page-input.ts";
import type { Scans } from "../common/scans.ts";
import type { RunningModule } from "../role.ts";
import { darkPattern } from "./contract.ts";
import { darkPatternHandlers } from "./handlers.ts";

export const start = async (runtime: Runtime, scans: Scans): Promise<RunningModule> => {
  const { polite } = runtime;
  const handlers = darkPatternHandlers({ fetchPage: createFetchPage(polite), scans });
  return {
    serving: runtime.serve(darkPattern, handlers),
  };
};
