/** Search as a role. */

import { meaningBy } from "../../src/domain/search/embeddings/site-meaning.ts";
import type { Core } from "../../src/runtime/core.ts";
import type { RunningRole } from "../../src/runtime/runtime.ts";
import { search } from "./contract.ts";
import { searchHandlers } from "./handlers.ts";

export const start = async (core: Core): Promise<RunningRole> => {
  const { broker, publicUrl, ownRing, identity } = core;
  const model = core.embeddings();
  const encoder = core.encoder();
  const deps = {
    ...(model && { meaningOf: meaningBy(model, encoder) }),
    index: await core.index(),
    now: broker.now,
    publicUrl,
    ownRing,
    secret: identity.secret,
  };
  const serving = core.serve(search, searchHandlers(deps));
  return {
    servings: [serving],
    read: async () => ({ encoder: encoder?.state === "running" ? 1 : 0 }),
    drain: serving.drain,
  };
};
