/** The module Affiliate Intelligence, bound to this process. */
import type { Runtime } from "../../../app/processes/runtime.ts";
import { serve } from "../../../src/transport/serve.ts";
import type { Scans } from "../common/scans.ts";
import type { RunningModule } from "../role.ts";
import { affiliate } from "./contract.ts";
import { affiliateHandlers } from "./handlers.ts";

export const start = async ({ broker, polite, log }: Runtime, scans: Scans): Promise<RunningModule> => {
  const { counters, now } = broker;
  const handlers = affiliateHandlers({
    polite,
    scans,
    counters,
    now,
  });
  const serving = serve(broker.connection, broker.prefix, affiliate, handlers, log);
  return { serving };
};
