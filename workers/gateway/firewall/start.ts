/** The Agent Firewall as a module of the gateway. */
import type { Runtime } from "../../../app/processes/runtime.ts";
import { serve } from "../../../src/transport/serve.ts";
import { createFetchPage } from "../common/page-input.ts";
import type { Scans } from "../common/scans.ts";
import type { RunningModule } from "../role.ts";
import { firewall } from "./contract.ts";
import { firewallHandlers } from "./handlers.ts";

export const start = async ({ broker, polite, log }: Runtime, scans: Scans): Promise<RunningModule> => {
  const { counters, now } = broker;
  const handlers = firewallHandlers({ fetchPage: createFetchPage(polite), scans, counters, now });
  return { serving: serve(broker.connection, broker.prefix, firewall, handlers, log) };
};
