/** The module Affiliate Intelligence, bound to this process. */
import type { Runtime } from "../../../src/runtime.ts";
import { serve } from "../../../src/serve.ts";
import { Pool } from "../common/pool.ts";
import type { RunningModule } from "../role.ts";
import { affiliate } from "./contract.ts";
import { affiliateHandlers } from "./handlers.ts";

export const start = async ({ broker, polite, log }: Runtime): Promise<RunningModule> => {
  const { counters, now } = broker;
  const pool = new Pool({ thread: new URL("./scan-thread.ts", import.meta.url) });
  const handlers = affiliateHandlers({
    polite,
    pool,
    counters,
    now,
  });
  const serving = serve(broker.connection, broker.prefix, affiliate, handlers, log);
  return { serving, close: () => pool.close() };
};
