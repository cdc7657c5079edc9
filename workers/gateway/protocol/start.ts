/** The module Protocol, bound to this process. */
import type { Runtime } from "../../../app/processes/runtime.ts";
import { serve } from "../../../src/transport/serve.ts";
import type { Scans } from "../common/scans.ts";
import type { RunningModule } from "../role.ts";
import { protocolModule } from "./contract.ts";
import { protocolModuleHandlers } from "./handlers.ts";

export const start = async (
  { broker, polite, resolver, config, log }: Runtime,
  scans: Scans,
): Promise<RunningModule> => {
  const httpsPort = config.BRIDGE_HTTPS_PORT;
  const handlers = protocolModuleHandlers({ polite, resolver, scans, httpsPort, now: broker.now });
  return { serving: serve(broker.connection, broker.prefix, protocolModule, handlers, log) };
};
