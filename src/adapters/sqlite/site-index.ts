/** The embedded SiteIndex: SQLite in threads of its own. */
import { existsSync } from "node:fs";
import { LRUCache } from "lru-cache";
import type { Listing } from "../../../schemas/site.ts";
import {
  type Candidate,
  type CandidateQuery,
  type CandidateSet,
  GRAVITIES,
  INDEX_FIELDS,
  type IndexReading,
  type IndexReads,
  type ListingPage,
  type ListQuery,
  readsBy,
  type SiteIndex,
} from "../../ports/index.ts";
import { byField } from "../index/query.ts";
import type { PackedCandidates, PackedSites } from "./reader/candidates.ts";
import { type PackedPage, unpackChanges, unpackSample, unpackVectors } from "./reader/listings.ts";
import type { Argument, Result } from "./worker/operations.ts";
import { type IndexThread, InPlace, SqliteThread } from "./worker/thread.ts";
import { packWrites } from "./writer/packed-writes.ts";

const DEFAULT_READERS = 1;
/** Bytes of pages at hand on the main side. */
const MAX_PAGE_BYTES = 4 << 20;

type NearestQuery = Argument<"nearest">;

interface Threads {
  /** The index's own, from its file. */
  id: string;
  writer: IndexThread;
  reader(): IndexThread;
  /** Answers beside what the reader does at the same time. */
  nearest(query: NearestQuery): Promise<PackedSites>;
  close(): Promise<void>;
}

/** What the asker makes of answers whose form is for crossing threads; others cross as the port has them. */
const UNPACK = {
  listings: (text: Result<"listings">) => JSON.parse(text) as Listing[],
  get: (text: Result<"get">) => (text === undefined ? undefined : (JSON.parse(text) as Listing)),
  changes: unpackChanges,
  encodedVectors: unpackVectors,
  sample: unpackSample,
};

type Unpacked<M extends keyof IndexReads> = M extends keyof typeof UNPACK
  ? ReturnType<(typeof UNPACK)[M]>
  : Result<M>;
/** Reads as the threads answer them: the compiler holds their results to the port's. */
type ThreadReads = {
  [M in Exclude<keyof IndexReads, "candidates" | "list">]: (
    ...query: Parameters<IndexReads[M]>
  ) => Promise<Unpacked<M>>;
};

/**
 * Opens or creates the index file at `path` (beside it SQLite keeps `-wal` and `-shm`). Several processes may open
 * one file: readers never wait, writers wait for each other. A file that is damaged or of another schema version is
 * moved to `<path>.unusable` and replaced by a new, empty index with a new id. Counts are exact to 255 a field.
 *
 * @param options.readers threads that read, default 1
 * @param options.reading "in place": for a thread that has nothing else to do, and so may wait for SQLite. Only what is
 * nearest in meaning is looked for in another thread, at the same time.
 * @throws Error when the file cannot be opened or made (permissions, full disk, locked for long)
 */
export async function openSqliteIndex(
  path: string,
  options: { readers?: number; reading?: IndexReading } = {},
): Promise<SiteIndex> {
  const readers = Math.max(1, options.readers ?? DEFAULT_READERS);
  const threads = await openThreads(path, readers, options.reading ?? "in threads");
  return {
    id: threads.id,
    ...readsOf(threads.reader),
    candidates: (query) => candidatesOf(threads, query),
    list: keepPages(threads.reader),
    apply: async (writes) => {
      if (writes.length === 0) return;
      const batch = packWrites(writes);
      await threads.writer.call("apply", batch, [batch.codes.buffer, batch.vectors.buffer]);
    },
    markFilled: () => threads.writer.call("markFilled", undefined),
    close: threads.close,
  };
}

async function openThreads(path: string, count: number, where: IndexReading): Promise<Threads> {
  const own = { path, role: "writer" } as const;
  const writer = where === "in place" ? new InPlace(own) : new SqliteThread(own);
  const readers: IndexThread[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(readers.map((reader) => reader.close()));
    // Last, so that its close checkpoints the log and leaves one file.
    await writer.close();
  };
  try {
    const id = await writer.ready();
    const start = () => {
      const started = Array.from({ length: count }, () => new SqliteThread({ path, role: "reader" }));
      readers.push(...started);
      return started;
    };
    if (where === "in threads") {
      const apart = start();
      await Promise.all(apart.map((reader) => reader.ready()));
      const reader = () => leastBusy(apart);
      return { id, writer, reader, nearest: (query) => reader().call("nearest", query), close };
    }
    const here = new InPlace({ path, role: "reader" });
    readers.push(here);
    // A thread's start is longer than most of what is done in place: there is none before the first search for meaning.
    let apart: IndexThread[] = [];
    const nearest = (query: NearestQuery): Promise<PackedSites> => {
      if (apart.length === 0) apart = start();
      return leastBusy(apart)
        .call("nearest", query)
        .catch((error: unknown) => {
          // Another generation replaced this one, and its file is gone: the reader that is open still has it.
          if (existsSync(path)) throw error;
          return here.call("nearest", query);
        });
    };
    return { id, writer, reader: () => here, nearest, close };
  } catch (error) {
    await close();
    throw error;
  }
}

const leastBusy = (threads: readonly IndexThread[]): IndexThread =>
  threads.reduce((least, next) => (next.waiting < least.waiting ? next : least));

const readsOf = (reader: () => IndexThread): ThreadReads =>
  readsBy(((method: keyof typeof UNPACK) => {
    const unpackAnswer = UNPACK[method] as ((packed: unknown) => unknown) | undefined;
    return async (query?: unknown) => {
      const answer: unknown = await reader().call(method, query as never);
      return unpackAnswer === undefined ? answer : unpackAnswer(answer);
    };
  }) as never);

async function candidatesOf(threads: Threads, query: CandidateQuery): Promise<CandidateSet> {
  const { terms, filter, vector } = query;
  // At the same time, each in a thread of its own: meaning takes nearly as long as words. It is asked first, since
  // what is asked in place is done before anything else.
  const [near, found] = await Promise.all([
    vector && threads.nearest({ terms, filter, vector }),
    threads.reader().call("candidates", query),
  ]);
  return unpack(found, near);
}

/** The sites that the words found, then those that only their meaning did. */
function unpack(packed: PackedCandidates, near: PackedSites | undefined): CandidateSet {
  const { total, totalIsExact, documents, documentFrequencies } = packed;
  const sites = unpackSites(packed, documentFrequencies.length);
  const candidates = sites.slice(0, packed.best);
  if (near !== undefined) {
    const known = new Set(candidates.map(({ siteId }) => siteId));
    const others = unpackSites(near, documentFrequencies.length);
    candidates.push(...others.filter(({ siteId }) => !known.has(siteId)));
  }
  const meanLengths = byField((column) => packed.meanLengths[column]!);
  const rotated = packed.rotated && { rotated: packed.rotated.map((at) => sites[at]!) };
  return { candidates, ...rotated, total, totalIsExact, documents, meanLengths, documentFrequencies };
}

function unpackSites(packed: PackedSites, terms: number): Candidate[] {
  const fields = INDEX_FIELDS.length;
  const names = packed.names.split("\n");
  return Array.from(
    packed.rings,
    (ring, i): Candidate => ({
      siteId: names[3 * i]!,
      owner: names[3 * i + 1]!,
      exactName: names[3 * i + 2]!,
      ring,
      fairnessBoost: packed.fairnessBoosts[i]!,
      gravity: GRAVITIES[packed.gravities[i]!]!,
      counts: byField((column) => numbersOf(packed.counts, (i * fields + column) * terms, terms)),
      lengths: byField((column) => packed.lengths[i * fields + column]!),
      similarity: Number.isNaN(packed.similarities[i]!) ? undefined : packed.similarities[i]!,
    }),
  );
}

/** A plain array of some of the bytes: `Array.from` takes six times as long for a few. */
function numbersOf(bytes: Uint8Array, from: number, count: number): number[] {
  const numbers: number[] = [];
  for (let i = from; i < from + count; i++) numbers.push(bytes[i]!);
  return numbers;
}

/** A reader that has the very page of last time says so instead of sending it: one object as long as nothing changes. */
function keepPages(reader: () => IndexThread): (query: ListQuery) => Promise<ListingPage> {
  const pages = new LRUCache<string, PackedPage>({
    maxSize: MAX_PAGE_BYTES,
    sizeCalculation: ({ listings }, key) => listings.length + key.length,
  });
  return async (query) => {
    const key = JSON.stringify(query);
    const known = pages.get(key);
    const found = (await reader().call("list", { query, known: known?.tag })) ?? known!;
    if (found !== known) pages.set(key, found);
    return found;
  };
}
