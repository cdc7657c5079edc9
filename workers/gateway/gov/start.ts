/** The module Gov Intelligence, bound to this process. */
import type { Runtime } from "../../../src/runtime.ts";
import { serve } from "../../../src/serve.ts";
import type { Pool } from "../../../src/threads/pool.ts";
import { scansOn } from "../common/scans.ts";
import type { RunningModule } from "../role.ts";
import { gov } from "./contract.ts";
import { govHandlers } from "./handlers.ts";

export const start = async (
  { broker, polite, resolver, config, log }: Runtime,
  scanThreads: Pool,
): Promise<RunningModule> => {
  const handlers = govHandlers({
    polite,
    resolver,
    httpsPort: config.BRIDGE_HTTPS_PORT,
    now: broker.now,
    scans: scansOn(scanThreads),
  });
  const serving = serve(broker.connection, broker.prefix, gov, handlers, log);
  return { serving };
};
