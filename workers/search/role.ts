/** Search as a role. */

import type { Core } from "../../src/core.ts";
import { queryVector } from "../../src/domain/embeddings/site-meaning.ts";
import type { RunningRole } from "../../src/roles.ts";
import { serve } from "../../src/serve.ts";
import { search } from "./contract.ts";
import { searchHandlers } from "./handlers.ts";

export const start = async (core: Core): Promise<RunningRole> => {
  const { broker, log, publicUrl, ownRing, identity } = core;
  const { model } = core.indexing();
  const deps = {
    ...(model && { meaningOf: (words: string) => queryVector(model, words) }),
    index: await core.index(),
    now: broker.now,
    publicUrl,
    ownRing,
    secret: identity.secret,
  };
  const serving = serve(broker.connection, broker.prefix, search, searchHandlers(deps), log);
  return { servings: [serving], read: async () => ({}), drain: serving.drain };
};
