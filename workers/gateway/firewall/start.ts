/** The Agent Firewall as a module of the gateway. */
import type { Runtime } from "../../../src/runtime.ts";
import { serve } from "../../../src/serve.ts";
import type { Pool } from "../../../src/threads/pool.ts";
import { createFetchPage } from "../common/page-input.ts";
import { scansOn } from "../common/scans.ts";
import type { RunningModule } from "../role.ts";
import { firewall } from "./contract.ts";
import { firewallHandlers } from "./handlers.ts";

export const start = async ({ broker, polite, log }: Runtime, scanThreads: Pool): Promise<RunningModule> => {
  const scans = scansOn(scanThreads);
  const { counters, now } = broker;
  const handlers = firewallHandlers({ fetchPage: createFetchPage(polite), scans, counters, now });
  return { serving: serve(broker.connection, broker.prefix, firewall, handlers, log) };
};
