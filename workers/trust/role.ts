/** Ring 4 as a role. */

import type { Runtime } from "../../app/processes/runtime.ts";
import type { RunningRole } from "../../app/processes/start-roles.ts";
import { Registration } from "../../schemas/ring4.ts";
import { openRecords } from "../../src/adapters/nats/records.ts";
import { serve } from "../../src/transport/serve.ts";
import { trust } from "./contract.ts";
import { trustHandlers } from "./handlers.ts";

export const start = async (runtime: Runtime): Promise<RunningRole> => {
  const { broker, log, sites, contents, frontier, polite, resolver } = runtime;
  const handlers = trustHandlers({
    registrations: openRecords(broker.buckets.registrations, Registration),
    sites,
    contents,
    frontier,
    polite,
    resolver,
    transparency: await runtime.transparency(),
    limiter: runtime.limiter,
    now: broker.now,
  });
  const serving = serve(broker.connection, broker.prefix, trust, handlers, log);
  return { servings: [serving], read: async () => ({}), drain: serving.drain };
};
