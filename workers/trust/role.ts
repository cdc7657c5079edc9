/** Ring 4 as a role. */
import { Registration } from "../../schemas/ring4.ts";
import { openRecords } from "../../src/adapters/nats/records.ts";
import type { RunningRole } from "../../src/roles.ts";
import type { Runtime } from "../../src/runtime.ts";
import { serve } from "../../src/serve.ts";
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
