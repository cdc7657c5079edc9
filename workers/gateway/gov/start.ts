/** The module Gov Intelligence, bound to this process. */
import type { Runtime } from "../../../src/runtime/runtime.ts";
import type { Scans } from "../common/scans.ts";
import type { RunningModule } from "../role.ts";
import { gov } from "./contract.ts";
import { govHandlers } from "./handlers.ts";

export const start = async (runtime: Runtime, scans: Scans): Promise<RunningModule> => {
  const { broker, polite, resolver, config } = runtime;
  const handlers = govHandlers({
    polite,
    resolver,
    httpsPort: config.BRIDGE_HTTPS_PORT,
    now: broker.now,
    scans,
  });
  const serving = runtime.serve(gov, handlers);
  return { serving };
};
