/** Watches by account, in the bucket of accounts, and what is known of what they watch. */
import { type WatchesRecord, WatchesRecord as WatchesSchema } from "../../../schemas/watch.ts";
import { knownSite, type SiteStores } from "../../../src/crawl/known-site.ts";
import type { VerdictFacts } from "../../../src/crawl/verdict.ts";
import type { Bucket } from "../../../src/ports/buckets.ts";
import type { Presences } from "../../../src/stores/presences.ts";
import { openRecords, type Records } from "../../../src/stores/records.ts";

export type Watches = Records<WatchesRecord>;

export const WATCHES_PREFIX = "watches.";
export const watchesKey = (accountId: string): string => `${WATCHES_PREFIX}${accountId}`;

/** @param bucket `accounts` */
export const openWatches = (bucket: Bucket): Watches => openRecords(bucket, WatchesSchema);

/** What the crawl keeps of a site; a last look at what it keeps nothing of is no standing. @param host canonical */
export const watchedFacts = (
  { sites, blocks, presences }: Pick<SiteStores, "sites" | "blocks"> & { presences: Pick<Presences, "get"> },
  host: string,
): Promise<VerdictFacts> => knownSite({ sites, blocks, looks: { presence: presences.get } }, host);
