/** The indexer as a role: writes site records into the index. */
import { replaceForeignIndex } from "../../app/processes/own-index.ts";
import type { Runtime } from "../../app/processes/runtime.ts";
import type { RunningRole } from "../../app/processes/start-roles.ts";
import { IndexUnavailable, type SiteIndex } from "../../src/ports/ports.ts";
import { startIndexer } from "./handlers.ts";

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
  if (await replaceForeignIndex(broker, index, runtime.indexGenerations, clock))
    log.warn("the index held sites of another broker's store; a new one is being filled");
  const indexer = startIndexer({ broker, index, contents, clock, log, indexing: runtime.indexing() });
  return {
    read: async () => ({ ...indexer.stats, lag: await indexer.lag(), ...(await statsIfThere(index)) }),
    drain: indexer.drain,
  };
};
