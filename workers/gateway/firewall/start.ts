/** The Agent Firewall as a module of the gateway. */
import type { Runtime } from "../../../src/runtime/runtime.ts";
import { createFetchPage } from "../common/page-input.ts";
import type { Scans } from "../common/scans.ts";
import type { RunningModule } from "../role.ts";
import { firewall } from "./contract.ts";
import { firewallHandlers } from "./handlers.ts";

export const start = async (runtime: Runtime, scans: Scans): Promise<RunningModule> => {
  const { broker, polite } = runtime;
  const { counters, now } = broker;
  const handlers = firewallHandlers({ fetchPage: createFetchPage(polite), scans, counters, now });
  return { serving: runtime.serve(firewall, handlers) };
};
