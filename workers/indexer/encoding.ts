/**
 * Encodes the sites that the encoder did not reach when they were listed, and all of them when it is new, each again only when
 * its text changed. Until then static vectors find them.
 */
import { SiteRecord } from "../../schemas/site.ts";
import { keyHost } from "../../src/domain/names/domain-name.ts";
import type { Encoder } from "../../src/ports/encoder.ts";
import type { IndexWrite } from "../../src/ports/index.ts";
import type { RecordChange } from "../../src/ports/queue.ts";
import { DAY_MS } from "../../src/ports/time.ts";
import { encodingConsumer } from "./contract.ts";
import { encodeSite, type IndexerDeps } from "./handlers.ts";
import { indexDocumentOf, toEncode } from "./rules.ts";

/** Written together: an engine shows each batch at once, at a price. */
const BATCH = 16;
const BATCH_MS = 1_000;
const MAX_PENDING = 64;
/** What an indexer that died had taken is sent again after this long. */
const ACK_WAIT_MS = 60_000;
const FORGET_AFTER_MS = 7 * DAY_MS;
const PAUSE_MS = 1_000;
/** A site is listed, and encoded where the encoder keeps up, so soon after its record changed. */
const LISTED_WITHIN_MS = 1_500;
const ENCODE_WAIT_MS = 20_000;

export interface EncodingDeps extends IndexerDeps {
  encoder: Encoder;
}

export interface SiteEncoding {
  /** Sites encoded by this process. */
  readonly encoded: number;
  /** Records that were not looked at yet. */
  lag(): Promise<number>;
  drain(): Promise<void>;
}

interface Done {
  change: RecordChange;
  write: IndexWrite | undefined;
}

/** Follows the sites' stream a second time, beside the indexer: what is not acked is sent again after a crash. */
export function startEncoding(deps: EncodingDeps): SiteEncoding {
  const stopping = new AbortController();
  const { siteChanges } = deps.broker;
  let encoded = 0;

  const flush = async (done: Done[]): Promise<void> => {
    const writes = done.flatMap(({ write }) => (write ? [write] : []));
    if (writes.length > 0) await deps.index.apply(writes);
    for (const { change } of done) change.ack();
    encoded += writes.length;
  };

  /** What cannot be read is passed over: the indexer says so in the log. */
  const encode = async (change: RecordChange, signal: AbortSignal): Promise<IndexWrite | undefined> => {
    try {
      return await writeOf(deps, change, signal);
    } catch (error) {
      if (deps.broker.isFault(error)) throw error;
      deps.log.debug({ err: error, key: change.key }, "site cannot be encoded");
      return undefined;
    }
  };

  const follow = async (indexId: string): Promise<void> => {
    const following = new AbortController();
    const signal = AbortSignal.any([stopping.signal, following.signal]);
    const options = { ackWaitMs: ACK_WAIT_MS, maxPending: MAX_PENDING, forgetAfterMs: FORGET_AFTER_MS };
    const changes = siteChanges.follow(encodingConsumer(indexId), options, signal);
    let batch: Done[] = [];
    let writing: Promise<void> = Promise.resolve();
    const write = (): Promise<void> => {
      const full = batch;
      batch = [];
      // One after the other: later revisions come last.
      if (full.length > 0) writing = writing.then(() => flush(full));
      return writing;
    };
    const timer = setInterval(() => {
      if (deps.index.id !== indexId) following.abort();
      else write().catch(() => following.abort());
    }, BATCH_MS);
    try {
      for await (const change of changes) {
        const encodedWrite = await encode(change, signal);
        if (signal.aborted) break;
        batch.push({ change, write: encodedWrite });
        if (batch.length >= BATCH) await write();
      }
    } finally {
      clearInterval(timer);
      await writing;
      if (deps.index.id === indexId) await write();
    }
  };

  const loop = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      try {
        await follow(deps.index.id);
      } catch (error) {
        deps.log.debug({ err: error }, "sites cannot be encoded now; trying again");
        await deps.clock.sleep(PAUSE_MS, stopping.signal);
      }
    }
  };
  const running = loop();
  return {
    get encoded() {
      return encoded;
    },
    lag: () => siteChanges.lag(encodingConsumer(deps.index.id)),
    drain: async () => {
      stopping.abort();
      await running;
    },
  };
}

/** A site with its vector; undefined: there is nothing to encode, or it has the vector of this text. */
async function writeOf(
  deps: EncodingDeps,
  change: RecordChange,
  signal: AbortSignal,
): Promise<IndexWrite | undefined> {
  if (change.removed) return undefined;
  const { encoder, index, indexing, contents, clock } = deps;
  const { revision, changedAt } = change;
  const siteId = keyHost(change.key);
  const record = SiteRecord.parse(change.json());
  const content = await contents.get(siteId, record);
  const wanted = toEncode(record, content, { ...indexing, encoder: encoder.name });
  if (wanted === undefined) return undefined;
  // What the indexer encodes with the listing is not encoded twice.
  await clock.sleep(Math.max(0, changedAt + LISTED_WITHIN_MS - deps.broker.now()), signal);
  const [known] = await index.encodedVectors([siteId]);
  if (known?.encoded === wanted.digest) return undefined;
  while (!signal.aborted) {
    const own = await encodeSite(encoder, wanted, ENCODE_WAIT_MS);
    if (own !== undefined) {
      const document = indexDocumentOf(record, content, { revision, changedAt }, indexing, own);
      return { kind: "put", document, again: true };
    }
    // It starts, or rests after a failure.
    change.working();
    await clock.sleep(PAUSE_MS, signal);
  }
  return undefined;
}
