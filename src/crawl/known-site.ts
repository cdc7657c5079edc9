/** Reads what the verdict on a host follows from. */

import type { ConfirmedReports } from "../../schemas/bounty.ts";
import type { SiteRecord } from "../../schemas/site.ts";
import type { SiteVerdict } from "../../schemas/verdict.ts";
import { hostKey } from "../domain/names/domain-name.ts";
import { type Appeals, appealsOf, summaryOfAppeals } from "../stores/appeals.ts";
import { type Block, hostBlock } from "../stores/block-list.ts";
import { type Contents, declaredActions } from "../stores/contents.ts";
import type { Records } from "../stores/records.ts";
import { confirmedReports } from "../stores/reports.ts";
import { type Looks, recordOfLook } from "./look.ts";
import { siteVerdict, type VerdictFacts } from "./verdict.ts";

export interface SiteStores {
  sites: Pick<Records<SiteRecord>, "get">;
  blocks: Pick<Records<Block>, "get">;
}

/** What the whole verdict follows from. */
export interface VerdictStores extends SiteStores {
  looks: Pick<Looks, "get">;
  confirmed: Pick<Records<ConfirmedReports>, "get">;
  contents: Pick<Contents, "get">;
  appeals: Pick<Appeals, "get">;
}

/** The whole verdict on a host, with the record it follows from. @param host canonical @param now broker milliseconds */
export async function readSiteVerdict(
  stores: VerdictStores,
  host: string,
  now: number,
): Promise<{ verdict: SiteVerdict; record: SiteRecord | undefined }> {
  const [known, reports, actions, appeals] = await Promise.all([
    knownByLook(stores, host),
    confirmedReports(stores.confirmed, host, now),
    declaredActions(stores.contents, host),
    appealsOf(stores.appeals, host),
  ]);
  const verdict = siteVerdict({ ...known, reports, actions }, now);
  const record = known.isLook ? undefined : known.record;
  return { verdict: { ...verdict, appeal: summaryOfAppeals(appeals, now) }, record };
}

/** What is known of a host, by the last look at it where the crawl keeps no record. @param host canonical */
export async function knownByLook(
  { looks, ...stores }: SiteStores & { looks: Pick<Looks, "get"> },
  host: string,
): Promise<VerdictFacts> {
  const known = await knownSite(stores, host);
  const look = known.record ? undefined : await looks.get(host);
  const record = look && recordOfLook(look);
  return record ? { ...known, record, isLook: true } : known;
}

/** @param host canonical */
export async function knownSite({ sites, blocks }: SiteStores, host: string): Promise<VerdictFacts> {
  const [site, block] = await Promise.all([sites.get(hostKey(host)), hostBlock(blocks, host)]);
  return { host, record: site?.value, isBlocked: block !== undefined };
}
