/** The indexer: follows the sites' stream and writes the index; what it has not acked is sent again after a crash. */

import { type SiteContent, SiteRecord } from "../../schemas/site.ts";
import { warnOnChange } from "../../src/concurrency/warn-on-change.ts";
import { keyHost } from "../../src/domain/names/domain-name.ts";
import { quantize } from "../../src/domain/search/embeddings/static-vectors.ts";
import type { Encoder } from "../../src/ports/encoder.ts";
import type { EncodedVector, IndexWrite, SiteIndex } from "../../src/ports/index.ts";
import type { RecordChange } from "../../src/ports/queue.ts";
import { DAY_MS } from "../../src/ports/time.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { isTracing, recordSpan } from "../../src/telemetry/tracing.ts";
import { indexerConsumer } from "./contract.ts";
import { type IndexingOptions, indexDocumentOf, toEncode } from "./rules.ts";

const BATCH = 256;
/** A batch that is not full is written after this long: how fresh the index is. */
const BATCH_MS = 400;
const EARLY_MS = 50;
/** So long a batch waits for the encoder: sites that it does not reach are encoded after they are listed (encoding.ts). */
const ENCODED_WITHIN_MS = 500;
/** What an indexer that died had taken is sent again after this long. */
const ACK_WAIT_MS = 10_000;
const FORGET_AFTER_MS = 7 * DAY_MS;
const PAUSE_AFTER_ERROR_MS = 1_000;

export interface IndexerDeps extends Pick<Runtime, "broker" | "contents" | "clock" | "log"> {
  index: SiteIndex;
  indexing: IndexingOptions;
  /** Encodes sites with their listing, as far as it keeps up; absent: none does. */
  encoder?: Encoder | undefined;
  /** The index whose encoded vectors are kept; default: the same. */
  encodedIn?: SiteIndex;
}

export interface IndexerStats {
  written: number;
  batches: number;
  errors: number;
  /** Sites encoded with their listing. */
  encoded: number;
  /** Why the last batch cannot be written; undefined once it is. */
  obstacle: string | undefined;
}

export interface Indexer {
  readonly stats: Readonly<IndexerStats>;
  /** Records not yet in the index. */
  lag(): Promise<number>;
  drain(): Promise<void>;
}

type Encoded = ReadonlyMap<string, EncodedVector>;

/** Starts following. Several indexers of one index share its consumer; writes are idempotent by revision. */
export function startIndexer(deps: IndexerDeps): Indexer {
  const stats: IndexerStats = { written: 0, batches: 0, errors: 0, encoded: 0, obstacle: undefined };
  const stopping = new AbortController();
  const { siteChanges } = deps.broker;
  const markIfFilled = fillingOf(deps);
  const writeUntilDone = writerOf(deps, stats, markIfFilled, stopping.signal);

  /** Follows for one index; ends when the index in use is another one. */
  const follow = async (indexId: string): Promise<void> => {
    // Ends with the program, or when another index is in use.
    const following = new AbortController();
    const signal = AbortSignal.any([stopping.signal, following.signal]);
    const changes = siteChanges.follow(
      indexerConsumer(indexId),
      { ackWaitMs: ACK_WAIT_MS, maxPending: BATCH * 4, forgetAfterMs: FORGET_AFTER_MS },
      signal,
    );
    let batch: RecordChange[] = [];
    let writing: Promise<void> | undefined;
    /** Writes what is in hand, after what is being written: at most a batch waits for it. */
    const flush = async (): Promise<void> => {
      if (writing) return writing;
      const full = batch;
      batch = [];
      if (full.length === 0) return markIfFilled([]).catch(() => undefined);
      writing = writeUntilDone(full).finally(() => {
        writing = undefined;
      });
      return writing;
    };
    const look = (): void => {
      if (deps.index.id === indexId) void flush();
      else following.abort();
    };
    const timer = setInterval(look, BATCH_MS);
    // A store without sites has an index that holds all of them.
    const early = setTimeout(look, EARLY_MS);
    try {
      for await (const change of changes) {
        batch.push(change);
        while (batch.length >= BATCH) await flush();
      }
    } finally {
      clearInterval(timer);
      clearTimeout(early);
      await writing;
      if (deps.index.id === indexId) await flush();
    }
  };

  const changes = warnOnChange(deps.log);
  const loop = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      try {
        await follow(deps.index.id);
      } catch (error) {
        stats.errors++;
        changes.warn("the sites' stream cannot be followed; trying again", error);
        await deps.clock.sleep(PAUSE_AFTER_ERROR_MS, stopping.signal);
      }
    }
  };
  const running = loop();
  return {
    stats,
    lag: () => siteChanges.lag(indexerConsumer(deps.index.id)),
    drain: async () => {
      stopping.abort();
      await running;
    },
  };
}

/**
 * Marks the index as filled once everything that the store held is in it: a batch was written behind which nothing waits,
 * or nothing waits at all. @returns what to call after each batch (with it) and while there is none
 */
function fillingOf({ index, log, broker }: IndexerDeps) {
  /** The index that is known to be filled. */
  let filled: string | undefined;
  return async (batch: readonly RecordChange[]): Promise<void> => {
    const { id } = index;
    if (filled === id) return;
    const isWhole =
      batch.length > 0
        ? batch.some(({ behind }) => behind === 0)
        : (await broker.siteChanges.lag(indexerConsumer(id))) === 0;
    if (!isWhole || index.id !== id) return;
    await index.markFilled();
    filled = id;
    log.info({ index: id }, "the index holds all sites of the store");
  };
}

/** Writes batches into the index in use, counting what it wrote. */
function writerOf(
  deps: IndexerDeps,
  stats: IndexerStats,
  markIfFilled: (batch: readonly RecordChange[]) => Promise<void>,
  signal: AbortSignal,
) {
  const write = async (batch: RecordChange[]): Promise<void> => {
    const known = await encodedOf(deps, batch);
    // A full batch is one of many: what fills an index does not wait.
    const { encoder } = batch.length < BATCH ? deps : {};
    const writes = await Promise.all(batch.map((change) => tryWriteOf({ ...deps, encoder }, change, known)));
    const startedMs = Date.now();
    await deps.index.apply(writes.filter((write) => write !== undefined));
    recordSpans(batch, startedMs);
    await markIfFilled(batch);
    for (const change of batch) change.ack();
    stats.written += batch.length;
    stats.encoded += writes.filter((write) => isEncodedAnew(write, known)).length;
    stats.batches++;
    stats.obstacle = undefined;
  };

  /**
   * Writes one batch until it is written: the records behind it wait in the broker, bounded by max_ack_pending. Those in
   * hand are not sent again meanwhile.
   */
  const writeUntilDone = async (batch: RecordChange[]): Promise<void> => {
    for (let attempt = 1; !signal.aborted; attempt++) {
      try {
        return await write(batch);
      } catch (error) {
        stats.errors++;
        stats.obstacle = error instanceof Error ? error.message : String(error);
        if (deps.broker.isFault(error))
          deps.log.debug({ reason: String(error) }, "contents cannot be read now");
        else if (attempt === 1)
          deps.log.error({ err: error }, "the index cannot be written; nothing is lost, trying again");
        for (const change of batch) change.working();
        await deps.clock.sleep(PAUSE_AFTER_ERROR_MS, signal);
      }
    }
  };
  return writeUntilDone;
}

/** The vectors that an encoder made of these sites: they stay as long as the texts do. */
async function encodedOf(
  { index, indexing, encodedIn = index }: IndexerDeps,
  batch: readonly RecordChange[],
) {
  if (indexing.encoder === undefined) return new Map<string, EncodedVector>();
  const found = await encodedIn.encodedVectors(batch.map(({ key }) => keyHost(key)));
  return new Map(found.map((vector) => [vector.siteId, vector]));
}

/**
 * A record that cannot be read (a newer version's, or damaged) is logged and passed over: it must not stop the rest.
 * One whose contents the broker did not give is none of these.
 */
async function tryWriteOf(
  deps: IndexerDeps,
  change: RecordChange,
  known: Encoded,
): Promise<IndexWrite | undefined> {
  try {
    return await writeOf(deps, change, known);
  } catch (error) {
    if (deps.broker.isFault(error)) throw error;
    deps.log.error({ err: error, key: change.key, revision: change.revision }, "record cannot be indexed");
    return undefined;
  }
}

async function writeOf(deps: IndexerDeps, change: RecordChange, known: Encoded): Promise<IndexWrite> {
  const { revision, changedAt } = change;
  const siteId = keyHost(change.key);
  if (change.removed) return { kind: "remove", siteId, revision, changedAt };
  const record = SiteRecord.parse(change.json());
  const content = await deps.contents.get(siteId, record);
  const encoded = (await encodedNow(deps, record, content, known.get(siteId))) ?? known.get(siteId);
  const document = indexDocumentOf(record, content, { revision, changedAt }, deps.indexing, encoded);
  return { kind: "put", document };
}

const isEncodedAnew = (write: IndexWrite | undefined, known: Encoded): boolean =>
  write?.kind === "put" &&
  write.document.encoded !== undefined &&
  write.document.encoded !== known.get(write.document.siteId)?.encoded;

/** A site's vector where it has none of this text and the encoder makes one in time. */
async function encodedNow(
  { encoder, indexing }: IndexerDeps,
  record: SiteRecord,
  content: SiteContent | undefined,
  known: EncodedVector | undefined,
): Promise<Omit<EncodedVector, "siteId"> | undefined> {
  if (encoder?.state !== "running") return undefined;
  const wanted = toEncode(record, content, indexing);
  if (wanted === undefined || wanted.digest === known?.encoded) return undefined;
  return encodeSite(encoder, wanted, ENCODED_WITHIN_MS);
}

/** A site's vector with what it is of. @returns undefined where the encoder gives none within `waitMs` */
export async function encodeSite(
  encoder: Encoder,
  { text, foreign, digest }: NonNullable<ReturnType<typeof toEncode>>,
  waitMs: number,
): Promise<Omit<EncodedVector, "siteId"> | undefined> {
  const vector = await encoder.encode(text, { for: "site", waitMs, foreign });
  return vector && { encoded: digest, vector: quantize(vector) };
}

/** Each record's part in the batch, in the trace of the visit that wrote it. */
function recordSpans(batch: readonly RecordChange[], startedMs: number): void {
  if (!isTracing()) return;
  const attributes = { "messaging.batch.message_count": batch.length };
  for (const { traceparent: parent } of batch)
    if (parent) recordSpan("index write", { kind: "consumer", parent, attributes }, startedMs, Date.now());
}
