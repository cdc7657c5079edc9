/**
 * An index belongs to one broker's store: its consumer there says how far it has read. Where the store was deleted and
 * the index kept, nothing would ever remove what it holds of sites that the new store does not know.
 */

import type { Clock } from "../../src/ports/clock.ts";
import type { IndexGenerations, SiteIndex } from "../../src/ports/index.ts";
import type { ChangeFeed } from "../../src/ports/queue.ts";
import { indexerConsumer } from "./contract.ts";

const POLL_MS = 50;
/** Every process follows a switch within a second or so (IndexGenerations). */
const SWITCH_TIMEOUT_MS = 10_000;

/**
 * Puts an empty generation in the place of an index that holds sites of another store; the indexer fills it.
 * @param generations of which `index` is the live one
 * @returns whether it did
 * @throws when the live index does not follow the switch within 10 s
 */
export const replaceForeignIndex = async (
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
