/** The indexer as a role: writes site records into the index. */
import type { Clock } from "../../src/ports/clock.ts";
import { type IndexGenerations, IndexUnavailable, type SiteIndex } from "../../src/ports/index.ts";
import type { ChangeFeed } from "../../src/ports/queue.ts";
import type { RunningRole, Runtime } from "../../src/runtime/runtime.ts";
import { indexerConsumer } from "./contract.ts";
import { startEncoding } from "./encoding.ts";
import { startIndexer } from "./handlers.ts";
import { indexingOf } from "./rules.ts";

const POLL_MS = 50;
/** Every process follows a switch within a second or so (IndexGenerations). */
const SWITCH_TIMEOUT_MS = 10_000;

/**
 * Puts an empty generation in the place of an index that holds sites of another store; the indexer fills it. An index
 * belongs to one broker's store: its consumer there says how far it has read. Where the store was deleted and the index
 * kept, nothing would ever remove what it holds of sites that the new store does not know.
 * @param generations of which `index` is the live one
 * @returns whether it did
 * @throws when the live index does not follow the switch within 10 s
 */
const replaceForeignIndex = async (
  changes: ChangeFeed,
  index: SiteIndex,
  generations: IndexGenerations,
  clock: Clock,
): Promise<boolean> => {
  const { id } = index;
  if ((await index.stats()).documents === 0 || (await changes.isKnown(indexerConsumer(id)))) return false;
  // Another process of this home may have seen the same and been first.
  if (index.id !== id) return false;
  const fresh = await generations.createNext();
  await fresh.index.close();
  const old = await generations.switchTo(fresh.name);
  const giveUpAt = clock.monotonicMs() + SWITCH_TIMEOUT_MS;
  while (index.id === id) {
    if (clock.monotonicMs() > giveUpAt)
      throw new Error(`The index ${fresh.name} was not opened within 10 s.`);
    await clock.sleep(POLL_MS);
  }
  await generations.remove(old);
  return true;
};

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
  const deps = { broker, index, contents, clock, log, indexing: indexingOf(runtime) };
  const indexer = startIndexer(deps);
  const encoder = runtime.encoder();
  const encoding = encoder && startEncoding({ ...deps, encoder });
  return {
    read: async () => {
      const { obstacle: _, ...counts } = indexer.stats;
      const toEncode = encoding && {
        encoded: encoding.encoded,
        to_encode: await encoding.lag().catch(() => Number.NaN),
        encoder: encoder?.state === "running" ? 1 : 0,
      };
      return { ...counts, lag: await indexer.lag(), ...toEncode, ...(await statsIfThere(index)) };
    },
    drain: async () => {
      await Promise.all([indexer.drain(), encoding?.drain()]);
    },
  };
};
