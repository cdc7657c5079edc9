/** One generation of the index in Elasticsearch. */
import type { Client } from "@elastic/elasticsearch";
import type { Listing } from "../../../schemas/site.ts";
import type { SiteIndex } from "../../ports/index.ts";
import { candidates } from "./candidates.ts";
import { asOurs, type Clients } from "./connection.ts";
import { changes, facets, listings, similarTerms } from "./extras.ts";
import { get, page, sample, stats } from "./listings.ts";
import type { Snapshot } from "./snapshots.ts";
import { Snapshots } from "./snapshots.ts";
import { Writer } from "./writer.ts";

/** The alias that writes of one generation go to. */
export const writeAlias = (name: string): string => `${name}-write`;

/**
 * Opens the generation `name` that exists already. What its calls reject with is IndexUnavailable while the engine is
 * away, slow, busy or full, and otherwise a bug. The clients stay the caller's.
 * @param id of the generation, as its mapping says
 */
export const openElasticsearchIndex = (
  { reading: client, writing }: Clients,
  name: string,
  id: string,
): SiteIndex => {
  const stopping = new AbortController();
  const writer = new Writer(writing, writeAlias(name), stopping.signal);
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
  const read = <Q, T>(how: (client: Client, snapshot: Snapshot, query: Q) => Promise<T>) => {
    return (query: Q): Promise<T> => run(() => snapshots.use((snapshot) => how(client, snapshot, query)));
  };
  const pageOf = read(page);

  return {
    id,
    apply: (writes) =>
      run(async () => {
        if (writes.length === 0) return;
        await writer.apply(writes).finally(() => snapshots.renew());
      }),
    candidates: read(candidates),
    listings: read(listings),
    facets: read(facets),
    similarTerms: read(similarTerms),
    changes: read(changes),
    listJson: pageOf,
    list: async (query) => {
      const { listings, total, totalIsExact } = await pageOf(query);
      return { listings: JSON.parse(new TextDecoder().decode(listings)) as Listing[], total, totalIsExact };
    },
    get: (siteId) => run(() => get(client, name, siteId)),
    sample: read(sample),
    stats: () => run(() => snapshots.use((snapshot) => stats(client, snapshot, name))),
    close: () => {
      stopping.abort();
      closed ??= Promise.allSettled(running).then(() => snapshots.renew());
      return closed;
    },
  };
};
