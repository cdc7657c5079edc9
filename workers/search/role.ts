/** Search as a role. */
import { queryVector } from "../../src/domain/embeddings/site-meaning.ts";
import type { RunningRole } from "../../src/roles.ts";
import type { Runtime } from "../../src/runtime.ts";
import { serve } from "../../src/serve.ts";
import { search } from "./contract.ts";
import { searchHandlers } from "./handlers.ts";

export const start = async (runtime: Runtime): Promise<RunningRole> => {
  const { broker, log, publicUrl, ownRing, identity } = runtime;
  const { model } = runtime.indexing();
  const deps = {
    ...(model && { meaningOf: (words: string) => queryVector(model, words) }),
    index: await runtime.index(),
    now: broker.now,
    publicUrl,
    ownRing,
    secret: identity.secret,
  };
  const serving = serve(broker.connection, broker.prefix, search, searchHandlers(deps), log);
  return { servings: [serving], read: async () => ({}), drain: serving.drain };
};
