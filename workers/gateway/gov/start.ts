/** The module Gov Intelligence, bound to this process. */
import type { Runtime } from "../../../app/processes/runtime.ts";
import { serve } from "../../../src/transport/serve.ts";
import type { Scans } from "../common/scans.ts";
import type { RunningModule } from "../role.ts";
import { gov } from "./contract.ts";
import { govHandlers } from "./handlers.ts";

export const start = async (
  { broker, polite, resolver, config, log }: Runtime,
  scans: Scans,
): Promise<RunningModule> => {
  const handlers = govHandlers({
    polite,
    resolver,
    httpsPort: config.BRIDGE_HTTPS_PORT,
    now: broker.now,
    scans,
  });
  const serving = serve(broker.connection, broker.prefix, gov, handlers, log);
  return { serving };
};
