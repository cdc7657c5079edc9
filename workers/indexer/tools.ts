/**
 * Follows what hosts publish for agents and writes the index of what can be done: each change of a host replaces what the index has of
 * it. What is not acked is sent again after a crash.
 */
import { setImmediate as turn } from "node:timers/promises";
import type { AgentPresence } from "../../schemas/agent-web.ts";
import type { SiteRecord } from "../../schemas/site.ts";
import {
  type DoableDocument,
  doableIndexDocument,
  doablesOf,
  type Kept,
  type KnownSite,
  keptOf,
  meaningTexts,
  REMOVED_STATUS,
  withHosts,
} from "../../src/agent-web/search/documents.ts";
import { removedDocuments, withTimes } from "../../src/agent-web/search/entry-times.ts";
import { warnOnChange } from "../../src/concurrency/warn-on-change.ts";
import { gravityOf } from "../../src/domain/listing/conduct.ts";
import { listingOf } from "../../src/domain/listing/listing.ts";
import { keyHost } from "../../src/domain/names/domain-name.ts";
import { isForeign } from "../../src/domain/search/embeddings/foreign.ts";
import { encoderText, siteVector, textDigest } from "../../src/domain/search/embeddings/site-meaning.ts";
import { quantize } from "../../src/domain/search/embeddings/static-vectors.ts";
import {
  type EncodedVector,
  type IndexDocument,
  type IndexFilter,
  IndexUnavailable,
  type IndexWrite,
  type SiteIndex,
} from "../../src/ports/index.ts";
import type { RecordChange } from "../../src/ports/queue.ts";
import { DAY_MS } from "../../src/ports/time.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { presenceOf } from "../../src/stores/presence-bytes.ts";
import type { Records } from "../../src/stores/records.ts";
import { toolConsumer } from "./contract.ts";
import type { IndexerDeps } from "./handlers.ts";

/** Hosts whose change was sent and not acked yet. */
const MAX_PENDING = 16;
const ACK_WAIT_MS = 60_000;
const FORGET_AFTER_MS = 7 * DAY_MS;
const PAUSE_MS = 1_000;
/** How often it is seen whether the index is filled, and whether another one is in use. */
const LOOK_EVERY_MS = 1_000;
/** A host's documents that a change replaces: all it may have, a tool and a service each. */
const MOST_DOCUMENTS = 1_000;
/** What the encoder does not reach in this time has a static vector until the next look at the host. */
const ENCODED_WITHIN_MS = 500;

export interface ToolIndexingDeps
  extends Pick<Runtime, "clock" | "log">,
    Pick<IndexerDeps, "indexing" | "encoder" | "broker"> {
  index: SiteIndex;
  sites: Pick<Records<SiteRecord>, "get">;
}

export interface ToolIndexing {
  /** Documents written by this process. */
  readonly written: number;
  lag(): Promise<number>;
  drain(): Promise<void>;
}

export function startToolIndexing(deps: ToolIndexingDeps): ToolIndexing {
  const { broker, index, clock, log } = deps;
  const stopping = new AbortController();
  const changed = warnOnChange(log);
  let written = 0;

  const write = async (change: RecordChange): Promise<void> => {
    const writes = await tryWritesOf(deps, change);
    if (writes.length > 0) await index.apply(writes);
    written += writes.length;
    change.ack();
  };

  const follow = async (indexId: string): Promise<void> => {
    const following = new AbortController();
    const signal = AbortSignal.any([stopping.signal, following.signal]);
    const name = toolConsumer(indexId);
    const options = { ackWaitMs: ACK_WAIT_MS, maxPending: MAX_PENDING, forgetAfterMs: FORGET_AFTER_MS };
    let isFilled = false;
    const look = async (): Promise<void> => {
      if (index.id !== indexId) return following.abort();
      if (isFilled || (await broker.presenceChanges.lag(name)) > 0) return;
      await index.markFilled();
      isFilled = true;
    };
    // A lag that cannot be read now is read a second later.
    const timer = setInterval(() => void look().catch(() => undefined), LOOK_EVERY_MS);
    try {
      // One host after the other: a platform's document is read before it is written.
      for await (const change of broker.presenceChanges.follow(name, options, signal)) await write(change);
    } finally {
      clearInterval(timer);
    }
  };

  const loop = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      try {
        await follow(index.id);
      } catch (error) {
        changed.warn("what hosts publish for agents cannot be indexed now; trying again", error);
        await clock.sleep(PAUSE_MS, stopping.signal);
      }
    }
  };
  const running = loop();
  return {
    get written() {
      return written;
    },
    lag: () => broker.presenceChanges.lag(toolConsumer(index.id)),
    drain: async () => {
      stopping.abort();
      await running;
    },
  };
}

/** A record that cannot be read (a newer version's, or damaged) is logged and passed over: it must not stop the rest. */
async function tryWritesOf(deps: ToolIndexingDeps, change: RecordChange): Promise<IndexWrite[]> {
  try {
    const presence = change.removed ? undefined : presenceOf(change.value);
    return await writesOf(deps, keyHost(change.key), presence, change);
  } catch (error) {
    if (deps.broker.isFault(error) || error instanceof IndexUnavailable) throw error;
    deps.log.error({ err: error, key: change.key }, "what a host publishes for agents cannot be indexed");
    return [];
  }
}

/** Puts what the host has, and removes what it had before. */
async function writesOf(
  deps: ToolIndexingDeps,
  host: string,
  presence: AgentPresence | undefined,
  { revision, changedAt }: Pick<RecordChange, "revision" | "changedAt">,
): Promise<IndexWrite[]> {
  const { index, sites, indexing } = deps;
  const had = await documentsAt(index, { place: host });
  const removed = await documentsAt(index, { place: host, status: REMOVED_STATUS });
  const before = new Map([...removed, ...had].map((each) => [each.siteId, each]));
  const site = knownSite((await sites.get(host))?.value);
  const documents: DoableDocument[] = [];
  for (const document of presence ? doablesOf(presence, site) : []) {
    documents.push(document);
    // A service's words were screened: a turn of a few milliseconds.
    if (document.kind === "service") await turn();
  }
  const known = await knownOf(index, documents);
  const { gravity } = site;
  const version = { revision, changedAt };
  const options = { gravity, secret: indexing.sampleSecret };
  const puts: IndexWrite[] = [];
  for (const document of new Map(documents.map((each) => [each.id, each])).values()) {
    // Hundreds are analyzed: others have their turn after each.
    await turn();
    const { id, doable } = document;
    const timed = withTimes(withHosts(doable, known.kept.get(id)), before.get(id), changedAt);
    const made = doableIndexDocument({ ...document, doable: timed }, version, options);
    const vector = await vectorOf(deps, document, known.vectors.get(document.id));
    puts.push({ kind: "put", document: { ...made, ...vector } });
  }
  const kept = new Set(documents.map(({ id }) => id));
  const isGone = ({ siteId }: Kept): boolean => !kept.has(siteId);
  for (const document of removedDocuments(had.filter(isGone), removed.filter(isGone), changedAt)) {
    kept.add(document.id);
    puts.push({ kind: "put", document: doableIndexDocument(document, version, options) });
  }
  const gone = [...before.keys()].filter((id) => !kept.has(id));
  return [...puts, ...gone.map((siteId) => ({ kind: "remove", siteId, ...version }) as const)];
}

/** What the index has of a host. */
async function documentsAt(index: SiteIndex, filter: IndexFilter): Promise<Kept[]> {
  const { listings } = await index.list({ filter, offset: 0, limit: MOST_DOCUMENTS });
  return (JSON.parse(Buffer.from(listings).toString()) as Parameters<typeof keptOf>[0][]).map(keptOf);
}

/** What the index has under these ids: hosts of a platform's documents, and vectors. */
async function knownOf(index: SiteIndex, documents: readonly DoableDocument[]) {
  const ids = documents.map(({ id }) => id);
  const shared = documents.filter(({ doable }) => doable.service.by !== "owner").map(({ id }) => id);
  const [kept, vectors] = await Promise.all([
    shared.length > 0 ? index.listings(shared) : [],
    ids.length > 0 ? index.encodedVectors(ids) : [],
  ]);
  return {
    kept: new Map(kept.map(keptOf).map((each) => [each.siteId, each])),
    vectors: new Map(vectors.map((each) => [each.siteId, each])),
  };
}

function knownSite(record: SiteRecord | undefined): KnownSite {
  if (record === undefined) return { isVerified: false, gravity: "none" };
  return { isVerified: record.status === "enabled", gravity: gravityOf(listingOf(record).conduct) };
}

/** Its direction: the encoder's, kept while the text is the same; else a static one. */
async function vectorOf(
  { encoder, indexing }: ToolIndexingDeps,
  { texts }: DoableDocument,
  known: EncodedVector | undefined,
): Promise<Pick<IndexDocument, "vector" | "encoded">> {
  const { model } = indexing;
  if (model === undefined) return {};
  const said = meaningTexts(texts);
  const text = encoderText(said);
  if (encoder && text !== "") {
    const digest = textDigest(encoder.name, text);
    if (known?.encoded === digest) return { vector: known.vector, encoded: digest };
    const options = { for: "site", waitMs: ENCODED_WITHIN_MS, foreign: isForeign(model, text) } as const;
    const encoded = encoder.state === "running" ? await encoder.encode(text, options) : undefined;
    if (encoded) return { vector: quantize(encoded), encoded: digest };
  }
  const vector = siteVector(model, said);
  return vector ? { vector } : {};
}
