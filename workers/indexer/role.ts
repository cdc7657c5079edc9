/** The indexer as a role: writes site records into the index. */
import type { Clock } from "../../src/ports/clock.ts";
import type { Encoder } from "../../src/ports/encoder.ts";
import { type IndexGenerations, IndexUnavailable, type SiteIndex } from "../../src/ports/index.ts";
import type { ChangeFeed } from "../../src/ports/queue.ts";
import type { RunningRole, Runtime } from "../../src/runtime/runtime.ts";
import { indexerConsumer, toolConsumer } from "./contract.ts";
import { type SiteEncoding, startEncoding } from "./encoding.ts";
import { type Indexer, startIndexer } from "./handlers.ts";
import { indexingOf } from "./rules.ts";
import { startToolIndexing, type ToolIndexing } from "./tools.ts";

const POLL_MS = 50;
/** Every process follows a switch within a second or so (IndexGenerations). */
const SWITCH_TIMEOUT_MS = 10_000;
const INDEX_PAUSE_MS = 1_000;
const ENCODER_PAUSE_MS = 1_000;
/** Counts do not wait for an engine that stands still. */
const STATS_WITHIN_MS = 500;

interface Running {
  indexer: Indexer;
  /** Undefined: the encoder is turned off, or not installed yet. */
  encoding: SiteEncoding | undefined;
  tools: ToolIndexing;
  /** When all that began has ended; `encoding` may begin until then. */
  begun: Promise<void>;
}

export async function start(runtime: Runtime): Promise<RunningRole> {
  const { clock } = runtime;
  const index = await runtime.index();
  const stopping = new AbortController();
  let running: Running | undefined;
  let obstacle: string | undefined;
  const beginning = begin(runtime, index, stopping.signal, (why) => {
    obstacle = why;
  }).then((begun) => {
    running = begun;
  });
  // An engine that answers begins at once; one that does not holds up no other role of the process.
  await Promise.race([beginning, clock.sleep(INDEX_PAUSE_MS, stopping.signal)]);
  return {
    read: async () => {
      const { obstacle: _, encoded: withListing = 0, ...counts } = { ...running?.indexer.stats };
      const encoding = running?.encoding;
      const [lag, toEncode, toolsLag, stats] = await Promise.all([
        running?.indexer.lag().catch(() => Number.NaN) ?? Number.NaN,
        encoding?.lag().catch(() => Number.NaN),
        running?.tools.lag().catch(() => Number.NaN) ?? Number.NaN,
        statsIfThere(index, clock),
      ]);
      const encoded = encoding && {
        encoded: withListing + encoding.encoded,
        to_encode: toEncode!,
        encoder: runtime.encoder()?.state === "running" ? 1 : 0,
      };
      return { ...counts, lag, tools_lag: toolsLag, ...encoded, ...stats };
    },
    trouble: () => {
      if (!running) return obstacle ?? "indexing has not begun";
      const why = running.indexer.stats.obstacle;
      return why === undefined ? undefined : `the index takes no writes: ${why}`;
    },
    drain: async () => {
      stopping.abort();
      await beginning;
      await running?.begun;
      await Promise.all([running?.indexer.drain(), running?.encoding?.drain(), running?.tools.drain()]);
    },
  };
}

/** Starts indexing as soon as the engine lets it: one that is away or starting is waited for without end. */
async function begin(
  runtime: Runtime,
  index: SiteIndex,
  signal: AbortSignal,
  onObstacle: (why: string) => void,
): Promise<Running | undefined> {
  const { broker, contents, clock, log } = runtime;
  while (!signal.aborted) {
    try {
      const ofSites = { changes: broker.siteChanges, consumerOf: indexerConsumer, index };
      if (await replaceForeignIndex({ ...ofSites, generations: runtime.indexGenerations, clock }))
        log.warn("the index held sites of another broker's store; a new one is being filled");
      const tools = await beginTools(runtime);
      const encoder = runtime.encoder();
      const deps = { broker, index, contents, clock, log, indexing: indexingOf(runtime), encoder };
      const running: Running = {
        indexer: startIndexer(deps),
        encoding: undefined,
        tools,
        begun: Promise.resolve(),
      };
      if (encoder)
        running.begun = installed(encoder, clock, signal).then((isThere) => {
          if (isThere) running.encoding = startEncoding({ ...deps, encoder });
        });
      return running;
    } catch (error) {
      if (!(error instanceof IndexUnavailable) && !broker.isFault(error)) throw error;
      onObstacle(`indexing has not begun: ${(error as Error).message}`);
      await clock.sleep(INDEX_PAUSE_MS, signal);
    }
  }
  return undefined;
}

/** The index of what can be done, which has a place and consumers of its own. */
async function beginTools(runtime: Runtime): Promise<ToolIndexing> {
  const { broker, clock, log, sites, toolGenerations: generations } = runtime;
  const index = await runtime.toolIndex();
  await replaceForeignIndex({
    ...{ changes: broker.presenceChanges, consumerOf: toolConsumer, index, generations, clock },
  });
  const deps = {
    broker,
    clock,
    log,
    sites,
    index,
    indexing: indexingOf(runtime),
    encoder: runtime.encoder(),
  };
  return startToolIndexing(deps);
}

/** Waits for an encoder that may be installed while the program runs. @returns false when the program ends before */
async function installed(encoder: Encoder, clock: Clock, signal: AbortSignal): Promise<boolean> {
  while (encoder.state === "not installed" && !signal.aborted) await clock.sleep(ENCODER_PAUSE_MS, signal);
  return !signal.aborted;
}

interface Replacing {
  changes: ChangeFeed;
  consumerOf: (indexId: string) => string;
  index: SiteIndex;
  /** Of which `index` is the live one. */
  generations: IndexGenerations;
  clock: Clock;
}

/**
 * Puts an empty generation in the place of an index that holds sites of another store; the indexer fills it. An index
 * belongs to one broker's store: its consumer there says how far it has read. Where the store was deleted and the index
 * kept, nothing would ever remove what it holds of sites that the new store does not know.
 * @returns whether it did
 * @throws when the live index does not follow the switch within 10 s; IndexUnavailable
 */
async function replaceForeignIndex({
  changes,
  consumerOf,
  index,
  generations,
  clock,
}: Replacing): Promise<boolean> {
  const { id } = index;
  if ((await index.stats()).documents === 0 || (await changes.isKnown(consumerOf(id)))) return false;
  // Another process of this home may have seen the same and been first.
  if (index.id !== id) return false;
  const fresh = await generations.createNext();
  await fresh.index.close();
  const old = await generations.switchTo(fresh.name);
  const giveUpAt = clock.monotonicMs() + SWITCH_TIMEOUT_MS;
  while (index.id === id) {
    if (clock.monotonicMs() > giveUpAt)
      throw new IndexUnavailable(`The index ${fresh.name} was not opened within 10 s.`);
    await clock.sleep(POLL_MS);
  }
  await generations.remove(old);
  return true;
}

/** An engine that is away or stands still must not hide how far the indexer lags. */
async function statsIfThere(index: SiteIndex, clock: Clock) {
  const ended = new AbortController();
  try {
    const late = clock.sleep(STATS_WITHIN_MS, ended.signal).then(() => undefined);
    const stats = await Promise.race([index.stats(), late]);
    if (stats === undefined) return undefined;
    const { isFilled, ...counts } = stats;
    return { ...counts, filled: isFilled ? 1 : 0 };
  } catch (error) {
    if (error instanceof IndexUnavailable) return undefined;
    throw error;
  } finally {
    ended.abort();
  }
}
