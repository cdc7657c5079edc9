/** Search as a role. */

import type { Core } from "../../app/processes/core.ts";
import type { RunningRole } from "../../app/processes/start-roles.ts";
import { queryVector } from "../../src/domain/search/embeddings/site-meaning.ts";
import { serve } from "../../src/transport/serve.ts";
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
