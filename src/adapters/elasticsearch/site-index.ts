/** One generation of the index in Elasticsearch. */
import type { Client } from "@elastic/elasticsearch";
import type { IndexReads, ReadOptions, SiteIndex } from "../../ports/index.ts";
import { fetchCandidates } from "./candidates.ts";
import { asOurs, type Clients } from "./connection.ts";
import { fetchChanges, fetchFacets, fetchListings, fetchSimilarTerms } from "./extras.ts";
import { fetchEncodedVectors, fetchListing, fetchListingPage, fetchSample, fetchStats } from "./listings.ts";
import { indexMeta } from "./schema.ts";
import type { IndexSnapshot } from "./snapshots.ts";
import { Snapshots } from "./snapshots.ts";
import { ElasticsearchWriter } from "./writer.ts";

type OfSnapshot<M extends keyof IndexReads> = (
  client: Client,
  snapshot: IndexSnapshot,
  query: Parameters<IndexReads[M]>[0],
) => ReturnType<IndexReads[M]>;

/** What is asked of a snapshot. A new question is a function beside these and its name here. */
const READS: { [M in Exclude<keyof IndexReads, "encodedVectors" | "get" | "stats">]: OfSnapshot<M> } = {
  candidates: fetchCandidates,
  changes: fetchChanges,
  facets: fetchFacets,
  list: fetchListingPage,
  listings: fetchListings,
  sample: fetchSample,
  similarTerms: fetchSimilarTerms,
};

/**
 * Opens the generation `name` that exists already. What its calls reject with is IndexUnavailable while the engine is
 * away, slow, busy or full, and otherwise a bug. The clients stay the caller's.
 * @param id of the generation, as its mapping says
 */
export function openElasticsearchIndex(
  { reading: client, writing, pulse }: Clients,
  name: string,
  id: string,
): SiteIndex {
  const stopping = new AbortController();
  const writer = new ElasticsearchWriter(writing, writeAlias(name), stopping.signal);
  const snapshots = new Snapshots(client, name);
  const running = new Set<Promise<unknown>>();
  let closed: Promise<void> | undefined;

  const run = async <T>(work: () => Promise<T>): Promise<T> => {
    if (closed !== undefined) throw new Error("The index is closed");
    const begun = work();
    running.add(begun);
    try {
      return await begun;
    } catch (error) {
      throw asOurs(error);
    } finally {
      running.delete(begun);
    }
  };
  const reads = Object.entries(READS).map(([method, answer]) => [
    method,
    (query: never, options?: ReadOptions) =>
      run(() =>
        pulse.unlessStill(() =>
          snapshots.use<unknown>((snapshot) => answer(client, snapshot, query), options?.signal),
        ),
      ),
  ]);

  return {
    id,
    ...(Object.fromEntries(reads) as Pick<IndexReads, keyof typeof READS>),
    get: (siteId) => run(() => pulse.unlessStill(() => fetchListing(client, name, siteId))),
    encodedVectors: (siteIds) => run(() => fetchEncodedVectors(client, name, siteIds)),
    stats: () => run(() => snapshots.use((snapshot) => fetchStats(client, snapshot, name))),
    apply: (writes) =>
      run(async () => {
        if (writes.length === 0) return;
        await writer.apply(writes).finally(() => snapshots.renew());
      }),
    markFilled: () =>
      run(async () => {
        await writing.indices.putMapping({ index: name, _meta: indexMeta(id, true) });
      }),
    close: () => {
      stopping.abort();
      closed ??= Promise.allSettled(running).then(() => snapshots.renew());
      return closed;
    },
  };
}

/** The alias that writes of one generation go to. */
export const writeAlias = (name: string): string => `${name}-write`;
