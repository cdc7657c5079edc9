/** The indexer as a role: writes site records into the index. */

import { IndexUnavailable, type SiteIndex } from "../../src/ports/index.ts";
import type { RunningRole, Runtime } from "../../src/runtime/runtime.ts";
import { startIndexer } from "./handlers.ts";
import { replaceForeignIndex } from "./own-index.ts";
import { indexingOf } from "./rules.ts";

/** An engine that is away must not hide how far the indexer lags. */
const statsIfThere = async (index: SiteIndex) => {
  try {
    return await index.stats();
  } catch (error) {
    if (error instanceof IndexUnavailable) return undefined;
    throw error;
  }
};

export const start = async (runtime: Runtime): Promise<RunningRole> => {
  const { broker, contents, clock, log } = runtime;
  const index = await runtime.index();
  if (await replaceForeignIndex(broker.siteChanges, index, runtime.indexGenerations, clock))
    log.warn("the index held sites of another broker's store; a new one is being filled");
  const indexer = startIndexer({ broker, index, contents, clock, log, indexing: indexingOf(runtime) });
  return {
    read: async () => ({ ...indexer.stats, lag: await indexer.lag(), ...(await statsIfThere(index)) }),
    drain: indexer.drain,
  };
};
