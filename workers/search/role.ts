/** Search as a role. */
import type { RunningRole } from "../../src/roles.ts";
import type { Runtime } from "../../src/runtime.ts";
import { serve } from "../../src/serve.ts";
import { search } from "./contract.ts";
import { searchHandlers } from "./handlers.ts";

export const start = async (runtime: Runtime): Promise<RunningRole> => {
  const { broker, log, publicUrl, ownRing, identity } = runtime;
  const deps = {
    index: await runtime.index(),
    now: broker.now,
    publicUrl,
    ownRing,
    secret: identity.secret,
  };
  const serving = serve(broker.connection, broker.prefix, search, searchHandlers(deps), log);
  return { servings: [serving], read: async () => ({}), drain: serving.drain };
};
