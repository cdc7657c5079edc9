/** The module Protocol, bound to this process. */
import type { Runtime } from "../../../src/runtime/runtime.ts";
import type { Scans } from "../common/scans.ts";
import type { RunningModule } from "../role.ts";
import { protocolModule } from "./contract.ts";
import { protocolModuleHandlers } from "./handlers.ts";

export const start = async (runtime: Runtime, scans: Scans): Promise<RunningModule> => {
  const { broker, polite, resolver, config } = runtime;
  const httpsPort = config.BRIDGE_HTTPS_PORT;
  const handlers = protocolModuleHandlers({ polite, resolver, scans, httpsPort, now: broker.now });
  return { serving: runtime.serve(protocolModule, handlers) };
};
