/** `bridge reindex`: a new generation of the index, filled beside the one in use. */
import type { Config } from "../../src/runtime/config.ts";
import { encodingConsumer, indexerConsumer } from "../../workers/indexer/contract.ts";
import { type Indexer, startIndexer } from "../../workers/indexer/handlers.ts";
import { indexingOf } from "../../workers/indexer/rules.ts";
import type { OpenedRuntime } from "../processes/runtime.ts";
import { actOn } from "./parts.ts";
import { CommandError, print, say } from "./terminal.ts";

const FINISHED_POLL_MS = 100;
/** Where no terminal shows progress in place, a line this often. */
const SAID_EVERY_MS = 10_000;

/** Builds a new generation of the index from the sites' stream, then switches to it; searches continue meanwhile. */
export const reindex = (config: Config, { patience }: { patience: number }): Promise<void> =>
  actOn(config, "reindex", {}, async (runtime) => {
    const { broker, contents, clock, log, indexGenerations: generations } = runtime;
    const { name, index: fresh } = await generations.createNext();
    const indexer = startIndexer({
      broker,
      index: fresh,
      contents,
      clock,
      log,
      indexing: indexingOf(runtime),
      // What was encoded is not encoded again.
      encodedIn: await runtime.index(),
    });
    try {
      await untilWritten(indexer, runtime, patience * 1_000);
    } catch (error) {
      await indexer.drain();
      await broker.siteChanges.forget(indexerConsumer(fresh.id)).catch(() => undefined);
      await fresh.close();
      await generations.remove(name).catch(() => undefined);
      throw error;
    }
    await indexer.drain();
    // Its indexer says so by itself where it saw the last record; of a store without records, too.
    await fresh.markFilled();
    const { documents, enabled } = await fresh.stats();
    await fresh.close();
    const old = await (await runtime.index()).id;
    const replaced = await generations.switchTo(name);
    for (const consumer of [indexerConsumer(old), encodingConsumer(old)])
      await broker.siteChanges.forget(consumer).catch(() => undefined);
    await generations.remove(replaced);
    print(`Index ${name} is in use: ${documents} sites, ${enabled} enabled.`);
  });

/**
 * Waits until an indexer has written all there is, saying how far it is.
 * @throws CommandError when nothing was written for `patienceMs`, with what stands in the way
 */
export async function untilWritten(
  indexer: Indexer,
  { clock, sites }: Pick<OpenedRuntime, "clock" | "sites">,
  patienceMs: number,
): Promise<void> {
  const total = await sites.count();
  const { isTTY } = process.stderr;
  let written = 0;
  let advancedAt = clock.monotonicMs();
  let saidAt = advancedAt;
  for (;;) {
    await clock.sleep(FINISHED_POLL_MS);
    const lag = await indexer.lag().catch(() => Number.POSITIVE_INFINITY);
    const now = clock.monotonicMs();
    if (indexer.stats.written > written) advancedAt = now;
    written = indexer.stats.written;
    const line = `indexed ${written} of ${total}`;
    if (isTTY) process.stderr.write(`\r\x1b[2K${line}${lag === 0 ? "\n" : ""}`);
    else if (now - saidAt >= SAID_EVERY_MS) {
      say(line);
      saidAt = now;
    }
    if (lag === 0) return;
    if (now - advancedAt < patienceMs) continue;
    const why = indexer.stats.obstacle ?? "the broker gives no records";
    throw new CommandError(
      `${isTTY ? "\n" : ""}Nothing was written for ${patienceMs / 1_000} s (${why}). The index in use is as it was.`,
    );
  }
}
