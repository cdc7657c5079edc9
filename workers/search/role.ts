/** Search as a role. */

import { queryVector } from "../../src/domain/search/embeddings/site-meaning.ts";
import type { Core } from "../../src/runtime/core.ts";
import type { RunningRole } from "../../src/runtime/runtime.ts";
import { search } from "./contract.ts";
import { searchHandlers } from "./handlers.ts";

export const start = async (core: Core): Promise<RunningRole> => {
  const { broker, publicUrl, ownRing, identity } = core;
  const model = core.embeddings();
  const deps = {
    ...(model && { meaningOf: (words: string) => queryVector(model, words) }),
    index: await core.index(),
    now: broker.now,
    publicUrl,
    ownRing,
    secret: identity.secret,
  };
  const serving = core.serve(search, searchHandlers(deps));
  return { servings: [serving], read: async () => ({}), drain: serving.drain };
};
