/** Reads what the verdict on a host follows from. */
import type { SiteRecord } from "../../schemas/site.ts";
import type { SiteVerdict } from "../../schemas/verdict.ts";
import { hostKey } from "../domain/names/domain-name.ts";
import type { Broker } from "../ports/broker.ts";
import { type Block, hostBlock } from "../stores/block-list.ts";
import type { Records } from "../stores/records.ts";
import { type Looks, openLooks, recordOfLook } from "./look.ts";
import { siteVerdict, type VerdictFacts } from "./verdict.ts";
import { openFeatureRecords } from "./verdict-parts.ts";

export interface SiteStores {
  /** Without it, what a host publishes in other formats is not asked for. */
  looks?: Pick<Looks, "presence">;
  sites: Pick<Records<SiteRecord>, "get">;
  blocks: Pick<Records<Block>, "get">;
}

/** Says the whole verdict on a host, with the record it follows from. @param host canonical @param now broker milliseconds */
export type SiteVerdicts = (
  host: string,
  now: number,
) => Promise<{ verdict: SiteVerdict; record: SiteRecord | undefined }>;

/** Everything that the whole verdict follows from, opened: every interface says it by this one function. */
export function openVerdicts({ sites, blocks }: SiteStores, buckets: Broker["buckets"]): SiteVerdicts {
  const looks = openLooks(buckets);
  const keptOf = openFeatureRecords(buckets);
  return async (host, now) => {
    const [known, kept] = await Promise.all([knownByLook({ sites, blocks, looks }, host), keptOf(host, now)]);
    const record = known.isLook ? undefined : known.record;
    return { verdict: siteVerdict({ ...known, kept }, now), record };
  };
}

/** What is known of a host, by the last look at it where the crawl keeps no record. @param host canonical */
export async function knownByLook(
  stores: SiteStores & { looks: Pick<Looks, "get" | "presence"> },
  host: string,
): Promise<VerdictFacts> {
  const known = await knownSite(stores, host);
  const look = known.record ? undefined : await stores.looks.get(host);
  const record = look && recordOfLook(look);
  return record ? { ...known, record, isLook: true } : known;
}

/** @param host canonical */
export async function knownSite({ sites, blocks, looks }: SiteStores, host: string): Promise<VerdictFacts> {
  const [site, block, presence] = await Promise.all([
    sites.get(hostKey(host)),
    hostBlock(blocks, host),
    looks?.presence(host),
  ]);
  return { host, record: site?.value, presence, isBlocked: block !== undefined };
}
