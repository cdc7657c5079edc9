/** The Dark Pattern Detector as a module of the gateway. */
import type { Runtime } from "../../../app/processes/runtime.ts";
import { serve } from "../../../src/transport/serve.ts";
import { createFetchPage } from "../common/page-input.ts";
import type { Scans } from "../common/scans.ts";
import type { RunningModule } from "../role.ts";
import { darkPattern } from "./contract.ts";
import { darkPatternHandlers } from "./handlers.ts";

export const start = async ({ broker, polite, log }: Runtime, scans: Scans): Promise<RunningModule> => {
  const handlers = darkPatternHandlers({ fetchPage: createFetchPage(polite), scans });
  return {
    serving: serve(broker.connection, broker.prefix, darkPattern, handlers, log),
  };
};
