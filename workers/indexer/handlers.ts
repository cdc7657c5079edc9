/** The indexer: follows the sites' stream and writes the index; what it has not acked is sent again after a crash. */
import { DeliverPolicy, type JsMsg } from "@nats-io/jetstream";
import type { Logger } from "pino";
import { SiteRecord } from "../../schemas/site.ts";
import type { Broker } from "../../src/adapters/nats/broker.ts";
import { openConsumer } from "../../src/adapters/nats/consumers.ts";
import { isBrokerFault } from "../../src/adapters/nats/faults.ts";
import { bucketName } from "../../src/adapters/nats/topology.ts";
import { keyHost } from "../../src/domain/names/domain-name.ts";
import type { Clock, IndexWrite, SiteIndex } from "../../src/ports/ports.ts";
import type { Contents } from "../../src/stores/contents.ts";
import { indexerConsumer } from "./contract.ts";
import { type Indexing, indexDocumentOf } from "./rules.ts";

const BATCH = 256;
/** A batch that is not full is written after this long: how fresh the index is. */
const BATCH_MS = 400;
/** What an indexer that died had taken is sent again after this long. */
const ACK_WAIT_MS = 10_000;
/** A broker that sends neither records nor heartbeats for twice this long is asked again. */
const HEARTBEAT_MS = 2_000;
const INACTIVE_MS = 7 * 86_400_000;
const PAUSE_AFTER_ERROR_MS = 1_000;

export interface IndexerDeps {
  broker: Broker;
  index: SiteIndex;
  contents: Contents;
  indexing: Indexing;
  clock: Clock;
  log: Logger;
}

export interface Indexer {
  readonly stats: { written: number; batches: number; errors: number };
  /** Records not yet in the index. */
  lag(): Promise<number>;
  drain(): Promise<void>;
}

const writeOf = async (deps: IndexerDeps, message: JsMsg): Promise<IndexWrite> => {
  const changedAt = message.time.getTime();
  const siteId = keyHost(message.subject.slice(message.subject.lastIndexOf(".") + 1));
  if (message.headers?.get("KV-Operation") || message.headers?.get("Nats-Marker-Reason"))
    return { kind: "remove", siteId, revision: message.seq, changedAt };
  const record = SiteRecord.parse(message.json());
  const content = await deps.contents.get(siteId, record);
  const document = indexDocumentOf(
    record,
    content,
    { revision: message.seq, changedAt },
    deps.indexing,
    // Judged as of when it was written: an index that is rebuilt later holds the same.
    changedAt,
  );
  return { kind: "put", document };
};

/**
 * A record that cannot be read (a newer version's, or damaged) is logged and passed over: it must not stop the rest.
 * One whose contents the broker did not give is none of these.
 */
const tryWriteOf = async (deps: IndexerDeps, message: JsMsg): Promise<IndexWrite | undefined> => {
  try {
    return await writeOf(deps, message);
  } catch (error) {
    if (isBrokerFault(error)) throw error;
    deps.log.error({ err: error, subject: message.subject, seq: message.seq }, "record cannot be indexed");
    return undefined;
  }
};

/** Writes batches into the index in use, counting what it wrote. */
const writerOf = (deps: IndexerDeps, stats: Indexer["stats"], signal: AbortSignal) => {
  const write = async (batch: JsMsg[]): Promise<void> => {
    const writes = await Promise.all(batch.map((message) => tryWriteOf(deps, message)));
    await deps.index.apply(writes.filter((write) => write !== undefined));
    for (const message of batch) message.ack();
    stats.written += batch.length;
    stats.batches++;
  };

  /** Writes one batch until it is written: the records behind it wait in the broker, bounded by max_ack_pending. */
  const writeUntilDone = async (batch: JsMsg[]): Promise<void> => {
    for (let attempt = 1; !signal.aborted; attempt++) {
      try {
        return await write(batch);
      } catch (error) {
        stats.errors++;
        if (isBrokerFault(error)) deps.log.debug({ reason: String(error) }, "contents cannot be read now");
        else if (attempt === 1)
          deps.log.error({ err: error }, "the index cannot be written; nothing is lost, trying again");
        await deps.clock.sleep(PAUSE_AFTER_ERROR_MS, signal);
      }
    }
  };
  return writeUntilDone;
};

/** Starts following. Several indexers of one index share its consumer; writes are idempotent by revision. */
export const startIndexer = (deps: IndexerDeps): Indexer => {
  const stats = { written: 0, batches: 0, errors: 0 };
  const stopping = new AbortController();
  const stream = `KV_${bucketName(deps.broker.prefix, "sites")}`;
  const writeUntilDone = writerOf(deps, stats, stopping.signal);

  /** Follows for one index; ends when the index in use is another one. */
  const follow = async (indexId: string): Promise<void> => {
    const consumer = await openConsumer(deps.broker, stream, indexerConsumer(indexId), {
      deliver_policy: DeliverPolicy.All,
      ack_wait: ACK_WAIT_MS * 1e6,
      max_ack_pending: BATCH * 4,
      inactive_threshold: INACTIVE_MS * 1e6,
    });
    const messages = await consumer.consume({
      max_messages: BATCH * 2,
      idle_heartbeat: HEARTBEAT_MS,
      abort_on_missing_resource: true,
    });
    const stop = () => messages.stop();
    stopping.signal.addEventListener("abort", stop, { once: true });
    let batch: JsMsg[] = [];
    let writing = Promise.resolve();
    const flush = () => {
      const full = batch;
      batch = [];
      if (full.length > 0) writing = writing.then(() => writeUntilDone(full));
      return writing;
    };
    const timer = setInterval(() => {
      if (deps.index.id === indexId) flush();
      else stop();
    }, BATCH_MS);
    try {
      for await (const message of messages) if (batch.push(message) >= BATCH) await flush();
    } finally {
      clearInterval(timer);
      stopping.signal.removeEventListener("abort", stop);
      if (deps.index.id === indexId) await flush();
    }
  };

  const loop = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      try {
        await follow(deps.index.id);
      } catch (error) {
        stats.errors++;
        deps.log.warn({ err: error }, "the sites' stream cannot be followed; trying again");
        await deps.clock.sleep(PAUSE_AFTER_ERROR_MS, stopping.signal);
      }
    }
  };
  const running = loop();
  return {
    stats,
    lag: async () => {
      const info = await deps.broker.jsm.consumers.info(stream, indexerConsumer(deps.index.id));
      return info.num_pending + info.num_ack_pending;
    },
    drain: async () => {
      stopping.abort();
      await running;
    },
  };
};
