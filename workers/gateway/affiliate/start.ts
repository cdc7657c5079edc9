/** The module Affiliate Intelligence, bound to this process. */
import type { Runtime } from "../../../src/runtime/runtime.ts";
import type { Scans } from "../common/scans.ts";
import type { RunningModule } from "../role.ts";
import { affiliate } from "./contract.ts";
import { affiliateHandlers } from "./handlers.ts";

export const start = async (runtime: Runtime, scans: Scans): Promise<RunningModule> => {
  const { broker, polite } = runtime;
  const { counters, now } = broker;
  const handlers = affiliateHandlers({
    polite,
    scans,
    counters,
    now,
  });
  const serving = runtime.serve(affiliate, handlers);
  return { serving };
};
